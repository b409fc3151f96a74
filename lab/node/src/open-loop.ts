/**
 * Open loops: calls start at the times listed in the job, however long they take. The lab computes
 * everything that follows from their start and end times.
 */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { isTimeout } from './loop.js'
import type { CallTimes, Phase, Schedule } from './schedule.js'
import { after, type Source } from './series.js'

/** The loop's source of time; tests substitute their own clock. */
export interface Clock {
  /** Nanoseconds. */
  now(): number
  /** Creates an alarm, which calls a function on this thread at given times, or later. */
  alarm(call: () => void): Promise<Alarm>
}

export interface Alarm {
  at(instants: readonly number[]): void
  close(): void
}

/** How long the last calls may take after the last one has started (ms). */
const GRACE = 30_000
const NOT_YET = -1
const FAILED = 1
export const TIMED_OUT = 2
const origin = process.hrtime.bigint()

/**
 * The real clock. Its alarm is a thread that sleeps until each time and then wakes this one,
 * because timers of Node.js have a resolution of whole milliseconds.
 */
export const REAL: Clock = {
  now: () => Number(process.hrtime.bigint() - origin),
  alarm(call) {
    const pending = new Int32Array(new SharedArrayBuffer(4))
    const thread = new Worker(join(__dirname, 'pacer.js'), { workerData: { origin, pending } })
    thread.on('message', () => {
      Atomics.store(pending, 0, 0)
      call()
    })
    const alarm: Alarm = {
      at: (instants) => thread.postMessage(Float64Array.from(instants)),
      close: () => void thread.terminate(),
    }
    return new Promise((resolve, reject) => {
      thread.on('error', reject)
      thread.on('online', () => resolve(alarm))
    })
  },
}

/** The calls of one phase. */
export class Calls {
  readonly begun: number[]
  readonly ended: number[]
  readonly failures: number[]
  firstError: string | null = null
  /** The start, on the clock and in seconds since the epoch. */
  start = 0
  began = 0
  readonly due: readonly number[]
  readonly #seconds: number
  readonly #overtime: number

  constructor(schedule: Schedule, planned: Phase) {
    this.due = planned.due
    this.#seconds = planned.seconds
    this.#overtime = schedule.overtime
    const none = () => planned.due.map(() => NOT_YET)
    this.begun = none()
    this.ended = none()
    this.failures = planned.due.map(() => 0)
  }

  /** The number of calls that were started. */
  get sent(): number {
    return this.begun.filter((at) => at !== NOT_YET).length
  }

  /**
   * Starts each call when it is due and waits for all replies. Calls that are due while `most` are
   * outstanding wait for a reply: they start late, but none is left out. `opened` is called just
   * before the first due time.
   */
  async run(
    call: (at: number) => Promise<unknown>,
    most: number,
    clock: Clock = REAL,
    opened: () => void = () => {},
  ): Promise<void> {
    const due = this.due
    const seconds = this.#seconds
    let over = () => {}
    let next = 0
    let outstanding = 0
    let waiting = false
    let end = 0
    let limit = 0
    const tick = () => {
      while (next < due.length) {
        const now = clock.now()
        if (now < this.start + (due[next] as number)) return
        if (now > limit) {
          next = due.length
          break
        }
        if (outstanding >= most) {
          waiting = true
          return
        }
        outstanding++
        begin(next++)
      }
      if (clock.now() < end) return
      if (outstanding === 0) over()
      else waiting = true
    }
    const begin = async (at: number) => {
      this.begun[at] = clock.now() - this.start
      try {
        await call(at)
      } catch (error) {
        this.failures[at] = isTimeout(error) ? TIMED_OUT : FAILED
        this.firstError ??= error instanceof Error ? `${error.name}: ${error.message}` : `${error}`
      }
      this.ended[at] = clock.now() - this.start
      outstanding--
      if (waiting) {
        waiting = false
        tick()
      }
    }
    const alarm = await clock.alarm(tick)
    let late: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        over = resolve
        const patience = seconds * (1 + this.#overtime) * 1000 + GRACE
        late = setTimeout(() => reject(new Error('a call was still waiting')), patience)
        opened()
        this.began = Date.now() / 1000
        this.start = clock.now()
        end = this.start + seconds * 1e9
        limit = end + seconds * this.#overtime * 1e9
        alarm.at([...due.map((at) => this.start + at), end])
      })
    } finally {
      clearTimeout(late)
      alarm.close()
    }
  }
}

/**
 * Calls by the time they ended. Each look only visits calls that had not ended at the previous one.
 */
export class CallLog implements Source {
  readonly #calls: Calls
  readonly #opened: number
  /** Calls that have started and not ended. */
  #going: number[] = []
  #next = 0
  /** When calls ended, in nanoseconds from the start. */
  readonly #good: number[] = []
  readonly #errors: number[] = []
  readonly #late: number[] = []
  /** Response times of successful calls. */
  readonly #responses: number[] = []

  /** `opened`: the start of the calls, by `performance.now`. */
  constructor(calls: Calls, opened: number) {
    this.#calls = calls
    this.#opened = opened
  }

  counts(instant: number): [number, number, number] {
    const [good, errors, late] = [this.#good, this.#errors, this.#late].map((all) =>
      this.#by(all, instant),
    ) as [number, number, number]
    return [good + errors, errors, late]
  }

  /** None is negative: only the lab knows which calls are writes. */
  latencies(start: number, end: number): number[] {
    return this.#responses.slice(this.#by(this.#good, start), this.#by(this.#good, end))
  }

  /** The number of instants not after a given one. */
  #by(all: number[], instant: number): number {
    this.#look()
    return after(all, (instant - this.#opened) * 1e6, (at) => at)
  }

  #look(): void {
    const { begun, ended, failures, due } = this.#calls
    while (this.#next < begun.length && begun[this.#next] !== NOT_YET) {
      this.#going.push(this.#next++)
    }
    const over = this.#going.filter((at) => ended[at] !== NOT_YET)
    this.#going = this.#going.filter((at) => ended[at] === NOT_YET)
    for (const at of over.sort((a, b) => (ended[a] as number) - (ended[b] as number))) {
      const instant = ended[at] as number
      if (failures[at] === 0) {
        this.#good.push(instant)
        this.#responses.push(instant - (due[at] as number))
        continue
      }
      this.#errors.push(instant)
      if (failures[at] === TIMED_OUT) this.#late.push(instant)
    }
  }
}

/** The share of one of several processes: every n-th call of each phase. */
export function share(schedule: Schedule, part: number, parts: number): Schedule {
  const some = ({ seconds, due }: Phase): Phase => ({
    seconds,
    due: due.filter((_, at) => at % parts === part),
  })
  const { pacing, warmup, measured } = schedule
  return { ...schedule, pacing: some(pacing), warmup: some(warmup), measured: some(measured) }
}

/** The results of all processes, in the order of the schedule. */
export function mergeCallTimes(all: readonly CallTimes[]): CallTimes {
  const count = all.reduce((sum, one) => sum + one.begun.length, 0)
  const dealt = (of: (one: CallTimes) => number[]) =>
    Array.from({ length: count }, (_, at) => {
      return of(all[at % all.length] as CallTimes)[Math.floor(at / all.length)] as number
    })
  return {
    begun: dealt((one) => one.begun),
    ended: dealt((one) => one.ended),
    failures: dealt((one) => one.failures),
    writes: dealt((one) => one.writes),
    start: Math.min(...all.map((one) => one.start)),
    now: Math.max(...all.map((one) => one.now)),
    pacing_calls: all.reduce((sum, one) => sum + one.pacing_calls, 0),
    pacing_cpu: all.reduce((sum, one) => sum + one.pacing_cpu, 0),
  }
}
