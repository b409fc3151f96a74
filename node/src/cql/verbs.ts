/** The verbs of sessions. */

import type { Slot } from '../addon/native.js'
import { type Callback, checkCallback, outcome, withSignal } from '../bridge/callbacks.js'
import { commands } from '../bridge/channels.js'
import type { Connection } from '../bridge/connection.js'
import { untilAborted } from '../bridge/signals.js'
import { convertOutcome, executor, openSlot, rejectCall } from '../bridge/slots.js'
import { checkOptions } from '../options/check.js'
import { closeTable } from '../tables/source.js'
import { Batch, type BatchKind, type Entry, KINDS } from './batch.js'
import {
  Flow,
  type Late,
  type ManyOptions,
  type ManySettings,
  manySettings,
  sourceOf,
  stopWhenAborted,
} from './many.js'
import { BOUND, native, type PageForm } from './native.js'
import {
  type BatchOptions,
  type ExecuteOptions,
  forPreparing,
  KNOWN,
  type PrepareOptions,
} from './options.js'
import { Bound, type Parameters, Prepared, type Statement } from './prepared.js'
import { publishStatement } from './published.js'
import { Query } from './query.js'
import type { Row, Rows } from './rows.js'
import {
  boundNumber,
  copied,
  hasValues,
  mayBeOutdated,
  nameOf,
  numberOf,
  sendBound,
  sendPrepared,
} from './statements.js'
import { isTable, type ParameterTable, parameterRows } from './tables.js'
import { readTrace, type Trace, type TraceOptions } from './trace.js'

/** The rows of parameters for `executeMany`: one by one, or a table with the parameters' names. */
export type ManyRows = Iterable<Parameters> | AsyncIterable<Parameters> | ParameterTable

/** The maximum number of prepared texts that are cached. */
const MOST_TEXTS = 1000
/** Matches statements that may change the keyspace; a leading comment may hide one. */
const MAY_USE = /^\s*(?:use\b|--|\/\/|\/\*)/i

/** The methods of a session that execute statements. */
export abstract class Verbs {
  readonly #connection: Connection
  /** Prepared statements of texts with parameters, by keyspace and text. */
  readonly #texts = new Map<string, Prepared>()
  /** Texts that are being prepared. */
  readonly #preparing = new Map<string, Promise<Prepared>>()
  /** Statements that are being prepared as they are now. */
  readonly #renewing = new Map<Prepared, Promise<void>>()

  /** @internal */
  protected constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Executes a statement and returns all of its rows. For large results, prefer `query` or `page`.
   *
   * Text with parameters (`?` or `:name`) is prepared on first use; values are never inserted into
   * the text.
   *
   * @param statement - text, a prepared statement, or a bound one
   * @param parameters - in order, or by name
   * @throws TypeError, RangeError for values that do not fit, with column and type, before anything
   * is sent; CqlError for errors from the server
   */
  execute<R = Row>(
    statement: Statement,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Promise<Rows<R>>
  execute<R = Row>(statement: Statement, callback: Callback<Rows<R>>): void
  execute<R = Row>(
    statement: Statement,
    parameters: Parameters | null | undefined,
    callback: Callback<Rows<R>>,
  ): void
  execute<R = Row>(
    statement: Statement,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions,
    callback: Callback<Rows<R>>,
  ): void
  execute<R = Row>(
    statement: Statement,
    parameters?: Parameters | null | Callback<Rows<R>>,
    options?: ExecuteOptions | Callback<Rows<R>>,
    callback?: Callback<Rows<R>>,
  ): Promise<Rows<R>> | undefined {
    return this.#rows(false, statement, parameters, options, callback)
  }

  /**
   * Executes a statement and returns one page of its rows. Pass the result's `pagingState` as an
   * option to get the next page, in this process or another.
   *
   * @throws the errors of `execute`
   */
  page<R = Row>(
    statement: Statement,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Promise<Rows<R>>
  page<R = Row>(statement: Statement, callback: Callback<Rows<R>>): void
  page<R = Row>(
    statement: Statement,
    parameters: Parameters | null | undefined,
    callback: Callback<Rows<R>>,
  ): void
  page<R = Row>(
    statement: Statement,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions,
    callback: Callback<Rows<R>>,
  ): void
  page<R = Row>(
    statement: Statement,
    parameters?: Parameters | null | Callback<Rows<R>>,
    options?: ExecuteOptions | Callback<Rows<R>>,
    callback?: Callback<Rows<R>>,
  ): Promise<Rows<R>> | undefined {
    return this.#rows(true, statement, parameters, options, callback)
  }

  /**
   * Executes a statement and fetches its rows page by page as they are consumed. Returns an object
   * to iterate over with `for await`.
   *
   * @throws TypeError for unknown options; iterating throws the errors of `execute`
   */
  query<R = Row>(
    statement: Statement,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Query<R> {
    this.#connection.check()
    const nativeOptions = {
      ...(checkOptions(options, KNOWN.EXECUTE) as ExecuteOptions | undefined),
    }
    const { pagingState, signal } = nativeOptions
    signal?.throwIfAborted()
    // Later changes by the caller must not affect later pages.
    const values = copied(parameters)
    const fetch = (pagingState: Uint8Array | undefined) =>
      this.page<R>(statement, values, { ...options, pagingState })
    const fetchArrow = (pagingState: Uint8Array | undefined) =>
      this.#execute<Buffer>('arrowPage', statement, values, { ...options, pagingState })
    return new Query<R>(fetch, fetchArrow, pagingState, signal)
  }

  /**
   * Executes a statement and returns all of its rows as an Arrow IPC stream, which `tableFromIPC` of
   * `apache-arrow`, DuckDB, Polars and pyarrow can read. No objects are created for rows and values.
   * For large results, prefer `query(...).arrow()`.
   *
   * @throws the errors of `execute`
   */
  executeArrow(
    statement: Statement,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Promise<Buffer>
  executeArrow(statement: Statement, callback: Callback<Buffer>): void
  executeArrow(
    statement: Statement,
    parameters: Parameters | null | undefined,
    callback: Callback<Buffer>,
  ): void
  executeArrow(
    statement: Statement,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions,
    callback: Callback<Buffer>,
  ): void
  executeArrow(
    statement: Statement,
    parameters?: Parameters | null | Callback<Buffer>,
    options?: ExecuteOptions | Callback<Buffer>,
    callback?: Callback<Buffer>,
  ): Promise<Buffer> | undefined {
    if (typeof parameters === 'function') {
      return this.executeArrow(statement, null, {}, parameters) as undefined
    }
    if (typeof options === 'function') {
      return this.executeArrow(statement, parameters, {}, options) as undefined
    }
    checkCallback(callback)
    const result = this.#execute<Buffer>('arrow', statement, parameters, options)
    return outcome(
      result.then(({ rows }) => rows[0] as Buffer),
      callback,
    )
  }

  /**
   * Executes a statement with each row of parameters, with up to `concurrency` of them in flight,
   * and returns the results in the order of the rows. Rows are executed in no particular order.
   *
   * @param statement - text, which is prepared, or a prepared statement
   * @param rows - the parameters of each row; any iterable, also asynchronous or endless: it is
   * read as results arrive. Or a table whose columns have the names of the parameters: one of
   * `apache-arrow`, Arrow IPC bytes, or an object of typed arrays and arrays.
   * @throws the error of the first row that fails, as from `execute`, with the row's number from 0
   * in `row`; no more rows are taken then, and those in flight are awaited
   */
  executeMany<R = Row>(
    statement: string | Prepared,
    rows: ManyRows,
    options?: ManyOptions & {
      errors?: 'raise' | undefined
      results?: true | undefined
      deadline?: undefined
    },
  ): Promise<Rows<R>[]>
  executeMany<R = Row>(
    statement: string | Prepared,
    rows: ManyRows,
    options: ManyOptions & {
      errors: 'return'
      results?: true | undefined
      deadline?: undefined
    },
  ): Promise<(Rows<R> | Error)[]>
  executeMany<R = Row>(
    statement: string | Prepared,
    rows: ManyRows,
    options: ManyOptions & {
      errors?: 'raise' | undefined
      results?: true | undefined
      deadline: number
    },
  ): Promise<(Rows<R> | Late)[]>
  executeMany(
    statement: string | Prepared,
    rows: ManyRows,
    options: ManyOptions & { errors?: 'raise' | undefined; results: false },
  ): Promise<number>
  executeMany<R = Row>(
    statement: string | Prepared,
    rows: ManyRows,
    options?: ManyOptions,
  ): Promise<(Rows<R> | Error | Late)[] | number>
  executeMany<R = Row>(
    statement: string | Prepared,
    rows: ManyRows,
    options: ManyOptions,
    callback: Callback<(Rows<R> | Error | Late)[] | number>,
  ): void
  executeMany(
    statement: string | Prepared,
    rows: ManyRows,
    options?: ManyOptions,
    callback?: (error: Error | null, value?: never) => void,
  ): Promise<unknown> | undefined {
    checkCallback(callback)
    let promise = this.#executeMany(statement, rows, options)
    if (commands.hasSubscribers) promise = publishStatement(promise, 'executeMany', statement)
    return outcome(promise, callback as Callback<unknown>)
  }

  /**
   * Prepares a statement.
   *
   * @throws SyntaxException, InvalidRequest if the server rejects the statement
   */
  prepare(text: string, options?: PrepareOptions): Promise<Prepared>
  prepare(text: string, callback: Callback<Prepared>): void
  prepare(text: string, options: PrepareOptions, callback: Callback<Prepared>): void
  prepare(
    text: string,
    options?: PrepareOptions | Callback<Prepared>,
    callback?: Callback<Prepared>,
  ): Promise<Prepared> | undefined {
    if (typeof options === 'function') return this.prepare(text, {}, options) as undefined
    checkCallback(callback)
    let promise = this.#call<Prepared>(options?.signal, (session, slot) =>
      native.cqlPrepare(session, slot, text, checkOptions(options, KNOWN.PREPARE)),
    )
    if (commands.hasSubscribers) promise = publishStatement(promise, 'prepare', text)
    return outcome(promise, callback)
  }

  /**
   * Returns the trace of a statement executed with `tracing: true`: of its last page, or of one of
   * its `tracingIds`. Servers write traces after replying, so this waits until the trace is
   * complete.
   *
   * @throws Timeout if it is not complete in time
   */
  trace(result: Rows<unknown> | string, options?: TraceOptions): Promise<Trace>
  trace(result: Rows<unknown> | string, callback: Callback<Trace>): void
  trace(result: Rows<unknown> | string, options: TraceOptions, callback: Callback<Trace>): void
  trace(
    result: Rows<unknown> | string,
    options?: TraceOptions | Callback<Trace>,
    callback?: Callback<Trace>,
  ): Promise<Trace> | undefined {
    if (typeof options === 'function') return this.trace(result, {}, options) as undefined
    checkCallback(callback)
    const promise = readTrace((...args) => this.execute(...args), result, options)
    return outcome(promise, callback)
  }

  /** Creates a batch. */
  batch(kind: BatchKind = 'logged'): Batch {
    if (!KINDS.includes(kind)) {
      throw new RangeError(`kind must be one of ${KINDS.join(', ')}; got ${String(kind)}`)
    }
    return new Batch(kind, (entries, options, callback) => {
      const batchOptions = typeof options === 'function' ? undefined : options
      const onOutcome = typeof options === 'function' ? options : callback
      checkCallback(onOutcome)
      let promise = this.#batch(kind, entries, batchOptions)
      if (commands.hasSubscribers) promise = publishStatement(promise, 'batch', null)
      return outcome(promise, onOutcome)
    })
  }

  /**
   * @internal Executes a prepared statement for a drop-in, whose result `convert` makes of the rows as
   * they arrive; it must not call the program. `explain` throws the error that callers get.
   */
  static executeConverted<R, T>(
    session: Verbs,
    page: boolean,
    statement: Prepared,
    parameters: Parameters,
    options: ExecuteOptions | undefined,
    convert: (rows: Rows<R>) => T | Promise<T>,
    explain: (error: unknown) => never,
  ): Promise<T> {
    if (commands.hasSubscribers) {
      const rows = page
        ? session.page<R>(statement, parameters, options)
        : session.execute<R>(statement, parameters, options)
      return rows.then(convert, explain)
    }
    return session.#call<T>(undefined, (_, slot) => {
      convertOutcome(slot, convert, explain)
      session.#sendFitting(slot, page, statement, parameters, checkOptions(options, KNOWN.EXECUTE))
    })
  }

  #rows<R>(
    page: PageForm,
    statement: Statement,
    parameters: Parameters | null | undefined | Callback<Rows<R>>,
    options: ExecuteOptions | undefined | Callback<Rows<R>>,
    callback: Callback<Rows<R>> | undefined,
  ): Promise<Rows<R>> | undefined {
    if (typeof parameters === 'function') {
      return this.#rows(page, statement, undefined, undefined, parameters)
    }
    if (typeof options === 'function') {
      return this.#rows(page, statement, parameters, undefined, options)
    }
    checkCallback(callback)
    let promise = this.#execute<R>(page, statement, parameters, options)
    if (commands.hasSubscribers)
      promise = publishStatement(promise, page ? 'page' : 'execute', statement)
    return outcome(promise, callback)
  }

  #execute<R>(
    page: PageForm,
    statement: Statement,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions | undefined,
  ): Promise<Rows<R>> {
    if (typeof statement === 'string') {
      if (hasValues(parameters)) {
        const known = this.#texts.get(nameOf(statement, options))
        if (known !== undefined) return this.#execute(page, known, parameters, options)
        const values = copied(parameters)
        const preparing = this.#prepareText(statement, options)
        return untilAborted(preparing, options?.signal).then((prepared) =>
          this.#execute<R>(page, prepared, values, options),
        )
      }
      const promise = this.#call<Rows<R>>(options?.signal, (session, slot) =>
        native.cqlExecute(session, slot, page, statement, checkOptions(options, KNOWN.EXECUTE)),
      )
      if (MAY_USE.test(statement)) promise.then(() => this.#texts.clear(), ignore)
      return promise
    }
    return this.#call<Rows<R>>(options?.signal, (_, slot) => {
      this.#sendFitting(slot, page, statement, parameters, checkOptions(options, KNOWN.EXECUTE))
    })
  }

  /**
   * Sends a prepared or bound statement. If values do not fit, a node is asked once whether the
   * parameters have changed; for a bound one, the native part does that.
   */
  #sendFitting(
    slot: Slot,
    page: PageForm,
    statement: Prepared | Bound,
    parameters: Parameters | null | undefined,
    options: object | undefined,
  ): void {
    const session = this.#connection.handle
    if (statement instanceof Bound) {
      sendBound(session, slot, page, statement, parameters, options)
      return
    }
    try {
      sendPrepared(session, slot, page, statement, parameters, options)
    } catch (error) {
      if (!mayBeOutdated(error) || !(statement instanceof Prepared)) throw error
      const values = copied(parameters)
      this.#renew(statement)
        .catch(() => {
          throw error
        })
        .then(() => sendPrepared(session, slot, page, statement, values, options))
        .catch((error: unknown) => rejectCall(slot, error))
    }
  }

  /** Has a statement prepared as it is now, once even if several values wait for it. */
  #renew(statement: Prepared): Promise<void> {
    const prepared = Prepared.latest(statement)
    const under = this.#renewing.get(prepared)
    if (under !== undefined) return under
    const renewing = this.#call<Prepared>(undefined, (session, slot) =>
      native.cqlRenew(session, slot, numberOf(prepared)),
    ).then((now) => Prepared.renewed(prepared, now))
    this.#renewing.set(prepared, renewing)
    const over = (): boolean => this.#renewing.delete(prepared)
    renewing.then(over, over)
    return renewing
  }

  async #executeMany(
    statement: string | Prepared,
    rows: ManyRows,
    options: ManyOptions | undefined,
  ): Promise<unknown> {
    const [settings, each] = manySettings(options)
    const nativeOptions = checkOptions(each, KNOWN.MANY)
    options?.signal?.throwIfAborted()
    this.#connection.check()
    const table = isTable(rows) ? rows : undefined
    const source = table === undefined ? sourceOf(rows as Iterable<Parameters>) : undefined
    const prepared =
      typeof statement === 'string' ? await this.#prepareText(statement, each) : statement
    if ((prepared as unknown) instanceof Bound) {
      throw new TypeError(
        'executeMany takes a prepared statement, not a bound one: the rows are its values',
      )
    }
    numberOf(prepared)
    if (source === undefined) {
      return this.#executeTable(prepared, table as ParameterTable, settings, nativeOptions, options)
    }
    const flow = new Flow<Parameters>(settings, (slot, row) =>
      this.#sendFitting(slot, !settings.results, prepared, row, nativeOptions),
    )
    const length = Array.isArray(rows) ? rows.length : 0
    return stopWhenAborted(flow.run(source, length), flow, options?.signal)
  }

  /** Executes a statement with the rows of a table. */
  async #executeTable(
    prepared: Prepared,
    table: ParameterTable,
    settings: ManySettings,
    nativeOptions: object | undefined,
    options: ManyOptions | undefined,
  ): Promise<unknown> {
    const rows = parameterRows(table)
    if (Array.isArray(rows)) {
      const flow = new Flow<Parameters>(settings, (slot, row) =>
        this.#sendFitting(slot, !settings.results, prepared, row, nativeOptions),
      )
      const source = sourceOf<Parameters>(rows)
      return stopWhenAborted(flow.run(source, rows.length), flow, options?.signal)
    }
    const session = this.#connection.handle
    let bound: number | undefined
    try {
      bound = native.cqlTable(numberOf(Prepared.latest(prepared)), rows.handle)
      const number = bound
      const flow = new Flow<number>(settings, (slot, row) =>
        native.cqlExecuteRow(session, slot, number, row, nativeOptions),
      )
      const source = sourceOf(Array.from({ length: rows.rows }).keys())
      return await stopWhenAborted(flow.run(source, rows.rows), flow, options?.signal)
    } finally {
      closeTable(rows)
      if (bound !== undefined) native.release(bound)
    }
  }

  async #batch(
    kind: BatchKind,
    entries: readonly Entry[],
    options: BatchOptions | undefined,
  ): Promise<Rows> {
    const nativeOptions = checkOptions(options, KNOWN.BATCH)
    const used = new Set<Prepared>()
    try {
      return await this.#sendBatch(kind, entries, options, nativeOptions, used)
    } catch (error) {
      if (!mayBeOutdated(error) || used.size === 0) throw error
      // Their parameters may be other ones by now.
      try {
        for (const prepared of used) await this.#renew(prepared)
      } catch {
        throw error
      }
      return await this.#sendBatch(kind, entries, options, nativeOptions, used)
    }
  }

  /** Sends a batch; adds the prepared statements that it uses to `used`. */
  async #sendBatch(
    kind: BatchKind,
    entries: readonly Entry[],
    options: BatchOptions | undefined,
    nativeOptions: object | undefined,
    used: Set<Prepared>,
  ): Promise<Rows> {
    const statements: (string | number)[] = []
    const counts: number[] = []
    const values: unknown[] = []
    // Keeps the statements reachable until the batch is composed.
    const references: (Prepared | Bound)[] = []
    for (const { statement, parameters } of entries) {
      if (statement instanceof Bound) {
        references.push(statement)
        used.add(statement.prepared)
        statements.push(boundNumber(statement, parameters))
        counts.push(BOUND)
        continue
      }
      if (typeof statement === 'string' && !hasValues(parameters)) {
        statements.push(statement)
        counts.push(0)
        continue
      }
      const prepared = Prepared.latest(
        typeof statement === 'string'
          ? (this.#texts.get(nameOf(statement, options)) ??
              (await untilAborted(this.#prepareText(statement, options), options?.signal)))
          : statement,
      )
      used.add(prepared)
      const ordered = prepared.order(parameters)
      references.push(prepared)
      statements.push(numberOf(prepared))
      counts.push(ordered.length)
      values.push(...ordered)
    }
    return this.#call<Rows>(options?.signal, (session, slot) =>
      native.cqlBatch(
        session,
        slot,
        KINDS.indexOf(kind),
        nativeOptions,
        statements,
        counts,
        values,
      ),
    )
  }

  /** Prepares text with parameters, only once even if several statements wait for it. */
  #prepareText(text: string, options: PrepareOptions | undefined): Promise<Prepared> {
    const name = nameOf(text, options)
    const under = this.#preparing.get(name)
    if (under !== undefined) return under
    const preparing = this.prepare(text, forPreparing(options))
    this.#preparing.set(name, preparing)
    preparing.then(
      (prepared) => {
        this.#preparing.delete(name)
        if (this.#texts.size >= MOST_TEXTS) {
          for (const oldest of this.#texts.keys()) {
            this.#texts.delete(oldest)
            break
          }
        }
        this.#texts.set(name, prepared)
      },
      () => this.#preparing.delete(name),
    )
    return preparing
  }

  /** Creates a promise; `send` sends the request that settles it. */
  #call<T>(
    signal: AbortSignal | undefined,
    send: (session: number, slot: number) => void,
  ): Promise<T> {
    const promise = new Promise<T>(executor)
    const slot = openSlot()
    try {
      if (signal !== undefined) signal.throwIfAborted()
      const session = this.#connection.handle
      send(session, slot)
      if (signal !== undefined) {
        withSignal(promise, slot, signal, () => native.cqlAbandon(session, slot))
      }
    } catch (error) {
      rejectCall(slot, error)
    }
    return promise
  }
}

function ignore(): void {}
