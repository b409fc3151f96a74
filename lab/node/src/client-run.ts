/**
 * Shared by closed loops, open loops and scans: the open client and the common parts of results.
 */

import type { BenchClient } from './clients.js'
import type { Job, Latency, Result } from './job.js'
import { Lines } from './lines.js'
import { loadAverage, peakRss, runtime, type Window } from './measure.js'
import type { Source } from './series.js'

/** An open client and its job. */
export interface ClientRun {
  job: Job
  name: string
  version: string
  client: BenchClient
  /** Awaited when everything is prepared, before anything is measured. */
  ready: () => Promise<void>
}

/** The part of a result that describes the process. */
export function about({ job, name, version }: ClientRun) {
  return { client: name, version, mode: job.mode, loop: runtime(), python: null }
}

/** Readings taken before anything is measured. */
export interface Baseline {
  bare: number
  ready: number
  average: number[]
}

/** The totals of all calls in the window. */
export interface Totals {
  used: ReturnType<Window['close']>
  tried: number
  errors: number
  timeouts: number
  firstError: string | null
  latency: Latency
}

/** The part of a result that closed and open loops have in common. */
export function resultOf(
  clientRun: ClientRun,
  { bare, ready, average }: Baseline,
  done: Totals,
): Result {
  const { job } = clientRun
  return {
    ...about(clientRun),
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

/** Waits until all processes are prepared. */
export async function prepared({ ready }: ClientRun, bare: number): Promise<Baseline> {
  const held = peakRss()
  await ready()
  return { bare, ready: held, average: loadAverage() }
}

/** The reporter of each second, if the job asks for it. */
export function linesOf(job: Job, sources: readonly Source[], since: number): { end(): void } {
  return job.lines ? new Lines(sources, since, job.part ?? 0, job.shape.rows) : { end() {} }
}
