/** Datasets: a namespace and a set of a client. */

import { inspect } from 'node:util'
import type { Callback } from '../bridge/callbacks.js'
import type { Connection } from '../bridge/connection.js'
import { atRow, list } from './batch/gather.js'
import { ManyVerbs } from './batch/many.js'
import { type GetStreamOptions, getStream, type Stream } from './builder/streams.js'
import { connectionWithin, type TransactionParts } from './key-verbs.js'
import { Key, spaceNames, spaceNumber, type UserKey } from './model/key.js'
import { native, type Space } from './model/native.js'
import type { Bins } from './model/record.js'
import type { BinValue } from './model/values.js'
import type { Operation } from './operation/operation.js'
import { type Explanation, explained } from './profiles/explain.js'
import type { Profile } from './profiles/profile.js'
import { OF_DATASET, profileOf, viewClass } from './profiles/views.js'
import {
  type DeleteAllOptions,
  type Job,
  type JobOptions,
  type OperateAllOptions,
  startJob,
  type TouchAllOptions,
} from './query/job.js'
import { Query, type QueryOptions } from './query/query.js'
import type { Conversion } from './typed/conversion.js'

/**
 * A namespace and a set of a client; created by `client.dataset(namespace, set)`. Its verbs take
 * user keys, or full keys that belong to it.
 *
 * @typeParam B - the bins of its records
 * @typeParam W - what can be written to it
 */
export class Dataset<B extends object = Bins, W extends object = Partial<B>> extends ManyVerbs<
  UserKey,
  B,
  W
> {
  readonly #space: Space
  readonly #transaction: TransactionParts | undefined

  /** @internal */
  constructor(
    connection: Connection,
    namespace: string,
    set: string | null | undefined,
    conversion: Conversion | undefined,
    transaction?: TransactionParts,
  ) {
    super(connection, conversion)
    this.#space = spaceNumber(namespace, set)
    this.#transaction = transaction
  }

  /**
   * The same set with its calls in a transaction of the same client: reads see what the transaction
   * has written, and writes take effect when it is committed. Queries and background jobs are no
   * part of transactions.
   *
   * @throws TransactionError for a transaction of another client
   */
  within(transaction: TransactionParts): Dataset<B, W> {
    const connection = connectionWithin(transaction, this.#home)
    const { namespace, set, conversion } = this
    const dataset = new Dataset<B, W>(connection, namespace, set, conversion, transaction)
    const profile = profileOf(this)
    return profile === null ? dataset : dataset.withProfile(profile)
  }

  /** The connection of its client. */
  get #home(): Connection {
    return this.#transaction?.home ?? this.connection
  }

  /** The profile whose options stand for those that calls leave out; `null` if there is none. */
  get profile(): Profile | null {
    return profileOf(this)
  }

  /**
   * The same set, with the options of a profile as defaults of each call.
   *
   * @throws TypeError if it is no profile
   */
  withProfile(profile: Profile): Dataset<B, W> {
    const View = viewClass(Dataset<B, W>, profile, OF_DATASET)
    return new View(this.connection, this.namespace, this.set, this.conversion, this.#transaction)
  }

  /**
   * What a call would use, and where each option comes from: the call, the profile, the client, or
   * the default. Nothing is sent. The arguments are those of the call; for `operate` and
   * `operateMany`, the operations count.
   *
   * @throws RangeError if there is no such verb; TypeError, RangeError for invalid options
   */
  explain(verb: string, ...args: unknown[]): Explanation {
    return explained(this, this.#home, false, verb, args)
  }

  /** The set of a background job. */
  #job(): Space {
    this.#outside('job')
    return this.#space
  }

  /** Rejects what is no part of transactions. */
  #outside(what: 'query' | 'job'): void {
    if (this.#transaction !== undefined) native.transactionOutside(what)
  }

  /** The namespace. */
  get namespace(): string {
    return spaceNames(this.#space).namespace
  }

  /** The set; `null` for the null set. */
  get set(): string | null {
    return spaceNames(this.#space).set
  }

  /** The full key for a user key. */
  key(key: UserKey): Key {
    return Key.of(this.#space, key)
  }

  /** The full keys for user keys, in an array. */
  keys(keys: Iterable<UserKey | Key>): Key[] {
    return list('keys', keys, 'an iterable of keys').map((key, row) => {
      try {
        if (key instanceof Key) {
          this.spaceOf(key)
          return key
        }
        return Key.of(this.#space, key as UserKey)
      } catch (error) {
        throw atRow(row, error)
      }
    })
  }

  /**
   * Reads records for an endless supply of keys. Takes keys from the iterable, which may be
   * asynchronous, one window at a time; each window is one `getMany`, and up to `limit` of them are in
   * flight. Keys are read as results are consumed.
   *
   * ```ts
   * for await (const result of users.getStream(ids, { bins: ['age'] })) {
   *   console.log(result.row, result.record?.bins.age)
   * }
   * ```
   *
   * @throws the error of the first row that fails, unless `onError` says otherwise; TypeError,
   * RangeError for invalid options, at once
   */
  getStream(
    keys: Iterable<UserKey | Key> | AsyncIterable<UserKey | Key>,
    options?: GetStreamOptions<B>,
  ): Stream<B> {
    return getStream<UserKey | Key, B>(this, keys, options)
  }

  /**
   * Scans the set. Returns an object to iterate over with `for await`.
   *
   * @throws TypeError, RangeError for invalid options
   */
  query(options?: QueryOptions): Query<B> {
    this.#outside('query')
    const wireOf = (key: UserKey | Key) => {
      this.spaceOf(key)
      return this.wireOf(key)
    }
    return new Query<B>(this.connection, this.#space, options, wireOf, this.conversion)
  }

  /**
   * Applies write operations to every record of the set, in the background on the nodes. The job
   * continues without the client. A record that disappears or fails meanwhile is counted and
   * skipped.
   *
   * @throws TypeError, RangeError for read operations; IndexNotFound; errors are `inDoubt` if the
   * job was started on some of the nodes
   */
  operateAll(operations: readonly Operation[], options?: OperateAllOptions): Promise<Job>
  operateAll(operations: readonly Operation[], callback: Callback<Job>): void
  operateAll(
    operations: readonly Operation[],
    options: OperateAllOptions,
    callback: Callback<Job>,
  ): void
  operateAll(
    operations: readonly Operation[],
    options?: OperateAllOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(this.connection, () => this.#job(), 'operate', operations, options, callback)
  }

  /**
   * Calls a function of a registered module on every record of the set; otherwise like
   * `operateAll`.
   */
  applyAll(
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: JobOptions,
  ): Promise<Job>
  applyAll(
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    callback: Callback<Job>,
  ): void
  applyAll(
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    options: JobOptions,
    callback: Callback<Job>,
  ): void
  applyAll(
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: JobOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(
      this.connection,
      () => this.#job(),
      'apply',
      [module, name, args],
      options,
      callback,
    )
  }

  /** Renews the time to live of every record of the set; otherwise like `operateAll`. */
  touchAll(options?: TouchAllOptions): Promise<Job>
  touchAll(callback: Callback<Job>): void
  touchAll(options: TouchAllOptions, callback: Callback<Job>): void
  touchAll(
    options?: TouchAllOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(this.connection, () => this.#job(), 'touch', undefined, options, callback)
  }

  /** Deletes every record of the set; otherwise like `operateAll`. */
  deleteAll(options?: DeleteAllOptions): Promise<Job>
  deleteAll(callback: Callback<Job>): void
  deleteAll(options: DeleteAllOptions, callback: Callback<Job>): void
  deleteAll(
    options?: DeleteAllOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(this.connection, () => this.#job(), 'delete', undefined, options, callback)
  }

  [inspect.custom](): string {
    return `Dataset(${this.namespace}, ${this.set ?? 'null'})`
  }

  /** @internal */
  spaceOf(key: UserKey | Key): Space {
    if (key instanceof Key && key.space !== this.#space) {
      throw new RangeError(`${key} does not belong to ${this.namespace}, ${this.set ?? 'null'}`)
    }
    return this.#space
  }

  /** @internal */
  wireOf(key: UserKey | Key): unknown {
    return key instanceof Key ? key.wire : key
  }
}
