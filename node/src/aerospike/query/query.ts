/** Queries: scans and index queries, with back-pressure. */

import type { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { type Callback, checkCallback, outcome } from '../../bridge/callbacks.js'
import type { Connection } from '../../bridge/connection.js'
import { onAbort } from '../../bridge/signals.js'
import { executor, openSlot, rejectCall } from '../../bridge/slots.js'
import { type QueryStreamOptions, streamOf } from '../../bridge/stream.js'
import {
  type ColumnOptions,
  type ColumnParts,
  Columns,
  tableArguments,
} from '../command/columns.js'
import {
  type DetailOptions,
  RETRY,
  type Replica,
  type RetryOptions,
  toNativeOptions,
  type Where,
} from '../command/options.js'
import { QueryClosed, QueryPaused } from '../model/errors.js'
import type { Key, UserKey } from '../model/key.js'
import { spaceNames, spaceNumber } from '../model/key.js'
import { native, type QueryRun, type Space } from '../model/native.js'
import type { Bins, Record } from '../model/record.js'
import type { BinValue } from '../model/values.js'
import type { Operation } from '../operation/operation.js'
import type { Conversion } from '../typed/conversion.js'
import { beginCall, partsOf } from './job.js'
import { Page } from './page.js'
import { type PlanParts, type QueryPlan, toPlan, withTexts } from './plan.js'
import type { IndexRange } from './range.js'

/** A range of a namespace's 4,096 partitions. */
export interface PartitionRange {
  /** The first partition, from 0 to 4,095. */
  first: number
  /** The number of partitions, at least 1. */
  count: number
}

/** Options of a query. Durations are in milliseconds. */
export interface QueryOptions extends RetryOptions, DetailOptions {
  /**
   * Return only records for which this is true. If it is a text and every node has version 8.2 or
   * later, the nodes read it themselves and choose a secondary index for it; otherwise it is compiled
   * here, and every record is examined. Default: no filter.
   */
  where?: Where | undefined
  /**
   * Return only these records of a secondary index. Or the name of the index that the nodes should
   * prefer for a text in `where`, if they can use it. Default: all records, or the nodes' choice.
   */
  index?: IndexRange | string | undefined
  /**
   * Fail with `IndexNotFound` rather than examine every record. Needs nodes that choose an index, so
   * a text in `where` and servers from 8.2 on. Default: false.
   */
  requireIndex?: boolean | undefined
  /**
   * Fail with `IndexNotFound` unless the index that `index` names can be used. Needs the same.
   * Default: false.
   */
  requireHint?: boolean | undefined
  /** `false`: compile a text in `where` here on every server. Default: true. */
  serverFilter?: boolean | undefined
  /**
   * The bins to read; records without any of them are left out. Default: all bins. An empty array
   * means `includeValues: false`.
   */
  bins?: readonly string[] | undefined
  /** Read operations from `op`; each record has their `results`. Needs server 8.1.2. */
  operations?: readonly Operation[] | undefined
  /** `false`: return only keys, generations and times to live. Default: true. */
  includeValues?: boolean | undefined
  /** The maximum number of records, from 1 to 4,294,967,295. Default: no limit. */
  limit?: number | undefined
  /** A partition's number, or a range of partitions. Default: all. */
  partitions?: number | PartitionRange | undefined
  /** Return only records after this one in its partition, in the order of digests. */
  after?: UserKey | Key | undefined
  /** The number of records that `page()` returns, from 1 to 1,000,000. */
  pageSize?: number | undefined
  /** The cursor of a page, or of a query with the same options; may come from Python. */
  resume?: Uint8Array | undefined
  /** The maximum number of records per second on each node. Default: no limit. */
  recordsPerSecond?: number | undefined
  /** The number of nodes to read at the same time. Default: all. */
  concurrentNodes?: number | undefined
  /** Which replicas to read. Default: the client's. */
  replica?: Replica | undefined
  /**
   * How long a node may be silent before its partitions are read from another one, and how long a
   * node waits for a program that takes no records before the query fails with `QueryPaused`; 0: no
   * limit. Default: the client's, or 30,000 if it has none.
   */
  socketTimeout?: number | undefined
  /** Total time limit; 0: no limit. Default: no limit; the client's `timeout` does not apply. */
  timeout?: number | undefined
  /** Ends the query; pending calls are rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

const QUERY = [
  ...([
    'where',
    'index',
    'requireIndex',
    'requireHint',
    'serverFilter',
    'bins',
    'operations',
    'includeValues',
    'limit',
    'partitions',
    'after',
  ] as const),
  ...(['pageSize', 'resume', 'recordsPerSecond', 'concurrentNodes', 'replica'] as const),
  ...(['socketTimeout', 'timeout', 'signal', 'errorDetails'] as const),
  ...RETRY,
]

/** Ends queries that became unreachable without having been closed. */
const forgotten = new FinalizationRegistry((query: number) => native.queryClose(query, 0))

const DONE = Object.freeze({ value: undefined, done: true as const })

/**
 * A scan or an index query; created by `dataset.query` or `client.query`. Nothing is sent until the
 * first record is requested; then all nodes are read at the same time. If a node fails, others take
 * over: no record is returned twice, and none is missed.
 *
 * Iterate over it once, with `for await`. Memory use stays small however many records there are,
 * because the nodes wait until records are taken. Leaving the loop ends the query; so do `close()`,
 * `using` and `await using`.
 *
 * @typeParam B - the bins of its records
 */
export class Query<B extends object = Bins>
  implements AsyncIterableIterator<Record<B>, undefined, undefined>
{
  /** @internal Also keeps the client reachable. */
  readonly connection: Connection
  /** For `using query = users.query()`, if the runtime supports it. */
  declare readonly [Symbol.dispose]: () => void
  /** For `await using query = users.query()`, if the runtime supports it. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>
  readonly #space: Space
  readonly #conversion: Conversion | undefined
  readonly #operations: readonly Operation[] | undefined
  /** The arguments of the query, for an aggregation. */
  readonly #selection: [Space, unknown, unknown, unknown]
  readonly #pageSize: number
  readonly #signal: AbortSignal | undefined
  #query: number
  /** Records that have arrived and not been handed out. */
  #ready: Record<B>[] = []
  #at = 0
  /** How many records were handed out since the native part was last informed. */
  #consumed = 0
  #filling: Promise<boolean> | undefined
  /** Whether other tasks could run since the last records arrived. */
  #hasRested = true
  #isOver = false
  /** The final cursor, once the query has ended, failed or been closed. */
  #end: Buffer | undefined
  #reason: { error: unknown } | undefined
  /** Removes the listener of its signal. */
  #unwatch: (() => void) | undefined

  /** @internal */
  constructor(
    connection: Connection,
    space: Space,
    options: QueryOptions | undefined,
    wireOf: (key: UserKey | Key) => unknown,
    conversion?: Conversion,
  ) {
    connection.check()
    if (conversion !== undefined) options = selecting(conversion, options)
    this.#conversion = conversion
    this.#operations = options?.operations
    const nativeOptions = withTexts(toNativeOptions(options, QUERY), options)
    const signal = options?.signal
    signal?.throwIfAborted()
    const after = options?.after
    const wire = after === undefined || after === null ? undefined : wireOf(after)
    const range = typeof options?.index === 'string' ? undefined : options?.index
    const index = partsOf(range)
    this.#query = native.query(connection.handle, space, nativeOptions, wire, index)
    this.#selection = [space, nativeOptions, wire, index]
    this.connection = connection
    this.#space = space
    this.#pageSize = options?.pageSize ?? 0
    this.#signal = signal
    forgotten.register(this, this.#query, this)
    if (signal !== undefined) {
      // The signal may live long and must not keep an otherwise unreachable query alive.
      const query = new WeakRef(this)
      this.#unwatch = onAbort(signal, () => {
        const reached = query.deref()
        if (reached !== undefined) reached.#fail(signal.reason)
      })
    }
  }

  /** Returns the query itself, which can be iterated over once. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Record<B>, undefined, undefined> {
    return this
  }

  /** The next record. */
  next(callback: Callback<IteratorResult<Record<B>, undefined>>): void
  next(): Promise<IteratorResult<Record<B>, undefined>>
  next(
    callback?: Callback<IteratorResult<Record<B>, undefined>>,
  ): Promise<IteratorResult<Record<B>, undefined>> | undefined {
    checkCallback(callback)
    if (callback) return outcome(this.next(), callback)
    if (this.#at < this.#ready.length && this.#reason === undefined) {
      return Promise.resolve({ value: this.#take(), done: false })
    }
    return this.#next()
  }

  async #next(): Promise<IteratorResult<Record<B>, undefined>> {
    while (await this.#fill()) {
      // Another call may have taken the records.
      if (this.#at < this.#ready.length) return { value: this.#take(), done: false }
    }
    return DONE
  }

  /** Ends the query; called by `for await` when the loop is left. */
  return(): Promise<IteratorResult<Record<B>, undefined>> {
    this.close()
    return Promise.resolve(DONE)
  }

  /**
   * The next `pageSize` records, and the cursor behind them. The last page may be empty.
   *
   * @throws RangeError without a `pageSize`; the errors of iterating
   */
  page(): Promise<Page<B>>
  page(callback: Callback<Page<B>>): void
  page(callback?: Callback<Page<B>>): Promise<Page<B>> | undefined {
    checkCallback(callback)
    return outcome(this.#page(), callback)
  }

  async #page(): Promise<Page<B>> {
    const size = this.#pageSize
    if (size === 0) throw new RangeError('the query has no pageSize')
    while (this.#ready.length - this.#at < size && (await this.#fill(size))) {}
    const records = this.#takeSome(size)
    return new Page(records, this.cursor, this.#isDone())
  }

  /**
   * The records in arrays of `size`; the last one may be shorter.
   *
   * @param size - from 1 to 1,000,000
   */
  async *batches(size: number): AsyncGenerator<Record<B>[], void, undefined> {
    if (!Number.isInteger(size) || size < 1 || size > 1_000_000) {
      throw new RangeError(`size must be from 1 to 1000000, got ${String(size)}`)
    }
    try {
      for (;;) {
        while (this.#ready.length - this.#at < size && (await this.#fill())) {}
        const batch = this.#takeSome(size)
        if (batch.length > 0) yield batch
        if (batch.length < size) return
      }
    } finally {
      this.close()
    }
  }

  /** The records as a stream in object mode with back-pressure. Destroying it ends the query. */
  stream(options?: QueryStreamOptions): Readable {
    return streamOf(this, options)
  }

  /**
   * The records as columns of typed arrays, one table at a time, each with up to `rows` records or
   * 4 MiB of data. No objects are created for records and values.
   *
   * ```ts
   * for await (const table of users.query().columns({ schema: { age: 'float64' } })) {
   *   const ages = table.get('age')?.values as Float64Array
   * }
   * ```
   *
   * The tables do not include records that were read one by one before. To continue with tables
   * after iterating, use a new query that resumes from this one's cursor.
   *
   * @throws TypeError, RangeError for a value that does not fit its column, with row and column;
   * resuming from `cursor` returns the table's records again
   */
  async *columns(options?: ColumnOptions): AsyncGenerator<Columns, void, undefined> {
    for await (const table of this.#tables(options, false)) {
      yield new Columns(table as [number, ColumnParts[]])
    }
  }

  /**
   * The records as Arrow tables, each as an IPC stream, which `tableFromIPC` of `apache-arrow`,
   * DuckDB, Polars and pyarrow can read. Divided into tables like `columns`.
   */
  async *arrow(options?: ColumnOptions): AsyncGenerator<Buffer, void, undefined> {
    for await (const stream of this.#tables(options, true)) yield stream as Buffer
  }

  async *#tables(
    options: ColumnOptions | undefined,
    asStream: boolean,
  ): AsyncGenerator<unknown, void, undefined> {
    const tableArgs = tableArguments(options)
    if (this.#reason !== undefined) throw this.#reason.error
    if (this.#isOver) return
    const tables = native.tables(this.#query, ...tableArgs)
    try {
      for (;;) {
        if (this.#reason !== undefined) throw (this.#reason as { error: unknown }).error
        this.connection.check()
        const table = native.tablesRead(tables, asStream)
        if (table === undefined) await this.#wait()
        else if (table === false) await new Promise((resolve) => setImmediate(resolve))
        else if (table === null) {
          this.#isOver = true
          return
        } else yield table
      }
    } catch (error) {
      throw this.#failed(error)
    } finally {
      native.release(tables)
      this.close()
    }
  }

  /**
   * Aggregates the records with a stream function of a registered module: each node runs it over
   * its own records, and their results are reduced here. Returns an array of the final values: one
   * value if the function ends with a `reduce`, none if there are no records.
   *
   * Applies to all records of the set, or of the query's `index`; other options that select records
   * do not apply.
   *
   * @param args - further arguments of the function, after the stream
   * @throws FunctionFailed with the function's error; NodeUnavailable if records moved between
   * nodes meanwhile; RangeError for options that do not apply
   */
  aggregate(module: string, name: string, args?: readonly BinValue[]): Promise<BinValue[]>
  aggregate(
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    callback: Callback<BinValue[]>,
  ): void
  aggregate(
    module: string,
    name: string,
    args?: readonly BinValue[],
    callback?: Callback<BinValue[]>,
  ): Promise<BinValue[]> | undefined {
    const [space, options, after, index] = this.#selection
    const begin = (client: number, slot: number) => {
      const call = [client, slot, space, options, after, index] as const
      const running = native.aggregate(...call, module, name, args)
      return () => native.aggregateGiveUp(running)
    }
    checkCallback(callback)
    const result = beginCall<BinValue[]>(this.connection, begin, this.#signal)
    this.close()
    return outcome(result, callback)
  }

  /**
   * How the query would be executed: whether the nodes read its filter and choose an index, and
   * which. On nodes before 8.2, and for a query that names its range of an index, says what the
   * client asks for. Reads no records, and does not start the query.
   *
   * @throws IndexNotFound if `requireIndex` or `requireHint` cannot be met; the errors of iterating
   */
  explain(): Promise<QueryPlan>
  explain(callback: Callback<QueryPlan>): void
  explain(callback?: Callback<QueryPlan>): Promise<QueryPlan> | undefined {
    const begin = (client: number, slot: number) => {
      const running = native.explain(client, slot, ...this.#selection)
      return () => native.aggregateGiveUp(running)
    }
    checkCallback(callback)
    const result = beginCall<PlanParts>(this.connection, begin, this.#signal)
    return outcome(result.then(toPlan), callback)
  }

  /**
   * The position behind the last record taken. Pass it as `resume` to a query with the same options
   * to continue, in this process or another, in Node.js or in Python. Also available after an error
   * and after `close()`.
   */
  get cursor(): Buffer {
    if (this.#end !== undefined) return Buffer.from(this.#end)
    return native.queryCursor(this.#query, this.#resetConsumed())
  }

  /**
   * Ends the query; the nodes stop sending. Further requests for records are rejected with
   * `QueryClosed`. Closing again has no effect.
   */
  close(): void {
    if (this.#isOver) this.#leave()
    else this.#fail(new QueryClosed('the query is closed', -5))
  }

  [inspect.custom](): string {
    const { namespace, set } = spaceNames(this.#space)
    const state = this.#reason !== undefined ? ', closed' : this.#isDone() ? ', at its end' : ''
    return `Query(${namespace}, ${set ?? 'null'}${state})`
  }

  /**
   * @internal Up to `most` records that are ready, waiting for some if necessary; none at the end.
   */
  async take(most: number): Promise<Record<B>[]> {
    while (this.#reason !== undefined || this.#at >= this.#ready.length) {
      if (!(await this.#fill())) return []
    }
    return this.#takeSome(most)
  }

  /** @internal A record that has arrived, without waiting; `undefined` if there is none. */
  takeOne(): Record<B> | undefined {
    return this.#reason === undefined && this.#at < this.#ready.length ? this.#take() : undefined
  }

  #take(): Record<B> {
    this.#consumed++
    const record = this.#ready[this.#at] as Record<B>
    this.#ready[this.#at++] = undefined as never
    return record
  }

  #takeSome(most: number): Record<B>[] {
    const some = this.#ready.slice(this.#at, this.#at + most)
    this.#at += some.length
    this.#consumed += some.length
    return some
  }

  /** How many records were handed out since the previous call. */
  #resetConsumed(): number {
    const consumed = this.#consumed
    this.#consumed = 0
    return consumed
  }

  #isDone(): boolean {
    if (this.#at < this.#ready.length) return false
    return this.#end !== undefined
      ? this.#isOver
      : native.queryOver(this.#query, this.#resetConsumed())
  }

  /** Waits for more records; returns whether there are any. `page`: how many the caller wants. */
  #fill(page = 0): Promise<boolean> {
    this.#filling ??= this.#read(page).finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #read(page: number): Promise<boolean> {
    for (;;) {
      if (this.#reason !== undefined) throw this.#reason.error
      if (this.#isOver) {
        if (this.#at >= this.#ready.length) this.#leave()
        return false
      }
      if (!this.#hasRested) {
        // Records that are already available must not starve other tasks.
        this.#hasRested = true
        await new Promise((resolve) => setImmediate(resolve))
        continue
      }
      let run: QueryRun | null | undefined
      try {
        this.connection.check()
        run = native.queryRead(this.#query, this.#resetConsumed(), page)
      } catch (error) {
        throw this.#failed(error)
      }
      if (run === undefined) {
        await this.#wait()
      } else if (run === null) {
        this.#isOver = true
      } else {
        this.#hasRested = false
        try {
          this.#add(run)
        } catch (error) {
          throw this.#failed(error)
        }
        return true
      }
    }
  }

  #wait(): Promise<void> {
    const woken = new Promise<void>(executor)
    const slot = openSlot()
    try {
      native.queryWait(this.#query, this.#resetConsumed(), slot)
    } catch (error) {
      rejectCall(slot, error)
    }
    return woken
  }

  #add([, records, digests, keys, sets]: QueryRun): void {
    let space = this.#space
    for (let at = 0; at < records.length; at++) {
      const set = sets[at]
      if (set !== undefined) space = spaceNumber(spaceNames(space).namespace, set)
      ;(records[at] as Record<B>).ofRow(space, digests[at], keys[at])
    }
    const conversion = this.#conversion
    if (conversion !== undefined) {
      for (let at = 0; at < records.length; at++) {
        records[at] = conversion.read(records[at] as Record<B>, this.#operations)
      }
    }
    const came = records as Record<B>[]
    this.#ready = this.#at < this.#ready.length ? [...this.#ready.slice(this.#at), ...came] : came
    this.#at = 0
  }

  #fail(error: unknown): void {
    if (this.#end !== undefined) return
    this.#reason = { error }
    this.#leave()
    this.#ready = []
    this.#at = 0
  }

  /** Marks the query as failed. */
  #failed(error: unknown): unknown {
    this.#fail(error)
    if (error instanceof QueryPaused) error.cursor = this.cursor
    return error
  }

  /** Releases the native query and remembers its cursor. */
  #leave(): void {
    if (this.#end !== undefined) return
    this.#end = native.queryClose(this.#query, this.#resetConsumed())
    forgotten.unregister(this)
    this.#unwatch?.()
  }
}

/** The options of a query whose records are converted: which bins are read. */
function selecting(
  conversion: Conversion,
  options: QueryOptions | undefined,
): QueryOptions | undefined {
  if (options?.operations !== undefined || options?.includeValues === false) return options
  const bins = conversion.selection(options?.bins)
  return bins === undefined ? options : { ...options, bins }
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
