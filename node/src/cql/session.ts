/** Sessions: connecting, closing, and information about the cluster. */

import { inspect } from 'node:util'
import { type Callback, checkCallback, closedWhenAborted, outcome } from '../bridge/callbacks.js'
import {
  type Call,
  type Concurrent,
  type ConcurrentOptions,
  concurrent,
  type Items,
} from '../bridge/concurrent.js'
import { Connection, type ConnectionKind } from '../bridge/connection.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import {
  CASSANDRA,
  checkUrl,
  isFromSettings,
  isOptions,
  readOpening,
  seedsOrigin,
  withOrigin,
} from '../opening/opening.js'
import { checkOptions } from '../options/check.js'
import { checkSpan, TIME_LIMITS } from '../options/durations.js'
import { Metrics, statsOf } from '../statistics/control.js'
import { type EventListener, listen, publishEvents } from '../statistics/events.js'
import type { Stats } from '../statistics/stats.js'
import { ConnectionFailed, SessionClosed } from './errors.js'
import { makeInstances } from './factories.js'
import { native } from './native.js'
import * as opening from './opening.js'
import type { SessionOptions } from './options.js'
import { asking } from './questions.js'
import { type Schema, schemaOf } from './schema.js'
import { Verbs } from './verbs.js'

/** What is known about a node. */
export interface NodeInfo {
  /** The address at which it is reached. */
  readonly address: string
  readonly datacenter: string
  readonly rack: string
  /** The version of Cassandra. */
  readonly release: string
  /** Whether it is considered up. */
  readonly isUp: boolean
}

const SESSION: ConnectionKind = {
  name: 'Spikewire session',
  close: (handle, slot) => native.cqlClose(handle, slot),
  closed: () => new SessionClosed('the session is closed'),
}

/**
 * A session with a Cassandra cluster. Its connections are driven by the event loop of the thread
 * that created it; each worker thread connects its own session.
 */
export class Session extends Verbs {
  readonly #connection: Connection
  #metrics: Metrics | undefined

  private constructor(connection: Connection) {
    if (!(connection instanceof Connection)) {
      throw new TypeError('a session comes from `await connect(contactPoints)`, not from `new`')
    }
    super(connection)
    this.#connection = connection
  }

  /**
   * Connects to a cluster.
   *
   * Contact points may be a URL, `'cassandra://user:password@db1:9042,db2/keyspace?timeout=5s'`. If
   * they are left out, that of the variable `SPIKEWIRE_CQL_URL` is used, or else `127.0.0.1:9042`. In
   * both cases options also come from the URL, and from variables such as `SPIKEWIRE_CQL_TIMEOUT`;
   * those passed here take precedence.
   *
   * @param contactPoints - `'host:port'`, several separated by commas, or an array of them; the
   * default port is 9042; or a URL
   * @throws ConnectionFailed, AuthenticationFailed if no contact point leads to a node, with the
   * reason for each; TypeError, RangeError for invalid options, which name the part of the URL or the
   * variable
   */
  static connect(callback: Callback<Session>): void
  static connect(options: SessionOptions, callback: Callback<Session>): void
  static connect(options?: SessionOptions): Promise<Session>
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
    contactPoints?: string | readonly string[] | SessionOptions | Callback<Session>,
    options?: SessionOptions | Callback<Session>,
    callback?: Callback<Session>,
  ): Promise<Session> | undefined {
    if (typeof options === 'function') return Session.open(contactPoints, {}, options)
    return Session.open(contactPoints, options, callback)
  }

  /**
   * Connects by a URL or the environment: like `connect`, but takes no other contact points.
   *
   * @param url - default: that of the variable `SPIKEWIRE_CQL_URL`, or the default contact point
   */
  static fromUrl(url?: string | null, options: SessionOptions = {}): Promise<Session> {
    return new Promise((resolve) => {
      checkUrl(url)
      // Contact points are no URL: this says what one looks like.
      if (typeof url === 'string' && !url.includes('://')) opening.read(url)
      resolve(Session.#connect(url ?? undefined, options))
    })
  }

  /** @internal */
  static open(
    contactPoints: string | readonly string[] | SessionOptions | Callback<Session> | undefined,
    options: SessionOptions | undefined,
    callback: Callback<Session> | undefined,
  ): Promise<Session> | undefined {
    if (typeof contactPoints === 'function') return Session.open(undefined, {}, contactPoints)
    if (isOptions<SessionOptions>(contactPoints)) {
      return Session.open(undefined, contactPoints, callback)
    }
    checkCallback(callback)
    return outcome(Session.#connect(contactPoints, options), callback)
  }

  /** @internal Connects a session whose rows a conversion makes; see `conversions.ts`. */
  static openConverted(
    contactPoints: readonly string[],
    options: SessionOptions,
    conversion: number,
  ): Promise<Session> {
    return Session.#connect(contactPoints, {
      ...options,
      '(conversion)': conversion,
    } as SessionOptions)
  }

  static #connect(
    seeds: string | readonly string[] | undefined,
    ownOptions: SessionOptions | undefined,
  ): Promise<Session> {
    const opened = new Promise<number>(executor)
    const slot = openSlot()
    let signal: AbortSignal | undefined
    let [contactPoints, options] = [seeds, ownOptions]
    let origin: string | undefined
    let connecting: number | undefined
    try {
      if (isFromSettings(seeds)) {
        const settings = readOpening(CASSANDRA, seeds, ownOptions ?? {}, process.env, false)
        ;({ seeds: contactPoints, options } = settings)
        origin = seedsOrigin(settings, CASSANDRA)
      }
      const names: string[] = []
      const values: unknown[] = []
      for (const [name, value] of Object.entries(options ?? {})) {
        if (value === undefined) continue
        if (name === 'signal') {
          signal = value as AbortSignal
          signal.throwIfAborted()
          continue
        }
        if (TIME_LIMITS.includes(name)) checkSpan(name, value)
        names.push(name)
        values.push(value)
      }
      const { authenticator, addressTranslator: translator } = options ?? {}
      const [logsIn, translates] = [authenticator !== undefined, translator !== undefined]
      const ask = logsIn || translates ? asking(authenticator, translator) : undefined
      const points = pointsText(contactPoints, options?.secureConnectBundle !== undefined)
      connecting = native.cqlConnect(slot, points, names, values, ask, logsIn, translates)
    } catch (error) {
      rejectCall(slot, error)
    }
    const connected = opened.then(
      (handle) => {
        const connection = new Connection(handle, SESSION)
        publishEvents(connection)
        return new Session(connection)
      },
      (error) => {
        const isOpening = origin !== undefined && error instanceof ConnectionFailed
        throw isOpening ? withOrigin(error, origin as string) : error
      },
    )
    return closedWhenAborted(connected, connecting, signal)
  }

  /** Whether the session is open. */
  get isOpen(): boolean {
    return this.#connection.isOpen
  }

  /** The default keyspace of statements; `null` if there is none. */
  get keyspace(): string | null {
    this.#connection.check()
    return native.cqlKeyspace(this.#connection.handle)
  }

  /** The version of the native protocol in use: 4 or 5. */
  get protocolVersion(): number {
    this.#connection.check()
    return native.cqlVersion(this.#connection.handle)
  }

  /** The nodes of the cluster as currently known. */
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

  /**
   * @internal The requests in flight by the address of a node, of those that have connections; none if
   * a thread of its own drives them.
   */
  static inFlight(session: Session): Map<string, number> {
    const flat = session.isOpen ? native.cqlConnections(session.#connection.handle) : null
    const requests = new Map<string, number>()
    for (let at = 0; flat !== null && at < flat.length; at += 3) {
      const address = flat[at] as string
      requests.set(address, (requests.get(address) ?? 0) + (flat[at + 2] as number))
    }
    return requests
  }

  /** The counters since they were last reset, and the current state, as plain data. */
  stats(): Stats {
    return statsOf(this.#connection)
  }

  /** Switches counting on and off, and reports events and slow commands. */
  get metrics(): Metrics {
    this.#metrics ??= new Metrics(this.#connection)
    return this.#metrics
  }

  /**
   * Calls `listener` with every event about nodes from now on, such as `{ type: 'nodeDown', node }`;
   * returns a function that ends this. Events are looked for every 100 ms, which does not keep the
   * process alive, or the session. What a listener throws is thrown again as an uncaught exception.
   *
   * @throws TypeError if the listener is not a function
   */
  onEvent(listener: EventListener): () => void {
    return listen(this.#connection, listener)
  }

  /**
   * Keyspaces, tables, columns, indexes, triggers, views, types, functions and aggregates: as they
   * are after all changes that this session made, and all that were announced. They are read when they are first asked for, and
   * kept current from then on.
   *
   * @throws Timeout if they could not be read within the session's `timeout`
   */
  schema(callback: Callback<Schema>): void
  schema(): Promise<Schema>
  schema(callback?: Callback<Schema>): Promise<Schema> | undefined {
    checkCallback(callback)
    this.#connection.check()
    const read = new Promise<string>(executor)
    const slot = openSlot()
    try {
      native.cqlSchema(this.#connection.handle, slot)
    } catch (error) {
      rejectCall(slot, error)
    }
    return outcome(read.then(schemaOf), callback)
  }

  /**
   * Makes many calls with up to `limit` of them in flight, and yields their results in the order of
   * the calls, or with `ordered: false` as they come.
   *
   * ```ts
   * for await (const rows of session.concurrent(ids, (id) => session.execute(select, [id]))) {
   *   console.log(rows[0])
   * }
   * ```
   *
   * Takes functions that make a call each, or items and one function that makes the call of an item.
   * For one statement with many rows of parameters, `executeMany` costs less. Either may be any iterable, also asynchronous or endless: it is read as results are consumed. An
   * error of the iterable is thrown after the results of what came before.
   *
   * When the iteration ends early, by an error, `break` or `return()`, no more calls are made, and
   * those in flight are awaited. An aborted `signal` does not wait for them. Their errors are never
   * unhandled.
   *
   * @throws the error of the first call that fails, unless `errors` is `'return'`; TypeError,
   * RangeError for invalid options, at once
   */
  concurrent<T>(
    calls: Items<Call<T>>,
    options?: ConcurrentOptions & { errors?: 'raise' | undefined },
  ): Concurrent<T>
  concurrent<T>(calls: Items<Call<T>>, options: ConcurrentOptions): Concurrent<T | Error>
  concurrent<I, T>(
    items: Items<I>,
    call: (item: I, index: number) => PromiseLike<T> | T,
    options?: ConcurrentOptions & { errors?: 'raise' | undefined },
  ): Concurrent<T>
  concurrent<I, T>(
    items: Items<I>,
    call: (item: I, index: number) => PromiseLike<T> | T,
    options: ConcurrentOptions,
  ): Concurrent<T | Error>
  concurrent(items: Items<unknown>, call?: unknown, options?: unknown): Concurrent<never> {
    return concurrent(checkOptions, items, call, options) as Concurrent<never>
  }

  /**
   * Registers a class for a user-defined type: from now on, its values are returned as instances of
   * the class rather than plain objects. The constructor is not called; an instance has the fields
   * of the type as properties, and the methods of the class.
   *
   * As input, instances of any class are accepted whose own properties are fields of the type.
   *
   * @param name - `'keyspace.type'`, or a type in the session's keyspace
   * @throws RangeError for an invalid name, TypeError if `type` is not a class
   */
  registerType(name: string, type: abstract new (...args: never[]) => object): void {
    this.#connection.check()
    const prototype: unknown = typeof type === 'function' ? type.prototype : undefined
    if (typeof prototype !== 'object' || prototype === null) {
      throw new TypeError(`type must be a class, not ${inspect(type)}`)
    }
    native.cqlRegisterType(this.#connection.handle, name, (names) =>
      makeInstances(prototype, names),
    )
  }

  /**
   * Closes every connection. Statements in flight fail with `SessionClosed`. Closing again is
   * harmless.
   */
  close(): Promise<void>
  close(callback: Callback<void>): void
  close(callback?: Callback<void>): Promise<void> | undefined {
    checkCallback(callback)
    return outcome(this.#connection.close(), callback)
  }

  [inspect.custom](): string {
    if (!this.isOpen) return 'Session(closed)'
    const nodes = this.nodes.map(({ address }) => address).join(', ')
    return `Session(${nodes}; keyspace ${this.keyspace ?? 'none'})`
  }

  /** For `await using session = await connect(...)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Connects to a cluster; the same as `Session.connect`.
 *
 * @param contactPoints - `'host:port'`, several separated by commas, or an array of them; or a URL
 */
export function connect(callback: Callback<Session>): void
export function connect(options: SessionOptions, callback: Callback<Session>): void
export function connect(options?: SessionOptions): Promise<Session>
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
  contactPoints?: string | readonly string[] | SessionOptions | Callback<Session>,
  options?: SessionOptions | Callback<Session>,
  callback?: Callback<Session>,
): Promise<Session> | undefined {
  if (typeof options === 'function') return Session.open(contactPoints, {}, options)
  return Session.open(contactPoints, options, callback)
}

function pointsText(points: unknown, hasBundle: boolean): string {
  if (typeof points === 'string') return points
  if (Array.isArray(points) && points.every((point) => typeof point === 'string')) {
    if (points.length === 0 && !hasBundle) throw new RangeError('no contact point given')
    return points.join(',')
  }
  throw new TypeError(
    "contact points must be a string such as '127.0.0.1:9042' or an array of them",
  )
}
