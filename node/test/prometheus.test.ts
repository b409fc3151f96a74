/** Prometheus: the text, the HTTP endpoint, and a registry of prom-client. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Gauge, Registry } from 'prom-client'
import { Client, type ClientOptions } from 'spikewire'
import {
  BOUNDS,
  CONTENT_TYPE,
  Collector,
  NoClientOpen,
  prometheus,
  requestListener,
  startMetricsServer,
} from 'spikewire/metrics'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE, REPOSITORY } from './support/programs.js'

/** A client that has counted some commands. */
async function opened(t: TestContext, options?: ClientOptions): Promise<Client> {
  const cluster = await Cluster.start({ nodes: 2 })
  const client = await Client.connect(cluster.seeds, options)
  t.after(async () => {
    await client.close()
    await cluster.close()
  })
  client.metrics.enable({ stages: true })
  const users = client.dataset('test', 'users')
  for (let key = 0; key < 20; key++) await users.put(key, { age: key })
  await users.get(1)
  return client
}

/** Samples by name, each with the text of its labels and its value. */
function samplesOf(text: string): Map<string, [labels: string, value: number][]> {
  const samples = new Map<string, [string, number][]>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) as unknown as string[]
    const known = samples.get(name as string) ?? []
    known.push([labels ?? '', Number(value)])
    samples.set(name as string, known)
  }
  return samples
}

const sum = (samples: [string, number][] | undefined): number =>
  (samples ?? []).reduce((total, [, value]) => total + value, 0)

test('the text has every family of the table, as in Python', async (t) => {
  const client = await opened(t, { nearCache: 1 << 20, nearCacheHeat: 0 })
  const text = prometheus(client)
  const table = readFileSync(join(REPOSITORY, 'tools/verbs/metrics.toml'), 'utf8')
  const families = table.match(/name = "[a-z_]+", kind/g)?.length as number
  assert.equal(text.match(/^# HELP /gm)?.length, families - instruments(table) + 2)
  assert.equal(text.match(/^# TYPE /gm)?.length, text.match(/^# HELP /gm)?.length)
  const python = readFileSync(join(REPOSITORY, 'python/spikewire/metrics/table.py'), 'utf8')
  const typescript = readFileSync(join(PACKAGE, 'src/metrics/table.ts'), 'utf8')
  const names = (of: string) =>
    of.match(/spikewire[._][a-z_.]+/g)?.filter((it) => !it.includes('.stat'))
  assert.deepEqual(names(typescript), names(python))
  const samples = samplesOf(text)
  assert.equal(sum(samples.get('spikewire_command_duration_seconds_count')), 21)
  assert.equal(sum(samples.get('spikewire_command_records_total')), 21)
  assert.deepEqual(samples.get('spikewire_counting'), [['', 1]])
  assert.equal(samples.get('spikewire_node_share')?.length, 2)
  const seconds = sum(samples.get('spikewire_command_duration_seconds_sum'))
  assert.ok(Math.abs(seconds - client.stats().select().milliseconds / 1000) < 1e-9)
})

function instruments(table: string): number {
  return table
    .match(/name = "[a-z_.]+", kind = "\w+", unit/g)
    ?.filter((it) => !/name = "[a-z_]*\./.test(it)).length as number
}

test('buckets have the bounds of the other languages', async (t) => {
  const client = await opened(t)
  const buckets = samplesOf(prometheus(client)).get('spikewire_command_duration_seconds_bucket')
  const [first] = buckets as [string, number][]
  const of = first?.[0].replace(/,le=.*/, '') as string
  const ours = (buckets as [string, number][]).filter(([labels]) => labels.startsWith(`${of},`))
  const bounds = ours.map(([labels]) => /le="(.*)"$/.exec(labels)?.[1])
  assert.deepEqual(bounds.slice(0, 9), [
    ...['1e-06', '2e-06', '4e-06', '8e-06', '1.6e-05', '3.2e-05', '6.4e-05'],
    ...['0.000128', '0.000256'],
  ])
  assert.deepEqual(bounds.slice(-2), ['16.777216', '+Inf'])
  assert.equal(bounds.length, Math.ceil(BOUNDS.length / 8) + 1)
  const counts = ours.map(([, count]) => count)
  assert.deepEqual(
    counts,
    [...counts].sort((one, other) => one - other),
  )
})

test('several clients and labels of the program', async (t) => {
  const [one, other] = [await opened(t), await opened(t)]
  const text = prometheus({ users: one, ads: other }, { labels: { service: 'sh"o\\p\n' } })
  assert.equal(text.match(/^# TYPE spikewire_counting /gm)?.length, 1)
  const counting = samplesOf(text).get('spikewire_counting')
  assert.deepEqual(counting, [
    ['client="users",service="sh\\"o\\\\p\\n"', 1],
    ['client="ads",service="sh\\"o\\\\p\\n"', 1],
  ])
  await one.close()
  assert.equal(
    samplesOf(prometheus({ users: one, ads: other })).get('spikewire_counting')?.length,
    1,
  )
  await other.close()
  assert.throws(() => prometheus({ users: one, ads: other }), NoClientOpen)
  assert.throws(() => prometheus(one), /the client is closed/)
  for (const [labels, message] of [
    [{ node: 'x' }, /'node' is one of the metrics' own labels/],
    [{ '0x': 'x' }, /'0x' is not a valid label name/],
    [{ __a: 'x' }, /not a valid label name/],
    [{ a: 5 }, /labels: a must be a string, not 5/],
    ['x', /labels must be an object/],
  ] as const) {
    assert.throws(() => prometheus(one, { labels: labels as never }), message)
  }
  assert.throws(() => prometheus({ one }, { labels: { client: 'x' } }), /set from the names/)
  assert.throws(() => prometheus(5 as never), /not for 5/)
  assert.throws(() => prometheus({ one: {} as never }), /exported for a client or session, not for/)
})

test('a server answers on this machine, and closes', async (t) => {
  const client = await opened(t)
  const server = await startMetricsServer(client, { labels: { service: 'shop' } })
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  assert.equal(new URL(server.url).port, String(server.port))
  const response = await fetch(server.url)
  assert.equal(response.headers.get('content-type'), CONTENT_TYPE)
  assert.match(await response.text(), /spikewire_counting\{service="shop"\} 1\n/)
  const status = async (path: string, init?: object) =>
    (await fetch(new URL(path, server.url), init)).status
  assert.equal(await status('/'), 404)
  assert.equal(await status('/metrics?x=1'), 200)
  assert.equal(await status('/metrics', { method: 'HEAD' }), 200)
  assert.equal(await status('/metrics', { method: 'POST' }), 405)
  await assert.rejects(startMetricsServer(client, { port: server.port }), { code: 'EADDRINUSE' })
  await assert.rejects(startMetricsServer(client, { ports: 1 } as never), /unknown option ports/)
  for (const [options, error] of [
    [{ host: 5 }, /host must be a string, not number/],
    [{ keepAlive: 1 }, /keepAlive must be boolean, not number/],
    [{ port: -1 }, RangeError],
  ] as const) {
    await assert.rejects(startMetricsServer(client, options as never), error)
  }
  assert.throws(() => prometheus(client, { label: {} } as never), /unknown option label/)
  await client.close()
  const closed = await fetch(server.url)
  assert.deepEqual([closed.status, await closed.text()], [503, '# the client is closed\n'])
  // A connection that asks for nothing is no obstacle.
  const idle = connectSocket(server.port, '127.0.0.1')
  await new Promise((resolve) => idle.once('connect', resolve))
  await server.close()
  await server.close()
  await assert.rejects(fetch(server.url))
  idle.destroy()
})

test('a listener for the program’s own server', async (t) => {
  const client = await opened(t)
  const server = createServer(requestListener(client))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/any`)
  assert.equal(
    await response.text().then((text) => samplesOf(text).has('spikewire_tends_total')),
    true,
  )
  server.close()
  server.closeAllConnections()
})

const SERVES = `
  import { Client } from 'spikewire'
  import { startMetricsServer } from 'spikewire/metrics'
  import { Cluster } from 'spikewire/testing'
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds)
  const server = await startMetricsServer(client)
  const { status } = await fetch(server.url)
  console.log(status)
  await client.close()
  await cluster.close()
`

test('a server does not keep the process alive', async () => {
  const args = ['--input-type=module', '--eval', SERVES]
  assert.equal(await output(process.execPath, args, { cwd: PACKAGE, timeout: 60_000 }), '200\n')
})

for (const type of [Registry.PROMETHEUS_CONTENT_TYPE, Registry.OPENMETRICS_CONTENT_TYPE]) {
  test(`a registry of prom-client has the same samples: ${type.split(';')[0]}`, async (t) => {
    const client = await opened(t)
    const registry = new Registry()
    registry.setContentType(type as never)
    new Gauge({ name: 'own', help: 'Of the program.', registers: [registry] }).set(5)
    const remove = new Collector(client, { labels: { service: 'shop' } }).register(registry)
    const expected = samplesOf(prometheus(client, { labels: { service: 'shop' } }))
    const text = await registry.metrics()
    const samples = samplesOf(text)
    assert.deepEqual(samples.get('own'), [['', 5]])
    samples.delete('own')
    for (const [name, values] of expected) {
      if (name === 'spikewire_tend_age_seconds') continue
      const known = new Map(samples.get(name)?.map(([labels, value]) => [sorted(labels), value]))
      for (const [labels, value] of values) {
        const seen = known.get(sorted(labels))
        const close = seen !== undefined && Math.abs(seen - value) < 1e-9
        // The cluster is looked at meanwhile.
        assert.ok(close || name === 'spikewire_tends_total', `${name} ${labels} ${seen} ${value}`)
      }
    }
    assert.ok(!text.includes('_total_total'))
    assert.deepEqual(
      [...samples.keys()].filter((name) => !expected.has(name)),
      [],
    )
    await client.dataset('test').put(1, { age: 1 })
    assert.notDeepEqual(samplesOf(await registry.metrics()), samples)
    const json = await registry.getMetricsAsJSON()
    assert.ok(json.some(({ name }) => name.startsWith('spikewire_node_connections')))
    assert.throws(() => new Collector(client).register(registry), /already been registered/)
    registry.resetMetrics()
    await client.close()
    assert.match(await registry.metrics(), /^own /m)
    remove()
    assert.doesNotMatch(await registry.metrics(), /spikewire/)
    assert.throws(() => new Collector(client).register({} as never), /Registry of prom-client/)
  })
}

function sorted(labels: string): string {
  return labels.split(',').sort().join(',')
}
