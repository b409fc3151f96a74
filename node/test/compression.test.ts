/** Compressed requests and replies, against clusters of both editions. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'

const TEXT = 'long and longer, '.repeat(200)

/** Waits for these numbers of compressed requests and replies, which nodes add up after answering. */
async function expect(cluster: Cluster, requests: number, replies: number) {
  const counts = () => {
    const { compressedRequests, compressedReplies } = cluster.stats(0)
    return [compressedRequests, compressedReplies]
  }
  const until = performance.now() + 20_000
  while (String(counts()) !== String([requests, replies]) && performance.now() < until) {
    await sleep(2)
  }
  assert.deepEqual(counts(), [requests, replies])
}

test('requests and replies are compressed', async () => {
  const cluster = await Cluster.start({ edition: 'enterprise' })
  const client = await Client.connect(cluster.seeds, { compress: true, timeout: 30_000 })
  const users = client.dataset('test', 'users')
  await users.put(1, { text: TEXT })
  await expect(cluster, 1, 0)
  assert.equal((await users.get(1)).bins['text'], TEXT)
  await expect(cluster, 1, 1)
  await users.put(1, { text: TEXT }, { compress: false })
  await users.get(1, { compress: false })
  await expect(cluster, 1, 1)
  const batch = await users.getMany([1, 2], { compress: true })
  assert.equal(batch.found, 1)
  await expect(cluster, 1, 2)
  await client.close()
  await cluster.close()
})

test('a call decides for itself, and a threshold is that of requests', async () => {
  const cluster = await Cluster.start({ edition: 'enterprise' })
  const options = { compressionThreshold: 5_000, timeout: 30_000 }
  const client = await Client.connect(cluster.seeds, options)
  const users = client.dataset('test', 'users')
  await users.put(1, { text: 'x'.repeat(4_000) }, { compress: true })
  await expect(cluster, 0, 0)
  await users.put(1, { text: 'x'.repeat(6_000) }, { compress: true })
  await expect(cluster, 1, 0)
  await users.get(1)
  await expect(cluster, 1, 0)
  await assert.rejects(
    async () => users.get(1, { compress: 1 as unknown as boolean }),
    /compress must be boolean, not number/,
  )
  await assert.rejects(
    Client.connect(cluster.seeds, { compressionThreshold: 2 ** 30 }),
    /compressionThreshold must be from 0 to 134217728/,
  )
  await client.close()
  await cluster.close()
})

test('the Community Edition gets plain requests', async () => {
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds, { compress: true, timeout: 30_000 })
  const users = client.dataset('test', 'users')
  await users.put(1, { text: TEXT })
  assert.equal((await users.get(1)).bins['text'], TEXT)
  await expect(cluster, 0, 0)
  await client.close()
  await cluster.close()
})
