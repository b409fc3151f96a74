/** A store for Keyv, versions 5 and 6: entries are records of one set. */

import { EventEmitter } from 'node:events'
import { inspect } from 'node:util'
import { Late } from '../aerospike/batch/batch.js'
import { Write } from '../aerospike/batch/rows.js'
import type { Dataset } from '../aerospike/dataset.js'
import type { Record } from '../aerospike/model/record.js'
import type { BinValue } from '../aerospike/model/values.js'

/** Options of a `KeyvSpikewire`. */
export interface KeyvSpikewireOptions {
  /** Whose entries it sees; Keyv sets it to its own namespace. Default: none. */
  namespace?: string | undefined
}

/** An entry as Keyv passes it to `setMany`. */
export interface KeyvSpikewireEntry {
  key: string
  value: unknown
  /** Milliseconds to live. Default: no limit. */
  ttl?: number | undefined
}

/** The bins of an entry. */
interface Bins {
  value?: BinValue
  /** When it expires, in milliseconds since 1970; servers know whole seconds only. */
  expires?: number
  namespace?: string
}

const SEPARATOR = '::'

/**
 * A store for Keyv.
 *
 * ```ts
 * const store = new KeyvSpikewire(client.dataset('test', 'cache'))
 * const cache = new Keyv({ store, namespace: 'prices', ttl: 60_000 })
 * ```
 *
 * Each Keyv has a store of its own, which may share a set with others: Keyv tells the store its
 * namespace.
 *
 * An entry is a record with its value as Keyv serializes it, its namespace and its expiry. A store
 * without a namespace sees, and clears, all of the set. Times to live need an Aerospike namespace that expires records
 * (`nsup-period`). The client stays open when Keyv disconnects.
 */
export class KeyvSpikewire extends EventEmitter {
  /** For Keyv 5, which iterates only over stores of a dialect that it knows. */
  readonly opts = { dialect: 'redis', url: '' }
  readonly #records: Dataset<Bins>
  #namespace: string | undefined

  /**
   * @param records - the set for the entries
   * @throws TypeError for the null set, which cannot be cleared without all others; RangeError for an
   * invalid namespace
   */
  constructor(records: Dataset<object>, options: KeyvSpikewireOptions = {}) {
    super()
    if (typeof records?.set !== 'string') {
      throw new TypeError(
        'a KeyvSpikewire needs a dataset with a set: client.dataset(namespace, set)',
      )
    }
    this.#records = records as Dataset<Bins>
    this.namespace = options.namespace
  }

  /** Whose entries it sees; `undefined`: all of the set. */
  get namespace(): string | undefined {
    return this.#namespace
  }

  set namespace(namespace: string | undefined) {
    // Otherwise two namespaces could share a key.
    if (namespace?.includes(SEPARATOR) || namespace?.endsWith(':')) {
      throw new RangeError(
        `a namespace must not contain '::' or end with ':', got ${inspect(namespace)}`,
      )
    }
    this.#namespace = namespace || undefined
  }

  /** The value of a key; `undefined` if there is none. */
  async get<Value>(key: string): Promise<Value | undefined> {
    const record = await this.#records.get(this.#key(key), { default: null })
    return storedValue<Value>(record)
  }

  /** The values of many keys, which are read in one batch. */
  async getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const records = await this.#records.getMany(keys.map((key) => this.#key(key)))
    return [...records.raiseForErrors()].map((record) => storedValue<Value>(record))
  }

  /**
   * Stores a value.
   *
   * @param ttl - milliseconds to live; default: no limit
   */
  async set(key: string, value: unknown, ttl?: number): Promise<boolean> {
    await this.#records.put(this.#key(key), this.#bins(value, ttl), rules(ttl))
    return true
  }

  // The results of this and of `deleteMany` are typed as Keyv 6 and as Keyv 5 have them.
  /** Stores many values in one batch. */
  setMany(entries: KeyvSpikewireEntry[]): Promise<boolean[]>
  setMany(entries: KeyvSpikewireEntry[]): Promise<void>
  async setMany(entries: KeyvSpikewireEntry[]): Promise<unknown> {
    const rows = entries.map(
      ({ key, value, ttl }) =>
        new Write(this.#key(key), this.#bins(value, ttl) as object, rules(ttl)),
    )
    const written = await this.#records.batch(rows)
    written.raiseForErrors()
    return entries.map(() => true)
  }

  /** Deletes an entry; returns whether there was one. */
  delete(key: string): Promise<boolean> {
    return this.#records.delete(this.#key(key))
  }

  /** Deletes many entries in one batch; returns whether there was any. */
  deleteMany(keys: string[]): Promise<boolean>
  deleteMany(keys: string[]): Promise<boolean[]>
  async deleteMany(keys: string[]): Promise<unknown> {
    const deleted = await this.#records.deleteMany(keys.map((key) => this.#key(key)))
    return deleted.raiseForErrors().codes.includes(0)
  }

  /** Whether there is an entry. */
  async has(key: string): Promise<boolean> {
    const record = await this.#records.get(this.#key(key), { bins: ['expires'], default: null })
    return isLive(record)
  }

  /** Whether there are entries, asked in one batch. */
  async hasMany(keys: string[]): Promise<boolean[]> {
    const recordKeys = keys.map((key) => this.#key(key))
    const records = await this.#records.getMany(recordKeys, { bins: ['expires'] })
    return [...records.raiseForErrors()].map((record) => isLive(record))
  }

  /** Deletes every entry of the namespace, or of the set, by a background job of the nodes. */
  async clear(): Promise<void> {
    const job = await this.#records.deleteAll({ where: this.#where(this.#namespace) })
    await job.wait()
  }

  /** Keys and values of the namespace, or of the set, in no particular order. */
  async *iterator<Value>(
    namespace: string | undefined = this.#namespace,
  ): AsyncGenerator<[key: string, value: Awaited<Value> | undefined], void> {
    const prefix = namespace === undefined ? '' : `${namespace}${SEPARATOR}`
    for await (const record of this.#records.query({ where: this.#where(namespace) })) {
      const { key } = record.key
      if (typeof key !== 'string' || !isLive(record)) continue
      yield [key.slice(prefix.length), storedValue<Awaited<Value>>(record)]
    }
  }

  /** As in `EventEmitter`, typed as Keyv 6 has it. */
  override listeners(event: string | symbol): ((...all: unknown[]) => void)[] {
    return super.listeners(event) as ((...all: unknown[]) => void)[]
  }

  /** As in `EventEmitter`, typed as Keyv 6 has it. */
  override rawListeners(event: string | symbol): ((...all: unknown[]) => void)[] {
    return super.rawListeners(event) as ((...all: unknown[]) => void)[]
  }

  #key(key: string): string {
    return this.#namespace === undefined ? key : `${this.#namespace}${SEPARATOR}${key}`
  }

  #where(namespace: string | undefined): [string, string] | undefined {
    return namespace === undefined ? undefined : ['$.namespace == ?0', namespace]
  }

  #bins(value: unknown, ttl: number | undefined): Bins {
    const bins: Bins = { value: storable(value) }
    if (ttl) bins.expires = Math.ceil(Date.now() + ttl)
    if (this.#namespace !== undefined) bins.namespace = this.#namespace
    return bins
  }
}

/** Keyv without serialization passes `{ value, expires: undefined }`, and `undefined` is no value. */
function storable(value: unknown): BinValue {
  if (typeof value !== 'object' || value === null || !('expires' in value)) return value as BinValue
  const { expires, ...others } = value
  return (expires === undefined ? others : value) as BinValue
}

/** The whole record is replaced, and keeps its key, for iterating. */
function rules(ttl: number | undefined) {
  const seconds = ttl ? Math.ceil(ttl / 1000) : 'never'
  return { ttl: seconds, exists: 'replace', sendKey: true } as const
}

function isLive(record: Record<Bins> | Late | null): record is Record<Bins> {
  if (record === null || record instanceof Late) return false
  const { expires } = record.bins
  return expires === undefined || expires > Date.now()
}

function storedValue<Value>(record: Record<Bins> | null): Value | undefined {
  return isLive(record) ? (record.bins.value as Value) : undefined
}
