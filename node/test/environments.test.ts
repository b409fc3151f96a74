/** Processes and worker threads that start, end and fail at any time, with calls in flight. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE, run } from './support/programs.js'

let cluster: Cluster

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
})

after(() => cluster.close())

const HEAD = (seeds: string) => `
import { Client } from 'spikewire'
const client = await Client.connect(${JSON.stringify(seeds)})
const records = client.dataset('test', 'environments')
`

/** Arguments for node that run a program with a client; it finds the package from its folder. */
const program = (text: string) => ['--input-type=module', '-e', HEAD(cluster.seeds) + text]
const here = { cwd: PACKAGE, timeout: 60_000 }

test('an unclosed client does not keep the process alive', async () => {
  assert.equal(
    await output(process.execPath, program("console.log('connected')"), here),
    'connected\n',
  )
})

test('calls in flight keep the process alive until they are answered', async () => {
  const text =
    'records.put(1, { n: 1 }).then(() => records.get(1)).then((r) => console.log(r.bins.n))'
  assert.equal(await output(process.execPath, program(text), here), '1\n')
})

test('calls in flight keep the process alive until they time out', async () => {
  const silent = await Cluster.start({ nodes: 1 })
  try {
    await silent.inject(0, { drop: 1 })
    const text = `${HEAD(silent.seeds)}
      records.get(1, { timeout: 300 }).catch((error) => console.log(error.name))`
    const args = ['--input-type=module', '-e', text]
    assert.equal(await output(process.execPath, args, here), 'Timeout\n')
  } finally {
    await silent.close()
  }
})

for (const [when, text] of [
  ['at once', 'process.exit(7)'],
  ['in the next turn', 'setImmediate(() => process.exit(7))'],
  ['when an answer has come', 'records.get(1).catch(() => {}).then(() => process.exit(7))'],
  ['in a callback', 'records.get(1, () => process.exit(7))'],
]) {
  test(`process.exit ${when}, with calls in flight`, async () => {
    const many = 'for (let n = 0; n < 1000; n++) records.put(n, { n }).catch(() => {})\n'
    const ran = await run(process.execPath, program(many + text), here)
    assert.deepEqual(ran, { code: 7, signal: null, stdout: '', stderr: '' })
  })
}

test('an exception in a callback is uncaught, and other callbacks are still called', async () => {
  const text = `
    const caught = []
    process.on('uncaughtException', (error) => caught.push(error.message))
    await records.put(1, { n: 1 })
    let called = 0
    for (let n = 0; n < 10; n++) {
      records.get(1, () => {
        called += 1
        if (n % 3 === 0) throw new Error('thrown ' + n)
      })
    }
    while (called < 10) await new Promise(setImmediate)
    console.log(caught.join())
    await client.close()`
  const printed = await output(process.execPath, program(text), here)
  assert.equal(printed, 'thrown 0,thrown 3,thrown 6,thrown 9\n')
})

const PUMP = (seeds: string) => `
const { parentPort } = require('node:worker_threads')
const { Client } = require('spikewire')
Client.connect(${JSON.stringify(seeds)}).then((client) => {
  const records = client.dataset('test', 'pumped')
  const pump = async (n) => {
    for (;;) {
      await records.put(n, { n })
      await records.get(n)
    }
  }
  for (let n = 0; n < 32; n++) pump(n)
  parentPort.postMessage('pumping')
})`

const descriptors = () => readdirSync('/proc/self/fd').length

/** Waits until there are no more descriptors than at first: some are closed a moment later. */
async function settle(seen: number[]) {
  const most = Math.max(...seen.slice(0, 5)) + 2
  for (let tries = 0; descriptors() > most && tries < 500; tries++) await sleep(20)
  assert.ok(descriptors() <= most, `${seen}`)
}

test('worker threads are terminated in mid-call, and leave nothing behind', async () => {
  const client = await Client.connect(cluster.seeds)
  const records = client.dataset('test', 'mine')
  const seen: number[] = []
  for (let round = 0; round < 40; round++) {
    const worker = new Worker(PUMP(cluster.seeds), { eval: true })
    // Some are terminated while connecting, others with calls in flight.
    if (round % 4 > 0) await new Promise((resolve) => worker.once('message', resolve))
    await sleep(round % 5)
    await worker.terminate()
    await records.put(round, { round })
    if (process.platform === 'linux') seen.push(descriptors())
  }
  assert.equal((await records.get(39)).bins['round'], 39)
  await client.close()
  if (process.platform === 'linux') await settle(seen)
})

test('clients are opened and closed, and leave nothing behind', async () => {
  const seen: number[] = []
  for (let round = 0; round < 100; round++) {
    const client = await Client.connect(cluster.seeds)
    const records = client.dataset('test', 'opened')
    const put = records.put(round, { round })
    // Half of them with a call in flight, which is then rejected.
    if (round % 2 === 0) await put
    const closed = client.close()
    if (round % 2 === 1) await put.catch((error) => assert.equal(error.name, 'ClientClosed'))
    await closed
    if (process.platform === 'linux') seen.push(descriptors())
  }
  if (process.platform === 'linux') await settle(seen)
})
