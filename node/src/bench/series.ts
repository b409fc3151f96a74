/** What happened when, interval by interval; the lab in Python has the same. */

import { performance } from 'node:perf_hooks'
import type { Series } from './job.js'

/** So many at the least lie in the time that is measured. */
const INTERVALS = 20
/** So many samples lie beyond p99 where it is told. */
const BEYOND = 10

/** Milliseconds of an interval: the largest whole part of a second that makes enough of them. */
export function intervalOf(seconds: number): number {
  return 1000 / Math.max(1, Math.ceil(Number((INTERVALS / seconds).toFixed(6))))
}

/** What knows of some calls when they ended. Instants are those of `performance.now`. */
export interface Source {
  /** Calls tried, errors and timeouts until then. */
  counts(instant: number): [tried: number, errors: number, timeouts: number]
  /**
   * Nanoseconds of calls that ended after `start` and by `end`, of writes negative; undefined where
   * some have been overwritten.
   */
  latencies(start: number, end: number): ArrayLike<number> | undefined
}

/** Calls tried and latencies taken until an instant. */
type Point = [at: number, tried: number, taken: number]

/**
 * What a worker of a closed loop notes where one interval ends and the next begins. It compares the
 * clock that it reads for a timed call, and nothing else.
 */
export class Marks {
  /** The end of the interval that is now. */
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
   * An interval has ended since the timed call that began at `before`, which may have lasted for
   * several of them and took `last` nanoseconds if it was kept.
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

  taken(instant: number): number {
    return this.#points[after(this.#points, instant, ([at]) => at) - 1]?.[2] ?? 0
  }
}

/** How many of these, in ascending order, are not beyond the instant. */
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
      // On a loop that is late, the ends of several may have passed.
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

/** Everything from `began` to `ended`; operations are of so many records each. */
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
  // Between two timed calls it is only known how many others ended, and errors have their own
  // instants: no interval can have less than no success.
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
    taken: edges.map((edge, at) =>
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

/** The same with what follows from the latencies. */
function withPercentiles(series: Series): Series {
  const sorted = (series.taken ?? []).map((taken) =>
    taken === null ? new Float64Array() : taken.map(Math.abs).sort(),
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

/** What several processes did whose windows opened together. */
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
    taken: Array.from({ length: longest }, (_, at) => {
      const all = parts.map((one) => one.taken?.[at] ?? null)
      const known = all.filter((one) => one !== null)
      const lost = parts.some((one) => one.taken?.[at] === null)
      return lost ? null : joined(known)
    }),
  })
}

/** As a result has it: with the samples of each interval apart, where they are asked for. */
export function finished(series: Series, histograms: boolean): Series {
  const { taken = [], ...rest } = series
  if (!histograms) return rest
  const part = (writes: boolean) =>
    taken.map((one) => (one ?? new Float64Array()).filter((at) => at < 0 === writes).map(Math.abs))
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
