/**
 * `executeMany`: one statement with many rows of parameters, a limited number of them in flight,
 * without a promise per row.
 */

import type { Slot } from '../addon/native.js'
import { onAbort } from '../bridge/signals.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import { native } from './native.js'
import type { ExecuteOptions } from './options.js'

/** Options of `executeMany`, besides those of each execution. */
export interface ManyOptions extends Omit<ExecuteOptions, 'pagingState'> {
  /** The maximum number of rows in flight, from 1 to 30,000. Default: 128. */
  concurrency?: number | undefined
  /**
   * How errors are handled: the first one stops the call and is thrown (`'raise'`, the default), or
   * each is returned among the results (`'return'`).
   */
  errors?: 'raise' | 'return' | undefined
  /** Whether to return the results; otherwise the number of rows is returned. Default: true. */
  results?: boolean | undefined
  /**
   * Milliseconds after which the call ends with the results that have come; the other rows are
   * `Late.row`: they may have been executed or not. Those not taken from `rows` yet are never sent;
   * they are in the result if `rows` is an array. Default: none.
   */
  deadline?: number | undefined
}

/**
 * A row of `executeMany` without a result by the call's `deadline`: its statement may have been
 * executed or not. There is one such object, `Late.row`; `row instanceof Late` tells it from a
 * result and from an error.
 */
export class Late {
  /** The one object. */
  static readonly row: Late = new Late()

  private constructor() {}

  get [Symbol.toStringTag](): string {
    return 'Late'
  }
}

/** The validated options of a call of `executeMany`. */
export interface ManySettings {
  readonly concurrency: number
  readonly returnsErrors: boolean
  readonly results: boolean
  /** When the call ends, as of `performance.now()`; undefined: when all rows have ended. */
  readonly ends: number | undefined
}

/** Splits the options of `executeMany` into its own and those of each execution, if any. */
export function manySettings(
  options: ManyOptions | undefined,
): [ManySettings, ExecuteOptions | undefined] {
  if (options !== undefined && (typeof options !== 'object' || options === null)) {
    throw new TypeError(
      `options must be an object, not ${options === null ? null : typeof options}`,
    )
  }
  const {
    concurrency = 128,
    errors = 'raise',
    results = true,
    deadline,
    signal: _,
    ...each
  } = options ?? {}
  const returnsErrors = native.cqlHowMany(concurrency, errors, results, deadline)
  const ends = deadline == null ? undefined : performance.now() + deadline
  const settings = { concurrency, returnsErrors, results, ends }
  return [settings, Object.keys(each).length > 0 ? each : undefined]
}

/** An iterator of rows, synchronous or asynchronous. */
export type Source<P> =
  | { rows: Iterator<P>; isAsync: false }
  | { rows: AsyncIterator<P>; isAsync: true }

/** The iterator of an iterable, asynchronous or not. */
export function sourceOf<P>(rows: Iterable<P> | AsyncIterable<P>): Source<P> {
  const isObject = typeof rows === 'object' && rows !== null
  if (isObject && Symbol.asyncIterator in rows) {
    return { rows: rows[Symbol.asyncIterator](), isAsync: true }
  }
  if (isObject && Symbol.iterator in rows) return { rows: rows[Symbol.iterator](), isAsync: false }
  const kind = rows === null ? 'null' : typeof rows
  throw new TypeError(`rows must be an iterable of parameters, not ${kind}`)
}

/** Sends rows and collects their results. */
export class Flow<P> {
  readonly #settings: ManySettings
  readonly #send: (slot: Slot, row: P) => void
  readonly #results: unknown[] = []
  #started = 0
  #inFlight = 0
  #failure: { error: unknown } | undefined
  /** Whether the deadline has come: outcomes are not wanted any more. */
  #isLate = false
  /** Resumes `run`, which waits for a free slot, the end of all rows, or the next row. */
  #wake: (() => void) | undefined

  constructor(settings: ManySettings, send: (slot: Slot, row: P) => void) {
    this.#settings = settings
    this.#send = send
  }

  /**
   * Returns the results in the order of the rows, or the number of rows. `length` is how many rows
   * there are, if that is known.
   */
  async run(source: Source<P>, length = 0): Promise<unknown> {
    const { ends } = this.#settings
    if (ends === undefined) return this.#run(source)
    const timer = setTimeout(() => this.#expire(), ends - performance.now())
    try {
      return await this.#run(source, length)
    } finally {
      clearTimeout(timer)
    }
  }

  async #run(source: Source<P>, length = 0): Promise<unknown> {
    let next: Promise<IteratorResult<P>> | undefined
    let ended = false
    try {
      while (!ended && this.#failure === undefined && !this.#checkTime()) {
        if (this.#inFlight >= this.#settings.concurrency) {
          await this.#news()
          continue
        }
        let row: IteratorResult<P> | undefined
        if (source.isAsync) {
          next = source.rows.next()
          row = await this.#orFailure(next)
          if (row !== undefined) next = undefined
        } else {
          row = source.rows.next()
        }
        if (row?.done) ended = true
        else if (row !== undefined && this.#failure === undefined && !this.#isLate) {
          this.#begin(row.value)
        }
      }
    } catch (error) {
      // The iterator itself failed.
      ended = true
      next = undefined
      this.#failure ??= { error }
    }
    if (!ended) await this.#leave(source, next)
    while (this.#inFlight > 0 && !this.#checkTime()) await this.#news()
    if (this.#failure !== undefined) throw this.#failure.error
    if (!this.#settings.results) return this.#started
    if (!this.#isLate) return this.#results
    const results = this.#results
    const row = (_: unknown, at: number): unknown => (at in results ? results[at] : Late.row)
    return Array.from({ length: Math.max(this.#started, length) }, row)
  }

  /** The deadline has come. */
  #expire(): void {
    this.#isLate = true
    this.#resume()
  }

  /** Whether the deadline has come, even if nothing else ran since. */
  #checkTime(): boolean {
    const { ends } = this.#settings
    if (ends !== undefined && performance.now() >= ends) this.#isLate = true
    return this.#isLate
  }

  /** Stops taking rows; the call fails with this error. */
  stop(error: unknown): void {
    this.#failure ??= { error }
    this.#resume()
  }

  /** Sends a row. */
  #begin(row: P): void {
    const at = this.#started++
    this.#inFlight++
    executor(
      (result) => this.#end(at, result),
      (error) => this.#failed(at, error, this.#settings.returnsErrors),
    )
    const slot = openSlot()
    try {
      this.#send(slot, row)
    } catch (error) {
      const isInput = error instanceof TypeError || error instanceof RangeError
      // A closed session is not an error of a single row.
      if (!isInput) this.#failed(at, error, false)
      rejectCall(slot, error)
    }
  }

  #end(at: number, result: unknown): void {
    this.#inFlight--
    if (this.#isLate) return
    if (this.#settings.results) this.#results[at] = result
    this.#resume()
  }

  #failed(at: number, error: unknown, isResult: boolean): void {
    if (error instanceof Error) about(error, at)
    if (isResult) {
      this.#end(at, error)
      return
    }
    if (!this.#isLate) this.#failure ??= { error }
    this.#end(at, undefined)
  }

  #resume(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Resolves when a row has ended. */
  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** The next row, or `undefined` if another row failed meanwhile. */
  #orFailure(next: Promise<IteratorResult<P>>): Promise<IteratorResult<P> | undefined> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (this.#failure !== undefined || this.#isLate) resolve(undefined)
        else this.#wake = look
      }
      this.#wake = look
      next.then(resolve, reject)
    })
  }

  /** Ends the iterator early. */
  async #leave(source: Source<P>, next: Promise<unknown> | undefined): Promise<void> {
    try {
      const left = source.rows.return?.()
      if (next === undefined) {
        await left
        return
      }
      // A row that the iterator is still producing is not waited for.
      next.catch(ignore)
      if (left instanceof Promise) left.catch(ignore)
    } catch {
      // The row's own error takes precedence.
    }
  }
}

/** Rejects a call when its signal is aborted, without waiting for the rows in flight. */
export function stopWhenAborted<T, P>(
  running: Promise<T>,
  flow: Flow<P>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return running
  return new Promise((resolve, reject) => {
    const over = onAbort(signal, () => {
      reject(signal.reason)
      flow.stop(signal.reason)
    })
    running.then(resolve, reject).finally(over)
  })
}

/** Sets the row number on an error. */
function about(error: Error, row: number): void {
  Object.defineProperty(error, 'row', { value: row, enumerable: true, configurable: true })
}

function ignore(): void {}
