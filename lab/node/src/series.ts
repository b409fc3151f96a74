/** A time series of a run; the Python lab has the same. */

import { performance } from 'node:perf_hooks'
import type { Series } from './job.js'

/** The minimum number of intervals in the measured time. */
const INTERVALS = 20
/** p99 is reported only if this many samples lie beyond it. */
const BEYOND = 10

/**
 * The interval in milliseconds: the largest whole fraction of a second that gives enough intervals.
 */
export function intervalOf(seconds: number): number {
  return 1000 / Math.max(1, Math.ceil(Number((INTERVALS / seconds).toFixed(6))))
}

/** The calls of one worker by the time they ended. Instants are from `performance.now`. */
export interface Source {
  /** Calls tried, errors and timeouts up to an instant. */
  counts(instant: number): [tried: number, errors: number, timeouts: number]
  /**
   * Latencies in nanoseconds, negative for writes, of calls that ended after `start` and by `end`;
   * undefined if some have been overwritten.
   */
  latencies(start: number, end: number): ArrayLike<number> | undefined
}

/** Calls tried and latencies sampled up to an instant. */
type Point = [at: number, tried: number, samples: number]

/**
 * What a worker of a closed loop records at the boundaries of intervals. Its only cost per call is
 * to compare the clock that is read for a timed call anyway.
 */
export class Marks {
  /** The end of the current interval. */
  edge = Number.POSITIVE_INFINITY
  readonly failures: number[] = []
  readonly late: number[] = []
  readonly #points: Point[] = []
  #began = 0
  #interval = 0

  begin(began: number, interval: number): void {
    this.#began = began
    this.#interval = interval
    this.edge = began + interval
  }

  /**
   * Records that an interval ended since the timed call that began at `before`. That call may have
   * lasted several intervals; it took `last` nanoseconds if it was sampled.
   */
  passed(before: Point, now: Point, last: number): void {
    if (before[0] !== 0) {
      this.#points.push(before)
      if (now[2] > before[2]) {
        this.#points.push([before[0] + Math.abs(last) / 1e6, before[1] + 1, now[2]])
      }
    }
    this.#points.push(now)
    const whole = Math.floor((now[0] - this.#began) / this.#interval) + 1
    this.edge = this.#began + whole * this.#interval
  }

  tried(instant: number): number {
    const next = after(this.#points, instant, ([at]) => at)
    const [begun, so] = this.#points[next - 1] ?? [this.#began, 0]
    const point = this.#points[next]
    if (point === undefined || instant <= begun) return so
    return so + Math.floor(((point[1] - so) * (instant - begun)) / (point[0] - begun))
  }

  samplesUntil(instant: number): number {
    return this.#points[after(this.#points, instant, ([at]) => at) - 1]?.[2] ?? 0
  }
}

/** The number of elements, in ascending order, that are not after the instant. */
export function after<T>(all: readonly T[], instant: number, of: (one: T) => number): number {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (of(all[middle] as T) <= instant) low = middle + 1
    else high = middle
  }
  return low
}

/** Resident memory at the end of each interval. */
export class Resident {
  readonly held: number[] = []
  readonly #interval: number
  #due = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(interval: number) {
    this.#interval = interval
    this.#wait()
  }

  #wait(): void {
    this.#due += this.#interval
    this.#timer = setTimeout(() => {
      // If the loop is late, several intervals may have ended.
      const now = process.memoryUsage.rss()
      this.held.push(now)
      for (; this.#due + this.#interval <= performance.now(); this.#due += this.#interval) {
        this.held.push(now)
      }
      this.#wait()
    }, this.#due - performance.now())
  }

  end(): number[] {
    clearTimeout(this.#timer)
    return this.held
  }
}

/** The series from `began` to `ended`; each call is for `rows` records. */
export function seriesOf(
  sources: readonly Source[],
  began: number,
  ended: number,
  interval: number,
  rows: number,
  rss: number[],
): Series {
  const many = Math.max(1, Math.ceil((ended - began) / interval))
  const edges = Array.from({ length: many }, (_, at) => began + (at + 1) * interval)
  const sums = edges.map((edge) =>
    sources
      .map((one) => one.counts(edge))
      .reduce((sum, one) => [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]], [0, 0, 0]),
  )
  // Between two timed calls only the number of other calls is known, while errors have exact times.
  // So successes are made monotonic: no interval can have a negative number.
  const most = sums.reduce((_, [tried, errors]) => tried - errors, 0)
  let risen = 0
  const good = sums.map(([tried, errors]) => {
    risen = Math.max(risen, Math.min(tried - errors, most))
    return risen * rows
  })
  return withPercentiles({
    start: (performance.timeOrigin + began) / 1000,
    interval: interval / 1000,
    operations: steps(good),
    errors: steps(sums.map(([, errors]) => errors)),
    timeouts: steps(sums.map(([, , late]) => late)),
    p50_ns: [],
    p99_ns: [],
    max_ns: [],
    rss: rss.slice(0, many),
    latencies: edges.map((edge, at) =>
      latencies(sources, at === 0 ? Number.NEGATIVE_INFINITY : edge - interval, edge),
    ),
  })
}

function latencies(sources: readonly Source[], start: number, end: number): Float64Array | null {
  const parts = sources.map((one) => one.latencies(start, end))
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length ? joined(known) : null
}

function steps(counts: readonly number[]): number[] {
  return counts.map((count, at) => count - (counts[at - 1] ?? 0))
}

/** Adds the percentiles of the latencies. */
function withPercentiles(series: Series): Series {
  const sorted = (series.latencies ?? []).map((samples) =>
    samples === null ? new Float64Array() : samples.map(Math.abs).sort(),
  )
  const at = (all: Float64Array, index: number) => Math.round(all[index] as number)
  return {
    ...series,
    p50_ns: sorted.map((all) => (all.length === 0 ? null : at(all, (all.length - 1) >> 1))),
    p99_ns: sorted.map((all) =>
      all.length < 100 * BEYOND ? null : at(all, Math.ceil(0.99 * all.length) - 1),
    ),
    max_ns: sorted.map((all) => (all.length === 0 ? null : at(all, all.length - 1))),
  }
}

/** The sum of several processes whose windows opened together. */
export function summed(parts: readonly Series[]): Series {
  const [first] = parts as [Series]
  const longest = Math.max(...parts.map((one) => one.operations.length))
  const shortest = Math.min(...parts.map((one) => one.rss.length))
  const added = (of: (one: Series) => readonly number[], length: number) =>
    Array.from({ length }, (_, at) => parts.reduce((sum, one) => sum + (of(one)[at] ?? 0), 0))
  return withPercentiles({
    ...first,
    start: Math.min(...parts.map((one) => one.start)),
    operations: added((one) => one.operations, longest),
    errors: added((one) => one.errors, longest),
    timeouts: added((one) => one.timeouts, longest),
    rss: added((one) => one.rss, shortest),
    latencies: Array.from({ length: longest }, (_, at) => {
      const all = parts.map((one) => one.latencies?.[at] ?? null)
      const known = all.filter((one) => one !== null)
      const lost = parts.some((one) => one.latencies?.[at] === null)
      return lost ? null : joined(known)
    }),
  })
}

/** The final form of a series: with the samples of each interval, if asked for. */
export function finished(series: Series, histograms: boolean): Series {
  const { latencies: samples = [], ...rest } = series
  if (!histograms) return rest
  const part = (writes: boolean) =>
    samples.map((one) =>
      (one ?? new Float64Array()).filter((at) => at < 0 === writes).map(Math.abs),
    )
  return { ...rest, read: part(false), write: part(true) }
}

export function joined(parts: readonly ArrayLike<number>[]): Float64Array {
  const all = new Float64Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
