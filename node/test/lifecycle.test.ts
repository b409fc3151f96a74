/** Async contexts, worker threads with their own clusters and clients, and long loads. */

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Client, type ClientOptions } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE, run } from './support/programs.js'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000, connectTimeout: 20_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

const here = { cwd: PACKAGE, timeout: 60_000 }
const program = (text: string) => ['--input-type=module', '-e', text]

test('promises and callbacks run in the context of their call', async () => {
  const storage = new AsyncLocalStorage<number>()
  const records = client.dataset('test', 'contexts')
  await records.put('a', { n: 1 })
  const seen = await Promise.all(
    Array.from({ length: 200 }, (_, request) =>
      storage.run(request, async () => {
        const stores: (number | undefined)[] = []
        const note = () => stores.push(storage.getStore())
        await records.get('a')
        note()
        await records.get('none').catch(note)
        await records.put(request, { n: request }).then(note)
        await new Promise<void>((resolve) => {
          records.get('a', () => {
            note()
            resolve()
          })
        })
        await new Promise<void>((resolve) => {
          records.get('none', () => {
            note()
            resolve()
          })
        })
        await client.info('build')
        note()
        await records.getMany(['a', 'none'])
        note()
        for await (const _ of records.query({ limit: 3 })) note()
        return stores
      }),
    ),
  )
  for (const [request, stores] of seen.entries()) {
    assert.ok(stores.length >= 8)
    assert.deepEqual(new Set(stores), new Set([request]))
  }
  assert.equal(storage.getStore(), undefined)
})

test('a continuation may throw without affecting other promises', async () => {
  const text = `
    import { Client } from 'spikewire'
    const client = await Client.connect('${cluster.seeds}')
    const records = client.dataset('test', 'thrown')
    await records.put(1, { n: 1 })
    const caught = []
    process.on('unhandledRejection', (error) => caught.push(error.message))
    const calls = Array.from({ length: 30 }, (_, n) => records.get(1))
    calls.forEach((call, n) => { if (n % 10 === 0) call.then(() => { throw new Error('thrown ' + n) }) })
    console.log((await Promise.all(calls)).length)
    await new Promise((resolve) => setTimeout(resolve, 20))
    console.log(caught.sort().join())
    await client.close()`
  const printed = await output(process.execPath, program(text), here)
  assert.equal(printed, '30\nthrown 0,thrown 10,thrown 20\n')
})

test('a cluster does not keep the process alive, and ends with it', async () => {
  const text = `
    import { Cluster } from 'spikewire/testing'
    const cluster = await Cluster.start({ nodes: 3 })
    console.log(cluster.seeds)`
  const seeds = (await output(process.execPath, program(text), here)).trim()
  assert.equal(seeds.split(',').length, 3)
  await assert.rejects(Client.connect(seeds, { timeout: 500 }), { name: 'ConnectionFailed' })
})

for (const end of [
  'process.exit(3)',
  "process.kill(process.pid, 'SIGTERM')",
  'throw new Error("x")',
]) {
  test(`a process with a cluster and calls in flight ends by ${end}`, async () => {
    const text = `
      import { Client } from 'spikewire'
      import { Cluster } from 'spikewire/testing'
      const cluster = await Cluster.start({ nodes: 3 })
      const client = await Client.connect(cluster.seeds)
      const records = client.dataset('test', 'ends')
      for (let n = 0; n < 500; n++) records.put(n, { n }).catch(() => {})
      cluster.kill(1)
      cluster.restart(1)
      ${end}`
    const { code, signal } = await run(process.execPath, program(text), here)
    const expected = end.includes('exit')
      ? [3, null]
      : end.includes('SIG')
        ? [null, 'SIGTERM']
        : [1, null]
    assert.deepEqual([code, signal], expected)
  })
}

/** A worker with its own cluster and client, which also uses another worker's cluster. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads')
const { Client } = require('spikewire')
const { Cluster } = require('spikewire/testing')
;(async () => {
  const cluster = await Cluster.start({ nodes: 2 })
  const own = await Client.connect(cluster.seeds)
  const shared = await Client.connect(workerData.seeds)
  for (let n = 0; n < 100; n++) {
    await own.dataset('test', 's').put(n, { n })
    await shared.dataset('test', 'workers').add('sum', { n: 1 })
  }
  parentPort.postMessage(cluster.seeds)
  parentPort.once('message', async () => {
    await Promise.all([own.close(), shared.close()])
    parentPort.postMessage('closed')
  })
})()`

test('worker threads have their own clusters and clients', async () => {
  const workers = Array.from(
    { length: 4 },
    () => new Worker(WORKER, { eval: true, workerData: { seeds: cluster.seeds } }),
  )
  const seeds = await Promise.all(
    workers.map(async (worker) => (await once(worker, 'message'))[0] as string),
  )
  assert.equal((await client.dataset('test', 'workers').get('sum')).bins['n'], 400)
  // A cluster serves other threads as long as its own thread runs.
  const [first, ...others] = seeds as [string, ...string[]]
  const guest = await Client.connect(first)
  assert.equal((await guest.dataset('test', 's').get(99)).bins['n'], 99)
  await workers[0]?.terminate()
  await assert.rejects(guest.dataset('test', 's').get(99, { timeout: 500 }))
  await guest.close()
  await assert.rejects(Client.connect(first, { timeout: 500 }), { name: 'ConnectionFailed' })
  for (const one of others) await (await Client.connect(one)).close()
  for (const worker of workers.slice(1)) {
    const ended = once(worker, 'exit')
    worker.postMessage('close')
    // Its unclosed cluster does not keep it alive.
    assert.deepEqual(await ended, [0])
  }
})

test('worker threads are terminated while a cluster starts, changes and stops', async () => {
  const text = `
    const { parentPort } = require('node:worker_threads')
    const { Cluster } = require('spikewire/testing')
    parentPort.postMessage('running')
    ;(async () => {
      for (;;) {
        const cluster = await Cluster.start({ nodes: 3 })
        await Promise.all([cluster.kill(0), cluster.restart(0), cluster.inject(1, { delay: 5 })])
        await cluster.waitSettled()
        await cluster.close()
      }
    })()`
  for (let round = 0; round < 12; round++) {
    const worker = new Worker(text, { eval: true })
    await once(worker, 'message')
    await sleep(round * 3)
    await worker.terminate()
  }
  assert.equal(cluster.isAlive(0), true)
})

test('memory and descriptors stay flat under a long load', async () => {
  const args = [
    '--operations',
    '40000',
    '--workers',
    '20000',
    '--clients',
    '40',
    '--terminations',
    '20',
  ]
  const script = join(PACKAGE, 'scripts/endurance.mjs')
  const printed = await output(process.execPath, ['--expose-gc', script, ...args], {
    cwd: PACKAGE,
    timeout: 240_000,
  })
  const lines = printed.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => [JSON.parse(line).name, JSON.parse(line).flat]),
    [
      ['operations', true],
      ['workers', true],
      ['clients', true],
      ['terminations', true],
    ],
  )
})

test('a signal shared by many calls cancels all of them, without a warning', async () => {
  const warned: string[] = []
  const note = (warning: Error) => warned.push(warning.message)
  process.on('warning', note)
  const own = await Cluster.start()
  const caller = await Client.connect(own.seeds, { timeout: 20_000 })
  try {
    const records = caller.dataset('test', 'signals')
    await records.put(1, { n: 1 })
    const controller = new AbortController()
    const { signal } = controller
    await Promise.all(Array.from({ length: 40 }, () => records.get(1, { signal })))
    await own.inject(0, { delay: 60_000 })
    const calls = Array.from({ length: 40 }, () => [
      records.get(1, { signal }),
      records.getMany([1, 2], { signal }),
      caller.indexes.wait('test', 'none', { signal, timeout: 0 }),
      records.query({ signal }).next(),
    ]).flat()
    const reason = new Error('enough')
    const reasons = Promise.allSettled(calls)
    controller.abort(reason)
    for (const ended of await reasons) assert.equal((ended as PromiseRejectedResult).reason, reason)
    await assert.rejects(records.get(1, { signal }), reason)
    await own.clearFaults(0)
    assert.equal((await records.get(1)).bins['n'], 1)
    assert.deepEqual(warned, [])
  } finally {
    process.off('warning', note)
    await caller.close()
    await own.close()
  }
})

test('connecting takes a callback', async () => {
  const connect = (seeds: string, options: ClientOptions) =>
    new Promise<Client>((resolve, reject) => {
      let returned = false
      const callback = (error: Error | null, connected?: Client) => {
        assert.ok(returned)
        if (error) reject(error)
        else resolve(connected as Client)
      }
      assert.equal(Client.connect(seeds, options, callback), undefined)
      returned = true
    })
  const connected = await connect(cluster.seeds, {})
  assert.equal(connected.nodes.length, 2)
  await connected.close()
  const rejection = connect(cluster.seeds, { timeout: -1 })
  await assert.rejects(rejection, /^RangeError: timeout must be/)
  await assert.rejects(connect('127.0.0.1:1', { timeout: 500 }), { name: 'ConnectionFailed' })
})

test('cancelled connecting leaves no client behind', async () => {
  const own = await Cluster.start()
  try {
    const open = () => own.stats(0).connections
    const reason = new Error('enough')
    await assert.rejects(Client.connect(own.seeds, { signal: AbortSignal.abort(reason) }), reason)
    const controller = new AbortController()
    const connecting = Array.from({ length: 5 }, () =>
      Client.connect(own.seeds, { signal: controller.signal }),
    )
    controller.abort(reason)
    for (const one of connecting) await assert.rejects(one, reason)
    const late = new AbortController()
    const connected = await Client.connect(own.seeds, { signal: late.signal })
    late.abort(reason)
    assert.equal(connected.isOpen, true)
    await connected.close()
    for (const ends = Date.now() + 20_000; open() > 0 && Date.now() < ends; ) await sleep(10)
    assert.equal(open(), 0)
  } finally {
    await own.close()
  }
})
