/** Identical reads that share a request. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from 'spikewire/testing'
import { boxed, failure, range } from './support/faulty.js'

/** Slow nodes are not left for others, which would count as well. */
const replica = 'master'

/** How many requests about records the nodes have answered. */
async function requests(cluster: Cluster): Promise<number> {
  const stats = await Promise.all(range(2).map((node) => cluster.stats(node)))
  return stats.reduce((sum, node) => sum + node.requests, 0)
}

async function hold(cluster: Cluster, delay: number): Promise<void> {
  await Promise.all(range(2).map((node) => cluster.inject(node, { delay })))
}

for (const shareReads of ['unsent', 'in_flight'] as const) {
  test(`reads made together share a request: ${shareReads}`, () =>
    boxed(2, { shareReads, replica }, async ({ cluster, data }) => {
      await data.put(1, { n: 7 })
      await hold(cluster, 200)
      const before = await requests(cluster)
      const records = await Promise.all(range(32).map(() => data.get(1)))
      assert.deepEqual(
        records.map((record) => record.bins.n),
        range(32).map(() => 7),
      )
      assert.equal(new Set(records).size, 32)
      assert.ok((await requests(cluster)) - before <= 2)
      const own = await requests(cluster)
      await Promise.all(range(4).map(() => data.get(1, { shareReads: 'off' })))
      assert.equal((await requests(cluster)) - own, 4)
    }))
}

test('a read that is called after a write sees it', () =>
  boxed(2, { shareReads: 'in_flight' }, async ({ cluster, data }) => {
    await data.put(1, { n: 0 })
    await hold(cluster, 2)
    let written = 0
    let reading = true
    const reader = async () => {
      while (reading) {
        const known = written
        assert.ok(Number((await data.get(1)).bins.n) >= known)
      }
    }
    const readers = range(8).map(reader)
    while (written < 50) {
      const write = written % 2 === 0 ? data.put(1, { n: written + 1 }) : data.add(1, { n: 1 })
      const record = data.get(1)
      await write
      written += 1
      assert.equal((await record).bins.n, written)
      assert.equal((await data.get(1)).bins.n, written)
    }
    reading = false
    await Promise.all(readers)
  }))

test('each caller has its own timeout and signal', () =>
  boxed(2, { shareReads: 'in_flight', replica }, async ({ cluster, data }) => {
    await data.put(1, { n: 7 })
    await hold(cluster, 1000)
    const before = await requests(cluster)
    const control = new AbortController()
    const aborted = data.get(1, { signal: control.signal })
    const late = data.get(1, { timeout: 100 })
    const rest = range(4).map(() => data.get(1))
    control.abort()
    await assert.rejects(aborted, { name: 'AbortError' })
    assert.match((await failure(late)).message, /timeout of 0.1 s/)
    for (const record of await Promise.all(rest)) assert.equal(record.bins.n, 7)
    assert.equal((await requests(cluster)) - before, 1)
  }))

test('invalid values and contradictory options are rejected', () =>
  boxed(1, { shareReads: 'in_flight' }, async ({ data }) => {
    const words = /shareReads must be 'off', 'unsent' or 'in_flight', got "often"/
    await assert.rejects(async () => data.get(1, { shareReads: 'often' } as object), words)
    const both = /shareReads 'in_flight' cannot be combined with readMode/
    await assert.rejects(async () => data.get(1, { readMode: 'linearize' }), both)
    const unknown = /unknown option shareReads/
    await assert.rejects(async () => data.put(1, {}, { shareReads: 'off' } as object), unknown)
  }))
