/** Tracing of queries. Nothing is sent before the first record is requested, so spans start then. */

import type { Readable } from 'node:stream'
import type { Call } from './call.js'
import { viewOf } from './proxy.js'

/** Ends the spans of iterators that became unreachable. */
const forgotten = new FinalizationRegistry((call: Call) => call.end())

/** Iterates over an iterator; the span ends with it. */
class TracedIterator implements AsyncGenerator<unknown, void, undefined> {
  readonly #items: AsyncIterator<unknown>
  readonly #call: Call
  /** For `await using`, if the runtime supports it. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>

  constructor(items: AsyncIterator<unknown>, call: Call) {
    this.#items = items
    this.#call = call
    forgotten.register(this, call, this)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<unknown, void>> {
    try {
      const result = await this.#items.next()
      if (result.done) this.#end()
      return result as IteratorResult<unknown, void>
    } catch (error) {
      this.#end(error)
      throw error
    }
  }

  async return(): Promise<IteratorResult<unknown, void>> {
    this.#end()
    await this.#items.return?.()
    return { value: undefined, done: true }
  }

  async throw(error: unknown): Promise<IteratorResult<unknown, void>> {
    this.#end(error)
    await this.#items.throw?.(error)
    return { value: undefined, done: true }
  }

  #end(error?: unknown): void {
    forgotten.unregister(this)
    this.#call.end(error)
  }
}

const asyncDispose: symbol = Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')
Object.defineProperty(TracedIterator.prototype, asyncDispose, {
  async value(this: TracedIterator) {
    await this.return()
  },
})

/** Methods that return an asynchronous iterator. */
const ITERATING = ['batches', 'columns', 'arrow', 'pages']
/** Methods that return a promise. */
const AWAITED = ['page', 'aggregate', 'explain']

/** A view of a query with a span for each way of reading it. */
export function traceQuery<Q extends AsyncIterableIterator<unknown>>(
  query: Q,
  begin: () => Call,
): Q {
  /** The iterator behind `next` and `for await`. */
  let reading: TracedIterator | undefined
  /** The call behind `take`, which reads in parts. */
  let taking: Call | undefined
  const read = (): TracedIterator => {
    reading ??= new TracedIterator(query, begin())
    return reading
  }
  return viewOf(query, (name, method) => {
    if (name === Symbol.asyncIterator) return read
    if (name === 'next') return () => read().next()
    if (name === 'return') return () => (reading === undefined ? method() : reading.return())
    if (name === 'stream') {
      return (...args) => {
        const call = begin()
        const stream = method(...args) as Readable
        // Not on 'error': a listener would keep it from being an uncaught exception.
        stream.once('close', () => call.end(stream.errored ?? undefined))
        return stream
      }
    }
    if (name === 'take') {
      return async (...args) => {
        taking ??= begin()
        try {
          const rows = (await method(...args)) as { length: number }
          if (rows.length === 0) taking.end()
          return rows
        } catch (error) {
          taking.end(error)
          throw error
        }
      }
    }
    if (typeof name === 'string' && ITERATING.includes(name)) {
      return (...args) => new TracedIterator(method(...args) as AsyncIterator<unknown>, begin())
    }
    if (typeof name === 'string' && AWAITED.includes(name)) {
      return (...args) => begin().run(method, args)
    }
    if (name === 'close' || name === Symbol.dispose || name === asyncDispose) {
      return (...args) => {
        const closed = method(...args)
        if (reading !== undefined) void reading.return()
        taking?.end()
        return closed
      }
    }
    return undefined
  })
}
