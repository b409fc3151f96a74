
function visit(rec, by)
    if not aerospike:exists(rec) then
        rec.log = list()
        rec.n = 0
        aerospike:create(rec)
    end
    rec.n = rec.n + by
    local log = rec.log
    list.append(log, by)
    rec.log = log
    aerospike:update(rec)
    return map { n = rec.n, seen = list.size(log), set = record.setname(rec) }
end

function echo(rec, value) return value end
function drop(rec) return aerospike:remove(rec) end
function fail(rec) error('no luck') end
function spin(rec) while true do end end
function brief(rec) record.set_ttl(rec, 100) rec.n = 1 return aerospike:update(rec) end
