/** Jobs and results of a measuring process; the Python lab uses the same formats. */

import type { Access } from './access.js'
import type { BuildInfo } from './build-info.js'
import type { CallTimes, Schedule } from './schedule.js'

/** What one call does: `single`, `batch-read`, `batch-write`, or `scan`. */
export interface Shape {
  kind: string
  /** Records per call. */
  rows: number
  /** Which of the client's ways to use; for a scan also the consumer, as in `query/file`. */
  way: string
}

/** One run of one client. Durations are in seconds. */
export interface Job {
  /** `describe`, `populate`, `measure`, or `scan`. */
  action: string
  client: string
  mode: string
  /** Calls in flight per process. */
  concurrency: number
  shape: Shape
  seeds: [string, number][]
  namespace: string
  set: string
  keys: number
  bins: string
  workload: string
  warmup: number
  duration: number
  /** One in this many calls is timed. */
  sample_every: number
  seed: number
  /** The number of this process among several; each draws its own keys from the same records. */
  part?: number
  cpus: number[]
  server_pid: number | null
  /** Whether to check every record of one more scan after the window. */
  verify?: boolean
  /** Whether to report each second when it is over. */
  lines?: boolean
  /** Whether to return the samples of each interval. */
  histograms?: boolean
  /** Processes at once, each with its own client. Default: 1. */
  processes?: number
  /** Open loop: calls start at a fixed rate, however long they take. Absent: closed loops. */
  open?: Schedule
  /** User and TLS of the client; absent: no authentication. */
  access?: Access
}

/** Whether a client can be used here. */
export interface Description {
  client: string
  unavailable: string | null
  version: string | null
}

/** Times and counters of the measured window. Times are in seconds. */
export interface Usage {
  elapsed: number
  cpu: { user: number; system: number }
  server_cpu: number | null
  machine_cpu: number | null
  switches: { voluntary: number; involuntary: number }
}

/** Lateness of event loop timers, in nanoseconds. */
export interface LoopDelay {
  p50: number
  p99: number
  max: number
}

/** What one process measured. */
export interface Result extends Usage {
  client: string
  version: string
  build?: BuildInfo
  mode: string
  concurrency: number
  loop: string
  python: null
  /** Successful operations; each record of a batch counts. */
  operations: number
  errors: number
  /** How many of the errors were timeouts. */
  timeouts: number
  /** Operations per second: the sum over all workers, each up to the end of its own last call. */
  rate?: number
  first_error: string | null
  latency: Latency
  series?: Series
  /** The single processes, if there were several; everything else is their sum. */
  each?: ProcessResult[]
  loop_delay: LoopDelay
  /** Peak resident bytes: before the client was loaded, when it was ready, at the end. */
  memory: { bare: number; ready: number; peak: number }
  cpus: number[]
  load_average: number[]
  /** Raw times of an open loop, from which the lab computes latencies. */
  open?: CallTimes
}

/** What happened in each interval of the window; the last may be cut short by the window's end. */
export interface Series {
  /** When the window opened, in seconds since the epoch. */
  start: number
  /** Seconds. */
  interval: number
  operations: number[]
  errors: number[]
  timeouts: number[]
  p50_ns: (number | null)[]
  p99_ns: (number | null)[]
  max_ns: (number | null)[]
  /** Resident bytes at the end of each interval. */
  rss: number[]
  /** Latencies, negative for writes, until all processes have answered; null: overwritten. */
  latencies?: (Float64Array | null)[]
  /** The latencies by kind, for jobs that ask for histograms. */
  read?: Float64Array[]
  write?: Float64Array[]
}

/** What one of several processes did. */
export interface ProcessResult {
  operations: number
  rate: number
  cpu: { user: number; system: number }
  memory: { bare: number; ready: number; peak: number }
  /** CPU seconds per call spent on starting it; open loops only. */
  pacing?: number
}

/** Sampled latencies, in nanoseconds. */
export interface Latency {
  read: ArrayLike<number>
  write: ArrayLike<number>
  samples: number
  overwritten: number
  max_ns: number
}

/**
 * Resident memory in bytes: before the first scan, at its peak, and over time (`curve`: seconds,
 * bytes).
 */
export interface MemoryGrowth {
  start: number
  peak: number
  /** Whether the peak was reported by the system; otherwise it is the curve's maximum. */
  exact: boolean
  curve: [number, number][]
}

/** What one process that read whole sets measured. */
export interface ScanResult extends Usage {
  client: string
  version: string
  build?: BuildInfo
  mode: string
  loop: string
  python: null
  /** Whole scans within the window, and the number of records of all of them. */
  scans: number
  records: number
  loop_delay: LoopDelay
  memory: MemoryGrowth
  /** How every record of one more scan after the window was checked, or why not. */
  checked?: string
  load_average: number[]
}

/** Why there is no result. */
export interface Failure {
  failed: string
}

export type Answer = Description | Result | ScanResult | Failure

/** An error as a result. */
export function failure(error: unknown): Failure {
  return { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
}
