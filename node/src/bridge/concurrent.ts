/** `concurrent`: many calls, a limited number of them in flight. */

import { inspect } from 'node:util'
import { Flights } from './flights.js'
import { isIterable } from './input.js'

/** Options of `concurrent`. */
export interface ConcurrentOptions {
  /** The maximum number of calls in flight, from 1. Default: 128. */
  limit?: number | undefined
  /**
   * How errors are handled: the first one ends the iteration and is thrown (`'raise'`, the default),
   * or each takes the place of its result (`'return'`).
   */
  errors?: 'raise' | 'return' | undefined
  /** Whether results are in the order of the calls; otherwise as calls end. Default: true. */
  ordered?: boolean | undefined
  /**
   * Ends the iteration with the signal's reason, without waiting for calls in flight. To cancel those,
   * pass it to them, too.
   */
  signal?: AbortSignal | undefined
}

/** A function that makes a call. */
export type Call<T> = () => PromiseLike<T> | T

/** Many items of any kind; read as results are consumed. */
export type Items<T> = Iterable<T> | AsyncIterable<T>

/** The results of many calls. */
export type Concurrent<T> = AsyncGenerator<T, void, undefined>

const KNOWN = ['limit', 'errors', 'ordered', 'signal']
const LIMIT = 128

/**
 * The method `concurrent` of clients and sessions. Arguments are validated at once; `checkOptions`
 * rejects unknown options.
 */
export function concurrent(
  checkOptions: (options: object | undefined, known: readonly string[]) => unknown,
  items: unknown,
  call?: unknown,
  last?: unknown,
): Concurrent<unknown> {
  const isEach = typeof call === 'function'
  const options = (isEach ? last : call) as ConcurrentOptions | undefined
  if (!isIterable(items)) {
    throw new TypeError(`calls must be an iterable of calls, not ${kind(items)}`)
  }
  checkOptions(options, KNOWN)
  const { limit = LIMIT, errors = 'raise', ordered = true, signal } = options ?? {}
  if (typeof limit !== 'number' || !Number.isInteger(limit)) {
    throw new TypeError(`limit must be a whole number, not ${inspect(limit)}`)
  }
  if (limit < 1) throw new RangeError(`limit must be at least 1, not ${limit}`)
  if (errors !== 'raise' && errors !== 'return') {
    throw new RangeError(`errors must be "raise" or "return", not ${inspect(errors)}`)
  }
  if (typeof ordered !== 'boolean') {
    throw new TypeError(`ordered must be true or false, not ${inspect(ordered)}`)
  }
  // Test runners have classes of their own per file.
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new TypeError(`signal must be an AbortSignal, not ${kind(signal)}`)
  }
  const start = isEach ? (call as (item: unknown, index: number) => unknown) : begin
  // Several at a time, so that the calls that follow them are sent together.
  const keep = limit - Math.max(1, limit >> 2)
  return results(items, start, { limit, keep, ordered, window: 1, signal }, errors === 'return')
}

async function* results(
  items: Items<unknown>,
  start: (item: unknown, index: number) => unknown,
  plan: ConstructorParameters<typeof Flights>[1],
  returnsErrors: boolean,
): Concurrent<unknown> {
  const flights = new Flights<unknown, unknown>(items, plan, (some, index) => {
    try {
      return Promise.resolve(start(some[0], index))
    } catch (error) {
      return Promise.reject(error)
    }
  })
  try {
    for (;;) {
      const flight = flights.next()
      if (flight === null) break
      if (flight === undefined) {
        await flights.news()
        continue
      }
      const { value, failure } = flight
      if (failure === undefined) yield value
      else if (returnsErrors && !(failure.error instanceof InvalidCall)) yield failure.error
      else throw failure.error instanceof InvalidCall ? failure.error.error : failure.error
    }
    if (flights.failure !== undefined) throw flights.failure.error
  } finally {
    await flights.end()
  }
}

/** What is no call at all ends the iteration, also if errors are returned. */
class InvalidCall {
  readonly error: TypeError
  constructor(error: TypeError) {
    this.error = error
  }
}

function begin(call: unknown, index: number): unknown {
  if (typeof call === 'function') return call()
  throw new InvalidCall(
    new TypeError(
      `call ${index}: must be a function that makes a call, such as () => users.get(1), ` +
        `not ${inspect(call, { depth: 0 }).slice(0, 100)}`,
    ),
  )
}

function kind(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return value.constructor?.name ?? 'object'
}
