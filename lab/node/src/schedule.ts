/** Open loops in jobs and results: when calls are due, and when they started and ended. */

/**
 * One phase: its duration in seconds, and when calls are due, in nanoseconds from its start,
 * ascending.
 */
export interface Phase {
  seconds: number
  due: number[]
}

/** The open-loop part of a job. */
export interface Schedule {
  rate: number
  arrivals: string
  /** How much longer than planned a slow client may take, as a multiple of the planned time. */
  overtime: number
  /** A phase in which calls do nothing, to measure the cost of starting them. */
  pacing: Phase
  warmup: Phase
  measured: Phase
}

/** The result, call by call: nanoseconds from the start, -1 for what did not happen. */
export interface CallTimes {
  begun: number[]
  ended: number[]
  /** 1 for an error, 2 for a timeout. */
  failures: number[]
  /** 1 for a write. */
  writes: number[]
  /** When the window opened, in seconds since the epoch. */
  start: number
  /** When it closed. */
  now: number
  /** The calls that did nothing, and the CPU seconds they took. */
  pacing_calls: number
  pacing_cpu: number
}
