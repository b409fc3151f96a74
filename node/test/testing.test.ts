/** The embedded cluster: starting, stopping, dying nodes, statistics. */

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Client, ConnectionFailed } from 'spikewire'
import { Cluster, ClusterError } from 'spikewire/testing'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 3, namespaces: ['test', 'other'] })
  client = await Client.connect(cluster.seeds, { timeout: 20_000, connectTimeout: 20_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

test('nodes have addresses and names, and clients find them all', async () => {
  assert.equal(cluster.nodes, 3)
  assert.equal(cluster.seeds, cluster.addresses.join(','))
  const actual = client.nodes.map(({ name, address }) => `${name} ${address}`).sort()
  const expected = cluster.addresses.map((address, node) => `${cluster.nodeName(node)} ${address}`)
  assert.deepEqual(actual, expected.sort())
})

test('a killed node leaves, and a restarted one gets its records back', async () => {
  const users = client.dataset<{ n: number }>('test', 'killed')
  await Promise.all(Array.from({ length: 60 }, (_, n) => users.put(n, { n })))
  const held = cluster.stats(1)
  assert.ok(held.objects > 0 && held.alive)

  await cluster.kill(1)
  assert.equal(cluster.isAlive(1), false)
  assert.equal(cluster.stats(1).objects, 0)
  assert.equal(cluster.stats(1).masterPartitions, 0)
  assert.equal(await cluster.waitSettled(), true)
  await cluster.restart(1)
  assert.equal(cluster.isAlive(1), true)
  assert.equal(await cluster.waitSettled(), true)
  assert.equal(cluster.stats(1).objects, held.objects)

  const read = await Promise.all(Array.from({ length: 60 }, (_, n) => users.get(n)))
  assert.deepEqual(
    read.map((record) => record.bins.n),
    Array.from({ length: 60 }, (_, n) => n),
  )
})

test('truncate deletes a set, or a namespace', async () => {
  await cluster.truncate('test')
  const [left, gone] = [client.dataset('test', 'left'), client.dataset('test', 'gone')]
  await left.put('a', { n: 1 })
  await gone.put('a', { n: 1 })
  await cluster.truncate('test', 'gone')
  assert.equal(await gone.exists('a'), false)
  assert.equal(await left.exists('a'), true)
  await cluster.truncate()
  assert.equal(await left.exists('a'), false)
})

test('a node counts its requests', async () => {
  const sum = (name: 'requests' | 'reads' | 'writes' | 'notFound') =>
    [0, 1, 2].reduce((all, node) => all + cluster.stats(node)[name], 0)
  const [requests, reads, writes, misses] = [
    sum('requests'),
    sum('reads'),
    sum('writes'),
    sum('notFound'),
  ]
  const counted = client.dataset('test', 'counted')
  await counted.put('a', { n: 1 })
  await counted.get('a')
  await counted.get('b', { default: undefined })
  // A node counts a request once it has answered it.
  while (sum('requests') < requests + 3) await setTimeout(1)
  assert.equal(sum('requests'), requests + 3)
  assert.equal(sum('reads'), reads + 2)
  assert.equal(sum('writes'), writes + 1)
  assert.equal(sum('notFound'), misses + 1)
})

test('namespaces have their own options', async () => {
  await using own = await Cluster.start({
    nodes: 2,
    maxRecordSize: 4096,
    namespaces: {
      one: { replicationFactor: 1 },
      two: { defaultTtl: 1000, maxRecordSize: 1 << 20 },
    },
  })
  await using client = await Client.connect(own.seeds)
  const [one, two] = [client.dataset('one', 's'), client.dataset('two', 's')]
  await one.put('a', { n: 1 })
  assert.equal(own.stats(0).objects + own.stats(1).objects, 1)
  assert.equal((await one.get('a')).ttl, null)
  await assert.rejects(one.put('a', { blob: Buffer.alloc(8192) }), { name: 'RecordTooBig' })
  await two.put('a', { blob: Buffer.alloc(8192) })
  assert.equal(own.stats(0).objects + own.stats(1).objects, 3)
  assert.ok(((await two.get('a')).ttl as number) > 900)
})

test('ports, racks, names and versions are as requested', async () => {
  const settings = { nodes: 2, racks: [1, 2], clusterName: 'mine', build: '7.1.0.3', threads: 2 }
  await using own = await Cluster.start(settings)
  const other = Client.connect(own.seeds, { clusterName: 'theirs' })
  await assert.rejects(other, (error) => {
    assert.ok(error instanceof ConnectionFailed)
    assert.match(error.message, /wrong cluster name 'mine', expected 'theirs'/)
    return true
  })
  await using client = await Client.connect(own.seeds, { clusterName: 'mine' })
  assert.equal(client.nodes.length, 2)
})

test('a port that is in use is a ClusterError', async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  const error = await Cluster.start({ port }).catch((error: unknown) => error)
  server.close()
  assert.ok(error instanceof ClusterError)
  assert.equal(error.code, 'EADDRINUSE')
})

test('after close everything is rejected, and closing again is harmless', async () => {
  const own = await Cluster.start()
  const { seeds } = own
  await Promise.all([own.close(), own.close()])
  await own.close()
  const stopped = { name: 'ClusterError', message: 'the embedded cluster was stopped' }
  await assert.rejects(own.kill(0), stopped)
  await assert.rejects(own.inject(0, { delay: 1 }), stopped)
  await assert.rejects(own.waitSettled(), stopped)
  assert.throws(() => own.stats(0), stopped)
  assert.throws(() => own.isAlive(0), stopped)
  await assert.rejects(Client.connect(seeds, { timeout: 500 }), { name: 'ConnectionFailed' })
})

test('requests are executed in the order of the calls', async () => {
  await using own = await Cluster.start({ nodes: 2 })
  const done: string[] = []
  const note = (name: string) => () => done.push(name)
  void own.kill(1).then(note('kill'))
  void own.restart(1).then(note('restart'))
  void own.inject(1, { delay: 1 }).then(note('inject'))
  void own.clearFaults(1).then(note('clear'))
  assert.equal(await own.waitSettled(), true)
  assert.deepEqual(done, ['kill', 'restart', 'inject', 'clear'])
  assert.equal(own.isAlive(1), true)
})

const BAD_OPTIONS: [options: unknown, error: RegExp][] = [
  [3, /^TypeError: options must be an object, not number/],
  [null, /^TypeError: options must be an object, not null/],
  [{ nodes: 0 }, /^RangeError: nodes must be from 1 to 128, got 0/],
  [{ nodes: '3' }, /^TypeError: nodes must be a whole number, not string/],
  [{ node: 3 }, /^TypeError: unknown cluster option "node"; there are: .*nodes/],
  [{ port: 65_536 }, /^RangeError: port must be/],
  [{ port: 65_535, nodes: 2 }, /^RangeError: port: /],
  [{ bind: 'localhost' }, /^RangeError: bind must be an IP address, got "localhost"/],
  [{ namespaces: 'test' }, /^TypeError: namespaces must be an array/],
  [{ namespaces: [1] }, /^TypeError: namespaces: a namespace must be a string, not number/],
  [{ namespaces: [] }, /^RangeError: namespaces: 1 to 32/],
  [{ namespaces: ['a', 'a'] }, /^RangeError: namespace "a" is given twice/],
  [{ namespaces: { a: { nodes: 1 } } }, /^TypeError: namespace "a": unknown option "nodes"/],
  [{ namespaces: { a: { defaultTtl: -1 } } }, /^RangeError: namespace "a": defaultTtl must be/],
  [{ indexedSets: 'users' }, /^TypeError: indexedSets must be an array of names of sets/],
  [{ racks: [1, 2], nodes: 3 }, /^RangeError: racks: /],
  [{ udfTime: 0 }, /^RangeError: udfTime must be at least/],
  [
    { strongConsistencyAllowExpunge: true },
    /^RangeError: namespace "test": strongConsistencyAllowExpunge needs/,
  ],
  [{ migrationPause: -1 }, /^RangeError: migrationPause must be/],
  [{ build: '8' }, /^RangeError: build: /],
]

for (const [options, error] of BAD_OPTIONS) {
  test(`a cluster is not started with ${JSON.stringify(options)}`, async () => {
    await assert.rejects(Cluster.start(options as object), error)
  })
}

const BAD_FAULTS: [faults: unknown, error: RegExp][] = [
  [undefined, /^TypeError: faults must be an object, not undefined/],
  [{ delays: 1 }, /^TypeError: unknown fault "delays"; there are: code/],
  [{ delay: '1' }, /^TypeError: delay must be milliseconds as a number, not string/],
  [{ delay: Number.NaN }, /^RangeError: delay must be/],
  [{ cut: 1.5 }, /^RangeError: cut must be a share from 0 to 1, got 1.5/],
  [{ drop: true }, /^TypeError: drop must be a share from 0 to 1, not boolean/],
  [{ code: 256 }, /^RangeError: code must be from 1 to 255, got 256/],
  [{ refuse: 'open' }, /^RangeError: refuse must be 'never', 'close' or 'port', got "open"/],
  [{ drip: 10 }, /^TypeError: drip must be an array of two numbers/],
  [{ drip: [0, 10] }, /^RangeError: drip must be from 1/],
  [{ info: 1 }, /^TypeError: info must be boolean, not number/],
  [{ seed: 0.5 }, /^RangeError: seed must be/],
]

for (const [faults, error] of BAD_FAULTS) {
  test(`a node cannot have the faults ${JSON.stringify(faults)}`, async () => {
    await assert.rejects(cluster.inject(0, faults as object), error)
  })
}

for (const node of [-1, 3, 0.5, Number.NaN, '0', undefined]) {
  test(`there is no node ${String(node)}`, async () => {
    const error = typeof node === 'number' ? RangeError : TypeError
    await assert.rejects(cluster.kill(node as number), error)
    await assert.rejects(cluster.inject(node as number, {}), error)
    assert.throws(() => cluster.stats(node as number), error)
    assert.throws(() => cluster.nodeName(node as number), error)
  })
}
