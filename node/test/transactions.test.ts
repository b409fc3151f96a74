/** Transactions: what they see, what they lock, and how they end. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client,
  CommitFailed,
  type Dataset,
  FeatureUnavailable,
  op,
  RecordChanged,
  RecordLocked,
  RecordNotFound,
  TransactionError,
  Write,
} from 'spikewire'
import { Cluster, type ClusterOptions } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 2, edition: 'enterprise', strongConsistency: true })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** A set of the test's own. */
const fresh = (): Dataset => client.dataset('test', `s${sets++}`)

test('a write may have to be the first one', async () => {
  const data = fresh()
  const txn = client.transaction()
  const inside = data.within(txn)
  await inside.add('a', { n: 1 }, { onLockingOnly: true })
  await assert.rejects(inside.add('a', { n: 1 }, { onLockingOnly: true }), { code: 126 })
  const rows = ['a', 'b'].map((key) => new Write(key, { n: 2 }, { onLockingOnly: true }))
  assert.deepEqual([...(await inside.batch(rows)).codes], [126, 0])
  await txn.commit()
  assert.equal((await data.get('a')).bins['n'], 1)
})

test('a commit makes all writes visible at once', async () => {
  const data = fresh()
  await data.put('a', { n: 1 })
  const txn = client.transaction()
  assert.deepEqual([txn.state, txn.namespace], ['open', null])
  const inside = data.within(txn)
  assert.equal((await inside.get('a')).bins['n'], 1)
  await inside.put('a', { n: 2 })
  await inside.operate('b', [op.add('n', 5)])
  await inside.putMany([1, 2, 3].map((key) => [key, { n: key }] as [number, { n: number }]))
  assert.equal((await inside.get('b')).bins['n'], 5)
  assert.equal(await inside.get('missing', { default: null }), null)
  const rows = await inside.getMany([1, 2, 3])
  assert.deepEqual(
    [...rows].map((row) => row?.bins['n']),
    [1, 2, 3],
  )
  assert.equal((await data.get('a')).bins['n'], 1)
  assert.equal(await data.exists('b'), false)
  await assert.rejects(data.put('a', { n: 9 }), RecordLocked)
  assert.equal(txn.namespace, 'test')
  assert.equal(await txn.commit(), 'done')
  assert.equal(await txn.commit(), 'already')
  assert.equal(txn.state, 'committed')
  assert.deepEqual([(await data.get('a')).bins['n'], (await data.get(3)).bins['n']], [2, 3])
  await assert.rejects(txn.abort(), TransactionError)
  await assert.rejects(inside.get('a'), /is committed; begin another one/)
})

test('an abort leaves everything as it was', async () => {
  const data = fresh()
  await data.put('a', { n: 1 })
  const txn = client.transaction({ timeout: 5000 })
  await txn.dataset('test', data.set).put('a', { n: 2 })
  await data.within(txn).delete('a')
  await assert.rejects(data.within(txn).get('a'), RecordNotFound)
  assert.deepEqual([await txn.abort(), await txn.abort()], ['done', 'already'])
  assert.equal((await data.get('a')).bins['n'], 1)
  await data.put('a', { n: 3 })
})

test('a changed record fails the commit', async () => {
  const data = fresh()
  await data.put('a', { n: 1 })
  const txn = client.transaction()
  await data.within(txn).get('a')
  await data.within(txn).put('b', { n: 1 })
  await data.put('a', { n: 2 })
  await assert.rejects(txn.commit(), (error) => {
    assert.ok(error instanceof CommitFailed)
    assert.deepEqual([error.part, error.code, error.inDoubt], ['verify', 121, false])
    const [changed, ...others] = error.records
    assert.ok(changed instanceof RecordChanged)
    assert.deepEqual([changed.code, others.length], [121, 0])
    assert.ok(changed.key?.equals(data.key('a')))
    return true
  })
  assert.equal(txn.state, 'aborted')
  assert.equal(await data.exists('b'), false)
})

test('a failed commit names records of all sets, and of none', async () => {
  const [one, none] = [fresh(), client.dataset('test', null)]
  const keys = [one.key(1), one.key(2), none.key('without a set')] as const
  const txn = client.transaction()
  await client.within(txn).getMany(keys)
  for (const key of keys) await client.put(key, { n: 1 })
  const failed = await txn.commit().then(
    () => assert.fail('it is committed'),
    (error: unknown) => error,
  )
  assert.ok(failed instanceof CommitFailed)
  const named = failed.records.map((error) => {
    assert.ok(error instanceof RecordChanged)
    return `${error.key?.set} ${error.key?.digest.toString('hex')}`
  })
  assert.deepEqual(
    named.sort(),
    keys.map((key) => `${key.set} ${key.digest.toString('hex')}`).sort(),
  )
  await client.delete(keys[2], { durable: true })
})

test('a function is run again after conflicts', async () => {
  const data = fresh()
  await data.put('n', { n: 0 })
  const add = () =>
    client.runInTransaction(
      async (txn) => {
        const inside = data.within(txn)
        const old = (await inside.get('n')).bins['n'] as number
        await inside.put('n', { n: old + 1 })
      },
      { attempts: 1000 },
    )
  await Promise.all([1, 2, 3, 4, 5].map(add))
  assert.equal((await data.get('n')).bins['n'], 5)
  const failing = client.runInTransaction(async (txn) => {
    await data.within(txn).put('n', { n: 7 })
    throw new Error('no')
  })
  await assert.rejects(failing, /^Error: no$/)
  await data.put('n', { n: 8 })
  let calls = 0
  const changing = client.runInTransaction(
    async (txn) => {
      calls++
      await data.within(txn).get('n')
      await data.add('n', { n: 1 })
      await data.within(txn).get('n')
    },
    { attempts: 3 },
  )
  await assert.rejects(changing, RecordChanged)
  assert.equal(calls, 3)
  for (const options of [
    { attempts: 0 },
    { attempts: 1.5 },
    { limit: -1 },
    { limit: Number.NaN },
  ]) {
    await assert.rejects(
      client.runInTransaction(() => calls++, options),
      RangeError,
    )
  }
  await assert.rejects(
    client.runInTransaction(() => calls++, { attempts: '3' as never }),
    TypeError,
  )
  assert.equal(calls, 3)
})

test('a commit in doubt can be repeated', async () => {
  const own = await Cluster.start({ edition: 'enterprise', strongConsistency: true })
  const other = await Client.connect(own.seeds, { timeout: 30_000, maxErrorRate: 0 })
  try {
    const txn = other.transaction({ timeout: 120_000 })
    await txn.dataset('test', 's').put('a', { n: 1 })
    await own.inject(0, { dropReply: 1 })
    await assert.rejects(txn.commit(), (error) => {
      assert.ok(error instanceof CommitFailed)
      assert.deepEqual([error.part, error.inDoubt, error.records], ['mark', true, []])
      return true
    })
    assert.equal(txn.state, 'in_doubt')
    await assert.rejects(txn.abort(), TransactionError)
    await own.clearFaults(0)
    assert.equal(await txn.commit(), 'done')
    assert.equal((await other.dataset('test', 's').get('a')).bins['n'], 1)
  } finally {
    await other.close()
    await own.close()
  }
})

test('invalid uses are refused', async () => {
  assert.throws(() => client.transaction({ timeout: 1500 }), RangeError)
  assert.throws(() => client.transaction({ timeout: 121_000 }), RangeError)
  assert.throws(() => fresh().within({} as never), TypeError)
  assert.throws(() => client.within({} as never), TypeError)
  const txn = client.transaction()
  const other = await Client.connect(cluster.seeds)
  const foreign = /the transaction is one of another client/
  assert.throws(() => other.dataset('test', 's').within(txn), TransactionError)
  assert.throws(() => other.dataset('test', 's').within(txn), foreign)
  assert.throws(() => other.within(txn), foreign)
  await other.close()
})

test('servers without transactions are sent nothing', async () => {
  const version = /^transactions: needs server 8\.0 Enterprise Edition; node BB9\w+ has /
  const namespace = /^transactions: needs a strongly consistent namespace; namespace "test" is not/
  const cases: [ClusterOptions, RegExp, string][] = [
    [{}, version, '8.1.2.0 Community Edition'],
    [{ edition: 'enterprise', build: '7.2.0.4' }, version, '7.2.0.4 Enterprise Edition'],
    [{ edition: 'enterprise' }, namespace, ''],
  ]
  for (const [options, expected, has] of cases) {
    const plain = await Cluster.start(options)
    const without = await Client.connect(plain.seeds)
    const txn = without.transaction()
    const inside = txn.dataset('test', 's')
    const calls = [
      () => inside.get(1),
      () => inside.put(1, { n: 1 }),
      () => inside.getMany([1, 2]),
      () => inside.putMany([[1, { n: 1 }]]),
    ]
    for (const call of calls) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof FeatureUnavailable)
        assert.match(error.message, expected)
        assert.ok(error.message.includes(has))
        assert.equal(error.attempts, 0)
        return true
      })
    }
    assert.equal(await txn.commit(), 'done')
    await without.close()
    await plain.close()
  }
})

test('deletions need no durability where the namespace allows that', async () => {
  await using own = await Cluster.start({
    edition: 'enterprise',
    strongConsistency: true,
    namespaces: { test: {}, allowing: { strongConsistencyAllowExpunge: true } },
  })
  const other = await Client.connect(own.seeds, { timeout: 30_000 })
  try {
    for (const namespace of ['test', 'allowing']) {
      const data = other.dataset(namespace, 's')
      await data.put('a', { n: 1 })
      if (namespace === 'allowing') await data.delete('a')
      else await assert.rejects(data.delete('a'), { code: 22 })
    }
  } finally {
    await other.close()
  }
})
