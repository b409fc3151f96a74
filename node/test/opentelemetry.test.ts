/** Traces and metrics of Aerospike clients for OpenTelemetry. */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { Client, ClientClosed, type Dataset, op, Profile, Read, RecordNotFound } from 'spikewire'
import { instrument, observe } from 'spikewire/metrics/otel'
import { Cluster, type ClusterOptions } from 'spikewire/testing'
import { output, PACKAGE } from './support/programs.js'
import { Telemetry } from './support/telemetry.js'

interface Traced {
  telemetry: Telemetry
  /** Without spans. */
  plain: Client
  client: Client
  users: Dataset<{ age: number }>
}

async function traced(t: TestContext, options: ClusterOptions = { nodes: 2 }): Promise<Traced> {
  const cluster = await Cluster.start(options)
  const telemetry = new Telemetry()
  const plain = await Client.connect(cluster.seeds)
  const client = instrument(plain, telemetry.providers)
  t.after(async () => {
    await client.close()
    await cluster.close()
    await telemetry.end()
  })
  return { telemetry, plain, client, users: client.dataset<{ age: number }>('test', 'users') }
}

test('a command is a span by the conventions', async (t) => {
  const { telemetry, plain, client, users } = await traced(t)
  plain.metrics.enable()
  await users.put('alice', { age: 28 })
  const [name, attributes] = telemetry.onlySpan()
  assert.equal(name, 'put users')
  const { node } = plain.stats().commands[0] as { node: string }
  const [, id, host, port] = /^(\S+) (.*):(\d+)$/.exec(node) as unknown as [string, ...string[]]
  const where = { 'server.address': host, 'server.port': Number(port), 'spikewire.node': id }
  const expected = {
    'db.system.name': 'aerospike',
    'db.operation.name': 'put',
    'db.namespace': 'test',
    'db.collection.name': 'users',
    ...where,
  }
  assert.deepEqual(attributes, expected)
  const record = await users.get('alice')
  assert.equal(record.bins.age, 28)
  assert.deepEqual(telemetry.onlySpan(), ['get users', { ...expected, 'db.operation.name': 'get' }])
  for (const operations of [[op.get('age')], [op.add('age', 1)]]) {
    await users.operate('alice', operations)
    assert.deepEqual(telemetry.onlySpan()[1], { ...expected, 'db.operation.name': 'operate' })
  }
  // Any replica may be asked, so nobody knows which before.
  await users.get('alice', { replica: 'any' })
  assert.equal(telemetry.onlySpan()[1]['server.address'], undefined)
  await client.get(users.key('alice'))
  assert.deepEqual(telemetry.onlySpan()[1], { ...expected, 'db.operation.name': 'get' })
  await client.dataset('test').put(1, { age: 1 })
  assert.equal(telemetry.onlySpan()[0], 'put test')
  // The client itself has no spans.
  await plain.dataset('test', 'users').get('alice')
  assert.deepEqual(telemetry.spans(), [])
})

// Stands for everything that a client gives out and that has verbs of its own.
test('calls of profiles, of the builder and of concurrent are traced', async (t) => {
  const { telemetry, client, users } = await traced(t)
  const profile = new Profile('patient', { timeout: 5000 })
  const names = () => telemetry.spans().map(({ name }) => name)
  await users.withProfile(profile).put('alice', { age: 28 })
  await client.withProfile(profile).get(users.key('alice'))
  await client.withProfile(profile).dataset('test', 'users').get('alice')
  assert.deepEqual(names(), ['put users', 'get users', 'get users'])
  await client.session().query(users.key('alice')).first()
  await client.session(profile).upsert(users.key('bob')).set('age', 5).execute()
  assert.deepEqual(names(), ['get users', 'put users'])
  assert.equal(await client.session(profile).query(users).count(), 2)
  assert.deepEqual(names(), ['query users'])
  const ages: number[] = []
  for await (const { bins } of client.concurrent(['alice', 'bob'], (key) => users.get(key))) {
    ages.push(bins.age)
  }
  assert.deepEqual(ages, [28, 5])
  assert.deepEqual(names(), ['get users', 'get users'])
})

test('failures say what and where', async (t) => {
  const { telemetry, users } = await traced(t)
  await assert.rejects(users.get('nobody'), RecordNotFound)
  const [span] = telemetry.spans()
  assert.equal(span?.status.code, SpanStatusCode.ERROR)
  assert.match(span?.status.message ?? '', /no such record/)
  assert.equal(span?.attributes['error.type'], 'RecordNotFound')
  assert.equal(span?.attributes['db.response.status_code'], '2')
  assert.ok(span?.attributes['server.port'])
  // Nothing is sent.
  await assert.rejects(users.get({} as never), TypeError)
  const [name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, attributes['error.type']], ['get users', 'TypeError'])
  assert.equal(attributes['server.address'], undefined)
  assert.throws(() => users.exists(1, {}, 5 as never), /callback must be a function/)
  assert.equal(telemetry.onlySpan()[1]['error.type'], 'TypeError')
  const signal = AbortSignal.abort()
  await assert.rejects(users.get(1, { signal }), { name: 'AbortError' })
  assert.equal(telemetry.onlySpan()[1]['error.type'], 'AbortError')
})

const UNHANDLED = `
  import { Client } from 'spikewire'
  import { instrument } from 'spikewire/metrics/otel'
  import { Cluster } from 'spikewire/testing'
  const cluster = await Cluster.start()
  const client = instrument(await Client.connect(cluster.seeds))
  process.on('unhandledRejection', ({ constructor }) => {
    console.log(constructor.name)
    process.exit()
  })
  void client.dataset('test').get('nobody')
`

test('an unhandled rejection stays one', async () => {
  const args = ['--input-type=module', '--eval', UNHANDLED]
  assert.equal(await output(process.execPath, args, { cwd: PACKAGE }), 'RecordNotFound\n')
})

const WITHOUT_API = `
  const Module = require('node:module')
  const resolve = Module._resolveFilename
  Module._resolveFilename = function (name, ...more) {
    return resolve.call(this, name === '@opentelemetry/api' ? 'not-installed' : name, ...more)
  }
  try {
    require('spikewire/metrics/otel')
  } catch ({ message }) {
    console.log(message)
  }
  console.log(typeof require('spikewire/metrics').prometheus)
`

test('a missing API is named, and only where it is needed', async () => {
  const message = 'spikewire/metrics/otel needs @opentelemetry/api: npm install @opentelemetry/api'
  const printed = await output(process.execPath, ['--eval', WITHOUT_API], { cwd: PACKAGE })
  assert.equal(printed, `${message}\nfunction\n`)
})

test('callbacks end spans', async (t) => {
  const { telemetry, users } = await traced(t)
  const record = await new Promise((resolve) => {
    users.put('bob', { age: 3 }, () => {
      users.get('bob', (error, record) => resolve(error ?? record?.bins.age))
    })
  })
  assert.equal(record, 3)
  assert.deepEqual(
    telemetry.spans().map(({ name }) => name),
    ['put users', 'get users'],
  )
  const error = await new Promise((resolve) => users.get('nobody', resolve))
  assert.ok(error instanceof RecordNotFound)
  assert.equal(telemetry.onlySpan()[1]['error.type'], 'RecordNotFound')
})

test('many records are one span', async (t) => {
  const { telemetry, client, users } = await traced(t)
  const size = (attributes: object) => (attributes as never)['db.operation.batch.size']
  await users.putMany([
    [1, { age: 1 }],
    [2, { age: 2 }],
  ])
  let [name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, size(attributes)], ['BATCH put users', 2])
  assert.equal(attributes['server.address'], undefined)
  await users.getMany([1, 2, 3])
  ;[name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, size(attributes)], ['BATCH get users', 3])
  await users.getMany([1])
  ;[name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, size(attributes)], ['get users', undefined])
  await client.getMany([users.key(1), users.key(2)])
  ;[name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, attributes['db.namespace']], ['BATCH get users', 'test'])
  await client.batch([new Read(users.key(1)), new Read(users.key(2))])
  ;[name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, size(attributes)], ['BATCH users', 2])
  await users.getMany(new Set([1, 2]).values())
  assert.equal(size(telemetry.onlySpan()[1]), undefined)
  for (const call of [
    () => users.existsMany([1, 2]),
    () => users.operateMany([1, 2], [op.get('age')]),
    () => users.getColumns([1, 2]),
    () => users.deleteMany([1, 2]),
  ]) {
    await call()
    assert.equal(size(telemetry.onlySpan()[1]), 2)
  }
  const job = await users.touchAll()
  await job.wait()
  assert.equal(telemetry.onlySpan()[0], 'touch_all users')
})

test('queries are spans from the first record to the last', async (t) => {
  const { telemetry, client, users } = await traced(t)
  await users.putMany([1, 2, 3, 4, 5].map((key) => [key, { age: key }] as const))
  telemetry.spans()
  let count = 0
  const query = users.query()
  await sleep(5)
  assert.deepEqual(telemetry.spans(), [])
  for await (const record of query) count += record.bins.age > 0 ? 1 : 0
  assert.equal(count, 5)
  const [name, attributes] = telemetry.onlySpan()
  assert.equal(name, 'query users')
  assert.equal(attributes['db.operation.name'], 'query')
  assert.equal(attributes['server.address'], undefined)
  // A loop that is left ends the span, too.
  for await (const _ of client.query('test', 'users')) break
  assert.equal(telemetry.onlySpan()[0], 'query users')
  const pages = users.query({ pageSize: 2 })
  const first = await pages.page()
  assert.equal(first.records.length, 2)
  await pages.page()
  assert.equal(telemetry.spans().length, 2)
  for await (const batch of users.query().batches(2)) assert.ok(batch.length <= 2)
  for await (const table of users.query().columns()) assert.equal(table.length, 5)
  assert.equal(telemetry.spans().length, 2)
  let streamed = 0
  for await (const _ of users.query().stream()) streamed++
  assert.equal(streamed, 5)
  await sleep(5)
  assert.equal(telemetry.onlySpan()[0], 'query users')
  await users.query().explain()
  assert.equal(telemetry.spans().length, 1)
  const single = users.query()
  assert.equal((await single.next()).done, false)
  single.close()
  assert.equal(telemetry.spans().length, 1)
  const left = users.query()
  assert.equal((await left.next()).done, false)
  await left.return()
  assert.equal(telemetry.spans().length, 1)
  await assert.rejects(users.query().page(), /the query has no pageSize/)
  assert.equal(telemetry.onlySpan()[1]['error.type'], 'RangeError')
})

test('the parent is the active span of the caller, across awaits', async (t) => {
  const { telemetry, users } = await traced(t)
  const tracer = telemetry.tracerProvider.getTracer('test')
  const program = async (name: string): Promise<string> => {
    const span = tracer.startSpan(name)
    await context.with(trace.setSpan(context.active(), span), async () => {
      await users.put(name, { age: 1 })
      await sleep(1)
      assert.equal(trace.getActiveSpan(), span)
      await Promise.all([users.get(name), users.exists(name)])
      for await (const _ of users.query()) assert.equal(trace.getActiveSpan(), span)
      const active = await new Promise((resolve) => {
        users.touch(name, () => resolve(trace.getActiveSpan()))
      })
      assert.equal(active, span)
    })
    span.end()
    return span.spanContext().spanId
  }
  const ids = await Promise.all(['one', 'two', 'three'].map(program))
  const spans = telemetry.spans()
  for (const [at, id] of ids.entries()) {
    const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === id)
    assert.deepEqual(
      children.map(({ name }) => name).sort(),
      ['exists users', 'get users', 'put users', 'query users', 'touch users'],
      String(at),
    )
  }
})

test('calls within transactions are traced', async (t) => {
  const { telemetry, client } = await traced(t, {
    edition: 'enterprise',
    strongConsistency: true,
  } as never)
  const names = () => telemetry.spans().map(({ name }) => name)
  const accounts = client.dataset<{ balance: number }>('test', 'accounts')
  await accounts.put('alice', { balance: 1 })
  const transaction = client.transaction()
  await transaction.dataset('test', 'accounts').add('alice', { balance: 1 })
  await accounts.within(transaction).get('alice')
  await client.within(transaction).get(accounts.key('alice'))
  await transaction.commit()
  assert.deepEqual(names(), ['put accounts', 'add accounts', 'get accounts', 'get accounts'])
  const balance = await client.runInTransaction(async (own) => {
    const inside = own.dataset<{ balance: number }>('test', 'accounts')
    return (await inside.get('alice')).bins.balance
  })
  assert.equal(balance, 2)
  assert.deepEqual(names(), ['get accounts'])
})

test('durations and gauges', async (t) => {
  const { telemetry, client, plain, users } = await traced(t)
  observe(client, { meterProvider: telemetry.meterProvider, attributes: { client: 'users' } })
  await users.put('alice', { age: 1 })
  await users.get('alice')
  await assert.rejects(users.get('nobody'))
  const durations = await telemetry.points('db.client.operation.duration')
  assert.equal(durations.length, 3)
  for (const { attributes, value } of durations) {
    const { buckets, sum, count } = value as {
      buckets: { boundaries: number[] }
      sum: number
      count: number
    }
    assert.equal(attributes['spikewire.node'], undefined)
    assert.equal(buckets.boundaries[0], 0.0001)
    assert.ok(count === 1 && sum > 0 && sum < 10)
  }
  const connections = await telemetry.points('spikewire.node.connections')
  assert.equal(connections.length, 2)
  const [point] = connections
  assert.equal(point?.attributes['client'], 'users')
  assert.ok(point?.attributes['server.port'] && point.attributes['spikewire.node'])
  assert.deepEqual(
    (await telemetry.points('spikewire.node.share')).map(({ value }) => value),
    [1, 1],
  )
  assert.deepEqual(await telemetry.points('spikewire.commands'), [])
  plain.metrics.enable()
  await users.get('alice')
  const [command] = await telemetry.points('spikewire.commands')
  assert.equal(command?.value, 1)
  assert.equal(command?.attributes['db.operation.name'], 'get')
  assert.equal(command?.attributes['spikewire.result'], 'ok')
  const [age] = await telemetry.points('spikewire.tend.age')
  assert.ok((age?.value as number) >= 0 && (age?.value as number) < 100)
  await client.close()
  assert.equal(plain.isOpen, false)
  await telemetry.points('spikewire.commands')
})

test('a view is the client, but for its spans', async (t) => {
  const { client, plain, users, telemetry } = await traced(t)
  assert.ok(client instanceof Client)
  assert.equal(client.isOpen, true)
  assert.deepEqual(client.nodes, plain.nodes)
  assert.equal(inspect(client), inspect(plain))
  assert.equal(client.metrics, plain.metrics)
  assert.equal(users.namespace, 'test')
  assert.equal(client.get, client.get)
  assert.throws(() => instrument(client), /the client is instrumented already/)
  assert.throws(() => instrument({} as never), /client must be a Client or a Session, not {}/)
  assert.throws(() => observe(5 as never), /client must be a Client or a Session/)
  assert.throws(() => instrument(plain, { tracers: 1 } as never), /unknown option tracers/)
  await client.close()
  await assert.rejects(users.get(1), ClientClosed)
  assert.equal(telemetry.onlySpan()[1]['error.type'], 'ClientClosed')
  // With the global providers, which do nothing here.
  await assert.rejects(instrument(plain).dataset('test').get(1), ClientClosed)
})
