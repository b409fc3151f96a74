/** What goes into a process that measures, and what comes out: the lab in Python has the same. */

import type { Compiled } from '../native.js'
import type { Access } from './access.js'
import type { Asked, Raw } from './open.js'

/** What one call does: `single`, `batch-read`, `batch-write`, or `scan`. */
export interface Shape {
  kind: string
  /** Records of a call. */
  rows: number
  /** Which of a client's ways; of a scan also the consumer, `query/file`. */
  way: string
}

/** One run of one client. Spans of time are seconds. */
export interface Job {
  /** `describe`, `populate`, `measure`, or `scan`. */
  action: string
  client: string
  mode: string
  /** Calls in flight, in each process. */
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
  /** Of so many calls one is timed. */
  sample_every: number
  seed: number
  /** Which of several processes this is: each draws keys of its own from the same records. */
  part?: number
  cpus: number[]
  server_pid: number | null
  /** Whether every record of one more scan is looked at behind the window. */
  verify?: boolean
  /** Whether each second is told when it is over. */
  lines?: boolean
  /** Whether the samples of each interval are asked for. */
  histograms?: boolean
  /** Processes at once, each with a client of its own. Default: 1. */
  processes?: number
  /** Calls begin at a rate, however long they take; without it, in closed loops. */
  open?: Asked
  /** How the client is let in; without it, as anybody. */
  access?: Access
}

/** Whether a client can be used here. */
export interface Description {
  client: string
  unavailable: string | null
  version: string | null
}

/** Clocks and counters within the measured window; seconds. */
export interface Used {
  elapsed: number
  cpu: { user: number; system: number }
  server_cpu: number | null
  machine_cpu: number | null
  switches: { voluntary: number; involuntary: number }
}

/** By how much timers of the event loop were late, in nanoseconds. */
export interface LoopDelay {
  p50: number
  p99: number
  max: number
}

/** What one process measured. */
export interface Result extends Used {
  client: string
  version: string
  build?: Compiled
  mode: string
  concurrency: number
  loop: string
  python: null
  /** Of successful calls; in batches each record is one. */
  operations: number
  errors: number
  /** Of the errors. */
  timeouts: number
  /** Operations each second, of every worker until the end of its own last call, together. */
  rate?: number
  first_error: string | null
  latency: Latency
  series?: Series
  /** Of several processes, of which everything else is the sum. */
  each?: Each[]
  loop_delay: LoopDelay
  /** Peak resident bytes: before the client was loaded, when it was ready, at the end. */
  memory: { bare: number; ready: number; peak: number }
  cpus: number[]
  load_average: number[]
  /** Of open loops alone, of which the lab works out latencies. */
  open?: Raw
}

/** What happened in each interval of the window, the last of which its end may cut short. */
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
  /** Latencies, of writes negative, until all processes have answered; null: overwritten. */
  taken?: (Float64Array | null)[]
  /** The same in jobs that ask for them. */
  read?: Float64Array[]
  write?: Float64Array[]
}

/** What one of several processes did. */
export interface Each {
  operations: number
  rate: number
  cpu: { user: number; system: number }
  memory: { bare: number; ready: number; peak: number }
  /** Seconds of processor time that beginning a call takes; of open loops. */
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

/** Resident bytes before the first scan and at most; `curve`: seconds and bytes. */
export interface Grown {
  start: number
  peak: number
  /** Whether the peak is the system's; if not, it is the highest point of the curve. */
  exact: boolean
  curve: [number, number][]
}

/** What one process that read whole sets measured. */
export interface ScanResult extends Used {
  client: string
  version: string
  build?: Compiled
  mode: string
  loop: string
  python: null
  /** Whole scans within the window, and the records of all of them. */
  scans: number
  records: number
  loop_delay: LoopDelay
  memory: Grown
  /** How every record of one more scan, behind the window, was looked at, or why not. */
  checked?: string
  load_average: number[]
}

/** Why there is no result. */
export interface Failure {
  failed: string
}

export type Answer = Description | Result | ScanResult | Failure

/** An error as a result has it. */
export function failure(error: unknown): Failure {
  return { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
}
