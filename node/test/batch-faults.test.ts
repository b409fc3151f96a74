/** Batches with nodes that die, lose or cut replies, are overloaded or slow. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Client,
  type ClientOptions,
  ConnectionFailed,
  type Dataset,
  GenerationMismatch,
  op,
  Read,
  Timeout,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Bins = { n: number; m?: number }

const range = (count: number) => Array.from({ length: count }, (_, n) => n)

/** A cluster of three nodes with this many records, all with `n` = 0. */
async function withRecords(
  count: number,
  options: ClientOptions,
  work: (data: Dataset<Bins>, cluster: Cluster) => Promise<void>,
): Promise<void> {
  const cluster = await Cluster.start({ nodes: 3 })
  const client = await Client.connect(cluster.seeds, { timeout: 30_000, ...options })
  try {
    const data = client.dataset<Bins>('test', 's')
    const written = await data.putMany(range(count).map((key) => [key, { n: 0 }]))
    written.raiseForErrors()
    await work(data, cluster)
  } finally {
    await client.close()
    await cluster.close()
  }
}

const numbers = (batch: Iterable<{ bins: Bins } | null>) =>
  [...batch].map((record) => record?.bins.n)

test('replies end where a row fails', async () => {
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  const data = client.dataset('test', 's')
  const keys = range(12)
  await data.putMany(keys.map((key) => [key, { large: 'x'.repeat(50_000), n: key === 1 ? '' : 1 }]))
  const steps = [op.add('n', 1), op.get('large')]
  const batch = await data.operateMany(keys, steps, { respondAllKeys: false })
  const late = keys.slice(3).map(() => -15)
  assert.deepEqual([...batch.codes], [0, 12, 0, ...late])
  assert.deepEqual([...batch.inDoubt], keys.slice(3))
  for (const read of [
    await data.getMany(keys, { respondAllKeys: false }),
    await data.existsMany(keys, { respondAllKeys: false }),
    await data.deleteMany(keys, { respondAllKeys: false }),
  ])
    assert.deepEqual(new Set(read.codes), new Set([0]))
  await client.close()
  await cluster.close()
})

test('batches survive a node that dies and comes back', async () => {
  // The node may be killed again before the client has noticed that it came back; without a pause,
  // all retries would be used up before that.
  const options = { maxRetries: 10, sleepBetweenRetries: 100 }
  await withRecords(500, options, async (data, cluster) => {
    for (let time = 0; time < 2; time++) {
      await cluster.kill(1)
      const results = await data.getMany(range(500))
      assert.equal(results.errors.size, 0)
      assert.deepEqual(numbers(results), new Array(500).fill(0))
      await cluster.restart(1)
      assert.ok(await cluster.waitSettled())
    }
  })
})

test('a dead node: reads use another replica, writes report that they are in doubt', async () => {
  await withRecords(300, {}, async (data, cluster) => {
    await cluster.kill(1)
    const rows = range(300).map((key) => (key % 2 ? new Read(key) : new Write(key, { m: key })))
    const done = await data.batch(rows)
    for (const [row, error] of done.errors) assert.ok(error.inDoubt && row % 2 === 0, String(error))
    for (const row of range(300)) {
      if (row % 2) assert.equal(done[row]?.bins.n, 0)
    }
  })
})

test('lost replies leave writes in doubt', async () => {
  await withRecords(120, {}, async (data, cluster) => {
    const rows = range(120).map((key) =>
      key % 2 ? new Read(key) : new Write(key, [op.add('n', 1)]),
    )
    await cluster.inject(0, { dropReply: 1 })
    const done = await data.batch(rows, { timeout: 1000 })
    const failed = [...done.errors.keys()].sort((a, b) => a - b)
    assert.ok(failed.length > 0 && failed.length < 120)
    assert.deepEqual(
      done.inDoubt,
      failed.filter((row) => row % 2 === 0),
    )
    for (const [row, error] of done.errors) {
      assert.ok(error instanceof Timeout, String(error))
      assert.deepEqual([error.inDoubt, error.attempts, error.key?.key], [row % 2 === 0, 1, row])
      assert.throws(() => done[row], Timeout)
    }
    assert.equal(new Set([...done.errors.values()].map(({ node }) => node)).size, 1)
    await cluster.clearFaults(0)
    const after = await data.getMany(range(60).map((key) => 2 * key))
    assert.deepEqual(numbers(after), new Array(60).fill(1), 'each was applied just once')
  })
})

test('truncated replies are read as far as they arrived', async () => {
  await withRecords(120, {}, async (data, cluster) => {
    await cluster.inject(0, { cut: 1 })
    const rows = range(120).map((key) =>
      key % 2 ? new Read(key) : new Write(key, [op.add('n', 1)]),
    )
    const done = await data.batch(rows)
    const failed = [...done.errors.keys()].sort((a, b) => a - b)
    assert.ok(
      failed.every((row) => row % 2 === 0),
      'reads find another replica',
    )
    assert.deepEqual(done.inDoubt, failed)
    const results = await data.getMany(range(120))
    for (const error of results.errors.values()) assert.ok(error instanceof ConnectionFailed)
    await cluster.clearFaults(0)
    const after = await data.getMany(range(60).map((key) => 2 * key))
    assert.deepEqual(numbers(after), new Array(60).fill(1), 'no write was repeated')
  })
})

test('a reply in small pieces is complete', async () => {
  await withRecords(120, {}, async (data, cluster) => {
    await cluster.inject(0, { drip: [97, 1] })
    const results = await data.getMany(range(120))
    assert.deepEqual([results.errors.size, results.found], [0, 120])
  })
})

test('overload is retried on another node', async () => {
  await withRecords(0, {}, async (data, cluster) => {
    await cluster.inject(0, { error: 1 })
    const done = await data.batch(range(60).map((key) => new Write(key, { n: key })))
    assert.deepEqual(done.inDoubt, [])
    for (const error of done.errors.values())
      assert.deepEqual([error.attempts, error.code], [3, 18])
    await cluster.clearFaults(0)
    const there = await data.existsMany(range(60))
    const missing = range(60).filter((row) => there[row] === null)
    assert.deepEqual(missing, [...done.errors.keys()])
  })
})

test('writes in doubt are retried on request', async () => {
  await withRecords(60, { retryInDoubt: true }, async (data, cluster) => {
    await cluster.inject(0, { cut: 0.5, seed: 4 })
    const rows = range(60).map((key) => new Write(key, { n: 1 }, { generation: 1 }))
    const done = await data.batch(rows)
    await cluster.clearFaults(0)
    assert.deepEqual(numbers(await data.getMany(range(60))), new Array(60).fill(1))
    // A row that was applied the first time is rejected the second time, and says so.
    for (const error of done.errors.values()) {
      assert.ok(error instanceof GenerationMismatch)
      assert.ok(error.inDoubt && error.attempts > 1)
    }
    assert.deepEqual(done.inDoubt, [...done.errors.keys()])
  })
})

test('each row that misses the deadline fails with it', async () => {
  await withRecords(100, {}, async (data, cluster) => {
    await cluster.inject(0, { delay: 30_000 })
    const results = await data.getMany(range(100), { timeout: 1000, replica: 'master' })
    assert.ok(results.errors.size > 0 && results.errors.size < 100)
    for (const error of results.errors.values())
      assert.ok(error instanceof Timeout && !error.inDoubt)
    const written = await data.putMany(
      range(100).map((key) => [key, { n: 0 }]),
      { timeout: 1000 },
    )
    assert.deepEqual([...written.errors.keys()].sort(), [...results.errors.keys()].sort())
    assert.ok([...written.errors.values()].every((error) => error instanceof Timeout))
    await cluster.clearFaults(0)
    assert.equal((await data.getMany(range(100))).errors.size, 0)
  })
})

test('nothing is sent and no pause lasts beyond the timeout', async () => {
  // Longer than any test run on a slow machine.
  const PAUSE = 60_000
  const options = { timeout: PAUSE / 2, maxRetries: 5, sleepBetweenRetries: PAUSE }
  await withRecords(10, options, async (data, cluster) => {
    for (const node of range(3)) await cluster.inject(node, { error: 1, code: 18 })
    const begun = performance.now()
    const done = await data.putMany(range(10).map((key) => [key, { n: 1 }]))
    assert.ok(performance.now() - begun < PAUSE / 2)
    assert.deepEqual(new Set(done.codes), new Set([18]))
    for (const node of range(3)) await cluster.clearFaults(node)
    assert.deepEqual(numbers(await data.getMany(range(10))), new Array(10).fill(0))
  })
})
