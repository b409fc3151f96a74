/** Several nodes, one of which is slow: two real ones, each behind a proxy. */

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type CqlError, connect, type Session, Timeout } from 'spikewire/cql'
import { withoutPython } from './cases.js'
import { withoutCassandra } from './support/cassandra.js'
import { type ClusterFacts, proxied, startCluster } from './support/cassandra-helper.js'

const skip = { skip: withoutCassandra || withoutPython }
let facts: ClusterFacts
let unavailable: string | undefined
let stop: () => Promise<void> = async () => undefined

before(async () => {
  if (skip.skip) return
  const started = await startCluster({ nodes: 2 })
  if ('unavailable' in started) {
    unavailable = started.unavailable
    return
  }
  ;({ facts, stop } = started)
  const session = await connect(facts.addresses, { timeout: 60_000 })
  await session.execute(
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}",
  )
  await session.execute('CREATE TABLE k.items (id int PRIMARY KEY, name text)')
  await session.execute("INSERT INTO k.items (id, name) VALUES (1, 'pear')", null, {
    consistency: 'all',
  })
  await session.close()
})

after(() => stop())

test(
  'a speculative copy goes to another node while one does not answer',
  skip,
  async (test: TestContext) => {
    if (unavailable !== undefined) return test.skip(unavailable)
    const proxies = await Promise.all(facts.addresses.map((address) => proxied(test, address)))
    const addressMap = Object.fromEntries(
      facts.addresses.map((address, at) => [address.split(':')[0], proxies[at]?.address as string]),
    )
    const open = async (points: string[]): Promise<Session> => {
      const session = await connect(points, { keyspace: 'k', timeout: 60_000, addressMap })
      test.after(() => session.close())
      return session
    }
    const session = await open(proxies.map(({ address }) => address))
    const select = await session.prepare('SELECT name FROM items WHERE id = ?')
    const update = await session.prepare('UPDATE items SET name = ? WHERE id = ?')
    // From here on both nodes are connected and get their share: one that was slow at first, as on a
    // busy machine, gets few reads for a while.
    const names = proxies.map(({ address }) => address).sort()
    let nodes: string[] = []
    for (let round = 0; round < 200; round++) {
      nodes = []
      for (let n = 0; n < 4; n++) nodes.push((await session.execute(select, [1])).node)
      if (nodes[0] !== nodes[1] && nodes[0] === nodes[2] && nodes[1] === nodes[3]) break
    }
    assert.deepEqual(nodes.slice(0, 2).sort(), names)

    const slow = proxies[0] as (typeof proxies)[0]
    await slow.inject('replies', { hold: true })
    const speculativeDelay = 30
    let copied = 0
    for (let n = 0; n < 20; n++) {
      const result = await session.execute(select, [1], { speculativeDelay })
      assert.deepEqual([result.one(), result.node], [{ name: 'pear' }, proxies[1]?.address])
      copied += result.attempts - 1
    }
    assert.ok(copied > 0, 'the slow node was never asked')
    const options = { speculativeDelay, idempotent: true }
    for (let n = 0; n < 10; n++) await session.execute(update, ['pear', 1], options)

    // Without copies, or if the statement is not idempotent, the slow node is waited for, but not so
    // long that the attempt is abandoned.
    const ended = await Promise.all(
      [{}, { speculativeDelay: null }, { speculativeDelay, idempotent: false }].flatMap((how) =>
        Array.from({ length: 10 }, () =>
          session.execute(select, [1], { ...how, timeout: 1500, maxRetries: 0 }).then(
            ({ node }) => node,
            (error: CqlError) => error.name,
          ),
        ),
      ),
    )
    const outcomes = [...names, Timeout.name]
    for (const one of ended) assert.ok(outcomes.includes(one), one)
    await slow.clear()
  },
)

test('nodes are reached where a function of the program says', skip, async (test: TestContext) => {
  if (unavailable !== undefined) return test.skip(unavailable)
  const proxies = await Promise.all(facts.addresses.map((address) => proxied(test, address)))
  const through = new Map(facts.addresses.map((address, at) => [address, proxies[at]?.address]))
  const addresses = new Set<string>()
  const translate = (advertised: string) => {
    addresses.add(advertised)
    return through.get(advertised) as string
  }
  const first = proxies[0]?.address as string
  for (const addressTranslator of [
    translate,
    async (advertised: string) => Promise.resolve(translate(advertised)),
  ]) {
    const session = await connect(first, { timeout: 60_000, addressTranslator })
    const reached = session.nodes.map(({ address }) => address).sort()
    assert.deepEqual(reached, proxies.map(({ address }) => address).sort())
    assert.equal((await session.execute('SELECT key FROM system.local')).length, 1)
    await session.close()
  }
  assert.deepEqual([...addresses], facts.addresses.slice(1))
  const refused = (addressTranslator: unknown) =>
    connect(first, { addressTranslator: addressTranslator as () => string })
  await assert.rejects(
    refused(() => 5),
    /addressTranslator must return a string/,
  )
  await assert.rejects(
    refused(() => Promise.reject(new Error('no map'))),
    /no map/,
  )
  await assert.rejects(refused('here'), { name: 'TypeError', message: /must be a function/ })
})
