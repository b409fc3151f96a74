/** Slow commands, the logs of events, and the channels of `node:diagnostics_channel`. */

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions, type Event, op, RecordNotFound } from 'spikewire'
import type { CommandMessage, LogLevel, SlowCommand } from 'spikewire/metrics'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE } from './support/programs.js'

const WITHIN = 60_000

async function until(what: string, holds: () => boolean): Promise<void> {
  const ends = performance.now() + WITHIN
  while (!holds()) {
    assert.ok(performance.now() < ends, `still waiting: ${what}`)
    await sleep(5)
  }
}

async function opened(
  context: TestContext,
  options?: ClientOptions,
): Promise<{ client: Client; cluster: Cluster }> {
  const cluster = await Cluster.start({ nodes: 2 })
  const client = await Client.connect(cluster.seeds, options)
  context.after(async () => {
    await client.close()
    await cluster.close()
  })
  return { client, cluster }
}

test('commands over the limit are logged, with their event', async (context) => {
  const { client, cluster } = await opened(context)
  const users = client.dataset('test', 'users')
  client.metrics.enable()
  const lines: [string, Event, LogLevel][] = []
  client.metrics.logSlow(30, { logger: (...args) => lines.push(args) })
  await users.put(1, { age: 1 })
  await Promise.all([0, 1].map((node) => cluster.inject(node, { delay: 80 })))
  await users.get(1)
  await users.getMany(Array.from({ length: 60 }, (_, key) => key))
  const of = (operation: string) =>
    lines.filter(([, event]) => (event as SlowCommand).operation === operation)
  await until('the lines', () => of('get').length >= 1 && of('batch_read').length >= 2)
  const [line, event, level] = of('get')[0] as (typeof lines)[0]
  const slow = event as SlowCommand
  assert.equal(level, 'warn')
  assert.match(line, /^get in test took \d+\.\d{3} ms: ok by \S+ \S+ \(records=1, attempts=\d+\)$/)
  assert.equal(slow.type, 'slowCommand')
  assert.deepEqual([slow.operation, slow.namespace, slow.result], ['get', 'test', 'ok'])
  assert.ok(slow.milliseconds >= 79 && slow.milliseconds < WITHIN)
  assert.ok(client.stats().nodes.some(({ label }) => label === slow.node))
  const seen = lines.length
  client.metrics.logSlow(null)
  await users.get(1)
  await sleep(250)
  assert.equal(lines.length, seen)
})

test('a new limit replaces the former, and counting must be on', async (context) => {
  const { client } = await opened(context)
  const users = client.dataset('test', 'users')
  const [first, second]: string[][] = [[], []]
  client.metrics.logSlow(0, { logger: (line) => first?.push(line) })
  await users.put(1, { age: 1 })
  await sleep(250)
  assert.deepEqual(first, [])
  client.metrics.enable()
  const logger = {
    debug: fails,
    info: (line: string) => second?.push(line),
    warn: fails,
    error: fails,
  }
  client.metrics.logSlow(0, { logger, level: 'info' })
  await users.put(1, { age: 1 })
  await until('the line', () => second?.length === 1)
  assert.deepEqual(first, [])
  const events: Event[] = []
  client.metrics.logSlow(0, { logger: null })
  const end = client.onEvent((event) => events.push(event))
  await assert.rejects(users.get('nobody'), RecordNotFound)
  await until('the event', () => events.some(({ type }) => type === 'slowCommand'))
  assert.equal((events.at(-1) as SlowCommand).result, 'not_found')
  assert.equal(second?.length, 1)
  end()
})

function fails(): never {
  throw new Error('not at this level')
}

test('invalid limits and loggers are rejected, and change nothing', async (context) => {
  const { client } = await opened(context)
  const { metrics } = client
  assert.throws(() => metrics.logSlow(-1), RangeError)
  assert.throws(() => metrics.logSlow(Number.NaN), RangeError)
  assert.throws(() => metrics.logSlow('5' as never), /slowerThan must be milliseconds as a number/)
  assert.throws(() => metrics.logSlow(5, { logger: {} as never }), /logger must be a function, or/)
  assert.throws(() => metrics.logSlow(5, { logger: 5 as never }), TypeError)
  assert.throws(() => metrics.logSlow(5, { level: 'loud' as never }), /level must be one of debug,/)
  assert.throws(() => metrics.logSlow(5, { log: 1 } as never), /unknown option log/)
  assert.throws(() => metrics.logEvents('console' as never), TypeError)
  assert.throws(() => metrics.onEvent(5 as never), /listener must be a function/)
})

test('events about nodes are logged by their weight', async (context) => {
  const { client, cluster } = await opened(context, { tendInterval: 100 })
  const lines: [string, LogLevel][] = []
  const end = client.metrics.logEvents((line, _, level) => lines.push([line, level]))
  await cluster.kill(1)
  await until('the loss', () => lines.some(([line]) => line.endsWith(' is down')))
  await cluster.restart(1)
  await until('the return', () => lines.some(([line]) => line.endsWith(' is up')))
  await until('the map', () => lines.some(([line]) => line === 'the partition map changed'))
  for (const [line, level] of lines) {
    if (line.endsWith(' is down')) assert.equal(level, 'warn')
    if (line.endsWith(' is up')) assert.equal(level, 'info')
    if (line === 'the partition map changed') assert.equal(level, 'debug')
  }
  end()
})

test('circuit breakers are events and lines', async (context) => {
  const { client, cluster } = await opened(context, { maxErrorRate: 2, tendInterval: 100 })
  const users = client.dataset('test', 'users')
  const events: Event[] = []
  const lines: string[] = []
  client.onEvent((event) => events.push(event))
  client.metrics.logEvents((line) => lines.push(line))
  await Promise.all([0, 1].map((node) => cluster.inject(node, { cut: 1 })))
  const tries = async (): Promise<void> => {
    const keys = Array.from({ length: 20 }, (_, key) => key)
    await Promise.allSettled(keys.map((key) => users.get(key, { maxRetries: 0, timeout: 500 })))
  }
  const happened = async (type: Event['type']): Promise<void> => {
    const ends = performance.now() + WITHIN
    while (!events.some((event) => event.type === type)) {
      assert.ok(performance.now() < ends, type)
      await tries()
      await sleep(20)
    }
  }
  await happened('breakerOpened')
  await Promise.all([0, 1].map((node) => cluster.clearFaults(node)))
  await happened('breakerClosed')
  assert.ok(lines.some((line) => line.endsWith('failed too often: its circuit breaker is open')))
  assert.ok(lines.some((line) => line.startsWith('the circuit breaker of node ')))
})

test('events that nobody takes in time are lost, and counted', async (context) => {
  const { client } = await opened(context, { timeout: WITHIN })
  const users = client.dataset('test', 'users')
  client.metrics.enable()
  client.metrics.logSlow(0, { logger: null })
  const events: Event[] = []
  client.metrics.onEvent((event) => events.push(event))
  const lines: string[] = []
  client.metrics.logEvents((line) => lines.push(line))
  const ends = performance.now() + WITHIN
  let calls = 0
  while (!events.some(({ type }) => type === 'eventsLost') && performance.now() < ends) {
    calls += 6_000
    await Promise.allSettled(Array.from({ length: 6_000 }, () => users.exists(1)))
    await sleep(5)
  }
  const lost = events.find((event) => event.type === 'eventsLost')
  assert.ok(lost !== undefined && lost.count > 0 && lost.node === null)
  assert.ok(events.filter(({ type }) => type === 'slowCommand').length + lost.count <= calls)
  assert.match(lines.at(-1) as string, /^\d+ events were lost: they arrived faster than/)
})

test('calls are published to their channel while somebody listens', async (context) => {
  const { client } = await opened(context)
  const users = client.dataset('test', 'users')
  const messages: CommandMessage[] = []
  const listener = (message: unknown): void => void messages.push(message as CommandMessage)
  await users.put(1, { age: 1 })
  subscribe('spikewire:command', listener)
  await users.put(1, { age: 1 })
  await users.add(1, { age: 1 })
  await users.append(1, { text: 'a' })
  await users.prepend(1, { text: 'a' })
  await users.get(1)
  await users.get('nobody', { default: null })
  await assert.rejects(users.get('nobody'), RecordNotFound)
  await assert.rejects(users.get({} as never), TypeError)
  await assert.rejects(client.get(1 as never), TypeError)
  await client.exists(users.key(1))
  await users.operate(1, [op.get('age')])
  await users.touch(1)
  await users.getMany([1, 2])
  await users.existsMany([1, 2])
  await users.putMany([[1, { age: 1 }]])
  await users.operateMany([1], [op.get('age')])
  await users.getColumns([1])
  await users.deleteMany([1])
  await client.batch([])
  await users.touchAll()
  await new Promise((resolve) => users.get(1, resolve))
  await users.delete(1)
  unsubscribe('spikewire:command', listener)
  await users.put(1, { age: 1 })
  const fields = messages.map(({ operation, namespace, set, error }) => [
    operation,
    `${namespace} ${set}`,
    error === null ? 'ok' : (error as Error).constructor.name,
  ])
  const ok = (operation: string) => [operation, 'test users', 'ok']
  assert.deepEqual(fields, [
    ...['put', 'add', 'append', 'prepend', 'get', 'get'].map(ok),
    ['get', 'test users', 'RecordNotFound'],
    ['get', 'test users', 'TypeError'],
    ['get', 'null null', 'TypeError'],
    ...['exists', 'operate', 'touch', 'getMany', 'existsMany', 'putMany', 'operateMany'].map(ok),
    ...['getColumns', 'deleteMany'].map(ok),
    ['batch', 'null null', 'ok'],
    ...['touchAll', 'get', 'delete'].map((verb) =>
      verb === 'get' ? ['get', 'test users', 'RecordNotFound'] : ok(verb),
    ),
  ])
  for (const { system, statement, milliseconds } of messages) {
    assert.deepEqual([system, statement], ['aerospike', null])
    assert.ok(milliseconds >= 0 && milliseconds < WITHIN)
  }
})

test('events are published for clients connected after the subscription', async (context) => {
  const published: Event[] = []
  const slow: Event[] = []
  const listeners = {
    'spikewire:event': (event: unknown): void => void published.push(event as Event),
    'spikewire:slow-command': (event: unknown): void => void slow.push(event as Event),
  }
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener)
  const { client, cluster } = await opened(context, { tendInterval: 100 })
  client.metrics.enable()
  client.metrics.logSlow(0, { logger: null })
  await client.dataset('test').put(1, { age: 1 })
  await cluster.kill(1)
  await until('the loss', () => published.some(({ type }) => type === 'nodeDown'))
  await until('the command', () => slow.some((event) => (event as SlowCommand).operation === 'put'))
  assert.ok(published.every(({ type }) => type !== 'slowCommand'))
  for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener)
})

const UNHANDLED = `
  import { subscribe } from 'node:diagnostics_channel'
  import { Client } from 'spikewire'
  import { Cluster } from 'spikewire/testing'
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds)
  subscribe('spikewire:command', ({ error }) => console.log(error.constructor.name))
  process.on('unhandledRejection', ({ constructor }) => {
    console.log('unhandled', constructor.name)
    process.exit()
  })
  await client.dataset('test').get('nobody').catch(() => undefined)
  void client.dataset('test').get('nobody')
`

test('a subscriber does not decide what is an unhandled rejection', async () => {
  const args = ['--input-type=module', '--eval', UNHANDLED]
  assert.equal(
    await output(process.execPath, args, { cwd: PACKAGE }),
    'RecordNotFound\nRecordNotFound\nunhandled RecordNotFound\n',
  )
})

const FORGOTTEN = `
  import { Client } from 'spikewire'
  import { Cluster } from 'spikewire/testing'
  const cluster = await Cluster.start()
  process.on('warning', ({ message }) => {
    console.log(message)
    process.exit()
  })
  const use = async () => {
    const client = await Client.connect(cluster.seeds)
    client.metrics.enable()
    client.metrics.onEvent(() => undefined)
    client.metrics.logSlow(5)
  }
  await use()
  for (let at = 0; at < 300; at++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
`

test('listeners do not keep a client that nobody has any more', async () => {
  const args = ['--expose-gc', '--no-warnings', '--input-type=module', '--eval', FORGOTTEN]
  assert.match(await output(process.execPath, args, { cwd: PACKAGE }), /client was not closed/)
})
