/** Index queries, background jobs and aggregations on the embedded cluster. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client,
  type Columns,
  ctx,
  type Dataset,
  exp,
  FunctionFailed,
  GeoJSON,
  IndexNotFound,
  type IndexRange,
  index,
  type Job,
  type JobOptions,
  type JobProgress,
  type OperateAllOptions,
  op,
  Timeout,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Person = {
  n: number
  name: string
  tags: string[]
  map: { [key: string]: number }
  place: GeoJSON
  bytes: Buffer
  deep: number[][]
}
const COUNT = 1000

let cluster: Cluster
let client: Client
let people: Dataset<Person>

const SOURCE = `
function count(stream)
  local function one() return 1 end
  local function add(a, b) return a + b end
  return stream : map(one) : reduce(add)
end
function total(stream, factor)
  local function value(record) return record["n"] * factor end
  local function add(a, b) return a + b end
  return stream : map(value) : reduce(add)
end
function broken(stream)
  local function fail(record) error("no luck") end
  return stream : map(fail)
end
function endless(stream)
  local function value(record) while true do end end
  return stream : map(value)
end
function mark(record, bin, value)
  record[bin] = value
  aerospike:update(record)
end
`

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
  people = client.dataset<Person>('test', 'people')
  const one = (n: number) =>
    people.put(n, {
      n,
      name: `name ${n % 10}`,
      tags: [`tag ${n % 5}`, 'all'],
      map: { [`key ${n % 4}`]: n },
      place: GeoJSON.point(n / 100, n / 100),
      bytes: Buffer.from([n % 7]),
      deep: [[n % 3], []],
    })
  await Promise.all(Array.from({ length: COUNT }, (_, n) => one(n)))
  const { indexes } = client
  await indexes.create('test', 'people', 'n', 'numeric', { name: 'numbers' })
  await indexes.create('test', 'people', 'name', 'string')
  await indexes.create('test', 'people', 'tags', 'string', { of: 'list' })
  await indexes.create('test', 'people', 'map', 'string', { of: 'mapkeys' })
  await indexes.create('test', 'people', 'place', 'geo2dsphere')
  await indexes.create('test', 'people', 'bytes', 'blob')
  await indexes.create('test', 'people', 'deep', 'numeric', {
    of: 'list',
    name: 'deep',
    ctx: [ctx.listIndex(0)],
  })
  await client.modules.register('people.lua', { source: SOURCE })
})

after(async () => {
  await client?.close()
  await cluster?.close()
})

async function count(range: IndexRange): Promise<number> {
  let matches = 0
  for await (const _ of people.query({ index: range })) matches++
  return matches
}

test('index queries return records in range', async () => {
  assert.equal(await count(index.between('n', 100, 199)), 100)
  assert.equal(await count(index.between('n', -(2n ** 63n), 9n)), 10)
  assert.equal(await count(index.between(null, 5, 6, { name: 'numbers' })), 2)
  assert.equal(await count(index.equal('n', 7)), 1)
  assert.equal(await count(index.equal('name', 'name 3')), COUNT / 10)
  assert.equal(await count(index.equal('bytes', Buffer.from([6]))), 142)
  assert.equal(await count(index.contains('tags', 'tag 2')), COUNT / 5)
  assert.equal(await count(index.contains('map', 'key 1', { of: 'mapkeys' })), COUNT / 4)
  const nested = { of: 'list', ctx: [ctx.listIndex(0)] } as const
  assert.equal(await count(index.between('deep', 2, 2, nested)), 333)
  const square = [
    [-0.5, -0.5],
    [0.995, -0.5],
    [0.995, 0.995],
    [-0.5, 0.995],
    [-0.5, -0.5],
  ]
  const region = new GeoJSON({ type: 'Polygon', coordinates: [square] })
  assert.equal(await count(index.within('place', region)), 100)
})

test('index queries take filters, pages and cursors', async () => {
  const options = { index: index.between('n', 100, 499), where: exp.bin('n', 'int').lt(300) }
  const matches: number[] = []
  let resume: Buffer | undefined
  for (;;) {
    const page = await people.query({ ...options, pageSize: 70, resume }).page()
    matches.push(...page.records.map(({ bins }) => bins.n))
    if (page.done) break
    resume = page.cursor
  }
  assert.deepEqual(
    matches.sort((a, b) => a - b),
    Array.from({ length: 200 }, (_, at) => at + 100),
  )
  const other = { index: index.between('n', 1, 499), resume }
  assert.throws(() => people.query(other), /resume.*another query/)
})

test('a missing index is an error', async () => {
  const query = people.query({ index: index.between('none', 1, 2) })
  await assert.rejects(query.next(), IndexNotFound)
})

test('invalid index ranges are rejected when they are created', () => {
  const bad: [() => unknown, ErrorConstructor | TypeErrorConstructor, RegExp][] = [
    [() => index.between('n', 1.5, 2), RangeError, /low must be a whole number/],
    [() => index.between('n', 2n ** 63n, 2), RangeError, /low must be a whole number/],
    [() => index.between('n', 3, 2), RangeError, /low/],
    [() => index.between('n', 'a' as never, 2), TypeError, /low must be/],
    [() => index.equal('n', true as never), TypeError, /value must be/],
    [() => index.equal('a bin of many characters', 1), RangeError, /bin/],
    [() => index.equal('n', 'x'.repeat(3000)), RangeError, /2048|value/],
    [() => index.equal(null, 1), RangeError, /give a bin or the name/],
    [() => index.equal('n', 1, { name: 'numbers' }), RangeError, /not both/],
    [() => index.equal('n', 1, { of: 'list' } as never), TypeError, /unknown option "of"/],
    [() => index.contains('n', 1, { of: 'keys' as never }), RangeError, /of must be/],
    [() => index.within('n', 'x' as never), TypeError, /the place must be/],
    [() => index.between('n', 1, 2, { ctx: [7 as never] }), TypeError, /ctx/],
    [() => people.query({ index: 5 as never }), TypeError, /index must come from/],
  ]
  for (const [make, kind, message] of bad) {
    assert.throws(make, (error) => error instanceof kind && message.test(error.message), `${make}`)
  }
  const range = index.between('n', 1, 2, { of: 'list' })
  assert.equal(String(range), "index.between('n', 1, 2, { of: 'list' })")
})

test('a job changes every record that matches a filter', async () => {
  const job = await people.operateAll([op.put('mark', 1)], { where: '$.n < 300' })
  assert.equal(typeof job.id, 'bigint')
  const progress = await job.wait({ timeout: 30_000 })
  assert.deepEqual(progress, {
    done: true,
    aborted: false,
    percent: 100,
    succeeded: 300,
    failed: 0,
    filtered: COUNT - 300,
  })
  assert.deepEqual((await job.progress()).done, true)
  let marked = 0
  for await (const _ of people.query({ where: '$.mark == 1' })) marked++
  assert.equal(marked, 300)
  await job.abort()
})

test('a job runs a function on every record of an index range', async () => {
  const options = { index: index.between('n', 0, 49) }
  const job = await people.applyAll('people', 'mark', ['mark', 'by a function'], options)
  assert.equal((await job.wait({ timeout: 30_000 })).succeeded, 50)
  let marked = 0
  for await (const _ of people.query({ where: "$.mark == 'by a function'" })) marked++
  assert.equal(marked, 50)
})

test('jobs touch and delete every record', async () => {
  const many = client.dataset<{ n: number }>('test', 'short')
  await Promise.all(Array.from({ length: 100 }, (_, n) => many.put(n, { n })))
  const touch = await client.touchAll('test', 'short', { ttl: 5000 })
  assert.equal((await touch.wait({ timeout: 30_000 })).succeeded, 100)
  const { ttl } = await many.get(5)
  assert.ok(ttl !== null && ttl > 4900 && ttl <= 5000)
  const deletion = await many.deleteAll({ where: '$.n >= 10' })
  assert.equal((await deletion.wait({ timeout: 30_000 })).succeeded, 90)
  let left = 0
  for await (const _ of many.query()) left++
  assert.equal(left, 10)
})

test('a job on a set that no node knows has nothing to do', async () => {
  const unknown = client.dataset('test', 'unknown')
  const mark = [op.put('mark', 1)]
  for (const job of [
    await unknown.operateAll(mark),
    await unknown.applyAll('people', 'mark', ['mark', 1]),
    await client.touchAll('test', 'unknown'),
    await unknown.deleteAll(),
  ]) {
    const done = { done: true, aborted: false, percent: 100, succeeded: 0, failed: 0, filtered: 0 }
    assert.deepEqual(await job.progress(), done)
    assert.deepEqual(await job.wait({ timeout: 30_000 }), done)
    await job.abort()
  }
})

test('a long job reports progress, is waited for and aborted', async () => {
  const slow = { recordsPerSecond: 1 }
  const job = await people.operateAll([op.put('slow', 1)], slow)
  const { done, percent } = await job.progress()
  assert.ok(!done && percent < 100)
  await assert.rejects(job.wait({ timeout: 50 }), Timeout)
  const abort = new AbortController()
  const reason = new Error('enough')
  const waiting = job.wait({ signal: abort.signal })
  abort.abort(reason)
  await assert.rejects(waiting, reason)
  await job.abort()
  const end = await job.wait({ timeout: 30_000 })
  assert.ok(end.done)
})

test('invalid jobs are rejected before anything is sent', async () => {
  const invalid: [Promise<unknown>, RegExp][] = [
    [people.operateAll([op.get('n')]), /operations\[0\] reads/],
    [people.operateAll([]), /operations must not be empty/],
    [
      people.operateAll([op.put('a', 1)], { limit: 1 } as OperateAllOptions),
      /unknown option limit/,
    ],
    [people.operateAll([op.put('a', 1)], { ttl: 1.5 }), /ttl/],
    [people.applyAll('', 'f'), /module/],
    [people.applyAll('people', 'mark', 7 as never), /args must be an array/],
    [people.deleteAll({ ttl: 7 } as JobOptions), /unknown option ttl/],
    [people.touchAll({ recordsPerSecond: 0 }), /recordsPerSecond/],
    [client.deleteAll('test', undefined as never), /set must be a string, or null/],
    [people.touchAll({ signal: AbortSignal.abort(new Error('before')) }), /before/],
  ]
  for (const [promise, message] of invalid) {
    await assert.rejects(promise, (error: Error) => message.test(error.message), `${message}`)
  }
  assert.equal((await people.get(1)).bins.n, 1)
})

test('aggregations return reduced results', async () => {
  assert.deepEqual(await people.query().aggregate('people', 'count'), [COUNT])
  const sum = ((COUNT - 1) * COUNT) / 2
  assert.deepEqual(await people.query().aggregate('people', 'total', [2]), [2 * sum])
  const some = people.query({ index: index.between('n', 1, 3) })
  assert.deepEqual(await some.aggregate('people', 'total', [10]), [60])
  assert.deepEqual(await client.query('test', 'nothing').aggregate('people', 'count'), [])
  await assert.rejects(people.query().aggregate('people', 'broken'), FunctionFailed)
  await assert.rejects(people.query().aggregate('people', 'unknown'), FunctionFailed)
  await assert.rejects(people.query({ limit: 1 }).aggregate('people', 'count'), /limit/)
  await assert.rejects(people.query({ where: '$.n > 1' }).aggregate('people', 'count'), RangeError)
})

test('a cancelled aggregation is rejected', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  const endless = people.query({ signal: abort.signal }).aggregate('people', 'endless')
  setTimeout(() => abort.abort(reason), 50)
  await assert.rejects(endless, reason)
})

test('callbacks are never called before the call has returned', async () => {
  const many = client.dataset<{ n: number }>('test', 'called')
  await Promise.all(Array.from({ length: 30 }, (_, n) => many.put(n, { n })))
  let hasReturned = false
  const called = <T>(begin: (callback: (error: Error | null, value?: T) => void) => void) => {
    hasReturned = false
    const outcome = new Promise<T>((resolve, reject) => {
      begin((error, value) => {
        assert.ok(hasReturned)
        if (error === null) resolve(value as T)
        else reject(error)
      })
    })
    hasReturned = true
    return outcome
  }
  const job = await called<Job>((done) => many.operateAll([op.add('n', 1)], done))
  assert.equal((await called<JobProgress>((done) => job.wait(done))).succeeded, 30)
  assert.equal((await called<JobProgress>((done) => job.progress(done))).done, true)
  await called<void>((done) => job.abort(done))
  const touched = await called<Job>((done) => client.touchAll('test', 'called', { ttl: 9 }, done))
  await called<JobProgress>((done) => touched.wait({ timeout: 30_000 }, done))
  const sum = await called<unknown[]>((done) =>
    many.query().aggregate('people', 'total', [1], done),
  )
  assert.deepEqual(sum, [(29 * 30) / 2 + 30])
  const table = await called<Columns>((done) => many.getColumns([1, 2], done))
  assert.deepEqual(table.get('n')?.toArray(), [2n, 3n])
  const stream = await called<Buffer>((done) => many.getArrow([1], { bins: ['n'] }, done))
  assert.ok(stream.length > 0)
  await assert.rejects(
    called<Job>((done) => many.deleteAll({ recordsPerSecond: 0 }, done)),
    RangeError,
  )
  const deleted = await called<Job>((done) => many.deleteAll(done))
  await deleted.wait()
})
