/** A node that accepts requests and does not answer: what can be done elsewhere is done there. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, ConnectionFailed } from 'spikewire'
import { Cluster, type Faults } from 'spikewire/testing'

const KEYS = Array.from({ length: 60 }, (_, n) => n)

const MUTE: Record<string, Faults> = {
  mute: { drop: 1, info: true },
  'mute but for info requests': { drop: 1 },
  'mute after three replies': { muteAfter: 3, info: true },
  'mute in the middle of a reply': { stall: 1 },
}

for (const [name, faults] of Object.entries(MUTE)) {
  test(`${name}: reads and rows of batches go to another node`, async () => {
    await using cluster = await Cluster.start({ nodes: 3, replicationFactor: 2 })
    await using client = await Client.connect(cluster.seeds)
    const data = client.dataset<{ n: number }>('test', 'mute')
    await Promise.all(KEYS.map((n) => data.put(n, { n })))
    await cluster.inject(1, faults)
    for (let time = 0; time < 3; time++) {
      const records = await Promise.all(KEYS.map((n) => data.get(n)))
      assert.deepEqual(
        records.map(({ bins }) => bins.n),
        KEYS,
      )
      const rows = await data.getMany(KEYS)
      assert.deepEqual(
        [...rows].map((record) => record?.bins.n),
        KEYS,
      )
    }
  })
}

test('writes that no other node can take fail before their time', async () => {
  await using cluster = await Cluster.start({ nodes: 3, replicationFactor: 2 })
  await using client = await Client.connect(cluster.seeds, { timeout: 6000 })
  const data = client.dataset<{ n: number }>('test', 'mute')
  await Promise.all(KEYS.map((n) => data.put(n, { n })))
  await cluster.inject(1, { drop: 1, info: true })
  const ends = await Promise.allSettled(KEYS.map((n) => data.put(n, { n })))
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  assert.ok(errors.length > 0 && errors.length < KEYS.length)
  assert.ok(errors.every((error) => error instanceof ConnectionFailed))
})
