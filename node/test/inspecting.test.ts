/** What `console.log` shows: short, and enough to know what it is. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { Client, Key, type SpikewireError } from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
  client = await Client.connect(cluster.seeds)
})

after(async () => {
  await client.close()
  await cluster.close()
})

test('errors of a record show its namespace, set and key', async () => {
  const users = client.dataset('test', 'users')
  await users.put('alice', { n: 1 })
  const calls = [
    users.get('bob'),
    users.put('alice', { n: 2 }, { exists: 'create' }),
    client.get(new Key('test', 'users', 'bob')),
    users.batch([]).then(() => users.get('bob')),
  ]
  for (const call of calls) {
    const error = await call.then(
      () => assert.fail('it must fail'),
      (error: SpikewireError) => error,
    )
    assert.match(inspect(error), /key: Key\(test, users, '(bob|alice)'\)/)
    assert.match(inspect(error), new RegExp(`^${error.name}: .*code ${error.code}, node`))
    assert.doesNotMatch(inspect(error), /\[Symbol|#/)
  }
  const digest = Key.fromDigest('test', 'users', Buffer.alloc(20, 0xab))
  const error = await client.get(digest).catch((error: SpikewireError) => error)
  assert.match(inspect(error), /key: Key\(test, users, digest (ab){20}\)/)
  const rows = await users.putMany([['alice', { n: 1 }]], { exists: 'create' })
  assert.match(inspect(rows.errors.get(0)), /key: Key\(test, users, 'alice'\)/)
})

test('objects of a client say in one line what they are', async () => {
  const users = client.dataset<{ n: number }>('test', 'people')
  await users.put('alice', { n: 1 })
  const node = client.nodes[0]
  assert.equal(inspect(client), `Client(${node?.name} ${node?.address})`)
  assert.equal(inspect(users), 'Dataset(test, people)')
  assert.equal(inspect(client.dataset('test')), 'Dataset(test, null)')
  const query = users.query()
  assert.equal(inspect(query), 'Query(test, people)')
  for await (const record of query) {
    assert.equal(inspect(record), 'Record { bins: { n: 1 }, generation: 1, ttl: null }')
  }
  assert.match(inspect(query), /^Query\(test, people, (at its end|closed)\)$/)
  assert.equal(inspect(await users.getMany(['alice', 'bob'])), 'Batch(2 rows, 1 found, 0 failed)')
  assert.match(inspect(client.transaction()), /^Transaction\([0-9a-f]+, open\)$/)
  const own = await Cluster.start({ nodes: 1 })
  assert.equal(inspect(own), `Cluster(${own.seeds})`)
  await own.close()
  assert.equal(inspect(own), 'Cluster(closed)')
  const other = await Client.connect(cluster.seeds)
  await other.close()
  assert.equal(inspect(other), 'Client(closed)')
})

test('new says how a client is made', () => {
  const Constructor = Client as unknown as new () => Client
  assert.throws(() => new Constructor(), /TypeError: a client comes from `await Client\.connect\(/)
})
