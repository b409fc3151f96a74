/** Statistics, events, metrics and traces of sessions, on a real Cassandra. */

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { context, trace } from '@opentelemetry/api'
import {
  connect,
  InvalidRequest,
  type Session,
  SessionClosed,
  SyntaxException,
} from 'spikewire/cql'
import { type CommandMessage, type Event, prometheus, type SlowCommand } from 'spikewire/metrics'
import { instrument, observe } from 'spikewire/metrics/otel'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'
import { Telemetry } from './support/telemetry.js'

const skip = { skip: withoutCassandra }
let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_signals')
  await session.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
})

after(() => session?.close())

const INSERT = 'INSERT INTO items (id, name) VALUES (?, ?)'
const SELECT = 'SELECT name FROM items WHERE id = ?'

test('statements are counted by kind, keyspace, node and result', skip, async () => {
  assert.equal(session.metrics.enabled, false)
  session.metrics.enable({ stages: true })
  session.metrics.reset()
  for (let id = 0; id < 40; id++) await session.execute(INSERT, [id, 'a'])
  await session.execute('SELECT release_version FROM system.local')
  await session.batch().add(INSERT, [1, 'b']).add(INSERT, [2, 'b']).execute()
  await assert.rejects(session.execute('SELECT nothing FROM items'), InvalidRequest)
  const stats = session.stats()
  const count = (operation: string) => stats.select({ operation, result: 'ok' }).count
  assert.equal(count('execute'), 40)
  assert.equal(count('query'), 1)
  assert.equal(count('batch'), 1)
  assert.equal(count('prepare'), 1)
  assert.equal(stats.select({ result: 'invalid_request' }).count, 1)
  assert.equal(stats.select({ operation: 'execute', namespace: 'node_signals' }).count, 40)
  const addresses = session.nodes.map(({ address }) => address)
  assert.deepEqual(stats.nodes.map(({ label }) => label).sort(), addresses.sort())
  const stages = new Map(stats.stages.map((stage) => [stage.stage, stage.count]))
  assert.deepEqual([...stages.keys()].sort(), [
    'deliver',
    'encode',
    'hand_over',
    'queue',
    'turn',
    'wire',
  ])
  assert.ok((stages.get('hand_over') as number) >= 1)
  session.metrics.disable()
  const text = prometheus(session, { labels: { service: 'shop' } })
  assert.match(
    text,
    /spikewire_command_duration_seconds_count\{service="shop",operation="execute",namespace="node_signals",node="[^"]+",result="ok"\} 40\n/,
  )
})

test('slow statements are events and lines', skip, async () => {
  session.metrics.enable()
  const lines: [string, Event, string][] = []
  session.metrics.logSlow(0, { logger: (...args) => lines.push(args), level: 'info' })
  await session.execute(SELECT, [1])
  while (lines.length < 1) await sleep(10)
  session.metrics.logSlow(null)
  session.metrics.disable()
  const [line, event, level] = lines.at(-1) as (typeof lines)[0]
  assert.match(
    line,
    /^execute in node_signals took \d+\.\d{3} ms: ok by \S+ \(records=\d+, attempts=1\)$/,
  )
  assert.equal((event as SlowCommand).operation, 'execute')
  assert.equal(level, 'info')
})

test('statements are published to their channel', skip, async () => {
  const messages: CommandMessage[] = []
  const listener = (message: unknown): void => void messages.push(message as CommandMessage)
  subscribe('spikewire:command', listener)
  await session.execute(SELECT, [1])
  await session.execute(SELECT, [1])
  await assert.rejects(session.execute('SELEC 1'), SyntaxException)
  unsubscribe('spikewire:command', listener)
  await session.execute(SELECT, [1])
  assert.deepEqual(
    messages.map(({ system, operation, statement }) => [system, operation, statement]),
    [
      ['cassandra', 'execute', SELECT],
      ['cassandra', 'execute', SELECT],
      ['cassandra', 'execute', 'SELEC 1'],
    ],
  )
  assert.ok(messages.every(({ milliseconds }) => milliseconds > 0))
  assert.equal(messages[0]?.error, null)
  assert.ok(messages[2]?.error instanceof SyntaxException)
})

const SUMMARIES: readonly (readonly [text: string, name: string])[] = [
  ['SELECT name FROM shop.items WHERE id = ?', 'SELECT shop.items'],
  ['INSERT INTO shop.items (id, name) VALUES (?, ?)', 'INSERT shop.items'],
  [" /* why */ update  Items set name = 'FROM x.y' where id = 1", 'UPDATE items'],
  ['-- first\nDELETE name FROM "Shop"."It""ems"', 'DELETE Shop.It"ems'],
  ["SELECT 'a from b' FROM shop . items", 'SELECT shop.items'],
  ['TRUNCATE TABLE nothing', 'TRUNCATE nothing'],
  ['CREATE TABLE IF NOT EXISTS shop.items (id int)', 'CREATE TABLE shop.items'],
  ["CREATE KEYSPACE shop WITH replication = {'class': 'No'}", 'CREATE KEYSPACE shop'],
  ['drop table if exists shop.items', 'DROP TABLE shop.items'],
  ['USE nothing', 'USE nothing'],
  ['BEGIN BATCH UPDATE a SET b = 1 APPLY BATCH', 'BEGIN'],
  ['GRANT ALL ON KEYSPACE shop TO someone', 'GRANT'],
  ['(((', 'execute'],
]

test('spans are named by operation and table', skip, async (t) => {
  const telemetry = new Telemetry()
  t.after(() => telemetry.end())
  const view = instrument(session, telemetry.providers)
  for (const [text, name] of SUMMARIES) {
    await view.execute(text).catch(() => undefined)
    assert.equal(telemetry.onlySpan()[0], name)
  }
})

test('spans describe statements', skip, async (t) => {
  const telemetry = new Telemetry()
  t.after(() => telemetry.end())
  const view = instrument(session, telemetry.providers)
  observe(view, { meterProvider: telemetry.meterProvider })
  const rows = await view.execute(SELECT, [1], {
    consistency: 'one',
    pageSize: 10,
    idempotent: true,
  })
  const [host, port] = rows.node.split(':')
  assert.deepEqual(telemetry.onlySpan(), [
    'SELECT items',
    {
      'db.system.name': 'cassandra',
      'db.query.text': SELECT,
      'db.operation.name': 'SELECT',
      'db.query.summary': 'SELECT items',
      'db.namespace': 'node_signals',
      'db.collection.name': 'items',
      'cassandra.consistency.level': 'one',
      'cassandra.page.size': 10,
      'cassandra.query.idempotent': true,
      'server.address': host,
      'server.port': Number(port),
    },
  ])
  // Text with values is not shown.
  await view.execute('SELECT name FROM items WHERE id = 1')
  assert.equal(telemetry.onlySpan()[1]['db.query.text'], undefined)
  const insert = await view.prepare(INSERT)
  let [name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, attributes['db.operation.name']], ['PREPARE items', 'PREPARE'])
  await view.executeMany(insert, [
    [1, 'a'],
    [2, 'b'],
  ])
  ;[name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, attributes['db.operation.batch.size']], ['BATCH INSERT items', 2])
  await view.batch().add(insert, [1, 'a']).add(insert, [2, 'b']).execute()
  ;[name, attributes] = telemetry.onlySpan()
  assert.deepEqual([name, attributes['db.operation.batch.size']], ['BATCH', 2])
  assert.ok(attributes['server.port'])
  const text = await new Promise((resolve) => {
    view.execute(SELECT, [1], (error, rows) => resolve(error ?? rows?.rows[0]?.['name']))
  })
  assert.equal(text, 'a')
  assert.equal(telemetry.onlySpan()[0], 'SELECT items')
  await assert.rejects(view.execute('SELEC 1'), SyntaxException)
  const [failed] = telemetry.spans()
  assert.equal(failed?.name, 'SELEC')
  assert.equal(failed?.attributes['error.type'], 'SyntaxException')
  assert.equal(failed?.attributes['db.response.status_code'], '2000')
  const durations = await telemetry.points('db.client.operation.duration')
  assert.ok(durations.length >= 5)
  assert.ok(durations.every(({ attributes }) => attributes['db.query.text'] === undefined))
  assert.ok((await telemetry.points('spikewire.node.connections')).length >= 1)
})

test('a query is one span, with its pages, and the parent is the active span', skip, async (t) => {
  const telemetry = new Telemetry()
  t.after(() => telemetry.end())
  const view = instrument(session, telemetry.providers)
  await session.execute('TRUNCATE items')
  await session.executeMany(
    INSERT,
    Array.from({ length: 25 }, (_, id) => [id, 'x']),
  )
  const tracer = telemetry.tracerProvider.getTracer('test')
  const parent = tracer.startSpan('parent')
  await context.with(trace.setSpan(context.active(), parent), async () => {
    let count = 0
    for await (const _ of view.query('SELECT * FROM items', null, { pageSize: 10 })) count++
    assert.equal(count, 25)
    assert.equal(trace.getActiveSpan(), parent)
    for await (const page of view.query('SELECT * FROM items').pages())
      assert.equal(page.length, 25)
  })
  const spans = telemetry.spans()
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['SELECT items', 'SELECT items'],
  )
  const id = parent.spanContext().spanId
  assert.ok(spans.every(({ parentSpanContext }) => parentSpanContext?.spanId === id))
  assert.throws(() => instrument(view), /the session is instrumented already/)
})

test('a closed session has no statistics', skip, async () => {
  const own = await connect(AT)
  const { metrics } = own
  await own.close()
  assert.throws(() => own.stats(), SessionClosed)
  assert.throws(() => metrics.enable(), SessionClosed)
  assert.throws(() => prometheus(own), /the client is closed/)
})
