/** The drop-in for npm `aerospike`: the same programs with both packages, and what only it has. */

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Cluster } from 'spikewire/testing'
import {
  connectAerospike,
  aerospike as originalModule,
  withoutAerospike,
} from './support/aerospike.js'
import { temporaryFolder } from './support/programs.js'

// biome-ignore lint/suspicious/noExplicitAny: programs of either package run with both
type Any = any

const dropIn: Any = createRequire(import.meta.url)('spikewire/compat/aerospike')
let cluster: Cluster
let client: Any
let original: Any

before(async () => {
  cluster = await Cluster.start()
  client = await connected()
  if (!withoutAerospike) original = await connectAerospike(cluster.seeds)
})

after(async () => {
  client?.close()
  original?.close(false)
  await cluster?.close()
})

function connected(config: object = {}): Promise<Any> {
  return dropIn.connect({ hosts: cluster.seeds, ...config })
}

/** What a program sees of a call: what it returns, or the code of its error. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return { result: plain(await call()) }
  } catch (error) {
    const { code, name } = error as { code?: number; name: string }
    return { error: code ?? name }
  }
}

/** A value without classes, digests and what depends on time. */
function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value) || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  const entries = Object.entries(value).filter(([name]) => !['digest', 'jobID'].includes(name))
  // Seconds pass between the calls of both clients.
  const coarse = (name: string, each: unknown): unknown =>
    name === 'ttl' && Number(each) > 0 ? Math.round(Number(each) / 100) : plain(each)
  return Object.fromEntries(entries.map(([name, each]) => [name, coarse(name, each)]))
}

/** A program: calls with a client of either package, each with the results of those before. */
type Program = (module: Any, client: Any, set: string) => (() => unknown)[]

const programs: { [name: string]: Program } = {
  records(module, client, set) {
    const key = new module.Key('test', set, 'alice')
    const policy = { key: module.policy.key.SEND, exists: module.policy.exists.CREATE }
    const bins = {
      i: 1,
      big: 2n ** 62n,
      f: 1.5,
      d: new module.Double(3),
      s: 'text',
      b: Buffer.from('bytes'),
      t: true,
      l: [1, 'a', null, undefined, [2]],
      m: { z: 1, a: { b: [1] } },
      n: new Map<unknown, unknown>([
        [2, 'two'],
        ['k', 1],
      ]),
      g: new module.GeoJSON.Point(1, 2),
    }
    return [
      () => client.put(key, bins, { ttl: 1000 }, policy),
      () => client.put(key, bins, null, policy),
      () => client.get(key),
      () => client.select(key, ['i', 'none']),
      () => client.exists(key),
      () => client.existsWithMetadata(key),
      () => client.incr(key, { i: 5 }),
      () => client.append(key, { s: '!' }),
      () => client.prepend(key, { s: '?' }),
      () => client.put(key, { s: null }),
      () => client.put(key, { i: 9 }, { gen: 1 }, { gen: module.policy.gen.EQ }),
      () => client.put(key, { i: 9 }, { gen: 99 }, { gen: module.policy.gen.GT }),
      () => client.put(key, { x: undefined }),
      () => client.put(key, { tooLongNameOfABin: 1 }),
      () => client.put({ ns: 'test', set }, { i: 1 }),
      () => client.put({ ns: 'none', set, key: 1 }, { i: 1 }),
      () => client.get({ ns: 'test', set, key: 1.5 }),
      () => client.get(new module.Key('test', set, 'nobody')),
      () =>
        client.get(key, {
          filterExpression: module.exp.eq(module.exp.binInt('i'), module.exp.int(0)),
        }),
      () => client.get(key, { totalTimeout: 'soon' }),
      () => client.get(undefined),
      () => client.operate(key, [module.operations.incr('i', 1), module.operations.read('i')]),
      () => client.operate(key, [module.operations.touch(5000)]),
      () => client.operate(key, 'nothing'),
      () => client.remove(key, { gen: module.policy.gen.EQ, generation: 1 }),
      () => client.remove(key),
      () => client.remove(key),
      () => client.exists(key),
      () => client.existsWithMetadata(key),
    ]
  },
  batches(module, client, set) {
    const keys = [1, 2, 3].map((id) => new module.Key('test', set, id))
    const type = module.batchType
    const rows = (): object[] => [
      { type: type.BATCH_WRITE, key: keys[0], ops: [module.operations.write('a', 1)] },
      { type: type.BATCH_READ, key: keys[0], readAllBins: true },
      { type: type.BATCH_READ, key: keys[1], bins: ['a'] },
      {
        type: type.BATCH_WRITE,
        key: keys[1],
        ops: [module.operations.write('a', 2)],
        policy: { exists: module.policy.exists.UPDATE },
      },
      { type: type.BATCH_REMOVE, key: keys[2] },
    ]
    const bare = (results: { status: number; record: { bins: unknown } }[]): unknown =>
      results.map(({ status, record }) => [status, record.bins])
    return [
      async () => bare(await client.batchWrite(rows())),
      async () =>
        bare(await client.batchRead([{ key: keys[0], readAllBins: true }, { key: keys[2] }])),
      async () => bare(await client.batchGet(keys)),
      async () => bare(await client.batchSelect(keys, ['a'])),
      async () => (await client.batchExists(keys)).map(({ status }: Any) => status),
      () => client.batchWrite([{ type: 77, key: keys[0] }]),
      () => client.batchRead('nothing'),
      async () => bare(await client.batchRemove([keys[0]])),
    ]
  },
  queries(module, client, set) {
    const names = (records: Any[]): unknown => records.map(({ bins }) => bins.n).sort()
    const put = (n: number) =>
      client.put(new module.Key('test', set, n), { n, m: { k: n } }, null, {
        key: module.policy.key.SEND,
      })
    const index = `${set}-n`
    const collected = async (query: Any): Promise<unknown> => {
      const pages: number[] = []
      do {
        pages.push((await query.results()).length)
      } while (query.hasNextPage())
      return pages.reduce((sum, page) => sum + page, 0)
    }
    return [
      () => Promise.all(Array.from({ length: 20 }, (_, n) => put(n))),
      async () => names(await client.scan('test', set).results()),
      async () => names(await client.query('test', set, { select: ['n'] }).results()),
      async () => {
        const job = await client.createIntegerIndex({ ns: 'test', set, bin: 'n', index })
        await job.wait(10)
      },
      async () => {
        const query = client.query('test', set)
        query.where(module.filter.range('n', 3, 7))
        return names(await query.results())
      },
      () => collected(client.query('test', set, { paginate: true, maxRecords: 6 })),
      async () => {
        const job = await client.scan('test', set).operate([module.operations.incr('n', 100)])
        await job.wait(10)
        return names(await client.scan('test', set).results())
      },
      async () => {
        const records = await client.scan('test', set).results()
        return records.map(({ key }: Any) => key.key).sort()
      },
      () => client.query('test', set, { percentage: 5 }),
      () => client.indexRemove('test', index),
      () => client.truncate('test', set, 0),
    ]
  },
}

for (const [name, program] of Object.entries(programs)) {
  test(`${name}: the same results as npm aerospike`, { skip: withoutAerospike }, async () => {
    const mine = program(dropIn, client, `${name}-ours`)
    const theirs = program(originalModule(), original, `${name}-theirs`)
    for (const [at, call] of mine.entries()) {
      const [ours, expected] = [await outcome(call), await outcome(theirs[at] as () => unknown)]
      const text = (value: unknown): unknown =>
        JSON.parse(
          JSON.stringify(value ?? null, (_, each) => (typeof each === 'bigint' ? `${each}n` : each))
            .replaceAll(`${name}-theirs`, 'set')
            .replaceAll(`${name}-ours`, 'set'),
        )
      assert.deepEqual(text(ours), text(expected), `call ${at} of ${name}: ${call}`)
    }
  })
}

test('each package reads what the other has written', { skip: withoutAerospike }, async () => {
  const bins = (module: Any): object => ({
    i: -1,
    f: new module.Double(2),
    l: [1, { b: 1, a: [null, true] }],
    m: { z: { y: 1 }, b: Buffer.from([1, 2]) },
    g: new module.GeoJSON.Point(1, 2),
  })
  const pairs = [
    [dropIn, client, original],
    [originalModule(), original, client],
  ]
  for (const [module, writer, reader] of pairs) {
    const key = new module.Key('test', 'exchange', 'k')
    await writer.put(key, bins(module))
    const [own, other] = [await writer.get(key), await reader.get({ ...key })]
    assert.deepEqual(plain(other.bins), plain(own.bins))
    const raw = { deserialize: false }
    const [first, second] = [await writer.get(key, raw), await reader.get({ ...key }, raw)]
    assert.deepEqual(second.bins, first.bins)
  }
  const encoded = async (module: Any, from: Any): Promise<unknown> => {
    await from.put(new module.Key('test', 'exchange', 'e'), bins(module))
    return (await client.get(new dropIn.Key('test', 'exchange', 'e'), { deserialize: false })).bins
  }
  assert.deepEqual(await encoded(dropIn, client), await encoded(originalModule(), original))
})

test('callbacks come in a later turn, and what they throw is uncaught', async () => {
  const key = new dropIn.Key('test', 'callbacks', 1)
  let isLater = false
  await new Promise<void>((resolve, reject) => {
    client.put(key, { a: 1 }, (error: unknown, result: unknown) => {
      if (error || !isLater || result !== key) reject(error ?? new Error('too early'))
      else resolve()
    })
    isLater = true
  })
  const error: Any = await new Promise((resolve) => {
    client.get(new dropIn.Key('test', 'callbacks', 'none'), resolve)
  })
  assert.equal(error.code, dropIn.status.ERR_RECORD_NOT_FOUND)
  assert.equal(error.isServerError(), true)
  assert.equal(error.client, client)
  assert.throws(() => client.get('no key', () => undefined), TypeError)
  assert.throws(() => client.get(key, null, 'no callback'), TypeError)
})

test('a client that is not connected says so; closing twice is harmless', async () => {
  const idle = dropIn.client({ hosts: cluster.seeds })
  const key = new dropIn.Key('test', 'idle', 1)
  await assert.rejects(idle.get(key), { message: 'Not connected.', code: -1 })
  assert.throws(() => idle.query('test', 'idle'), { message: 'Not connected.' })
  idle.close()
  idle.close()
  await assert.rejects(dropIn.connect({ hosts: '127.0.0.1:1' }), { message: /^Failed to connect/ })
  const short = await connected()
  const pending = short.get(key)
  short.close()
  await assert.rejects(pending, { name: 'AerospikeError' })
  assert.equal(short.isConnected(), false)
})

test('policies of the configuration apply to calls without one', async () => {
  const strict = await connected({
    policies: { write: { exists: dropIn.policy.exists.CREATE }, read: { maxRetries: 0 } },
  })
  const key = new dropIn.Key('test', 'policies', 1)
  await strict.put(key, { a: 1 })
  await assert.rejects(strict.put(key, { a: 2 }), { code: dropIn.status.ERR_RECORD_EXISTS })
  await strict.put(key, { a: 3 }, null, new dropIn.WritePolicy())
  assert.equal((await strict.get(key)).bins.a, 3)
  strict.close()
  assert.throws(() => dropIn.client({ policies: { nonsense: {} } }), TypeError)
  assert.throws(() => dropIn.client({ policies: { read: { totalTimeout: 'x' } } }), { code: -2 })
})

test('events, nodes, stats and metrics', async () => {
  const watched = dropIn.client({ hosts: cluster.seeds })
  const added = new Promise((resolve) => watched.once('nodeAdded', resolve))
  assert.equal(await watched.connect(), watched)
  const [node] = watched.getNodes()
  assert.deepEqual(await added, {
    name: 'nodeAdded',
    nodeName: node.name,
    nodeAddress: node.address,
  })
  const snapshots: Any[] = []
  const metricsListeners = new dropIn.MetricsListeners({
    enableListener: () => undefined,
    snapshotListener: (snapshot: unknown) => snapshots.push(snapshot),
    nodeCloseListener: () => undefined,
    disableListener: (snapshot: unknown) => snapshots.push(snapshot),
  })
  await watched.enableMetrics({ metricsListeners, labels: { a: 'b' } })
  await watched.put(new dropIn.Key('test', 'metrics', 1), { a: 1 })
  await watched.get(new dropIn.Key('test', 'metrics', 2)).catch(() => undefined)
  await assert.rejects(
    watched.put(new dropIn.Key('test', 'metrics', 1), { a: 2 }, { gen: 7 }, { gen: 1 }),
  )
  await watched.disableMetrics()
  const { commandCount, labels, nodes } = snapshots.at(-1)
  assert.deepEqual([commandCount, labels], [3, { a: 'b' }])
  const [own, shared] = nodes[0].metrics
  const sum = (counts: number[]): number => counts.reduce((all, one) => all + one, 0)
  assert.deepEqual([own.ns, sum(own.writeLatency), sum(own.readLatency)], ['test', 1, 1])
  // A record that does not exist is no error; one of another generation is.
  assert.equal(own.errorCount, 1)
  assert.ok(own.bytesIn > 0 && own.bytesOut > own.bytesIn)
  // Connections, and the client's own requests, are about no namespace.
  assert.deepEqual([shared.ns, sum(shared.writeLatency)], ['', 0])
  assert.ok(shared.bytesIn > 0 && shared.bytesOut > 0 && sum(shared.connLatency) > 0)
  const { commands, nodes: counted } = watched.stats()
  assert.deepEqual(commands, { inFlight: 0, queued: 0 })
  assert.deepEqual([counted[0].errorCount, counted[0].timeoutCount], [1, 0])
  assert.ok(counted[0].asyncConnections.opened > 0)
  watched.close()
})

test('which node has answered is known to metrics', async () => {
  await using both = await Cluster.start({ nodes: 2 })
  const watched = await dropIn.connect({ hosts: both.seeds })
  const snapshots: Any[] = []
  const ignored = () => undefined
  const metricsListeners = new dropIn.MetricsListeners({
    ...{ enableListener: ignored, snapshotListener: ignored, nodeCloseListener: ignored },
    disableListener: (snapshot: unknown) => snapshots.push(snapshot),
  })
  await watched.enableMetrics({ metricsListeners })
  for (let n = 0; n < 40; n++) await watched.put(new dropIn.Key('test', 'metrics', n), { n })
  await watched.disableMetrics()
  const writes = snapshots[0].nodes.map(({ metrics }: Any) =>
    metrics
      .find(({ ns }: Any) => ns === 'test')
      .writeLatency.reduce((a: number, b: number) => a + b),
  )
  assert.equal(writes.length, 2)
  assert.equal(writes[0] + writes[1], 40)
  assert.ok(writes[0] > 0 && writes[1] > 0)
  watched.close()
})

test('queries that the program aborts count as failures of a node', async () => {
  const own = await connected({ maxErrorRate: 3, errorRateWindow: 1, tenderInterval: 60_000 })
  const query = own.query('test', 'aborted')
  for (let n = 0; n < 4; n++) query.foreach().abort()
  const key = new dropIn.Key('test', 'aborted', 1)
  await assert.rejects(own.put(key, { a: 1 }), { code: dropIn.status.MAX_ERROR_RATE })
  await assert.rejects(query.results(), { code: dropIn.status.MAX_ERROR_RATE })
  own.close()
})

test('an attempt takes no longer than socketTimeout, and another one follows', async () => {
  await using slow = await Cluster.start()
  const own = await dropIn.connect({ hosts: slow.seeds })
  const key = new dropIn.Key('test', 'slow', 1)
  await own.put(key, { a: 1 })
  await slow.inject(0, { delay: 300 })
  const policy = { totalTimeout: 10_000, socketTimeout: 50 }
  const began = performance.now()
  await assert.rejects(own.get(key, { ...policy, maxRetries: 1 }), {
    code: dropIn.status.ERR_TIMEOUT,
  })
  assert.ok(performance.now() - began < 300)
  const read = own.get(key, { ...policy, maxRetries: 100 })
  await new Promise((resolve) => setTimeout(resolve, 200))
  await slow.clearFaults(0)
  assert.equal((await read).bins.a, 1)
  own.close()
})

test('jobs are known by their ids, whoever has started them', async () => {
  await client.put(new dropIn.Key('test', 'jobs', 1), { a: 1 })
  const steps = [dropIn.operations.incr('a', 1)]
  const started = await client.query('test', 'jobs').operate(steps, null, 4711)
  await started.waitUntilDone(20)
  const other = await connected()
  const info = (await new dropIn.Job(other, 4711, 'query').info()) as Any
  assert.deepEqual(info, { status: dropIn.jobStatus.COMPLETED, progressPct: 100, recordsRead: 1 })
  const unknown = (await new dropIn.Job(other, 4712, 'query').info()) as Any
  assert.deepEqual([unknown.status, unknown.recordsRead], [dropIn.jobStatus.COMPLETED, 0])
  other.close()
})

test('what is not supported is said', async () => {
  const bad = { enable: true, cipherSuite: 'X' }
  await assert.rejects(connected({ tls: bad }), { code: dropIn.status.ERR_UNSUPPORTED_FEATURE })
  const query = client.query('test', 'x', { paginate: true })
  await assert.rejects(query.results(), { code: dropIn.status.ERR_PARAM })
})

test('options of policies that have no effect cause a warning, once', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  const usual = { sendSetName: false, allowInline: true, timeoutDelay: 0 }
  const key = new dropIn.Key('test', 'warned', 1)
  for (let round = 0; round < 2; round++) {
    await client.put(key, { n: 1 }, {}, { ...usual, compressionThreshold: 200 })
    await client.get(key, usual)
  }
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  const about = warnings.filter((text) => text.includes('of policies'))
  assert.deepEqual(about, [
    'the option compressionThreshold of policies has no effect with spikewire/compat/aerospike',
  ])
})

test('a file of settings comes before the policies of the program', async (t) => {
  const path = join(temporaryFolder(t), 'settings.yml')
  writeFileSync(
    path,
    'dynamic: # comes first\n  write:\n    send_key: true\n  read:\n    replica: "MASTER"\n  metrics:\n    enable: false\n',
  )
  const led = await connected({ configProvider: { path, interval: 1000 } })
  const key = new dropIn.Key('test', 'led', 1)
  await led.put(key, { a: 1 }, null, { key: dropIn.policy.key.DIGEST })
  await led.batchWrite([
    { type: 1, key: new dropIn.Key('test', 'led', 2), ops: [dropIn.operations.write('a', 1)] },
  ])
  const keys = (await led.scan('test', 'led').results()).map((record: Any) => record.key.key)
  assert.deepEqual(keys.sort(), [1, undefined])
  await led.enableMetrics()
  assert.equal(led.counts, undefined)
  led.close()
  for (const [interval, message] of [
    ['x', /Invalid client configuration/],
    [10, /interval 10 must be greater/],
  ]) {
    await assert.rejects(connected({ configProvider: { path, interval } }), { message })
  }
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  writeFileSync(path, 'dynamic:\n  - list\n')
  ;(await connected({ configProvider: { path } })).close()
  assert.match((await warned).message, /line 2/)
})

test('transactions are committed and aborted', async () => {
  await using consistent = await Cluster.start({ edition: 'enterprise', strongConsistency: true })
  const own = await dropIn.connect({ hosts: consistent.seeds })
  const key = new dropIn.Key('test', 'txn', 1)
  const [first, second] = [new dropIn.Transaction(), new dropIn.Transaction()]
  await own.put(key, { a: 1 })
  await own.put(key, { a: 2 }, null, { txn: first })
  assert.equal((await own.get(key)).bins.a, 1)
  assert.equal((await own.get(key, { txn: first })).bins.a, 2)
  await assert.rejects(own.put(key, { a: 3 }), { code: dropIn.status.MRT_BLOCKED })
  assert.equal(await own.commit(first), dropIn.commitStatus.OK)
  assert.equal((await own.get(key)).bins.a, 2)
  await own.put(key, { a: 4 }, null, { txn: second })
  assert.equal(await own.abort(second), dropIn.abortStatus.OK)
  assert.equal(second.getState(), dropIn.Transaction.state.ABORTED)
  assert.equal((await own.get(key)).bins.a, 2)
  assert.throws(() => own.commit(second), { code: dropIn.status.TXN_ALREADY_ABORTED })
  await assert.rejects(own.put(key, { a: 5 }, null, { txn: {} }), { code: -2 })
  own.close()
})

test('users and roles', async () => {
  await using secured = await Cluster.start({ edition: 'enterprise', users: { admin: 'secret' } })
  const own = await dropIn.connect({ hosts: secured.seeds, user: 'admin', password: 'secret' })
  const privilege = new dropIn.admin.Privilege(dropIn.privilegeCode.READ, { namespace: 'test' })
  await own.createRole('reader', [privilege])
  await own.createUser('bob', 'word', ['reader'])
  assert.deepEqual((await own.queryRole('reader')).privileges, [privilege])
  assert.deepEqual((await own.queryUser('bob')).roles, ['reader'])
  await new Promise<void>((resolve, reject) => {
    own.dropUser('bob', (error: unknown) => (error ? reject(error) : resolve()))
  })
  await assert.rejects(own.queryUser('bob'), { code: dropIn.status.INVALID_USER })
  await assert.rejects(own.createUser(1, 'x'), { message: 'User name must be a string' })
  own.close()
})
