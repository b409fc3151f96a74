/** Sessions: connecting, closing, and the verbs. */

import { Connection, type ConnectionKind } from '../connection.js'
import { executor, openSlot, refuse } from '../slots.js'
import { type Callback, closedWhenAborted, handOver, withSignal } from '../ways.js'
import { Batch, type BatchKind, type Entry, KINDS } from './batch.js'
import { SessionClosed } from './errors.js'
import { native } from './native.js'
import {
  type BatchOptions,
  type ExecuteOptions,
  KNOWN,
  type PrepareOptions,
  type SessionOptions,
  sent,
} from './options.js'
import { type Parameters, Prepared } from './prepared.js'
import { Query } from './query.js'
import type { Row, Rows } from './rows.js'

/** What is known of a node. */
export interface NodeInfo {
  /** Where it is reached. */
  readonly address: string
  readonly datacenter: string
  readonly rack: string
  /** The version of Cassandra. */
  readonly release: string
  /** Whether it is believed to be up. */
  readonly isUp: boolean
}

const SESSION: ConnectionKind = {
  name: 'Spikewire session',
  close: (handle, slot) => native.cqlClose(handle, slot),
  closed: () => new SessionClosed('the session is closed'),
}

/** Texts that are kept with what the server has prepared of them. */
const MOST_TEXTS = 1000
/** Values that go to the native part as arguments of their own. */
const MOST_VALUES = 16
/** Text that may change the keyspace; comments hide what follows. */
const MAY_USE = /^\s*(?:use\b|--|\/\/|\/\*)/i

/**
 * A session with a Cassandra cluster. Its connections are driven by the event loop of the thread that
 * it was made on: each worker thread connects a session of its own.
 */
export class Session {
  readonly #connection: Connection
  /** What was prepared of texts with parameters, by keyspace and text. */
  readonly #texts = new Map<string, Prepared>()
  /** The same, while it is being prepared. */
  readonly #preparing = new Map<string, Promise<Prepared>>()

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Finds the cluster.
   *
   * @param contactPoints - `'host:port'`, several separated by commas, or an array of them; the port
   * is 9042 where none is given
   * @throws ConnectionFailed, AuthenticationFailed when no contact point leads to a node, with the
   * reason for each; TypeError, RangeError for bad options
   */
  static connect(contactPoints: string | readonly string[], callback: Callback<Session>): void
  static connect(
    contactPoints: string | readonly string[],
    options: SessionOptions,
    callback: Callback<Session>,
  ): void
  static connect(
    contactPoints: string | readonly string[],
    options?: SessionOptions,
  ): Promise<Session>
  static connect(
    contactPoints: string | readonly string[],
    options?: SessionOptions | Callback<Session>,
    callback?: Callback<Session>,
  ): Promise<Session> | undefined {
    if (typeof options === 'function') {
      return Session.connect(contactPoints, {}, options) as undefined
    }
    const promise = Session.#connect(contactPoints, options)
    return callback === undefined ? promise : handOver(promise, callback)
  }

  static #connect(
    contactPoints: string | readonly string[],
    options: SessionOptions | undefined,
  ): Promise<Session> {
    const opened = new Promise<number>(executor)
    const slot = openSlot()
    let signal: AbortSignal | undefined
    try {
      const names: string[] = []
      const values: unknown[] = []
      for (const [name, value] of Object.entries(options ?? {})) {
        if (value === undefined) continue
        if (name === 'signal') {
          signal = value as AbortSignal
          signal.throwIfAborted()
          continue
        }
        names.push(name)
        values.push(value)
      }
      native.cqlConnect(slot, pointsText(contactPoints), names, values)
    } catch (error) {
      refuse(slot, error)
    }
    const connected = opened.then((handle) => new Session(new Connection(handle, SESSION)))
    return signal === undefined ? connected : closedWhenAborted(connected, signal)
  }

  /**
   * Executes a statement: all of its rows. With large results, `query` and `page` are better.
   *
   * Text with parameters (`?` or `:name`) is prepared the first time, and never put together here.
   *
   * @param statement - text, or what `prepare` gave
   * @param parameters - in order, or by name
   * @throws TypeError, RangeError for values that do not fit, with column and type, before anything
   * is sent; CqlError for what the server refuses
   */
  execute<R = Row>(
    statement: string | Prepared,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Promise<Rows<R>>
  execute<R = Row>(statement: string | Prepared, callback: Callback<Rows<R>>): void
  execute<R = Row>(
    statement: string | Prepared,
    parameters: Parameters | null | undefined,
    callback: Callback<Rows<R>>,
  ): void
  execute<R = Row>(
    statement: string | Prepared,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions,
    callback: Callback<Rows<R>>,
  ): void
  execute<R = Row>(
    statement: string | Prepared,
    parameters?: Parameters | null | Callback<Rows<R>>,
    options?: ExecuteOptions | Callback<Rows<R>>,
    callback?: Callback<Rows<R>>,
  ): Promise<Rows<R>> | undefined {
    return this.#rows(false, statement, parameters, options, callback)
  }

  /**
   * Executes a statement: one page of its rows. `pagingState` of the result, given as an option, leads
   * to the next one, in this process or another.
   *
   * @throws what `execute` throws
   */
  page<R = Row>(
    statement: string | Prepared,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Promise<Rows<R>>
  page<R = Row>(statement: string | Prepared, callback: Callback<Rows<R>>): void
  page<R = Row>(
    statement: string | Prepared,
    parameters: Parameters | null | undefined,
    callback: Callback<Rows<R>>,
  ): void
  page<R = Row>(
    statement: string | Prepared,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions,
    callback: Callback<Rows<R>>,
  ): void
  page<R = Row>(
    statement: string | Prepared,
    parameters?: Parameters | null | Callback<Rows<R>>,
    options?: ExecuteOptions | Callback<Rows<R>>,
    callback?: Callback<Rows<R>>,
  ): Promise<Rows<R>> | undefined {
    return this.#rows(true, statement, parameters, options, callback)
  }

  /**
   * The rows of a statement, page by page at the pace of their reader: an object to iterate over with
   * `for await`.
   *
   * @throws TypeError for unknown options; iterating throws what `execute` throws
   */
  query<R = Row>(
    statement: string | Prepared,
    parameters?: Parameters | null,
    options?: ExecuteOptions,
  ): Query<R> {
    this.#connection.check()
    const given = { ...(sent(options, KNOWN.EXECUTE) as ExecuteOptions | undefined) }
    const { pagingState, signal } = given
    signal?.throwIfAborted()
    // What the caller does with them later makes no difference to later pages.
    const values = copied(parameters)
    const fetch = (pagingState: Uint8Array | undefined) =>
      this.page<R>(statement, values, { ...options, pagingState })
    return new Query<R>(fetch, pagingState, signal)
  }

  /**
   * Prepares a statement.
   *
   * @throws SyntaxException, InvalidRequest for what the server refuses
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
    const promise = this.#call<Prepared>(options?.signal, (session, slot) =>
      native.cqlPrepare(session, slot, text, sent(options, KNOWN.PREPARE)),
    )
    return callback === undefined ? promise : handOver(promise, callback)
  }

  /** Begins a batch. */
  batch(kind: BatchKind = 'logged'): Batch {
    if (!KINDS.includes(kind)) {
      throw new RangeError(`kind must be one of ${KINDS.join(', ')}; got ${String(kind)}`)
    }
    return new Batch(kind, (entries, options, callback) => {
      const given = typeof options === 'function' ? undefined : options
      const promise = this.#batch(kind, entries, given)
      const told = typeof options === 'function' ? options : callback
      return told === undefined ? promise : handOver(promise, told)
    })
  }

  /** Whether it is not closed. */
  get isOpen(): boolean {
    return this.#connection.isOpen
  }

  /** The keyspace of statements that name none; `null` where there is none. */
  get keyspace(): string | null {
    this.#connection.check()
    return native.cqlKeyspace(this.#connection.handle)
  }

  /** The version of the native protocol that is spoken: 4 or 5. */
  get protocolVersion(): number {
    this.#connection.check()
    return native.cqlVersion(this.#connection.handle)
  }

  /** The nodes of the cluster as they are known now. */
  get nodes(): NodeInfo[] {
    this.#connection.check()
    const flat = native.cqlNodes(this.#connection.handle)
    const nodes: NodeInfo[] = []
    for (let at = 0; at < flat.length; at += 5) {
      const [address, datacenter, rack, release] = flat.slice(at, at + 4) as string[]
      const isUp = flat[at + 4] as boolean
      nodes.push({ address, datacenter, rack, release, isUp } as NodeInfo)
    }
    return nodes
  }

  /** Closes every connection; statements in flight fail with `SessionClosed`. Closing twice is fine. */
  close(): Promise<void> {
    return this.#connection.close()
  }

  /** For `await using session = await connect(...)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #rows<R>(
    page: boolean,
    statement: string | Prepared,
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
    const promise = this.#execute<R>(page, statement, parameters, options)
    return callback === undefined ? promise : handOver(promise, callback)
  }

  #execute<R>(
    page: boolean,
    statement: string | Prepared,
    parameters: Parameters | null | undefined,
    options: ExecuteOptions | undefined,
  ): Promise<Rows<R>> {
    if (typeof statement === 'string') {
      if (hasValues(parameters)) {
        const known = this.#texts.get(nameOf(statement, options))
        if (known !== undefined) return this.#execute(page, known, parameters, options)
        const values = copied(parameters)
        return this.#prepareText(statement, options).then((prepared) =>
          this.#execute<R>(page, prepared, values, options),
        )
      }
      const promise = this.#call<Rows<R>>(options?.signal, (session, slot) =>
        native.cqlExecute(session, slot, page, statement, sent(options, KNOWN.EXECUTE)),
      )
      if (MAY_USE.test(statement)) promise.then(() => this.#texts.clear(), ignore)
      return promise
    }
    return this.#call<Rows<R>>(options?.signal, (session, slot) => {
      const number = numberOf(statement)
      const v = statement.order(parameters)
      const given = sent(options, KNOWN.EXECUTE)
      // Arguments one by one: the native part reads these quicker than the elements of an array.
      switch (v.length) {
        case 1:
          native.cqlExecute(session, slot, page, number, given, undefined, v[0])
          return
        case 2:
          native.cqlExecute(session, slot, page, number, given, undefined, v[0], v[1])
          return
        case 3:
          native.cqlExecute(session, slot, page, number, given, undefined, v[0], v[1], v[2])
          return
        default:
          if (v.length > MOST_VALUES) native.cqlExecute(session, slot, page, number, given, v)
          else native.cqlExecute(session, slot, page, number, given, undefined, ...v)
      }
    })
  }

  async #batch(
    kind: BatchKind,
    entries: readonly Entry[],
    options: BatchOptions | undefined,
  ): Promise<Rows> {
    const given = sent(options, KNOWN.BATCH)
    const statements: (string | number)[] = []
    const counts: number[] = []
    const values: unknown[] = []
    // Kept until the batch is composed.
    const kept: Prepared[] = []
    for (const { statement, parameters } of entries) {
      if (typeof statement === 'string' && !hasValues(parameters)) {
        statements.push(statement)
        counts.push(0)
        continue
      }
      const prepared =
        typeof statement === 'string'
          ? (this.#texts.get(nameOf(statement, options)) ??
            (await this.#prepareText(statement, options)))
          : statement
      const ordered = prepared.order(parameters)
      kept.push(prepared)
      statements.push(numberOf(prepared))
      counts.push(ordered.length)
      values.push(...ordered)
    }
    return this.#call<Rows>(options?.signal, (session, slot) =>
      native.cqlBatch(session, slot, KINDS.indexOf(kind), given, statements, counts, values),
    )
  }

  /** Prepares text with parameters, once however many statements wait for it. */
  #prepareText(text: string, options: PrepareOptions | undefined): Promise<Prepared> {
    const name = nameOf(text, options)
    const under = this.#preparing.get(name)
    if (under !== undefined) return under
    const { timeout, socketTimeout, maxRetries, keyspace } = options ?? {}
    const preparing = this.prepare(text, { timeout, socketTimeout, maxRetries, keyspace })
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

  /** Makes a promise, and lets `send` send what settles it. */
  #call<T>(
    signal: AbortSignal | undefined,
    send: (session: number, slot: number) => void,
  ): Promise<T> {
    const promise = new Promise<T>(executor)
    const slot = openSlot()
    try {
      if (signal !== undefined) signal.throwIfAborted()
      send(this.#connection.handle, slot)
      if (signal !== undefined) withSignal(promise, slot, signal)
    } catch (error) {
      refuse(slot, error)
    }
    return promise
  }
}

/**
 * An open session; what `Session.connect` does.
 *
 * @param contactPoints - `'host:port'`, several separated by commas, or an array of them
 */
export function connect(
  contactPoints: string | readonly string[],
  callback: Callback<Session>,
): void
export function connect(
  contactPoints: string | readonly string[],
  options: SessionOptions,
  callback: Callback<Session>,
): void
export function connect(
  contactPoints: string | readonly string[],
  options?: SessionOptions,
): Promise<Session>
export function connect(
  contactPoints: string | readonly string[],
  options?: SessionOptions | Callback<Session>,
  callback?: Callback<Session>,
): Promise<Session> | undefined {
  if (typeof options === 'function') return Session.connect(contactPoints, options) as undefined
  if (callback === undefined) return Session.connect(contactPoints, options)
  return Session.connect(contactPoints, options ?? {}, callback) as undefined
}

function ignore(): void {}

/** What texts are known by: the keyspace that is said with them makes a difference. */
function nameOf(text: string, options: PrepareOptions | undefined): string {
  return options?.keyspace === undefined ? text : `${options.keyspace}\0${text}`
}

/** Whether there are parameters. An empty array, or an empty object, is as good as none. */
function hasValues(parameters: Parameters | null | undefined): boolean {
  if (parameters === undefined || parameters === null) return false
  if (Array.isArray(parameters)) return parameters.length > 0
  if (typeof parameters !== 'object') return true
  for (const _ in parameters) return true
  return Object.getPrototypeOf(parameters) !== Object.prototype
}

/** Parameters of their own for a statement that is sent later. */
function copied(parameters: Parameters | null | undefined): Parameters | null | undefined {
  if (Array.isArray(parameters)) return [...parameters]
  if (typeof parameters !== 'object' || parameters === null) return parameters
  return Object.getPrototypeOf(parameters) === Object.prototype ? { ...parameters } : parameters
}

function numberOf(statement: unknown): number {
  if (statement instanceof Prepared) return Prepared.numberOf(statement)
  const kind = statement === null ? 'null' : typeof statement
  throw new TypeError(`a statement must be a string or a Prepared, not ${kind}`)
}

function pointsText(points: unknown): string {
  if (typeof points === 'string') return points
  if (Array.isArray(points) && points.every((point) => typeof point === 'string')) {
    if (points.length === 0) throw new RangeError('no contact point given')
    return points.join(',')
  }
  throw new TypeError(
    "contact points must be a string such as '127.0.0.1:9042' or an array of them",
  )
}
