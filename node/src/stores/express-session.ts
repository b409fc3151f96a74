/** A store for express-session: sessions are records of one set. */

import { type SessionData, Store } from 'express-session'
import type { Dataset } from '../aerospike/dataset.js'
import { RecordNotFound } from '../aerospike/model/errors.js'
import { type Callback, outcome } from '../bridge/callbacks.js'

/** Options of a `SpikewireStore`. */
export interface SpikewireStoreOptions {
  /** Seconds to live of sessions whose cookie has no expiry. Default: 86,400. */
  ttl?: number | undefined
  /** Converts sessions to text and back. Default: `JSON`. */
  serializer?: SessionSerializer | undefined
}

/** Converts sessions to text and back, as `JSON` does. */
export interface SessionSerializer {
  stringify(session: SessionData): string
  parse(text: string): SessionData
}

/** Called with the outcome of a call. */
export type SessionCallback<T = void> = (error?: unknown, value?: T) => void

/** The bins of a session. */
interface Bins {
  session: string
}

const DAY = 86_400

/**
 * A store for express-session.
 *
 * ```ts
 * const store = new SpikewireStore(client.dataset('web', 'sessions'))
 * app.use(session({ store, secret, resave: false, saveUninitialized: false }))
 * ```
 *
 * A session lives as long as its cookie, in whole seconds, and is renewed by each request. Needs a
 * namespace that expires records (`nsup-period`), and a set of its own: `clear` deletes all of it.
 */
export class SpikewireStore extends Store {
  readonly #records: Dataset<Bins>
  readonly #ttl: number
  readonly #serializer: SessionSerializer

  /**
   * @param records - the set for the sessions
   * @throws TypeError for the null set, which cannot be cleared without all others; RangeError for an
   * invalid `ttl`
   */
  constructor(records: Dataset<object>, options: SpikewireStoreOptions = {}) {
    super()
    if (typeof records?.set !== 'string') {
      throw new TypeError(
        'a SpikewireStore needs a dataset with a set: client.dataset(namespace, set)',
      )
    }
    const { ttl = DAY, serializer = JSON } = options
    if (!Number.isInteger(ttl) || ttl < 1) {
      throw new RangeError(`ttl must be a whole number of seconds from 1 on, got ${String(ttl)}`)
    }
    this.#records = records as Dataset<Bins>
    this.#ttl = ttl
    this.#serializer = serializer
  }

  /** Reads a session; `null` if there is none. */
  get(id: string, callback: SessionCallback<SessionData | null>): void {
    settle(this.#get(id), callback)
  }

  async #get(id: string): Promise<SessionData | null> {
    const record = await this.#records.get(id, { default: null })
    return record === null ? null : this.#serializer.parse(record.bins.session)
  }

  /** Writes a session. */
  set(id: string, session: SessionData, callback?: SessionCallback): void {
    settle(this.#set(id, session), callback)
  }

  async #set(id: string, session: SessionData): Promise<void> {
    const ttl = this.#secondsLeft(session)
    if (ttl <= 0) {
      await this.#records.delete(id)
      return
    }
    const bins = { session: this.#serializer.stringify(session) }
    // The record keeps its key, for `all`.
    await this.#records.put(id, bins, { ttl, exists: 'replace', sendKey: true })
  }

  /** Renews a session that has not changed; does nothing if it is gone. */
  override touch(id: string, session: SessionData, callback?: SessionCallback): void {
    settle(this.#touch(id, session), callback)
  }

  async #touch(id: string, session: SessionData): Promise<void> {
    const ttl = this.#secondsLeft(session)
    try {
      if (ttl > 0) await this.#records.touch(id, { ttl })
      else await this.#records.delete(id)
    } catch (error) {
      if (!(error instanceof RecordNotFound)) throw error
    }
  }

  /** Deletes a session. */
  destroy(id: string, callback?: SessionCallback): void {
    settle(
      this.#records.delete(id).then(() => undefined),
      callback,
    )
  }

  /** All sessions, by their ids. */
  override all(callback: SessionCallback<{ [id: string]: SessionData }>): void {
    settle(this.#all(), callback)
  }

  async #all(): Promise<{ [id: string]: SessionData }> {
    const sessions: [string, SessionData][] = []
    for await (const { key, bins } of this.#records.query()) {
      if (typeof key.key !== 'string') continue
      sessions.push([key.key, this.#serializer.parse(bins.session)])
    }
    return Object.fromEntries(sessions)
  }

  /** The number of sessions. */
  override length(callback: SessionCallback<number>): void {
    settle(this.#count(), callback)
  }

  async #count(): Promise<number> {
    let count = 0
    for await (const _ of this.#records.query({ includeValues: false })) count++
    return count
  }

  /** Deletes all sessions, by a background job of the nodes. */
  override clear(callback?: SessionCallback): void {
    settle(this.#clear(), callback)
  }

  async #clear(): Promise<void> {
    const job = await this.#records.deleteAll()
    await job.wait()
  }

  /** Seconds until the session's cookie expires, rounded up. */
  #secondsLeft(session: SessionData): number {
    const expires = session.cookie?.expires
    if (expires === undefined || expires === null) return this.#ttl
    return Math.ceil((new Date(expires).getTime() - Date.now()) / 1000)
  }
}

/** Calls back. Without a callback, a failure is an unhandled rejection. */
function settle<T>(promise: Promise<T>, callback: SessionCallback<T> | undefined): void {
  outcome(promise, callback as Callback<T> | undefined)
}
