/** Statistics of clients: commands, stages, nodes, near cache. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Client, ClientClosed, type ClientOptions, op, Read, RecordNotFound } from 'spikewire'
import { BOUNDS, Metrics, Stats } from 'spikewire/metrics'
import { Cluster } from 'spikewire/testing'

/** Keeps every record that is read in the near cache. */
const HOT = { nearCache: 1 << 20, nearCacheHeat: 0, nearCacheStaleness: 3_600_000 }

async function opened(
  context: TestContext,
  options?: ClientOptions,
  nodes = 2,
): Promise<{ client: Client; cluster: Cluster }> {
  const cluster = await Cluster.start({ nodes })
  const client = await Client.connect(cluster.seeds, options)
  context.after(async () => {
    await client.close()
    await cluster.close()
  })
  return { client, cluster }
}

test('nothing is counted unless it is enabled', async (context) => {
  const { client } = await opened(context)
  const users = client.dataset('test', 'users')
  assert.equal(client.metrics.enabled, false)
  await users.put(1, { age: 1 })
  let stats = client.stats()
  assert.equal(stats.counting, false)
  assert.deepEqual(stats.commands, [])
  client.metrics.enable()
  assert.equal(client.metrics.enabled, true)
  assert.equal(client.metrics.stages, false)
  await users.put(2, { age: 2 })
  client.metrics.disable()
  await users.put(3, { age: 3 })
  stats = client.stats()
  assert.equal(stats.select({ operation: 'put' }).count, 1)
  assert.deepEqual(stats.stages, [])
  client.metrics.reset()
  assert.deepEqual(client.stats().commands, [])
  assert.ok(client.metrics instanceof Metrics)
  assert.equal(client.metrics, client.metrics)
  assert.ok(stats instanceof Stats)
})

test('commands are counted by kind, namespace, node and result', async (context) => {
  const { client } = await opened(context)
  client.metrics.enable()
  const users = client.dataset('test', 'users')
  for (let key = 0; key < 20; key++) await users.put(key, { age: key })
  for (let key = 0; key < 20; key++) await users.get(key)
  await users.exists(1)
  await users.add(1, { age: 1 })
  await users.append(1, { text: 'a' })
  await users.prepend(1, { text: 'b' })
  await users.touch(1)
  await users.operate(1, [op.get('age')])
  await users.delete(1)
  await assert.rejects(users.get('nobody'), RecordNotFound)
  await users.getMany([2, 3, 4, 5, 6, 7])
  await users.putMany([[2, { age: 3 }]])
  await client.batch([new Read(users.key(2))])
  await client.info('build')
  const stats = client.stats()
  const counts = (operation: string) => stats.select({ operation, result: 'ok' }).count
  assert.equal(counts('put'), 21)
  for (const operation of ['exists', 'add', 'append', 'prepend', 'touch', 'operate', 'delete']) {
    assert.equal(counts(operation), 1, operation)
  }
  // A batch of one record is a command on one record.
  assert.equal(counts('get'), 21)
  assert.equal(stats.select({ operation: 'batch_read' }).records, 6)
  assert.equal(counts('info'), 1)
  assert.equal(stats.select({ result: 'not_found' }).count, 1)
  const labels = new Set(stats.nodes.map(({ label }) => label))
  assert.equal(labels.size, 2)
  for (const command of stats.commands) {
    assert.ok(labels.has(command.node), command.node)
    assert.equal(command.namespace, command.operation === 'info' ? '' : 'test')
    assert.equal(
      command.count,
      command.buckets.reduce((sum, count) => sum + count, 0),
    )
  }
  const [node] = labels
  const onOne = stats.commands.filter((command) => command.node === node)
  assert.equal(
    stats.select({ node: node as string }).count,
    onOne.reduce((sum, command) => sum + command.count, 0),
  )
})

test('latencies have means and quantiles in milliseconds', async (context) => {
  const { client } = await opened(context)
  client.metrics.enable()
  const users = client.dataset('test', 'users')
  for (let key = 0; key < 50; key++) await users.put(key, { age: key })
  const puts = client.stats().select({ operation: 'put' })
  assert.equal(puts.count, 50)
  assert.ok(puts.mean > 0.001 && puts.mean < 1000, String(puts.mean))
  assert.ok(Math.abs(puts.mean * 50 - puts.milliseconds) < 1e-6)
  assert.ok(puts.quantile(0) <= puts.quantile(0.5))
  assert.ok(puts.quantile(0.5) <= puts.quantile(1))
  assert.throws(() => puts.quantile(1.5), /share must be between 0 and 1, got 1.5/)
  assert.throws(() => puts.quantile(Number.NaN), RangeError)
  const none = client.stats().select({ operation: 'nothing' })
  assert.equal(none.count, 0)
  assert.ok(Number.isNaN(none.mean) && Number.isNaN(none.quantile(0.5)))
  assert.equal(none.operation, 'nothing')
  assert.equal(none.buckets.length, BOUNDS.length + 1)
  assert.throws(() => client.stats().select({ verb: 'put' } as object), /unknown label verb/)
  assert.equal(BOUNDS[0], 0.001)
  assert.ok((BOUNDS.at(-1) as number) > 16_000)
  assert.equal((BOUNDS[8] as number) / (BOUNDS[0] as number), 2)
})

test('queries and jobs are counted once each', async (context) => {
  const { client } = await opened(context)
  const users = client.dataset('test', 'users')
  await users.putMany(Array.from({ length: 50 }, (_, key) => [key, { age: key }] as const))
  client.metrics.enable()
  let seen = 0
  for await (const _ of users.query()) seen++
  assert.equal(seen, 50)
  const scan = client.stats().select({ operation: 'query', result: 'ok' })
  assert.deepEqual([scan.count, scan.records], [1, 50])
  assert.ok(scan.parts >= 2)
  const job = await users.operateAll([op.add('age', 1)])
  await job.wait()
  const stats = client.stats()
  assert.equal(stats.select({ operation: 'job_start' }).count, 1)
  assert.equal(stats.select({ operation: 'job_wait' }).records, 50)
})

test('stages are timed while that is enabled', async (context) => {
  const { client } = await opened(context)
  const users = client.dataset('test', 'users')
  for (let key = 0; key < 20; key++) await users.put(key, { age: key })
  client.metrics.enable({ stages: true })
  assert.equal(client.metrics.stages, true)
  for (let key = 0; key < 100; key++) await users.get(key % 20)
  for (let at = 0; at < 20; at++) await users.getMany([0, 1, 2, 3, 4, 5])
  const stages = new Map(client.stats().stages.map((stage) => [stage.stage, stage]))
  assert.deepEqual([...stages.keys()].sort(), [
    'decode',
    'deliver',
    'encode',
    'hand_over',
    'queue',
    'turn',
    'wire',
  ])
  assert.equal(stages.get('encode')?.count, 120)
  // Of every 64th call.
  assert.equal(stages.get('hand_over')?.count, 2)
  assert.equal(stages.get('decode')?.count, 20)
  for (const stage of stages.values()) {
    assert.ok(stage.mean >= 0 && stage.mean < 1000, `${stage.stage} ${stage.mean}`)
    assert.ok(stage.quantile(0.99) > 0)
  }
  client.metrics.enable()
  await users.get(1)
  const after = client.stats().stages.find(({ stage }) => stage === 'encode')
  assert.equal(after?.count, 120)
})

test('nodes, and what is under way', async (context) => {
  const { client } = await opened(context)
  const users = client.dataset('test', 'users')
  await users.getMany(Array.from({ length: 100 }, (_, key) => key))
  const stats = client.stats()
  assert.deepEqual(
    stats.nodes.map(({ name }) => name).sort(),
    client.nodes.map(({ name }) => name).sort(),
  )
  for (const node of stats.nodes) {
    assert.ok(node.connections >= 1 && node.opened >= node.connections)
    assert.deepEqual([node.errors, node.breakerOpen, node.share], [0, false, 1])
    assert.deepEqual([node.limit, node.waiting, node.rejections], [null, 0, 0])
    assert.equal(node.label, `${node.name} ${node.address}`)
  }
  assert.equal(stats.queued, 0)
  assert.ok(stats.tends >= 1 && stats.tendAge >= 0 && stats.tendAge < 60_000)
  assert.equal(stats.failedTends, 0)
  assert.equal(stats.unreachable.size, 0)
  assert.equal(stats.nearCache, null)
})

test('retries, hedges and shared reads are counted', async (context) => {
  const { client, cluster } = await opened(context)
  client.metrics.enable()
  const users = client.dataset('test', 'users')
  const keys = Array.from({ length: 30 }, (_, key) => key)
  await users.putMany(keys.map((key) => [key, { age: key }] as const))
  await Promise.all(Array.from({ length: 20 }, () => users.get(1, { shareReads: 'unsent' })))
  assert.ok(client.stats().readsShared >= 1)
  await cluster.inject(0, { delay: 100 })
  for (const key of keys) await users.get(key, { hedge: 5 })
  const hedged = client.stats()
  assert.ok(hedged.hedgesSent >= 1 && hedged.hedgesWon >= 1, inspect(hedged))
  assert.ok(hedged.hedgesWon <= hedged.hedgesSent && hedged.hedgesSent <= hedged.retriesSent)
  await cluster.clearFaults(0)
  for (const node of [0, 1]) await cluster.inject(node, { cut: 0.3, seed: 7 })
  const ends = performance.now() + 60_000
  const retries = () => client.stats().select({ operation: 'get' }).retries
  while (retries() <= hedged.hedgesSent && performance.now() < ends) {
    await Promise.allSettled(keys.map((key) => users.get(key, { maxRetries: 3 })))
  }
  assert.ok(retries() > hedged.hedgesSent)
})

test('the near cache and its hot keys', async (context) => {
  const { client } = await opened(context, HOT)
  const users = client.dataset('test', 'users')
  await users.put('hot', { age: 1 })
  for (let at = 0; at < 3000; at++) {
    await users.get('hot')
    if (at % 100 === 0) await sleep(2)
  }
  const cache = client.stats().nearCache
  assert.ok(cache !== null)
  assert.ok(cache.hits > 0 && cache.entries === 1 && cache.bytes > 0, inspect(cache))
  const [key] = cache.hotKeys
  assert.equal(key?.namespace, 'test')
  assert.equal(key?.set, 'users')
  assert.deepEqual(key?.digest, users.key('hot').digest)
  assert.ok((key?.readsPerSecond as number) > 0)
})

const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { Client } = require('spikewire')
  const { startMetricsServer } = require('spikewire/metrics')
  const work = async () => {
    const client = await Client.connect(workerData)
    client.metrics.enable({ stages: true })
    client.metrics.onEvent(() => undefined)
    client.metrics.logSlow(0, { logger: () => undefined })
    await startMetricsServer(client, { keepAlive: true })
    const users = client.dataset('test', 'users')
    for (let key = 0; key < 100; key++) await users.get(key, { default: null })
    parentPort.postMessage(client.stats().select({ operation: 'get' }).count)
    for (;;) await Promise.all([1, 2, 3, 4].map((key) => users.get(key, { default: null })))
  }
  work()
`

test('each worker thread has its own, also when it is ended meanwhile', async (context) => {
  const { client, cluster } = await opened(context)
  client.metrics.enable()
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(WORKER, { eval: true, workerData: cluster.seeds })
    const [count] = await once(worker, 'message')
    assert.equal(count, 100)
    await worker.terminate()
  }
  assert.deepEqual(client.stats().commands, [])
})

test('a closed client has no statistics, and invalid options are rejected', async () => {
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds)
  const { metrics } = client
  assert.equal(inspect(metrics), 'Metrics(off)')
  metrics.enable({ stages: true })
  assert.equal(inspect(metrics), 'Metrics(on, with stages)')
  assert.throws(() => metrics.enable({ stage: true } as never), /unknown option stage/)
  assert.throws(() => metrics.enable({ stages: 1 } as never), /stages must be boolean/)
  await client.close()
  assert.equal(inspect(metrics), 'Metrics(closed)')
  for (const call of [
    () => client.stats(),
    () => metrics.enabled,
    () => metrics.stages,
    () => metrics.enable(),
    () => metrics.disable(),
    () => metrics.reset(),
    () => metrics.logSlow(1),
    () => metrics.logEvents(),
    () => metrics.onEvent(() => undefined),
  ]) {
    assert.throws(call, ClientClosed)
  }
  await cluster.close()
})
