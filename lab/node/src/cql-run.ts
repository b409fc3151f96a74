/** Runs one job for Cassandra clients: workers on this thread's loop, each with one call in flight. */

import { setTimeout as sleep } from 'node:timers/promises'
import { CQL_CANDIDATES, type CqlCandidate, type CqlClient, type Item } from './cql-clients.js'
import type { CqlJob, CqlResult } from './cql-job.js'
import type { Description } from './job.js'
import { isTimeout } from './loop.js'
import { loadAverage, peakRss, runtime, Window } from './measure.js'

/** Different parameters of all workers together, after which they repeat. */
const DRAWN = 16_384
/** Items that are read and checked before the clock starts. */
const CHECKED = 64
/** How long the last calls may take after the end of the window (ms). */
const GRACE = 30_000

/** What the workers of one run did. */
interface Tally {
  tried: number
  errors: number
  timeouts: number
  firstError: string | null
}

/** A row of the items, as the Python lab writes it. */
export function item(number: number, payload: number): Item {
  const bytes = Buffer.alloc(payload)
  for (let at = 0; at < payload; at++) bytes[at] = number * 7 + at
  return [`user:${String(number).padStart(8, '0')}`, number, bytes]
}

/** Numbers that look random (a linear congruential generator), the same for every client. */
function* numbers(seed: number, below: number): Generator<number> {
  let state = BigInt(seed) + 1n
  for (;;) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn
    yield Number((state >> 33n) % BigInt(below))
  }
}

/** Does a job. */
export async function runCql(job: CqlJob): Promise<Description | CqlResult> {
  const candidate = CQL_CANDIDATES[job.client]
  if (candidate === undefined) throw new RangeError(`no client ${JSON.stringify(job.client)}`)
  if (job.step === 'describe') return describe(candidate)
  const version = await candidate.load()
  const load = loadAverage()
  await check(job, candidate)
  const client = await candidate.open(job, job.operation)
  try {
    const calls = Array.from({ length: job.depth }, (_, worker) => callsOf(job, client, worker))
    const ready = peakRss()
    if (job.warmup > 0) await runCalls(calls, job.warmup)
    const window = new Window(job.server_pid)
    window.open()
    const tally = await runCalls(calls, job.duration)
    const used = window.close()
    const rows = job.operation === 'page' ? job.page.rows : 1
    return {
      client: candidate.name,
      version,
      protocol: client.protocol(),
      row_type: job.operation === 'insert' ? 'nothing' : candidate.rowType,
      loop: runtime(),
      python: null,
      elapsed: used.elapsed,
      operations: (tally.tried - tally.errors) * rows,
      errors: tally.errors,
      timeouts: tally.timeouts,
      first_error: tally.firstError,
      cpu: used.cpu,
      server_cpu: used.server_cpu,
      machine_cpu: used.machine_cpu,
      switches: used.switches,
      memory: { ready, peak: peakRss() },
      cpus: [],
      load_average: load,
    }
  } finally {
    await client.close()
  }
}

async function describe(candidate: CqlCandidate): Promise<Description> {
  try {
    return { client: candidate.name, unavailable: null, version: await candidate.load() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const unavailable = reason.split('\n', 1)[0] as string
    return { client: candidate.name, unavailable, version: null }
  }
}

/** Throws if the client does not read items as they were written. */
async function check(job: CqlJob, candidate: CqlCandidate): Promise<void> {
  const client = await candidate.open(job, 'select')
  try {
    for (let number = 0; number < job.keys; number += Math.max(1, Math.floor(job.keys / CHECKED))) {
      const expected = item(number, job.payload)
      const [id, stored, payload] = await client.select(expected[0])
      const fits = job.canned
        ? id === expected[0] && Number.isInteger(stored) && payload.length === job.payload
        : id === expected[0] && stored === number && Buffer.compare(payload, expected[2]) === 0
      if (!fits) throw new Error(`${candidate.name} does not read item ${number} as it was written`)
    }
  } finally {
    await client.close()
  }
}

type Call = () => Promise<unknown>

/** The calls of one worker, which repeat. */
function callsOf(job: CqlJob, client: CqlClient, worker: number): Call[] {
  if (job.operation === 'page') {
    return [
      async () => {
        const rows = await client.page(job.page.partition, job.columns)
        if (rows !== job.page.rows) throw new Error(`a page has ${rows} rows`)
      },
    ]
  }
  const drawn = numbers(job.seed * 1_000_003 + worker, job.keys)
  const items = Array.from({ length: Math.max(1, Math.floor(DRAWN / job.depth)) }, () =>
    item(drawn.next().value as number, job.payload),
  )
  return items.map((row) =>
    job.operation === 'insert' ? () => client.insert(row) : () => client.select(row[0]),
  )
}

/** Runs all workers for some seconds. */
async function runCalls(workers: readonly Call[][], seconds: number): Promise<Tally> {
  const tally: Tally = { tried: 0, errors: 0, timeouts: 0, firstError: null }
  let over = false
  const work = async (calls: readonly Call[]) => {
    for (let at = 0; !over; at = (at + 1) % calls.length) {
      try {
        await (calls[at] as Call)()
      } catch (error) {
        tally.errors++
        if (isTimeout(error)) tally.timeouts++
        tally.firstError ??= error instanceof Error ? `${error.name}: ${error.message}` : `${error}`
        // Calls that fail at once would never let the loop turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
      tally.tried++
    }
  }
  const end = setTimeout(() => {
    over = true
  }, seconds * 1000)
  const patience = new AbortController()
  const late = sleep(seconds * 1000 + GRACE, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`a call was still waiting ${GRACE / 1000} s after the end`)
  })
  late.catch(() => {})
  try {
    await Promise.race([Promise.all(workers.map(work)), late])
  } finally {
    over = true
    clearTimeout(end)
    patience.abort()
  }
  return tally
}
