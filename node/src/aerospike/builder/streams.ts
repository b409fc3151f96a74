/** Endless inputs: keys are read one window at a time while other windows are in flight. */

import { inspect } from 'node:util'
import { Flights } from '../../bridge/flights.js'
import { isIterable } from '../../bridge/input.js'
import type { Batch, Late } from '../batch/batch.js'
import { kindOf } from '../batch/gather.js'
import { GET_MANY, type GetManyOptions, type ManyVerbs } from '../batch/many.js'
import type { Bins } from '../model/record.js'
import {
  checkStrategy,
  type Missing,
  type OnError,
  type Result,
  STRATEGY,
  type Strategy,
  settled,
} from './results.js'

/** Options of `stream`. */
export interface StreamOptions<B extends object = Bins> extends Strategy<B> {
  /** Keys per window. Default: 256. */
  window?: number | undefined
  /** Windows in flight, including the one being consumed. Default: 8. */
  limit?: number | undefined
  /** Whether results are in the order of the keys; otherwise as windows complete. */
  ordered?: boolean | undefined
}

/**
 * Options of `getStream`: those of `getMany`, and how keys are read and results handed out. Results
 * are in the order of the keys unless `ordered` is false.
 */
export interface GetStreamOptions<B extends object = Bins>
  extends GetManyOptions,
    StreamOptions<B> {}

/** The results of a stream. */
export type Stream<B extends object = Bins> = AsyncGenerator<Result<B>, void, undefined>

/** How keys are read and how their results are handled. */
export interface StreamPlan<B extends object> {
  readonly window: number
  readonly limit: number
  readonly ordered: boolean
  readonly onError: OnError<B>
  readonly missing: Missing
}

const STREAM = [...STRATEGY, 'window', 'limit', 'ordered'] as const

/** Checks the options of a stream. `missing` and `ordered` are the defaults. */
export function streamPlan<B extends object>(
  options: StreamOptions<B> | undefined,
  missing: Missing,
  ordered = false,
): StreamPlan<B> {
  const onError = checkStrategy(options, STREAM)
  const plan = { window: 256, limit: 8, ordered, missing, onError }
  for (const name of ['window', 'limit'] as const) {
    const value: unknown = options?.[name] ?? plan[name]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
      throw new RangeError(`${name} must be a whole number from 1, not ${inspect(value)}`)
    }
    plan[name] = value
  }
  const inOrder: unknown = options?.ordered ?? ordered
  if (typeof inOrder !== 'boolean') {
    throw new TypeError(`ordered must be true or false, not ${kindOf(inOrder)}`)
  }
  return { ...plan, ordered: inOrder, missing: options?.missing ?? missing }
}

/** The results of windows of keys. `send` sends one. */
export async function* streamed<K, B extends object>(
  send: (keys: K[]) => Promise<Batch<B, Late>>,
  keys: Iterable<K> | AsyncIterable<K>,
  { window, limit, ordered, onError, missing }: StreamPlan<B>,
  signal: AbortSignal | undefined,
): Stream<B> {
  const plan = { window, limit, ordered, signal, keep: limit - 1 }
  const flights = new Flights<K, Batch<B, Late>>(keys, plan, (some, from) =>
    send(some).catch((error: unknown) => {
      throw isInvalid(error) ? new Rejection(withRow(error, from)) : error
    }),
  )
  try {
    for (;;) {
      const flight = flights.next()
      if (flight === null) break
      if (flight === undefined) {
        await flights.news()
        continue
      }
      const { failure, from, value } = flight
      if (failure === undefined) {
        for (const result of settled(value as Batch<B, Late>, onError, missing, from)) yield result
      } else if (failure.error instanceof Rejection) {
        // The input ends there; what was sent before has its results.
        flights.endInput(failure.error.reason)
      } else {
        throw failure.error
      }
    }
    if (flights.failure !== undefined) throw flights.failure.error
  } finally {
    await flights.end()
  }
}

/** `getStream` of a client or a dataset. */
export function getStream<K, B extends object>(
  verbs: ManyVerbs<K, B>,
  keys: Iterable<K> | AsyncIterable<K>,
  options: GetStreamOptions<B> = {},
): Stream<B> {
  const ofStream: { [name: string]: unknown } = {}
  const ofCalls: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(options)) {
    if ((STREAM as readonly string[]).includes(name)) ofStream[name] = value
    else if ((GET_MANY as readonly string[]).includes(name)) ofCalls[name] = value
    else {
      const known = [...STREAM, ...GET_MANY].sort().join(', ')
      throw new TypeError(`unknown option ${name}; there are: ${known}`)
    }
  }
  const plan = streamPlan<B>(ofStream, 'keep', true)
  if (!isIterable(keys)) {
    throw new TypeError(`keys must be an iterable of keys, not ${kindOf(keys)}`)
  }
  return streamed((some: K[]) => verbs.getMany(some, ofCalls), keys, plan, options.signal)
}

/** The rejection of a window before it was sent. */
class Rejection {
  readonly reason: Error
  constructor(reason: Error) {
    this.reason = reason
  }
}

/** Whether an error is about the input. Test runners have classes of their own per file. */
function isInvalid(error: unknown): error is Error {
  const name = (error as Error | undefined)?.name
  return name === 'TypeError' || name === 'RangeError'
}

/** Counts the row in an error's message from the beginning of the stream. */
function withRow(error: Error, from: number): Error {
  const message = error.message.replace(/^row (\d+)/, (_, row) => `row ${from + Number(row)}`)
  return error.name === 'TypeError' ? new TypeError(message) : new RangeError(message)
}
