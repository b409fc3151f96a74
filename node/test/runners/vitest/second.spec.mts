import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { expect, test } from 'vitest'

test('another file has its own environment', async () => {
  const cluster = await Cluster.start({ nodes: 1 })
  const client = await Client.connect(cluster.seeds)
  const numbers = client.dataset('test', 'numbers')
  await Promise.all(Array.from({ length: 100 }, (_, n) => numbers.put(n, { n })))
  expect((await numbers.get(99)).bins).toStrictEqual({ n: 99 })
  await client.close()
  await cluster.close()
})
