/** Sends statements of a client to the native session, and makes results of its replies. */

import type { ExecuteOptions } from '../../cql/options.js'
import type { Statement } from '../../cql/prepared.js'
import { Rows } from '../../cql/rows.js'
import { Session } from '../../cql/session.js'
import type { ClientContext } from './contracts.js'
import { composite } from './conversion/routing.js'
import {
  ArgumentError,
  DriverError,
  NoHostAvailableError,
  OperationTimedOutError,
  ResponseError,
} from './errors.js'
import type { DefaultExecutionOptions } from './execution-options.js'
import { translated } from './failures.js'
import { Host, type HostMap } from './hosts.js'
import type { Metadata } from './metadata/metadata.js'
import { type ClientMetrics, isUnobserved } from './metrics.js'
import { nativeOptions } from './native-options.js'
import type { CompleteOptions } from './options.js'
import { byEngine } from './policies/load-balancing.js'
import { MonotonicTimestampGenerator } from './policies/timestamp-generation.js'
import { hasOwnCopies, isForEngine, runWithPolicies, type Send } from './policy-runs.js'
import type { ResultSet } from './result-set.js'
import { resultByEngine, resultOf } from './results.js'
import { type ArrayOrObject, isChange, type KnownStatement, Statements } from './statements.js'
import { responseErrorCodes } from './types/constants.js'
import type { Row } from './types/row.js'

/** Statements that change the schema. */
const CHANGES_SCHEMA = /^\s*(?:create|alter|drop)\b/i
/** Statements that change the keyspace. */
const CHANGES_KEYSPACE = /^\s*use\b/i

/** The keyspace that a statement names. */
const NAMED_KEYSPACE = /\b(?:from|into|update)\s+(?:"([^"]+)"|(\w+))\s*\.\s*[\w"]/i

/** Results with this many rows are large. */
const LARGE = 64

/** No options besides a statement's own. */
const NONE = {}

/** A client, as far as requests need it. */
export interface Requester extends ClientContext {
  keyspace: string | undefined
  readonly options: CompleteOptions
  readonly hosts: HostMap
  readonly metadata: Metadata
  readonly metrics: ClientMetrics
}

/** A statement of a batch. */
// biome-ignore lint/suspicious/noExplicitAny: the other driver's type
export type BatchQuery = string | { query: string; params?: any }

/** What is sent: a statement, or a batch. */
interface Request {
  readonly query: string | readonly BatchQuery[]
  readonly params: ArrayOrObject | null | undefined
  readonly options: DefaultExecutionOptions
}

/** When a request began, if anybody is told how long it takes. */
type Start = [number, number] | undefined

/** The requests of a connected client. */
export class Requests {
  readonly statements: Statements
  readonly #client: Requester
  readonly #session: Session
  readonly #hasOwnTimestamps: boolean
  /** The keyspace of the session. */
  #keyspace: string | undefined

  constructor(client: Requester, session: Session) {
    const { encoding, maxPrepared, policies } = client.options
    this.#client = client
    this.#session = session
    this.statements = new Statements(session, encoding, maxPrepared, (type, message) =>
      client.log(type, message),
    )
    this.#keyspace = session.keyspace ?? undefined
    const generator = policies.timestampGeneration
    this.#hasOwnTimestamps =
      generator !== null && generator.constructor !== MonotonicTimestampGenerator
  }

  /** The keyspace for one statement, if the protocol has that. */
  #ownKeyspace(options: DefaultExecutionOptions): string | undefined {
    const keyspace = options.getRawQueryOptions().keyspace
    return keyspace !== undefined && this.#session.protocolVersion >= 5 ? keyspace : undefined
  }

  /**
   * Executes a statement and returns one page of its rows.
   *
   * @throws the errors of `client.execute`
   */
  execute(
    query: string,
    params: ArrayOrObject | null | undefined,
    options: DefaultExecutionOptions,
  ): Promise<ResultSet> {
    // No async function: each costs time, and most executions need none.
    try {
      if (typeof query !== 'string' || query === '') {
        throw new ArgumentError('the statement must be a string that is not empty')
      }
      if (!options.isPrepared() && !hasValues(params)) {
        return this.#send(query, query, null, params, options)
      }
      const hints = options.getHints()
      if (hints && !options.isPrepared()) this.statements.checkHints(hints, params)
      const known = this.statements.find(query, this.#ownKeyspace(options) ?? this.#keyspace)
      if (known !== undefined) return this.#sendKnown(query, known, params, options)
      return this.#prepared(query, options).then((prepared) =>
        this.#sendKnown(query, prepared, params, options),
      )
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #sendKnown(
    query: string,
    known: KnownStatement,
    params: ArrayOrObject | null | undefined,
    options: DefaultExecutionOptions,
  ): Promise<ResultSet> {
    const values = this.#encoded(known, params, options)
    this.#route(query, known, params, options)
    if (known.isChange || known.isLarge || !this.#isByEngine(options)) {
      return this.#send(query, known.prepared, values, params, options)
    }
    // Most executions: their results are made as replies arrive, without a promise for each step. The
    // rows of large ones outlive more collections of garbage then.
    const native = nativeOptions(options, this.#ownKeyspace(options), this.#hasOwnTimestamps)
    const request = { query, params, options }
    const start = this.#start()
    const stack = stackOf(options)
    return Session.executeConverted<Row, ResultSet>(
      this.#session,
      options.getFetchSize() !== 0,
      known.prepared,
      values as never,
      native,
      (rows) => {
        if (rows.length >= LARGE) known.isLarge = true
        return this.#arrived(rows, request, start)
      },
      (error) => {
        throw this.#failedByEngine(error, request, start, stack)
      },
    )
  }

  /** Makes the result of rows that arrive. What the program is to be told of is done afterwards. */
  #arrived(rows: Rows<Row>, request: Request, start: Start): ResultSet | Promise<ResultSet> {
    if (start === undefined && rows.warnings.length === 0) {
      return this.#followed(resultByEngine(rows, request.options), request)
    }
    return Promise.resolve().then(() => this.#succeeded(rows, request, start))
  }

  #send(
    query: string,
    statement: Statement,
    values: unknown[] | null,
    params: ArrayOrObject | null | undefined,
    options: DefaultExecutionOptions,
  ): Promise<ResultSet> {
    const native = nativeOptions(options, this.#ownKeyspace(options), this.#hasOwnTimestamps)
    const session = this.#session
    const isWhole = options.getFetchSize() === 0
    const send: Send<Row> = (own) => {
      const all = own === NONE ? native : ({ ...native, ...own } as ExecuteOptions)
      const parameters = values as never
      return isWhole
        ? session.execute<Row>(statement, parameters, all)
        : session.page<Row>(statement, parameters, all)
    }
    return this.#run({ query, params, options }, send)
  }

  /** What follows from a result: more pages, another keyspace, another schema. */
  #followed(
    result: ResultSet,
    { query, params, options }: Request,
  ): ResultSet | Promise<ResultSet> {
    if (typeof query !== 'string') return result
    if (result.rawPageState !== undefined) {
      result.nextPageAsync = (state) => {
        options.setPageState(state)
        return this.execute(query, params, options)
      }
    }
    if (result.columns !== null || !isChange(query)) return result
    return this.#changed(query).then(() => result)
  }

  /** Follows what a statement without rows may have changed. */
  async #changed(query: string): Promise<void> {
    const client = this.#client
    if (CHANGES_KEYSPACE.test(query)) {
      client.keyspace = this.#session.keyspace ?? undefined
      this.#keyspace = client.keyspace
    } else if (CHANGES_SCHEMA.test(query) && client.options.isMetadataSyncEnabled !== false) {
      await client.metadata._refresh().catch((error: Error) => {
        client.log('warning', 'The schema could not be read again', error)
      })
    }
  }

  #prepared(query: string, options: DefaultExecutionOptions): Promise<KnownStatement> {
    const own = this.#ownKeyspace(options)
    return this.statements
      .prepare(query, own ?? this.#keyspace, own === undefined ? undefined : { keyspace: own })
      .catch((error: unknown) => {
        throw this.#failed(error, query, options)
      })
  }

  /** Tells a policy of the program what partition a statement is for. */
  #route(
    query: string,
    known: KnownStatement,
    params: ArrayOrObject | null | undefined,
    options: DefaultExecutionOptions,
  ): void {
    if (byEngine(options.getLoadBalancingPolicy()) !== undefined) return
    if (!options.getKeyspace()) {
      const match = NAMED_KEYSPACE.exec(query)
      const name = match?.[1] ?? match?.[2]?.toLowerCase() ?? this.#client.keyspace
      if (name !== undefined) options.setKeyspace(name)
    }
    const key = options.getRoutingKey()
    if (Array.isArray(key)) options.setRoutingKey(composite(key))
    else if (key === undefined) {
      const own = this.statements.routingKey(known, params)
      if (own !== undefined) options.setRoutingKey(own)
    }
  }

  /** The values of a statement; as if the server had got those of one that was not to be prepared. */
  #encoded(
    known: KnownStatement,
    params: ArrayOrObject | null | undefined,
    options: DefaultExecutionOptions,
  ): unknown[] {
    try {
      return this.statements.encode(known, params)
    } catch (error) {
      if (options.isPrepared() || options.getHints() || error instanceof DriverError) throw error
      if (!haveTypes(Array.isArray(params) ? params : Object.values(params ?? {}))) throw error
      throw new ResponseError(responseErrorCodes.invalid, (error as Error).message)
    }
  }

  /** Executes statements in one request. */
  async batch(
    queries: readonly BatchQuery[],
    options: DefaultExecutionOptions,
  ): Promise<ResultSet> {
    const kind = options.isBatchCounter()
      ? 'counter'
      : options.isBatchLogged()
        ? 'logged'
        : 'unlogged'
    const batch = this.#session.batch(kind)
    for (const [at, item] of queries.entries()) {
      const { query, params } = typeof item === 'string' ? { query: item } : (item ?? {})
      if (!query) throw new ArgumentError(`statement ${at} of the batch is empty`)
      if (!options.isPrepared() && !hasValues(params)) {
        batch.add(query)
        continue
      }
      const hints = options.getHints()?.[at]
      if (hints && !options.isPrepared()) this.statements.checkHints(hints, params)
      const known =
        this.statements.find(query, this.#ownKeyspace(options) ?? this.#keyspace) ??
        (await this.#prepared(query, options))
      batch.add(known.prepared, this.#encoded(known, params, options) as never)
    }
    const {
      pageSize: _,
      pagingState: __,
      ...native
    } = nativeOptions(options, this.#ownKeyspace(options), this.#hasOwnTimestamps) ?? {}
    const send = (own: object) =>
      batch.execute({ ...native, ...own }) as Promise<unknown> as Promise<Rows<Row>>
    return this.#run({ query: queries, params: null, options }, send)
  }

  #run(request: Request, send: Send<Row>): Promise<ResultSet> {
    const { options, query } = request
    const start = this.#start()
    const stack = stackOf(options)
    if (this.#isByEngine(options)) {
      return send(NONE).then(
        (rows) => this.#succeeded(rows, request, start),
        (error) => {
          throw this.#failedByEngine(error, request, start, stack)
        },
      )
    }
    const text = typeof query === 'string' ? query : ''
    return runWithPolicies({ client: this.#client, query: text, options }, send).then(
      (outcome) => {
        this.#tell(outcome.node, outcome.rows, request, start)
        this.#logWarnings(outcome.rows)
        return this.#followed(resultOf(outcome, options), request)
      },
      (error) => {
        throw this.#reported(error, request, start, stack)
      },
    )
  }

  /** Whether the engine alone decides where a request goes, and what follows an error. */
  #isByEngine(options: DefaultExecutionOptions): boolean {
    return (
      options.raw.host === undefined &&
      isForEngine(options.getLoadBalancingPolicy(), options.getRetryPolicy()) &&
      !hasOwnCopies({ client: this.#client, options })
    )
  }

  /** The time, if anybody wants to know how long a request takes. */
  #start(): Start {
    const { metrics, options } = this.#client
    return options.requestTracker || !isUnobserved(metrics) ? process.hrtime() : undefined
  }

  /** The result of a request that the engine executed. */
  #succeeded(rows: Rows<Row>, request: Request, start: Start): ResultSet | Promise<ResultSet> {
    this.#tell(rows.node, rows, request, start)
    this.#logWarnings(rows)
    return this.#followed(resultByEngine(rows, request.options), request)
  }

  #logWarnings(rows: Rows<Row> | undefined): void {
    for (const warning of rows?.warnings ?? []) {
      this.#client.log('warning', `The server warns: ${warning}`)
    }
  }

  /** Tells metrics and trackers of a response. */
  #tell(
    node: string,
    rows: Rows<Row> | undefined,
    { query, params, options }: Request,
    start: Start,
  ): void {
    if (start === undefined) return
    const { metrics, options: settings } = this.#client
    const latency = process.hrtime(start)
    metrics.onResponse(latency)
    metrics.onSuccessfulResponse(latency)
    const { requestTracker: tracker } = settings
    if (tracker) {
      const [sent, received] = lengthsOf(rows)
      const host = this.#host(node)
      tracker.onSuccess(host, query, params ?? null, options, sent, received, latency)
    }
  }

  /** The error of a request that the engine executed. */
  #failedByEngine(
    error: unknown,
    request: Request,
    start: Start,
    stack: string | undefined,
  ): Error {
    this.#count(translated(error, { readTimeout: request.options.getReadTimeout() }))
    return this.#reported(error, request, start, stack)
  }

  /** The error of a request, which trackers are told. */
  #reported(
    raw: unknown,
    { query, params, options }: Request,
    start: Start,
    stack: string | undefined,
  ): Error {
    const error = this.#failed(raw, query, options)
    // Its parameters may be other ones by now: it is prepared again.
    const isOutdated = error instanceof TypeError || error instanceof RangeError
    if (isOutdated && typeof query === 'string') {
      this.statements.forget(query, this.#ownKeyspace(options) ?? this.#keyspace)
    }
    if (stack !== undefined) {
      error.stack += `\n    (event loop)\n${stack.slice(stack.indexOf('\n') + 1)}`
    }
    const { requestTracker: tracker } = this.#client.options
    if (tracker && start !== undefined) {
      const node = (raw as { node?: string | null }).node ?? (error as ResponseError).coordinator
      const latency = process.hrtime(start)
      const host = this.#host(node ?? '')
      tracker.onError(host, query, params ?? null, options, 0, error, latency)
    }
    return error
  }

  #count(error: Error): void {
    const { metrics } = this.#client
    if (error instanceof OperationTimedOutError) metrics.onClientTimeoutError(error)
    else if (!(error instanceof ResponseError)) metrics.onOtherError(error)
    else if (error.code === responseErrorCodes.readTimeout) metrics.onReadTimeoutError(error)
    else if (error.code === responseErrorCodes.writeTimeout) metrics.onWriteTimeoutError(error)
    else if (error.code === responseErrorCodes.unavailableException) {
      metrics.onUnavailableError(error)
    } else metrics.onOtherError(error)
  }

  #host(address: string): Host {
    return this.#client.hosts.get(address) ?? new Host(address)
  }

  #failed(
    raw: unknown,
    query: string | readonly BatchQuery[],
    options: DefaultExecutionOptions,
  ): Error {
    const error = translated(raw, { readTimeout: options.getReadTimeout() })
    if (typeof query === 'string' && error instanceof Error) {
      const isOwn = error instanceof ResponseError || error instanceof NoHostAvailableError
      if (isOwn || error instanceof OperationTimedOutError) Object.assign(error, { query })
    }
    return error
  }
}

function stackOf(options: DefaultExecutionOptions): string | undefined {
  return options.getCaptureStackTrace() ? new Error().stack : undefined
}

/** The bytes of a header, which the other driver does not count. */
const HEADER = 9

/** The lengths of a request and of its reply. */
function lengthsOf(rows: Rows<Row> | undefined): [request: number, reply: number] {
  const [sent, received] = (rows && Rows.lengths(rows)) ?? [HEADER, HEADER]
  return [sent - HEADER, received - HEADER]
}

/** Whether the types of values can be told without the server. */
function haveTypes(values: readonly unknown[]): boolean {
  return values.every(
    (value) =>
      !['symbol', 'function'].includes(typeof value) &&
      (value === null || Object.getPrototypeOf(value ?? 0) !== Object.prototype),
  )
}

function hasValues(params: ArrayOrObject | null | undefined): boolean {
  if (params === null || params === undefined) return false
  return Array.isArray(params) ? params.length > 0 : Object.keys(params).length > 0
}
