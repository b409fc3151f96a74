/** Queries on the embedded cluster. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client,
  ClientClosed,
  type Dataset,
  Key,
  type Query,
  QueryClosed,
  type QueryOptions,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type User = { n: number; text: string }
const COUNT = 3000

let cluster: Cluster
let client: Client
let users: Dataset<User>

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds)
  users = client.dataset<User>('test', 'users')
  const one = (n: number) =>
    users.put(n, { n, text: `text ${n}` }, { sendKey: n % 2 === 1, ttl: n % 3 ? 'never' : 1000 })
  await Promise.all(Array.from({ length: COUNT }, (_, n) => one(n)))
  await client.dataset('test', 'other').put('x', { n: -1 })
  await client.dataset('test').put('y', { n: -2 })
})

after(async () => {
  await client?.close()
  await cluster?.close()
})

async function numbers(query: Query<User>): Promise<number[]> {
  const ids: number[] = []
  for await (const record of query) ids.push(record.bins.n)
  return ids.sort((a, b) => a - b)
}

const all = Array.from({ length: COUNT }, (_, n) => n)

test('every record is returned once, with its bins, key and time to live', async () => {
  const seen = new Set<number>()
  for await (const record of users.query()) {
    const { n, text } = record.bins
    assert.ok(!seen.has(n), `${n} twice`)
    seen.add(n)
    assert.equal(text, `text ${n}`)
    assert.equal(record.generation, 1)
    if (n % 3) assert.equal(record.ttl, null)
    else assert.ok(record.ttl !== null && record.ttl > 900 && record.ttl <= 1000)
    const key = users.key(n)
    assert.ok(record.key.equals(key), `${record.key} is not ${key}`)
    assert.equal(record.key.key, n % 2 === 1 ? n : null)
    assert.equal(record.key.set, 'users')
  }
  assert.equal(seen.size, COUNT)
})

test('the key of a record works in other verbs', async () => {
  for await (const record of users.query({ limit: 5 })) {
    assert.deepEqual((await client.get(record.key)).bins, record.bins)
    assert.deepEqual((await users.get(record.key)).bins, record.bins)
  }
})

test('scanning a namespace returns the records of all its sets', async () => {
  const sets = new Map<string | null, number>()
  for await (const { key } of client.query('test')) {
    sets.set(key.set, (sets.get(key.set) ?? 0) + 1)
  }
  assert.deepEqual(
    [...sets].sort(),
    [
      [null, 1],
      ['other', 1],
      ['users', COUNT],
    ].sort(),
  )
})

test('filters, bins, limits and partitions select what is returned', async () => {
  assert.deepEqual(await numbers(users.query({ where: '$.n < 50' })), all.slice(0, 50))
  for await (const { bins } of users.query({ bins: ['n'], limit: 10 })) {
    assert.deepEqual(Object.keys(bins), ['n'])
  }
  for await (const { bins, generation } of users.query({ includeValues: false })) {
    assert.deepEqual(bins, {})
    assert.equal(generation, 1)
  }
  assert.equal((await numbers(users.query({ limit: 17 }))).length, 17)
  const halves = [
    await numbers(users.query({ partitions: { first: 0, count: 2000 } })),
    await numbers(users.query({ partitions: { first: 2000, count: 2096 } })),
  ]
  assert.deepEqual(
    halves.flat().sort((a, b) => a - b),
    all,
  )
  const { digest } = users.key(7)
  const partition = digest.readUInt16LE(0) & 4095
  const inIt = await numbers(users.query({ partitions: partition }))
  assert.ok(inIt.includes(7))
  const behind = await numbers(users.query({ after: 7 }))
  const isBehind = (n: number) =>
    n !== 7 && inIt.includes(n) && Buffer.compare(users.key(n).digest, digest) > 0
  assert.ok(behind.every(isBehind))
  assert.deepEqual(behind, await numbers(users.query({ after: users.key(7) })))
})

test('each page has a cursor', async () => {
  const ids: number[] = []
  let pages = 0
  let resume: Buffer | undefined
  for (;;) {
    // A separate query per page, as another process would use.
    const page = await users.query({ pageSize: 700, ...(resume && { resume }) }).page()
    pages++
    ids.push(...page.records.map((record) => record.bins.n))
    assert.equal(page.length, [...page].length)
    if (page.done) break
    assert.equal(page.length, 700)
    resume = page.cursor
  }
  assert.ok(pages === 5 || pages === 6, `${pages} pages`)
  assert.deepEqual(
    ids.sort((a, b) => a - b),
    all,
  )
})

test('a cursor resumes after the last record taken', async () => {
  const first: number[] = []
  const query = users.query()
  for await (const { bins } of query) {
    first.push(bins.n)
    if (first.length === 321) break
  }
  const rest = await numbers(users.query({ resume: query.cursor }))
  assert.deepEqual(
    [...first, ...rest].sort((a, b) => a - b),
    all,
  )
  assert.deepEqual(query.cursor, query.cursor)
})

test('a page follows records read one by one', async () => {
  const query = users.query({ pageSize: 100 })
  const first = await query.next()
  const page = await query.page()
  assert.equal(page.length, 100)
  const rest = await numbers(users.query({ resume: query.cursor }))
  const results = [first.value?.bins.n ?? -1, ...page.records.map(({ bins }) => bins.n)]
  assert.deepEqual(
    [...results, ...rest].sort((a, b) => a - b),
    all,
  )
  query.close()
})

test('batches have the requested size', async () => {
  const sizes: number[] = []
  for await (const batch of users.query().batches(1000)) sizes.push(batch.length)
  assert.deepEqual(sizes, [1000, 1000, 1000])
  sizes.length = 0
  for await (const batch of users.query({ where: '$.n < 250' }).batches(100)) {
    sizes.push(batch.length)
  }
  assert.deepEqual(sizes, [100, 100, 50])
  await assert.rejects(users.query().batches(0).next(), RangeError)
})

test('concurrent calls of next return different records', async () => {
  const query = users.query()
  const results = await Promise.all(Array.from({ length: 600 }, () => query.next()))
  const ids = new Set(results.map(({ value }) => value?.bins.n))
  assert.equal(ids.size, 600)
  query.close()
})

test('reading past the end returns done repeatedly', async () => {
  const query = users.query({ limit: 3 })
  assert.equal((await numbers(query)).length, 3)
  assert.deepEqual(await query.next(), { value: undefined, done: true })
  assert.deepEqual(await numbers(query), [])
  query.close()
  assert.deepEqual(await query.next(), { value: undefined, done: true })
})

test('leaving the loop ends the query, and so do close and using', async () => {
  const left = users.query()
  for await (const _ of left) break
  await assert.rejects(left.next(), QueryClosed)
  const closed = users.query()
  await closed.next()
  const waiting = closed.page()
  closed.close()
  closed.close()
  await assert.rejects(waiting, RangeError)
  await assert.rejects(closed.next(), QueryClosed)
  const disposed = users.query()
  disposed[Symbol.dispose]()
  await assert.rejects(disposed.next(), QueryClosed)
  const disposedLater = users.query()
  await disposedLater[Symbol.asyncDispose]()
  await assert.rejects(disposedLater.next(), QueryClosed)
})

test('a signal ends the query, even a waiting one', async () => {
  const reason = new Error('enough')
  const abort = new AbortController()
  const query = users.query({ signal: abort.signal })
  const seen: number[] = []
  await assert.rejects(async () => {
    for await (const { bins } of query) {
      seen.push(bins.n)
      if (seen.length === 10) abort.abort(reason)
    }
  }, reason)
  assert.equal(seen.length, 10)
  assert.throws(() => users.query({ signal: abort.signal }), reason)
  const rest = await numbers(users.query({ resume: query.cursor }))
  assert.equal(rest.length, COUNT - 10)

  await cluster.inject(0, { delay: 60_000 })
  try {
    const second = new AbortController()
    const stuck = numbers(users.query({ signal: second.signal }))
    setTimeout(() => second.abort(reason), 100)
    await assert.rejects(stuck, reason)
  } finally {
    await cluster.clearFaults(0)
  }
})

test('invalid options are rejected by name before anything is sent', () => {
  const bad: [object, RegExp][] = [
    [{ limt: 1 }, /unknown option limt/],
    [{ limit: 0 }, /limit must be from 1/],
    [{ limit: 1.5 }, /limit must be from 1/],
    [{ bins: 'n' }, /bins must be an array/],
    [{ bins: ['a bin of many characters'] }, /bin/],
    [{ partitions: 'x' }, /partitions must be/],
    [{ partitions: 4096 }, /partitions/],
    [{ partitions: { first: 4000, count: 100 } }, /partitions/],
    [{ pageSize: 0 }, /pageSize/],
    [{ resume: 'x' }, /resume must be/],
    [{ resume: Buffer.alloc(600) }, /resume/],
    [{ recordsPerSecond: -1 }, /recordsPerSecond/],
    [{ concurrentNodes: 0 }, /concurrentNodes/],
    [{ replica: 'best' }, /replica/],
    [{ timeout: -1 }, /timeout/],
    [{ socketTimeout: Number.NaN }, /socketTimeout/],
    [{ where: 7 }, /where|filter/],
    [{ operations: 7 }, /operations/],
    [{ includeValues: 'no' }, /includeValues/],
    [{ includeValues: false, bins: ['n'] }, /bins and includeValues exclude/],
    [{ after: {} }, /key/],
    [{ after: new Key('test', 'other', 1) }, /does not belong/],
  ]
  for (const [options, message] of bad) {
    assert.throws(() => users.query(options as QueryOptions), message, JSON.stringify(options))
  }
  assert.throws(() => client.query('', 'users'), RangeError)
})

test('the clients of queries can be closed', async () => {
  const other = await Client.connect(cluster.seeds)
  const query = other.query('test', 'users')
  await query.next()
  await other.close()
  await assert.rejects(async () => {
    for await (const _ of query);
  }, ClientClosed)
  assert.throws(() => other.query('test', 'users'), ClientClosed)
})

test('bins that a record does not have are absent, also in pages and with a limit', async () => {
  const data = client.dataset('test', 'absent')
  await data.put(1, { a: 1 })
  for (const options of [{}, { pageSize: 5 }, { limit: 5 }]) {
    const { value } = await data.query({ bins: ['a', 'b'], ...options }).next()
    assert.deepEqual({ ...value?.bins }, { a: 1 })
  }
})
