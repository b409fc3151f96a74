/** Queries: the rows of a statement, fetched page by page as they are consumed. */

import type { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { type Callback, checkCallback, outcome } from '../bridge/callbacks.js'
import { type QueryStreamOptions, streamOf } from '../bridge/stream.js'
import { SessionClosed } from './errors.js'
import type { Row, Rows } from './rows.js'

/** Fetches the page that starts at a paging state. */
export type FetchPage<R> = (pagingState: Uint8Array | undefined) => Promise<Rows<R>>

const DONE = Object.freeze({ value: undefined, done: true as const })

/**
 * The rows of a statement; created by `session.query`. Nothing is sent until the first row is
 * requested.
 *
 * Iterate over it once, with `for await`. While a page is being read, the next one is fetched, but
 * none beyond that: at most two pages are in memory, however many rows there are. Leaving the loop
 * ends the query; so do `close()` and `await using`.
 *
 * @typeParam R - the type of a row
 */
export class Query<R = Row> implements AsyncIterableIterator<R, undefined, undefined> {
  /** For `using query = session.query(...)`, if the runtime supports it. */
  declare readonly [Symbol.dispose]: () => void
  /** For `await using query = session.query(...)`, if the runtime supports it. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>
  readonly #fetch: FetchPage<R>
  /** Fetches a page as an Arrow IPC stream, its only row. */
  readonly #fetchArrow: FetchPage<Buffer>
  readonly #signal: AbortSignal | undefined
  /** Rows that have arrived and not been handed out. */
  #ready: readonly R[] = []
  #at = 0
  /** Where the next page starts; `null` if there is none. */
  #state: Uint8Array | null | undefined
  /** The next page, being fetched. */
  #ahead: Promise<Rows<R>> | undefined
  #filling: Promise<Rows<R> | undefined> | undefined
  #isClosed = false
  #reason: { error: unknown } | undefined

  /** @internal */
  constructor(
    fetch: FetchPage<R>,
    fetchArrow: FetchPage<Buffer>,
    pagingState: Uint8Array | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.#fetch = fetch
    this.#fetchArrow = fetchArrow
    this.#state = pagingState
    this.#signal = signal
  }

  /** Returns the query itself, which can be iterated over once. */
  [Symbol.asyncIterator](): AsyncIterableIterator<R, undefined, undefined> {
    return this
  }

  /** The next row. */
  next(callback: Callback<IteratorResult<R, undefined>>): void
  next(): Promise<IteratorResult<R, undefined>>
  next(
    callback?: Callback<IteratorResult<R, undefined>>,
  ): Promise<IteratorResult<R, undefined>> | undefined {
    checkCallback(callback)
    if (callback) return outcome(this.next(), callback)
    const row = this.takeOne()
    if (row !== undefined) return Promise.resolve({ value: row, done: false })
    return this.#next()
  }

  async #next(): Promise<IteratorResult<R, undefined>> {
    while ((await this.#fill()) !== undefined) {
      // Another call may have taken the rows.
      const row = this.takeOne()
      if (row !== undefined) return { value: row, done: false }
    }
    return DONE
  }

  /** Ends the query; called by `for await` when the loop is left. */
  return(): Promise<IteratorResult<R, undefined>> {
    this.close()
    return Promise.resolve(DONE)
  }

  /**
   * The pages, each with its rows and the paging state of the next one. A page may have fewer rows
   * than `pageSize`, or none, even if it is not the last.
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
   * The remaining pages as Arrow tables, each as an IPC stream, which `tableFromIPC` of `apache-arrow`,
   * DuckDB, Polars and pyarrow can read. While a table is being read, the next page is fetched. A
   * decimal column has the scale of its page.
   *
   * @throws RangeError if rows of a page were taken before: then start another query
   */
  async *arrow(): AsyncGenerator<Buffer, void, undefined> {
    if (this.#at < this.#ready.length || this.#ahead !== undefined) {
      throw new RangeError('rows of this query were taken one by one: use another query for tables')
    }
    const pages = new Query<Buffer>(
      this.#fetchArrow,
      this.#fetchArrow,
      this.#state ?? undefined,
      this.#signal,
    )
    if (this.#state === null) return
    if (this.#isClosed) throw new SessionClosed('the query is closed')
    try {
      for await (const page of pages.pages()) {
        yield page.rows[0] as Buffer
        if (this.#isClosed) return
      }
    } finally {
      pages.close()
      this.close()
    }
  }

  /** The rows as a stream in object mode with back-pressure. Destroying it ends the query. */
  stream(options?: QueryStreamOptions): Readable {
    return streamOf(this, options)
  }

  /** Ends the query; no further pages are fetched. Closing again has no effect. */
  close(): void {
    this.#isClosed = true
    this.#ready = []
    this.#at = 0
    this.#ahead = undefined
  }

  [inspect.custom](): string {
    if (this.#isClosed || this.#reason !== undefined) return 'Query(closed)'
    const ready = this.#ready.length - this.#at
    return `Query(${ready} rows ready${this.#state === null ? ', on its last page' : ''})`
  }

  /** @internal Up to `most` rows that are ready, waiting for some if necessary; none at the end. */
  async take(most: number): Promise<R[]> {
    while (this.#at >= this.#ready.length) {
      if ((await this.#fill()) === undefined) return []
    }
    const some = this.#ready.slice(this.#at, this.#at + most)
    this.#at += some.length
    return some
  }

  /** @internal A row that has arrived, without waiting; `undefined` if there is none. */
  takeOne(): R | undefined {
    if (this.#at >= this.#ready.length || this.#signal?.aborted) return undefined
    return this.#ready[this.#at++]
  }

  /** Waits for the next page; `undefined` at the end. */
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
      // The query was closed meanwhile.
      if (this.#isClosed) return undefined
      this.#ahead = undefined
      this.#ready = page.rows
      this.#at = 0
      this.#state = page.pagingState
      if (page.pagingState !== null) {
        this.#ahead = this.#fetch(page.pagingState)
        // The error is thrown when the page is requested.
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
