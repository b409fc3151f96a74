/** Closed loops: workers on this thread's event loop, each with one call in flight. */

import { performance } from 'node:perf_hooks'
import type { BenchClient } from './clients.js'
import type { Latency } from './job.js'
import { after, Marks, type Source } from './series.js'
import type { BatchOperation, Operation } from './workload.js'

const SAMPLES_TOTAL = 1 << 18
/** How long the last calls may take after the end of the window (ms). */
const GRACE = 30_000

/** The totals of all workers. */
export interface Tally {
  tried: number
  errors: number
  /** How many of the errors were timeouts. */
  timeouts: number
  firstError: string | null
  /**
   * Successful calls per second, summed over all workers, each up to the end of its own last call,
   * so that a worker that has finished does not count as idle.
   */
  rate: number
}

/** What one worker did. Latencies are in a ring buffer; those of writes are negative. */
class Samples implements Source {
  readonly held: Float64Array
  readonly marks = new Marks()
  count = 0
  tried = 0
  errors = 0
  timeouts = 0
  firstError: string | null = null
  /** When its last call ended. */
  ended = 0
  /** The previous timed call: when it started, and the counts at that time. */
  #before: [at: number, tried: number, samples: number] = [0, 0, 0]

  constructor(workers: number) {
    const size = 2 ** Math.floor(Math.log2(SAMPLES_TOTAL / workers))
    this.held = new Float64Array(Math.max(1 << 8, size))
  }

  take(milliseconds: number): void {
    this.held[this.count++ & (this.held.length - 1)] = milliseconds * 1e6
  }

  /** Called when a timed call starts. */
  timed(now: number): void {
    if (now >= this.marks.edge) this.#mark(now)
    this.#before = [now, this.tried, this.count]
  }

  /** Called when the last call has ended. */
  over(): void {
    this.ended = performance.now()
    this.#mark(this.ended)
  }

  #mark(now: number): void {
    const last = this.held[(this.count - 1) & (this.held.length - 1)] ?? 0
    this.marks.passed(this.#before, [now, this.tried, this.count], last)
  }

  counts(instant: number): [number, number, number] {
    const { failures, late } = this.marks
    const until = (all: number[]) => after(all, instant, (at) => at)
    return [this.marks.tried(instant), until(failures), until(late)]
  }

  latencies(start: number, end: number): Float64Array | undefined {
    const size = this.held.length
    const first = this.marks.samplesUntil(start)
    const last = this.marks.samplesUntil(end)
    if (first < last && first < this.count - size) return undefined
    const at = (index: number) => this.held[(first + index) & (size - 1)] as number
    return Float64Array.from({ length: last - first }, (_, index) => at(index))
  }

  get values(): Float64Array {
    return this.held.subarray(0, Math.min(this.count, this.held.length))
  }
}

/** The latencies of all samples, as part of a result. */
export function latencyOf(all: readonly Samples[]): Latency {
  const values = all.flatMap((samples) => [...samples.values])
  const count = all.reduce((sum, samples) => sum + samples.count, 0)
  const read = Float64Array.from(values.filter((at) => at > 0))
  const write = Float64Array.from(values.filter((at) => at < 0).map((at) => -at))
  return {
    read,
    write,
    samples: values.length,
    overwritten: count - values.length,
    max_ns: values.reduce((most, at) => Math.max(most, Math.abs(at)), 0),
  }
}

/**
 * A worker's loop: runs until `state.over`, or to the end of its stream if that is not repeated.
 */
type Loop = (state: LoopState, samples: Samples) => Promise<void>

interface LoopState {
  over: boolean
  repeat: boolean
}

/** The timeout code of the server and of both clients. */
const TIMEOUT = 9

/** Whether an error is a timeout, by its code or the name of its class. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === TIMEOUT) return true
  for (let kind = error.constructor; kind.name; kind = Object.getPrototypeOf(kind)) {
    if (kind.name.includes('Timeout')) return true
  }
  return error.name.includes('Timeout')
}

/**
 * Counts an error and waits for a turn of the event loop: calls that fail immediately would never
 * let it turn.
 */
function failed(own: Samples, error: unknown): Promise<void> {
  const now = performance.now()
  own.errors++
  own.marks.failures.push(now)
  if (isTimeout(error)) {
    own.timeouts++
    own.marks.late.push(now)
  }
  own.firstError ??= error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new Promise((resolve) => setImmediate(resolve))
}

/** One call for a single record. Bins are accessed, as a caller would. */
export async function once(client: BenchClient, [key, bins]: Operation): Promise<void> {
  if (bins !== undefined) {
    await client.put(key, bins)
    return
  }
  const record = await client.get(key)
  if (record.bins === undefined) throw new Error(`key ${key} has no bins`)
}

/** One batch. Every bin of every row is accessed. */
export async function onceMany(
  client: BenchClient,
  [keys, bins]: BatchOperation,
  names: readonly string[],
): Promise<void> {
  if (bins !== undefined) await client.putMany(keys, bins)
  else client.look(await client.getMany(keys), names)
}

/** The loop of single records. Bins are accessed, as a caller would. */
export function singles(
  client: BenchClient,
  operations: readonly Operation[],
  every: number,
): Loop {
  return async (state, samples) => {
    let at = 0
    let until = 0
    while (!state.over) {
      const [key, bins] = operations[at++] as Operation
      const begun = until-- === 0 ? performance.now() : 0
      if (begun !== 0) samples.timed(begun)
      try {
        if (bins === undefined) {
          const record = await client.get(key)
          if (record.bins === undefined) throw new Error(`key ${key} has no bins`)
          if (begun !== 0) samples.take(performance.now() - begun)
        } else {
          await client.put(key, bins)
          if (begun !== 0) samples.take(begun - performance.now())
        }
      } catch (error) {
        await failed(samples, error)
      }
      if (begun !== 0) until = every - 1
      samples.tried++
      if (at === operations.length) {
        if (!state.repeat) return
        at = 0
      }
    }
  }
}

/** The loop of batches: every call is timed, and every bin of every row is accessed. */
export function batches(
  client: BenchClient,
  operations: readonly BatchOperation[],
  names: readonly string[],
): Loop {
  return async (state, samples) => {
    let at = 0
    while (!state.over) {
      const [keys, bins] = operations[at++ % operations.length] as BatchOperation
      const begun = performance.now()
      samples.timed(begun)
      try {
        if (bins === undefined) {
          client.look(await client.getMany(keys), names)
          samples.take(performance.now() - begun)
        } else {
          await client.putMany(keys, bins)
          samples.take(begun - performance.now())
        }
      } catch (error) {
        await failed(samples, error)
      }
      samples.tried++
    }
  }
}

/**
 * Runs all workers for some seconds, or to the end of their streams if those are not repeated. With
 * an interval (in milliseconds) they record a time series, which `follow` may read meanwhile.
 */
export async function runLoops(
  loops: readonly Loop[],
  seconds: number,
  repeat: boolean,
  interval?: number,
  follow?: (sources: readonly Source[], began: number) => { end(): void },
): Promise<Tally & { samples: Samples[]; began: number; ended: number }> {
  const state: LoopState = { over: false, repeat }
  const samples = loops.map(() => new Samples(loops.length))
  let late: NodeJS.Timeout | undefined
  const patience = new Promise<never>((_, reject) => {
    late = setTimeout(
      () => reject(new Error(`a call was still waiting ${GRACE / 1000} s after the end`)),
      seconds * 1000 + GRACE,
    )
  })
  const end = setTimeout(() => {
    state.over = true
  }, seconds * 1000)
  const began = performance.now()
  const following = follow?.(samples, began)
  const each = async (loop: Loop, own: Samples) => {
    if (interval !== undefined) own.marks.begin(began, interval)
    await loop(state, own)
    own.over()
  }
  try {
    const all = Promise.all(loops.map((loop, at) => each(loop, samples[at] as Samples)))
    await Promise.race([all, patience])
  } finally {
    state.over = true
    clearTimeout(end)
    clearTimeout(late)
    following?.end()
  }
  const sum = (of: (own: Samples) => number) => samples.reduce((all, own) => all + of(own), 0)
  return {
    tried: sum((own) => own.tried),
    errors: sum((own) => own.errors),
    timeouts: sum((own) => own.timeouts),
    firstError: samples.find((own) => own.firstError !== null)?.firstError ?? null,
    rate: sum((own) => ((own.tried - own.errors) * 1000) / (own.ended - began)),
    samples,
    began,
    ended: Math.max(began, ...samples.map((own) => own.ended)),
  }
}
