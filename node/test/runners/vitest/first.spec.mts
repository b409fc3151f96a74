import { Client, HyperLogLog, Key } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

let cluster: Cluster
const clients: Client[] = []

beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 1 })
})

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await cluster.close()
})

test('a record is written and read', async () => {
  const client = await Client.connect(cluster.seeds)
  clients.push(client)
  const records = client.dataset('test', 'records')
  const bins = { list: [1, { a: [2] }], map: new Map([[1, 'one']]), bytes: Buffer.from('b') }
  await records.put('a', bins)
  expect((await records.get('a')).bins).toEqual(bins)
  await expect(records.get('b')).rejects.toThrow(Error)
  await expect(records.put('a', { when: new Date() as never })).rejects.toThrow(TypeError)
})

test('values of the realm that the tests run in are accepted, and returned', async () => {
  const client = await Client.connect(cluster.seeds)
  clients.push(client)
  const records = client.dataset('test', 'realms')
  await records.put(new Uint8Array([1, 2]), { n: 1 }, { ttl: new Date(Date.now() + 60_000) })
  await records.putMany(new Map([['a', { list: [1], map: new Map([[1, 2]]) }]]))
  const digest = Key.fromDigest('test', 'realms', new Uint8Array(20))
  expect(await client.get(digest, { default: null })).toBeNull()
  expect(new HyperLogLog(new Uint8Array(3)).bytes.length).toBe(3)
  const { list, map } = (await records.get('a')).bins
  expect([list, map]).toEqual([[1], new Map([[1, 2]])])
  expect(Array.isArray(list) && map instanceof Map).toBe(true)
  const signal = AbortSignal.timeout(10_000)
  expect((await records.getMany(new Set(['a', 'b']), { signal })).found).toBe(1)
})

test('modules are reset while clients are open', async () => {
  for (let round = 0; round < 10; round++) {
    vi.resetModules()
    const again = await import('spikewire')
    const client = await again.Client.connect(cluster.seeds)
    clients.push(client)
    await client.dataset('test', 'rounds').put(round, { round })
  }
  const found = await Promise.all(
    clients.slice(-10).map((client, round) => client.dataset('test', 'rounds').get(round)),
  )
  expect(found.map(({ bins }) => bins['round'])).toStrictEqual(found.map((_, round) => round))
})
