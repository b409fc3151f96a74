/** What each verb does in a transaction: row by row of the table in docs/transactions.md. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client,
  CommitFailed,
  type Dataset,
  Delete,
  type Key,
  Late,
  op,
  Read,
  RecordLocked,
  TransactionError,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

const MODULE = `function add(record, amount)
  record['n'] = record['n'] + amount
  aerospike:update(record)
  return record['n']
end`

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 2, edition: 'enterprise', strongConsistency: true })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  await client.modules.register('verbs.lua', { source: MODULE })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** A set of the test's own. */
const fresh = (): Dataset => client.dataset('test', `v${sets++}`)

type Verbs = { readonly [name: string]: (it: Dataset) => Promise<unknown> }

const READS: Verbs = {
  get: (it) => it.get('a'),
  exists: (it) => it.exists('a'),
  operate: (it) => it.operate('a', [op.get('n')]),
  getMany: (it) => it.getMany(['a']),
  getColumns: (it) => it.getColumns(['a'], { schema: { n: 'float64' } }),
  getArrow: (it) => it.getArrow(['a'], { schema: { n: 'float64' } }),
  existsMany: (it) => it.existsMany(['a']),
  operateMany: (it) => it.operateMany(['a'], [op.get('n')]),
  batch: (it) => it.batch([new Read(it.key('a'))]),
}

for (const [name, verb] of Object.entries(READS)) {
  test(`${name} is verified when the transaction commits`, async () => {
    const data = fresh()
    await data.put('a', { n: 1 })
    const txn = client.transaction()
    await verb(data.within(txn))
    await data.put('a', { n: 2 })
    await assert.rejects(txn.commit(), (error) => {
      assert.ok(error instanceof CommitFailed)
      assert.deepEqual(
        error.records.map((record) => [record.code, record.key?.set]),
        [[121, data.set]],
      )
      return true
    })
  })
}

/** Each makes `n` of record "a" 2; it was 1. */
const WRITES: Verbs = {
  put: (it) => it.put('a', { n: 2 }),
  add: (it) => it.add('a', { n: 1 }),
  operate: (it) => it.operate('a', [op.add('n', 1)]),
  apply: (it) => it.apply('a', 'verbs', 'add', [1]),
  putMany: (it) => it.putMany([['a', { n: 2 }]]),
  operateMany: (it) => it.operateMany(['a'], [op.add('n', 1)]),
  applyMany: (it) => it.applyMany(['a'], 'verbs', 'add', [1]),
  batch: (it) => it.batch([new Write(it.key('a'), [op.add('n', 1)])]),
}

for (const [name, verb] of Object.entries(WRITES)) {
  test(`${name} locks, and takes effect at the commit`, async () => {
    const data = fresh()
    const number = async (it: Dataset): Promise<unknown> => (await it.get('a')).bins['n']
    for (const commits of [false, true]) {
      await data.put('a', { n: 1 })
      const txn = client.transaction()
      const inside = data.within(txn)
      await verb(inside)
      assert.deepEqual([await number(inside), await number(data)], [2, 1])
      await assert.rejects(data.put('a', { n: 9 }), RecordLocked)
      assert.equal(await (commits ? txn.commit() : txn.abort()), 'done')
      assert.equal(await number(data), commits ? 2 : 1)
    }
  })
}

test('texts grow and times to live change at the commit', async () => {
  const data = fresh()
  await data.put('a', { s: 'x' })
  const txn = client.transaction()
  const inside = data.within(txn)
  await inside.append('a', { s: 'y' })
  await inside.prepend('a', { s: 'z' })
  await inside.touch('a', { ttl: 1000 })
  assert.equal((await data.get('a')).bins['s'], 'x')
  assert.equal(await txn.commit(), 'done')
  const record = await data.get('a')
  assert.equal(record.bins['s'], 'zxy')
  assert.ok(record.ttl !== null && record.ttl > 900)
})

const DELETIONS: Verbs = {
  delete: (it) => it.delete('a'),
  deleteMany: (it) => it.deleteMany(['a']),
  operate: (it) => it.operate('a', [op.delete()]),
  put: (it) => it.put('a', { n: null }),
  batch: (it) => it.batch([new Delete(it.key('a'))]),
}

for (const [name, verb] of Object.entries(DELETIONS)) {
  test(`a deletion by ${name} takes effect at the commit`, async () => {
    const data = fresh()
    await data.put('a', { n: 1 })
    const txn = client.transaction()
    const inside = data.within(txn)
    await verb(inside)
    assert.deepEqual([await inside.exists('a'), await data.exists('a')], [false, true])
    assert.equal(await txn.commit(), 'done')
    assert.equal(await data.exists('a'), false)
  })
}

test('keys of several sets in one call', async () => {
  const [one, two] = [fresh(), fresh()]
  const keys = [one.key(1), two.key(1), one.key(2), two.key(2)] as const
  const txn = client.transaction()
  const inside = client.within(txn)
  await inside.putMany(keys.map((key, n) => [key, { n }] as [Key, { n: number }]))
  const rows = await inside.batch([new Read(keys[3]), new Delete(keys[0])])
  assert.equal(rows.at(0)?.bins['n'], 3)
  assert.equal((await inside.get(keys[1])).bins['n'], 1)
  const missing = [...(await client.getMany(keys))]
  assert.deepEqual(missing, [null, null, null, null])
  assert.equal(await txn.commit(), 'done')
  const left = [...(await client.getMany(keys))].map((record) => record?.bins['n'])
  assert.deepEqual(left, [undefined, 1, 2, 3])
})

test('a deadline is for reads', async () => {
  const own = await Cluster.start({ edition: 'enterprise', strongConsistency: true })
  const other = await Client.connect(own.seeds, { timeout: 30_000, maxErrorRate: 0 })
  try {
    const data = other.dataset('test', 's')
    await data.put('a', { n: 1 })
    const txn = other.transaction()
    const inside = data.within(txn)
    const [record] = await inside.getMany(['a'], { deadline: 20_000 })
    assert.ok(record !== null && !(record instanceof Late) && record?.bins['n'] === 1)
    const late = other.transaction()
    await own.inject(0, { drop: 1 })
    const rows = await data.within(late).getMany(['a'], { deadline: 100 })
    assert.deepEqual([...rows], [Late.row])
    await own.clearFaults(0)
    await data.put('a', { n: 2 })
    assert.equal(await late.commit(), 'done')
    const refused = inside.operateMany(['a'], [op.add('n', 1)], { deadline: 1000 } as never)
    await assert.rejects(refused, /deadline and writes exclude each other/)
    await txn.abort()
  } finally {
    await other.close()
    await own.close()
  }
})

test('queries and jobs are no part of transactions', async () => {
  const txn = client.transaction()
  const inside = fresh().within(txn)
  assert.throws(() => inside.query(), TransactionError)
  assert.throws(() => inside.query(), /a query is no part of transactions/)
  const jobs = [
    () => inside.operateAll([op.touch()]),
    () => inside.applyAll('verbs', 'add', [1]),
    () => inside.touchAll(),
    () => inside.deleteAll(),
  ]
  for (const job of jobs) {
    await assert.rejects(job(), /a background job is no part of transactions/)
  }
  assert.deepEqual([txn.state, txn.namespace], ['open', null])
})
