// Runs long loads against the package and watches its memory and file descriptors.
//
//  node --expose-gc scripts/endurance.mjs [--operations N] [--workers N] [--clients N] [--terminations N]
//      [--seconds N] [--signals]
//
// operations: N reads and writes of single records, 128 in flight.
// workers: N of the same by four worker threads, each with its own client.
// clients: N clients are opened and closed, some with calls in flight.
// terminations: N worker threads are terminated in mid-call.
// seconds: a load that has not ended by then is cut short.
// signals: every client counts and times its commands, logs slow ones, has a listener of events and a
//      metrics page that is read.
//
// The cluster runs in its own process, so that the memory measured is the client's. Prints one line
// of JSON per load; fails if memory or descriptors grow between the second fifth of a load and its
// end.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Client } from 'spikewire'
import { HERE } from './tools.mjs'

const IN_FLIGHT = 128
const KEYS = 10_000
const PARTS = 20
/**
 * Growth that does not count as a leak: garbage collection makes memory fluctuate, and each client opens a
 * few more connections when it has more to do.
 */
const SLACK = { rss: 24 << 20, descriptors: 4 }

const number = { type: 'string', default: '0' }
const { values } = parseArgs({
  options: {
    operations: number,
    workers: number,
    clients: number,
    terminations: number,
    seconds: number,
    signals: { type: 'boolean', default: false },
  },
})
const { signals, ...numbers } = values
const counts = Object.fromEntries(
  Object.entries(numbers).map(([name, text]) => {
    if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number, got ${text}`)
    return [name, Number(text)]
  }),
)

const served = spawn(
  process.execPath,
  [join(HERE, 'dist/cli/main.js'), 'serve', '--port', '0', '--nodes', '2'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
const [line] = await once(createInterface({ input: served.stdout }), 'line')
const seeds = line.slice('ready '.length)

/** Source code that has a client watched in every way. */
const WATCH = `(client) => {
  const { prometheus } = require('spikewire/metrics')
  client.metrics.enable({ stages: true })
  client.metrics.logSlow(20, { logger: () => {} })
  client.onEvent(() => {})
  const page = setInterval(() => (client.isOpen ? prometheus(client) : clearInterval(page)), 50)
  page.unref()
}`
const watch = signals
  ? new Function('require', `return ${WATCH}`)(createRequire(import.meta.url))
  : () => {}

/** Memory and descriptors of this process, after garbage collection. */
async function look() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await sleep(20)
  }
  const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
  return { rss: process.memoryUsage.rss(), descriptors }
}

/** Runs a load in parts and checks memory and descriptors after each of them. A part returns how far it came. */
async function watched(name, count, part, clients = 1) {
  if (count === 0) return true
  const began = performance.now()
  const limit = counts.seconds > 0 ? counts.seconds * 1000 : Number.POSITIVE_INFINITY
  const seen = []
  let done = 0
  for (let at = 0; at < PARTS; at++) {
    const end = began + (limit * (at + 1)) / PARTS
    const size = Math.floor((count * (at + 1)) / PARTS) - Math.floor((count * at) / PARTS)
    const to = done + size
    done = await part(done, to, () => performance.now() > end)
    seen.push(await look())
  }
  const grown = {}
  for (const key of ['rss', 'descriptors']) {
    const numbers = seen.map((one) => one[key])
    const fifth = PARTS / 5
    const early = Math.max(...numbers.slice(fifth, 2 * fifth))
    grown[key] = Math.min(...numbers.slice(-fifth)) - early
  }
  const flat = grown.rss <= SLACK.rss && grown.descriptors <= SLACK.descriptors * clients
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const megabytes = seen.map(({ rss }) => Math.round(rss / (1 << 20)))
  const descriptors = seen.map((one) => one.descriptors)
  console.log(JSON.stringify({ name, [name]: done, seconds, flat, grown, megabytes, descriptors }))
  return flat
}

async function operations(client, from, to, isOver) {
  const records = client.dataset('test', 'endurance')
  let next = from
  const work = async () => {
    while (next < to && !isOver()) {
      const n = next++
      const key = n % KEYS
      if (n % 2 === 0) await records.put(key, { n, text: `record ${key}`, list: [n, key] })
      else await records.get(key, { default: null })
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  return next
}

async function clients(from, to, isOver) {
  let n = from
  for (; n < to && !isOver(); n++) {
    const client = await Client.connect(seeds)
    watch(client)
    const put = client.dataset('test', 'opened').put(n % KEYS, { n })
    if (n % 2 === 0) await put
    const closed = client.close()
    await put.catch((error) => {
      if (error.name !== 'ClientClosed') throw error
    })
    await closed
  }
  return n
}

const THREADS = 4
const LOAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { Client } = require('spikewire')
Client.connect(workerData.seeds, { timeout: 60_000 }).then((client) => {
  if (workerData.watch) eval(workerData.watch)(client)
  const records = client.dataset('test', 'threads')
  parentPort.on('message', async ({ from, to }) => {
    if (from === undefined) return client.close().then(() => parentPort.close())
    const { keys, inFlight } = workerData
    let next = from
    const work = async () => {
      while (next < to) {
        const n = next++
        if (n % 2 === 0) await records.put(n % keys, { n, list: [n] })
        else await records.get(n % keys, { default: null })
      }
    }
    await Promise.all(Array.from({ length: inFlight }, work))
    parentPort.postMessage('done')
  })
  parentPort.postMessage('ready')
})`

/** The threads, and what they do of a part. */
async function startThreads() {
  const workerData = { seeds, watch: signals && WATCH, keys: KEYS, inFlight: IN_FLIGHT / THREADS }
  const threads = Array.from(
    { length: THREADS },
    () => new Worker(LOAD, { eval: true, workerData }),
  )
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  const run = async (from, to, isOver) => {
    if (isOver()) return from
    const share = (to - from) / THREADS
    const done = threads.map((thread, at) => {
      const part = { from: Math.floor(from + share * at), to: Math.floor(from + share * (at + 1)) }
      thread.postMessage(part)
      return once(thread, 'message')
    })
    await Promise.all(done)
    return to
  }
  const stop = () =>
    Promise.all(
      threads.map((thread) => {
        thread.postMessage({})
        return once(thread, 'exit')
      }),
    )
  return { run, stop }
}

const PUMP = `
const { parentPort, workerData } = require('node:worker_threads')
const { Client } = require('spikewire')
Client.connect(workerData.seeds).then((client) => {
  if (workerData.watch) eval(workerData.watch)(client)
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

async function terminations(from, to, isOver) {
  let round = from
  const workerData = { seeds, watch: signals && WATCH }
  for (; round < to && !isOver(); round++) {
    const worker = new Worker(PUMP, { eval: true, workerData })
    // Some are terminated while connecting, others with calls in flight.
    if (round % 4 > 0) await once(worker, 'message')
    await sleep(round % 5)
    await worker.terminate()
  }
  return round
}

let flat = true
try {
  const client = await Client.connect(seeds, { timeout: 60_000 })
  watch(client)
  const load = (...part) => operations(client, ...part)
  flat = (await watched('operations', counts.operations, load)) && flat
  await client.close()
  if (counts.workers > 0) {
    const threads = await startThreads()
    flat = (await watched('workers', counts.workers, threads.run, THREADS)) && flat
    await threads.stop()
  }
  flat = (await watched('clients', counts.clients, clients)) && flat
  flat = (await watched('terminations', counts.terminations, terminations)) && flat
} finally {
  served.kill('SIGTERM')
}
process.exitCode = flat ? 0 : 1
