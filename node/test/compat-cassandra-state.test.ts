/** The drop-in for npm `cassandra-driver`: what its client says about its work, on one node. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, metrics, policies, tracker, types } from 'spikewire/compat/cassandra-driver'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }
const KEYSPACE = 'compat_state'
const POINTS = { contactPoints: [AT.split(',')[0] as string], localDataCenter: 'dc1' }

/** Waits until a condition holds. */
async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (let n = 0; n < 200; n++) {
    if (holds()) return
    await sleep(50)
  }
  assert.fail(`never: ${what}`)
}

test('schema changes of other clients are in the metadata', skip, async (t) => {
  const other = await sessionIn(KEYSPACE)
  t.after(() => other.close())
  const client = new Client({ ...POINTS, refreshSchemaDelay: 50 })
  t.after(() => client.shutdown())
  await client.connect()
  const { metadata } = client
  assert.equal(metadata.keyspaces[KEYSPACE]?.durableWrites, true)
  await other.execute(`ALTER KEYSPACE ${KEYSPACE} WITH durable_writes = false`)
  await eventually('a change', () => metadata.keyspaces[KEYSPACE]?.durableWrites === false)
  await other.execute(`DROP KEYSPACE ${KEYSPACE}`)
  await eventually('an end', () => !(KEYSPACE in metadata.keyspaces))
})

test('without isMetadataSyncEnabled, the metadata does not follow', skip, async (t) => {
  const other = await sessionIn(KEYSPACE)
  t.after(() => other.close())
  const options = { refreshSchemaDelay: 1, isMetadataSyncEnabled: false }
  const client = new Client({ ...POINTS, ...options })
  t.after(() => client.shutdown())
  await client.connect()
  await other.execute('CREATE TABLE items (id int PRIMARY KEY)')
  await sleep(400)
  assert.deepEqual(client.metadata.keyspaces, {})
  assert.equal((await client.metadata.getTable(KEYSPACE, 'items'))?.name, 'items')
})

test('the state tells open connections and requests in flight', skip, async (t) => {
  const client = new Client({
    ...POINTS,
    pooling: { coreConnectionsPerHost: { [types.distance.local]: 3 } },
  })
  t.after(() => client.shutdown())
  await client.connect()
  const [node] = client.hosts.values()
  assert.ok(node)
  const idle = client.getState()
  assert.equal(idle.getOpenConnections(node), 3)
  assert.deepEqual([idle.getInFlightQueries(node), node.getInFlight()], [0, 0])
  const requests = Array.from({ length: 10 }, () => client.execute('SELECT key FROM system.local'))
  const busy = client.getState()
  assert.deepEqual([busy.getInFlightQueries(node), node.getInFlight()], [10, 10])
  assert.deepEqual(JSON.parse(busy.toString()), {
    hosts: [node.address],
    openConnections: { [node.address]: 3 },
    inFlightQueries: { [node.address]: 10 },
  })
  await Promise.all(requests)
  assert.equal(client.getState().getInFlightQueries(node), 0)
  await client.shutdown()
  const ended = client.getState()
  assert.deepEqual([ended.getOpenConnections(node), ended.getConnectedHosts()], [0, []])
})

test('trackers are told lengths, which the sizes of values are part of', skip, async (t) => {
  class Lengths extends tracker.RequestTracker {
    readonly all: number[][] = []
    override onSuccess(...[, , , , request, reply]: Parameters<Tracked>): void {
      this.all.push([request, reply])
    }
  }
  type Tracked = tracker.RequestTracker['onSuccess']
  await (await sessionIn(KEYSPACE)).close()
  const requestTracker = new Lengths()
  const client = new Client({ ...POINTS, keyspace: KEYSPACE, requestTracker })
  t.after(() => client.shutdown())
  await client.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
  const insert = 'INSERT INTO items (id, name) VALUES (?, ?)'
  await client.execute(insert, [1, ''], { prepare: true })
  requestTracker.all.length = 0
  await client.execute(insert, [1, 'x'.repeat(5000)], { prepare: true })
  await client.execute('SELECT name FROM items')
  await client.batch([{ query: insert, params: [1, 'x'.repeat(3000)] }], { prepare: true })
  const [written, read, batch] = requestTracker.all as [number[], number[], number[]]
  const near = (length: number | undefined, least: number) =>
    assert.ok(length !== undefined && length >= least && length < least + 120, `${length}`)
  near(written[0], 5000)
  near(written[1], 4)
  near(read[0], 'SELECT name FROM items'.length)
  near(read[1], 5000)
  near(batch[0], 3000)
})

test('a policy of the program sends copies of idempotent statements', skip, async (t) => {
  const { SpeculativeExecutionPolicy } = policies.speculativeExecution
  const plans: unknown[] = []
  class Twice extends SpeculativeExecutionPolicy {
    override newPlan(keyspace?: string, query?: unknown) {
      plans.push([keyspace, query])
      const delays = [0, 0, -1]
      return { nextExecution: () => delays.shift() ?? -1 }
    }
  }
  class Copies extends metrics.ClientMetrics {
    count = 0
    override onSpeculativeExecution(): void {
      this.count++
    }
  }
  const copies = new Copies()
  const speculativeExecution = new Twice()
  const client = new Client({ ...POINTS, metrics: copies, policies: { speculativeExecution } })
  t.after(() => client.shutdown())
  const query = 'SELECT key FROM system.local'
  await client.execute(query)
  assert.deepEqual(plans, [])
  // One node: a copy finds none that is left, and the first execution answers.
  const result = await client.execute(query, [], { isIdempotent: true })
  assert.equal(result.rowLength, 1)
  assert.deepEqual(plans, [[undefined, query]])
  assert.ok(copies.count <= 2, `${copies.count}`)
  const wrong = client.execute('SELECT * FROM nothing.at_all', [], { isIdempotent: true })
  await assert.rejects(wrong, { name: 'ResponseError', code: types.responseErrorCodes.invalid })
})

test('parts of tuples that were not sent are undefined', skip, async (t) => {
  await (await sessionIn(KEYSPACE)).close()
  const client = new Client({ ...POINTS, keyspace: KEYSPACE })
  t.after(() => client.shutdown())
  await client.execute(
    'CREATE TABLE items (id int PRIMARY KEY, pair frozen<tuple<int, text, int>>)',
  )
  const insert = 'INSERT INTO items (id, pair) VALUES (?, ?)'
  await client.execute(insert, [1, new types.Tuple(7)], { prepare: true })
  await client.execute(insert, [2, new types.Tuple(7, null, null)], { prepare: true })
  const pairs = await client.execute('SELECT id, pair FROM items')
  const values = new Map(pairs.rows.map((row) => [row['id'], row['pair'].values()]))
  assert.deepEqual(values.get(1), [7, undefined, undefined])
  assert.deepEqual(values.get(2), [7, null, null])
})

test('the keyspace of a statement, with version 5 of the protocol', skip, async (t) => {
  for (const name of ['compat_state_b', KEYSPACE]) {
    const session = await sessionIn(name)
    await session.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
    await session.execute(`INSERT INTO items (id, name) VALUES (1, '${name}')`)
    await session.close()
  }
  const client = new Client({ ...POINTS, keyspace: KEYSPACE })
  t.after(() => client.shutdown())
  const query = 'SELECT name FROM items WHERE id = ?'
  // Each keyspace has a prepared statement of its own, in any order.
  for (const keyspace of [undefined, 'compat_state_b', KEYSPACE, 'compat_state_b', undefined]) {
    for (const prepare of [true, false]) {
      const options = keyspace === undefined ? { prepare } : { prepare, keyspace }
      const name = (await client.execute(query, [1], options)).first()?.['name']
      assert.equal(name, keyspace ?? KEYSPACE)
    }
  }
  const update = { query: 'UPDATE items SET name = ? WHERE id = 1', params: ['new'] }
  await client.batch([update], { prepare: true, keyspace: 'compat_state_b' })
  const other = await client.execute('SELECT name FROM compat_state_b.items')
  assert.equal(other.first()?.['name'], 'new')
  const four = new Client({ ...POINTS, protocolOptions: { maxVersion: 4 } })
  t.after(() => four.shutdown())
  const routed = four.execute(query, [1], { prepare: true, keyspace: KEYSPACE })
  await assert.rejects(routed, { name: 'ResponseError', code: types.responseErrorCodes.invalid })
})

test('calls made before the client has connected end before it shuts down', skip, async () => {
  const client = new Client(POINTS)
  const early = [client.execute('SELECT key FROM system.local'), client.batch(['SELECT'], {})]
  const ended = Promise.allSettled(early)
  await client.shutdown()
  const [read, batch] = await ended
  assert.equal(read?.status, 'fulfilled')
  assert.equal(batch?.status === 'rejected' && batch.reason.name, 'ResponseError')
  await assert.rejects(client.execute('SELECT key FROM system.local'), {
    name: 'NoHostAvailableError',
  })
})

test('static functions of types can be called with new', () => {
  const make = types.LocalTime.fromMilliseconds as unknown as new (...of: number[]) => object
  assert.equal(String(new make(10_160_088, 123)), '02:49:20.088000123')
  assert.ok(new make(1) instanceof types.LocalTime)
  assert.equal(types.Uuid.fromString.length, 1)
  const { fromString } = types.Uuid
  const text = '00000000-0000-4000-8000-000000000001'
  assert.equal(String(fromString(text)), text)
})
