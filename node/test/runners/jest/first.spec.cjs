const { Client } = require('spikewire')
const { Cluster } = require('spikewire/testing')

let cluster
const clients = []

beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 1 })
})

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await cluster.close()
})

test('values are of the context that the test runs in', async () => {
  const client = await Client.connect(cluster.seeds)
  clients.push(client)
  const records = client.dataset('test', 'records')
  const bins = { list: [1, { a: [2] }], map: new Map([[1, 'one']]), bytes: Buffer.from('b') }
  await records.put('a', bins)
  expect((await records.get('a')).bins).toStrictEqual(bins)
  await expect(records.get('b')).rejects.toThrow(Error)
  await expect(records.put('a', { when: new Date() })).rejects.toThrow(TypeError)
})

test('each copy of the package works next to the earlier ones', async () => {
  for (let round = 0; round < 10; round++) {
    jest.resetModules()
    const again = require('spikewire')
    expect(again.Client).not.toBe(Client)
    const client = await again.Client.connect(cluster.seeds)
    clients.push(client)
    await client.dataset('test', 'rounds').put(round, { round })
  }
  const rounds = clients.slice(-10)
  const found = await Promise.all(
    rounds.map((client, round) => client.dataset('test', 'rounds').get(round)),
  )
  expect(found.map(({ bins }) => bins.round)).toStrictEqual(rounds.map((_, round) => round))
})
