/** One job in this process. */

import { performance } from 'node:perf_hooks'
import { inspect } from 'node:util'
import { BY_KEY, Check, unchecked } from './check.js'
import type { BenchClient, Candidate } from './clients.js'
import type { Answer, Description, Job, Latency, Result, ScanResult } from './job.js'
import { Lines } from './lines.js'
import { batches, latencyOf, once, onceMany, runLoops, singles } from './loop.js'
import { Curve, loadAverage, peakRss, runtime, Window } from './measure.js'
import { type Asked, Calls, Ended, REAL, TIMED_OUT } from './open.js'
import { OURS } from './ours.js'
import { intervalOf, Resident, type Source, seriesOf } from './series.js'
import { THEIRS } from './theirs.js'
import {
  type BatchOperation,
  type BinSpec,
  batchStream,
  insertStream,
  isRecord,
  matches,
  mixedStream,
  type Operation,
  parseBins,
  parseWorkload,
  recordOf,
  spreadKeys,
  valuePool,
} from './workload.js'

/** The clients by their names in jobs. */
export const CANDIDATES: { readonly [name: string]: Candidate } = {
  spikewire: OURS,
  aerospike: THEIRS,
}

/** A record in a message, if it is short. */
const shown = (bins: unknown) =>
  inspect(bins, { breakLength: Number.POSITIVE_INFINITY }).slice(0, 200)

/** Seconds that writing every key may take. */
const INSERT_LIMIT = 300

/** A client that is open, and its job. */
interface Opened {
  job: Job
  name: string
  version: string
  client: BenchClient
  /** Awaited when everything is prepared, before anything is measured. */
  ready: () => Promise<void>
}

/** Does a job. `ready` is awaited when everything is prepared, before anything is measured. */
export async function run(job: Job, ready: () => Promise<void>): Promise<Answer> {
  const candidate = CANDIDATES[job.client]
  if (candidate === undefined) throw new RangeError(`no client ${JSON.stringify(job.client)}`)
  if (job.action.startsWith('describe')) return describe(candidate)
  const bare = peakRss()
  const version = await candidate.load()
  const client = await candidate.open(job)
  const opened = { job, name: candidate.name, version, client, ready }
  try {
    if (job.action === 'scan') return await scan(opened)
    return await measure(opened, bare)
  } finally {
    await client.close()
  }
}

async function describe(candidate: Candidate): Promise<Description> {
  try {
    return { client: candidate.name, unavailable: null, version: await candidate.load() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      client: candidate.name,
      unavailable: reason.split('\n', 1)[0] as string,
      version: null,
    }
  }
}

/** What every result says of its process. */
function about({ job, name, version }: Opened) {
  return { client: name, version, mode: job.mode, loop: runtime(), python: null }
}

/** What was read before anything was measured. */
interface Before {
  bare: number
  ready: number
  average: number[]
}

/** What all calls of the window came to. */
interface Done {
  used: ReturnType<Window['close']>
  tried: number
  errors: number
  timeouts: number
  firstError: string | null
  latency: Latency
}

/** What closed and open loops have in common. */
function resultOf(opened: Opened, { bare, ready, average }: Before, done: Done): Result {
  const { job } = opened
  return {
    ...about(opened),
    ...done.used,
    concurrency: job.concurrency,
    operations: (done.tried - done.errors) * job.shape.rows,
    errors: done.errors,
    timeouts: done.timeouts,
    first_error: done.firstError,
    latency: done.latency,
    memory: { bare, ready, peak: peakRss() },
    cpus: job.cpus,
    load_average: average,
  }
}

async function measure(opened: Opened, bare: number): Promise<Result> {
  const { job, client } = opened
  const workload = parseWorkload(job.workload)
  const inserting = job.action === 'populate' || workload === 'insert'
  if (!inserting) await check(job, client)
  const percent = workload === 'insert' ? 0 : workload.readPercent
  if (job.open !== undefined) {
    if (inserting) throw new RangeError('writing every key once has no rate')
    return atARate(opened, job.open, callOf(job, client, percent), bare)
  }
  const load = loopsOf(job, client, inserting, percent)
  const before = await prepared(opened, bare)
  if (!inserting) await runLoops(load, job.warmup, true)
  const window = new Window(job.server_pid)
  window.open()
  const interval = intervalOf(job.duration)
  const resident = new Resident(interval)
  const seconds = inserting ? INSERT_LIMIT : job.duration
  const tally = await runLoops(load, seconds, !inserting, interval, (sources, since) =>
    linesOf(job, sources, since),
  )
  const used = window.close()
  const rss = resident.end()
  const { samples, began, ended } = tally
  return {
    ...resultOf(opened, before, { ...tally, used, latency: latencyOf(samples) }),
    // What ends by itself has no rate but that of the whole window.
    ...(inserting ? {} : { rate: tally.rate * job.shape.rows }),
    series: seriesOf(samples, began, ended, interval, job.shape.rows, rss),
  }
}

/** Waits for the other processes. */
async function prepared({ ready }: Opened, bare: number): Promise<Before> {
  const held = peakRss()
  await ready()
  return { bare, ready: held, average: loadAverage() }
}

/** What tells each second when it is over, if the job asks for it. */
function linesOf(job: Job, sources: readonly Source[], since: number): { end(): void } {
  return job.lines ? new Lines(sources, since, job.part ?? 0, job.shape.rows) : { end() {} }
}

/** What an open loop calls, and whether the call of a number is a write. */
interface Called {
  call(at: number): Promise<unknown>
  writes(at: number): boolean
}

/** Calls at a rate. The lab works out what follows from when they began and ended. */
async function atARate(
  opened: Opened,
  asked: Asked,
  called: Called,
  bare: number,
): Promise<Result> {
  const { job } = opened
  const before = await prepared(opened, bare)
  const idling = new Window(null)
  const nothing = async () => {}
  await new Calls(asked, asked.pacing).run(nothing, job.concurrency, REAL, () => idling.open())
  const idle = idling.close()
  await new Calls(asked, asked.warmup).run(called.call, job.concurrency)
  const window = new Window(job.server_pid)
  const calls = new Calls(asked, asked.measured)
  let lines: { end(): void } | undefined
  await calls.run(called.call, job.concurrency, REAL, () => {
    window.open()
    const since = performance.now()
    lines = linesOf(job, [new Ended(calls, since)], since)
  })
  const used = window.close()
  lines?.end()
  const { begun, ended, failures } = calls
  const done = {
    used,
    tried: calls.sent,
    errors: failures.filter((failure) => failure !== 0).length,
    timeouts: failures.filter((failure) => failure === TIMED_OUT).length,
    firstError: calls.firstError,
    latency: { read: [], write: [], samples: 0, overwritten: 0, max_ns: 0 },
  }
  return {
    ...resultOf(opened, before, done),
    open: {
      begun,
      ended,
      failures,
      writes: begun.map((_, at) => Number(called.writes(at))),
      start: calls.began,
      now: Math.round(used.elapsed * 1e9),
      pacing_calls: asked.pacing.due.length,
      pacing_cpu: idle.cpu.user + idle.cpu.system,
    },
  }
}

/** The calls of one stream, again and again. */
function callOf(job: Job, client: BenchClient, readPercent: number): Called {
  const specs = parseBins(job.bins)
  const pool = valuePool(specs, job.seed)
  const seed = job.seed + (job.part ?? 0)
  if (job.shape.kind === 'single') {
    const stream = mixedStream(readPercent, pool, job.keys, seed, 0, 1)
    const operation = (at: number) => stream[at % stream.length] as Operation
    return { call: (at) => once(client, operation(at)), writes: (at) => !!operation(at)[1] }
  }
  const names = specs.map((_, at) => `b${at}`)
  const written = job.shape.kind === 'batch-write' ? pool : undefined
  const stream = batchStream(written, job.keys, seed, 0, 1, job.shape.rows)
  const operation = (at: number) => stream[at % stream.length] as BatchOperation
  return { call: (at) => onceMany(client, operation(at), names), writes: () => !!written }
}

/** The loops of all workers. */
function loopsOf(job: Job, client: BenchClient, inserting: boolean, readPercent: number) {
  const specs = parseBins(job.bins)
  const pool = valuePool(specs, job.seed)
  const names = specs.map((_, at) => `b${at}`)
  const { concurrency, keys, shape } = job
  const seed = job.seed + (job.part ?? 0)
  return Array.from({ length: concurrency }, (_, worker) => {
    if (shape.kind === 'batch-read' || shape.kind === 'batch-write') {
      const written = shape.kind === 'batch-write' ? pool : undefined
      const stream = batchStream(written, keys, seed, worker, concurrency, shape.rows)
      return batches(client, stream, names)
    }
    if (shape.kind !== 'single') throw new RangeError(`no work ${JSON.stringify(shape.kind)}`)
    const stream = inserting
      ? insertStream(pool, keys, worker, concurrency)
      : mixedStream(readPercent, pool, keys, seed, worker, concurrency)
    return singles(client, stream, job.sample_every)
  })
}

/** Refuses a client that does not see the records as they were written. */
async function check(job: Job, client: BenchClient): Promise<void> {
  const pool = valuePool(parseBins(job.bins), job.seed)
  const keys = spreadKeys(job.keys)
  if (job.shape.kind === 'single') {
    for (const key of keys) seen(key, (await client.get(key)).bins)
    return
  }
  const rows = Math.min(job.shape.rows, keys.length)
  for (let from = 0; from + rows <= keys.length; from += rows) {
    const asked = keys.slice(from, from + rows)
    const given = client.rows(await client.getMany(asked))
    if (given.length !== rows) throw new Error(`${rows} keys gave ${given.length} records`)
    given.forEach((bins, at) => {
      seen(asked[at] as number, bins)
    })
  }

  function seen(key: number, bins: unknown): void {
    const expected = recordOf(pool, key)
    if (!isRecord(expected, bins)) {
      throw new Error(`key ${key} reads back as ${shown(bins)}, not as ${shown(expected)}`)
    }
  }
}

async function scan(opened: Opened): Promise<ScanResult> {
  const { job, client, ready } = opened
  const specs = parseBins(job.bins)
  const [way = '', consumer = 'no-op'] = job.shape.way.split('/')
  await ready()
  const average = loadAverage()
  const window = new Window(job.server_pid)
  const curve = new Curve()
  const scanning = async (seconds: number) => {
    const end = performance.now() + seconds * 1000
    let scans = 0
    do {
      const { count, last } = await client.scan(way, consumer)
      if (count !== job.keys) throw new Error(`a scan gave ${count} of ${job.keys} records`)
      if (!matches(specs, last))
        throw new Error(`a record reads back as ${shown(last)}, not ${job.bins}`)
      scans++
    } while (performance.now() < end)
    return scans
  }
  if (job.warmup > 0) await scanning(job.warmup)
  window.open()
  const scans = await scanning(job.duration)
  const used = window.close()
  const memory = curve.end()
  const checked = job.verify ? await verified(job, specs, client, way) : undefined
  return {
    ...about(opened),
    ...used,
    scans,
    records: scans * job.keys,
    memory,
    ...(checked !== undefined && { checked }),
    load_average: average,
  }
}

/** One more scan, in which every record is compared with what was written under its key. */
async function verified(
  job: Job,
  specs: BinSpec[],
  client: BenchClient,
  way: string,
): Promise<string> {
  const missing = unchecked()
  if (missing !== undefined) return missing
  const check = new Check(valuePool(specs, job.seed), job.set, job.keys)
  await client.each(way, (digest, bins) => check.seen(digest, bins))
  check.end()
  return BY_KEY
}
