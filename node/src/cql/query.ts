/** Queries: the rows of a statement page by page, at the pace of their reader. */

import type { Readable } from 'node:stream'
import { type QueryStreamOptions, streamOf } from '../stream.js'
import { SessionClosed } from './errors.js'
import type { Row, Rows } from './rows.js'

/** Asks for a page: the one that begins here. */
export type FetchPage<R> = (pagingState: Uint8Array | undefined) => Promise<Rows<R>>

const DONE = Object.freeze({ value: undefined, done: true as const })

/**
 * The rows of a statement, from `session.query`. Nothing is sent until the first row is asked for.
 *
 * Iterate over it once, with `for await`. While a page is read, the next one is fetched, and none
 * beyond that: however many rows there are, two pages are in memory. Leaving the loop ends the query;
 * so do `close()` and `await using`.
 *
 * @typeParam R - what a row is
 */
export class Query<R = Row> implements AsyncIterableIterator<R, undefined, undefined> {
  /** For `using query = session.query(...)`, where the runtime has it. */
  declare readonly [Symbol.dispose]: () => void
  /** For `await using query = session.query(...)`, where the runtime has it. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>
  readonly #fetch: FetchPage<R>
  readonly #signal: AbortSignal | undefined
  /** Rows that have come and are not handed out. */
  #ready: readonly R[] = []
  #at = 0
  /** Where the next page begins; `null` when there is none. */
  #state: Uint8Array | null | undefined
  /** The next page, which is under way. */
  #ahead: Promise<Rows<R>> | undefined
  #filling: Promise<Rows<R> | undefined> | undefined
  #isClosed = false
  #reason: { error: unknown } | undefined

  /** @internal */
  constructor(
    fetch: FetchPage<R>,
    pagingState: Uint8Array | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.#fetch = fetch
    this.#state = pagingState
    this.#signal = signal
  }

  /** Itself: a query is iterated over once. */
  [Symbol.asyncIterator](): this {
    return this
  }

  /** The next row. */
  next(): Promise<IteratorResult<R, undefined>> {
    const row = this.takeOne()
    if (row !== undefined) return Promise.resolve({ value: row, done: false })
    return this.#next()
  }

  async #next(): Promise<IteratorResult<R, undefined>> {
    while ((await this.#fill()) !== undefined) {
      // Another call may have taken what came.
      const row = this.takeOne()
      if (row !== undefined) return { value: row, done: false }
    }
    return DONE
  }

  /** Ends the query; `for await` calls this when the loop is left. */
  return(): Promise<IteratorResult<R, undefined>> {
    this.close()
    return Promise.resolve(DONE)
  }

  /**
   * The pages, each with its rows and with where the next one begins. Pages may be smaller than
   * `pageSize`, or empty, though there are more.
   */
  async *pages(): AsyncGenerator<Rows<R>, void, undefined> {
    try {
      for (;;) {
        const page = await this.#fill()
        if (page === undefined) return
        this.#at = this.#ready.length
        yield page
      }
    } finally {
      this.close()
    }
  }

  /**
   * The rows as a stream in object mode. It fetches as its consumer takes; destroying it ends the
   * query.
   */
  stream(options?: QueryStreamOptions): Readable {
    return streamOf(this, options)
  }

  /** Ends the query: no more pages are asked for. Closing twice does nothing. */
  close(): void {
    this.#isClosed = true
    this.#ready = []
    this.#at = 0
    this.#ahead = undefined
  }

  /** @internal More rows, several at a time: those that are ready, or none at the end. */
  async take(most: number): Promise<R[]> {
    while (this.#at >= this.#ready.length) {
      if ((await this.#fill()) === undefined) return []
    }
    const some = this.#ready.slice(this.#at, this.#at + most)
    this.#at += some.length
    return some
  }

  /** @internal A row that has come, without waiting; `undefined` where there is none. */
  takeOne(): R | undefined {
    if (this.#at >= this.#ready.length || this.#signal?.aborted) return undefined
    return this.#ready[this.#at++]
  }

  /** Lets the next page come; nothing where there is none. */
  #fill(): Promise<Rows<R> | undefined> {
    this.#filling ??= this.#read().finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #read(): Promise<Rows<R> | undefined> {
    if (this.#reason !== undefined) throw this.#reason.error
    this.#signal?.throwIfAborted()
    if (this.#state === null) return undefined
    if (this.#isClosed) throw new SessionClosed('the query is closed')
    try {
      const page = await (this.#ahead ?? this.#fetch(this.#state))
      // It was closed meanwhile.
      if (this.#isClosed) return undefined
      this.#ahead = undefined
      this.#ready = page.rows
      this.#at = 0
      this.#state = page.pagingState
      if (page.pagingState !== null) {
        this.#ahead = this.#fetch(page.pagingState)
        // What goes wrong is said when the page is asked for.
        this.#ahead.catch(() => undefined)
      }
      return page
    } catch (error) {
      this.#reason = { error }
      throw error
    }
  }
}

const dispose: symbol = Symbol.dispose ?? Symbol.for('nodejs.dispose')
const asyncDispose: symbol = Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')
Object.defineProperty(Query.prototype, dispose, {
  value(this: Query) {
    this.close()
  },
})
Object.defineProperty(Query.prototype, asyncDispose, {
  async value(this: Query) {
    this.close()
  },
})
