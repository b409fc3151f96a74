function f(r, a) r['n'] = a; aerospike:update(r); return a + 1 end
