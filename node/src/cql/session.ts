/** Sessions: connecting, closing, and what they know. */

import { inspect } from 'node:util'
import { Connection, type ConnectionKind } from '../connection.js'
import { executor, openSlot, refuse } from '../slots.js'
import { type Callback, closedWhenAborted, handOver } from '../ways.js'
import { SessionClosed } from './errors.js'
import { native } from './native.js'
import type { SessionOptions } from './options.js'
import { makeInstances } from './rows.js'
import { Verbs } from './verbs.js'

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

/**
 * A session with a Cassandra cluster. Its connections are driven by the event loop of the thread that
 * it was made on: each worker thread connects a session of its own.
 */
export class Session extends Verbs {
  readonly #connection: Connection

  private constructor(connection: Connection) {
    super(connection)
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

  /**
   * Lets values of a user-defined type come back as instances of a class from now on; without it they
   * are plain objects. Its constructor is not called: an instance has the fields of the type as its
   * properties, and the methods of the class.
   *
   * Instances of any class whose own properties are fields of the type are taken as values.
   *
   * @param name - `'keyspace.type'`, or a type in the session's keyspace
   * @throws RangeError for what is no name of a type, TypeError for what is no class
   */
  registerType(name: string, type: abstract new (...args: never[]) => object): void {
    this.#connection.check()
    const prototype: unknown = typeof type === 'function' ? type.prototype : undefined
    if (typeof prototype !== 'object' || prototype === null) {
      throw new TypeError(`a type comes back as instances of a class, not of ${inspect(type)}`)
    }
    native.cqlRegisterType(this.#connection.handle, name, (names) =>
      makeInstances(prototype, names),
    )
  }

  /** Closes every connection; statements in flight fail with `SessionClosed`. Closing twice is fine. */
  close(): Promise<void> {
    return this.#connection.close()
  }

  /** For `await using session = await connect(...)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
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
