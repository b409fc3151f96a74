/** Connections that are open before the first call, and options about nodes that come back. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { until } from './support/faulty.js'

const NODES = 3

test('connections are open before the first call, and the calls use them', async () => {
  const cluster = await Cluster.start({ nodes: NODES })
  try {
    assert.ok(await cluster.waitSettled())
    const opened = (): number[] =>
      Array.from({ length: NODES }, (_, node) => cluster.stats(node).connectionsOpened)
    const before = opened()
    const client = await Client.connect(cluster.seeds, { warmConnections: 2, slowStart: 100 })
    try {
      // One for the client's own requests, and those that are ready.
      const isReady = (count: number, node: number): boolean => count >= (before[node] ?? 0) + 2
      await until(() => opened().every(isReady), 'connections are open')
      const ready = opened()
      const data = client.dataset('test', 'starting')
      for (let key = 0; key < 30; key++) {
        await data.put(key, { n: key })
        assert.equal((await data.get(key)).bins['n'], key)
      }
      assert.deepEqual(opened(), ready)
    } finally {
      await client.close()
    }
  } finally {
    await cluster.close()
  }
})

test('invalid options are refused', async () => {
  for (const [options, error, words] of [
    [{ warmConnections: -1 }, RangeError, /warmConnections.*-1/],
    [{ warmConnections: 1025 }, RangeError, /warmConnections must be from 0 to 1024/],
    [{ slowStart: -1 }, RangeError, /slowStart.*-1/],
  ] as const) {
    await assert.rejects(Client.connect('127.0.0.1:1', options), (thrown: Error) => {
      assert.ok(thrown instanceof error, String(thrown))
      assert.match(thrown.message, words)
      return true
    })
  }
})
