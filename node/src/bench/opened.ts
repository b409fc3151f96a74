/** What closed loops, open loops and scans have in common: the client, and what every result says. */

import type { BenchClient } from './clients.js'
import type { Job, Latency, Result } from './job.js'
import { Lines } from './lines.js'
import { loadAverage, peakRss, runtime, type Window } from './measure.js'
import type { Source } from './series.js'

/** A client that is open, and its job. */
export interface Opened {
  job: Job
  name: string
  version: string
  client: BenchClient
  /** Awaited when everything is prepared, before anything is measured. */
  ready: () => Promise<void>
}

/** What every result says of its process. */
export function about({ job, name, version }: Opened) {
  return { client: name, version, mode: job.mode, loop: runtime(), python: null }
}

/** What was read before anything was measured. */
export interface Before {
  bare: number
  ready: number
  average: number[]
}

/** What all calls of the window came to. */
export interface Done {
  used: ReturnType<Window['close']>
  tried: number
  errors: number
  timeouts: number
  firstError: string | null
  latency: Latency
}

/** What closed and open loops have in common. */
export function resultOf(opened: Opened, { bare, ready, average }: Before, done: Done): Result {
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

/** Waits for the other processes. */
export async function prepared({ ready }: Opened, bare: number): Promise<Before> {
  const held = peakRss()
  await ready()
  return { bare, ready: held, average: loadAverage() }
}

/** What tells each second when it is over, if the job asks for it. */
export function linesOf(job: Job, sources: readonly Source[], since: number): { end(): void } {
  return job.lines ? new Lines(sources, since, job.part ?? 0, job.shape.rows) : { end() {} }
}
