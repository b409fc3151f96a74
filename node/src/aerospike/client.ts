/** The client: connecting, closing, and verbs on whole keys. */

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
import { checkUrl, isOptions, withOrigin } from '../opening/opening.js'
import { checkOptions } from '../options/check.js'
import { Metrics, statsOf } from '../statistics/control.js'
import { type EventListener, listen, publishEvents } from '../statistics/events.js'
import type { Stats } from '../statistics/stats.js'
import { administer, type InfoOptions, type TruncateOptions } from './admin/admin.js'
import { Indexes } from './admin/indexes.js'
import { Modules } from './admin/modules.js'
import { Roles } from './admin/roles.js'
import { Users } from './admin/users.js'
import { Builder } from './builder/session.js'
import { type ClientOptions, type Opened, openedWith, seedText, sorted } from './client-options.js'
import { Dataset } from './dataset.js'
import { connectionWithin, KeyVerbs, type TransactionParts } from './key-verbs.js'
import { ClientClosed, ConnectionFailed } from './model/errors.js'
import { spaceNumber } from './model/key.js'
import { native, type Space } from './model/native.js'
import type { Bins } from './model/record.js'
import type { BinValue } from './model/values.js'
import * as opening from './opening.js'
import type { Operation } from './operation/operation.js'
import { type Explanation, explained, rememberOptions } from './profiles/explain.js'
import type { Profile } from './profiles/profile.js'
import { OF_CLIENT, profileOf, viewClass } from './profiles/views.js'
import {
  type DeleteAllOptions,
  type Job,
  type JobOptions,
  type OperateAllOptions,
  startJob,
  type TouchAllOptions,
} from './query/job.js'
import type { Query, QueryOptions } from './query/query.js'
import { Recording, type RecordOptions } from './recording.js'
import {
  type RunInTransactionOptions,
  runInTransaction,
  Transaction,
  type TransactionOptions,
} from './transaction.js'
import { Conversion } from './typed/conversion.js'
import { conversionOf, type DatasetOptions, type TypedOptions } from './typed/options.js'
import type { InferInput, InferOutput, RecordSchema } from './typed/schemas.js'

/** A node of the cluster. */
export interface NodeInfo {
  /** The server's node id. */
  name: string
  /** `host:port` where commands go. */
  address: string
  /** The version of its server. */
  build: string
  /**
   * What not every server can do, and this one can: `'paths'` and `'path_keys'` (path expressions),
   * `'strings'`, `'text_filters'`, `'error_details'`, `'compression'`, `'transactions'`.
   */
  features: string[]
}

const CLIENT: ConnectionKind = {
  name: 'Spikewire client',
  close: (handle, slot) => native.close(handle, slot),
  closed: () => new ClientClosed('the client is closed', -5),
}

/**
 * A connected client. Its connections are driven by the event loop of the thread that created it;
 * each worker thread connects its own client.
 */
export class Client extends KeyVerbs {
  #indexes: Indexes | undefined
  #modules: Modules | undefined
  #users: Users | undefined
  #roles: Roles | undefined
  #metrics: Metrics | undefined

  #namespace: string | null = null

  /**
   * Connects to a cluster.
   *
   * Seeds may be a URL, `'aerospike://user:password@db1:3000,db2/namespace?timeout=250ms'`. If they
   * are left out, that of the variable `SPIKEWIRE_AEROSPIKE_URL` is used, or else `127.0.0.1:3000`.
   * In both cases options also come from the URL, and from variables such as
   * `SPIKEWIRE_AEROSPIKE_TIMEOUT`; those passed here take precedence.
   *
   * @param seeds - `'host:port'`, several separated by commas, or an array of them; with a TLS name
   *   `'host:name:port'`; or a URL
   * @throws ConnectionFailed, Timeout if no seed answers; ServerError if the login is rejected;
   * TypeError, RangeError for invalid options, which name the part of the URL or the variable
   */
  static connect(callback: Callback<Client>): void
  static connect(options: ClientOptions, callback: Callback<Client>): void
  static connect(options?: ClientOptions): Promise<Client>
  static connect(seeds: string | readonly string[], callback: Callback<Client>): void
  static connect(
    seeds: string | readonly string[],
    options: ClientOptions,
    callback: Callback<Client>,
  ): void
  static connect(seeds: string | readonly string[], options?: ClientOptions): Promise<Client>
  static connect(
    seeds?: string | readonly string[] | ClientOptions | Callback<Client>,
    options: ClientOptions | Callback<Client> = {},
    callback?: Callback<Client>,
  ): Promise<Client> | undefined {
    if (typeof options === 'function') return Client.#opened(seeds, {}, options)
    return Client.#opened(seeds, options, callback)
  }

  /**
   * Connects by a URL or the environment: like `connect`, but takes no other seeds.
   *
   * @param url - default: that of the variable `SPIKEWIRE_AEROSPIKE_URL`, or the default seed
   */
  static fromUrl(url?: string | null, options: ClientOptions = {}): Promise<Client> {
    return connecting(() => {
      checkUrl(url)
      // Seeds are no URL: this says what one looks like.
      if (typeof url === 'string' && !url.includes('://')) opening.read(url)
      return Client.#connect(url ?? undefined, options)
    })
  }

  static #opened(
    seeds: string | readonly string[] | ClientOptions | Callback<Client> | undefined,
    options: ClientOptions,
    callback: Callback<Client> | undefined,
  ): Promise<Client> | undefined {
    if (typeof seeds === 'function') return Client.#opened(undefined, {}, seeds)
    if (isOptions<ClientOptions>(seeds)) return Client.#opened(undefined, seeds, callback)
    checkCallback(callback)
    return outcome(Client.#connect(seeds, options), callback)
  }

  static #connect(
    seeds: string | readonly string[] | undefined,
    options: ClientOptions,
  ): Promise<Client> {
    const connected = new Promise<number>(executor)
    const slot = openSlot()
    let signal: AbortSignal | undefined
    let conversion: Conversion | undefined
    let opened: Opened = { seeds, options, namespace: null }
    let connecting: number | undefined
    try {
      opened = openedWith(seeds, options)
      const { names, values, integers, doubles, maps, codec } = sorted(opened.options)
      conversion = Conversion.of(codec)
      signal = options.signal
      if (signal !== undefined) signal.throwIfAborted()
      const texts = seedText(opened.seeds)
      connecting = native.connect(slot, texts, names, values, integers, doubles, maps)
    } catch (error) {
      rejectCall(slot, error)
    }
    const { origin } = opened
    const client = connected.then(
      (handle) => {
        const connection = new Connection(handle, CLIENT)
        publishEvents(connection)
        rememberOptions(connection, opened.options)
        const client = new Client(connection, conversion)
        client.#namespace = opened.namespace
        return client
      },
      (error) => {
        const isOpening = origin !== undefined && error instanceof ConnectionFailed
        throw isOpening ? withOrigin(error, origin) : error
      },
    )
    return closedWhenAborted(client, connecting, signal)
  }

  /** The namespace of the URL that the client was opened with; `null` if there is none. */
  get namespace(): string | null {
    return this.#namespace
  }

  /**
   * A dataset: a namespace and one of its sets. The default namespace is that of the URL that the
   * client was opened with.
   *
   * ```ts
   * const User = z.object({ name: z.string(), age: z.number().int() })
   * const users = client.dataset('test', 'users', { schema: User })
   * await users.put('alice', { name: 'Alice', age: 42 })
   * const { value } = await users.get('alice') // { name: string; age: number }
   * ```
   *
   * @throws TypeError, RangeError for invalid names, options and schemas
   */
  dataset<S extends RecordSchema>(
    namespace: string | null | undefined,
    set: string | null | undefined,
    options: TypedOptions<S>,
  ): Dataset<InferOutput<S>, InferInput<S>>
  dataset<B extends object = Bins>(
    namespace?: string | null,
    set?: string | null,
    options?: DatasetOptions,
  ): Dataset<B>
  dataset(
    namespace?: string | null,
    set?: string | null,
    options?: DatasetOptions,
  ): Dataset<object> {
    const named = namespace ?? this.#namespace
    if (named === null) {
      throw new TypeError(
        'dataset() needs a namespace: this client was opened without one ' +
          "(Client.connect('aerospike://host/namespace'))",
      )
    }
    const conversion = conversionOf(this.conversion, options)
    const dataset = new Dataset<object>(this.connection, named, set, conversion)
    const profile = profileOf(this)
    return profile === null ? dataset : dataset.withProfile(profile)
  }

  /** The profile whose options stand for those that calls leave out; `null` if there is none. */
  get profile(): Profile | null {
    return profileOf(this)
  }

  /**
   * The same connections and verbs, with the options of a profile as defaults of each call. Closing
   * either client closes both.
   *
   * @throws TypeError if it is no profile
   */
  withProfile(profile: Profile): Client {
    const View = viewClass(Client, profile, OF_CLIENT)
    const view = new View(this.connection, this.conversion)
    view.#namespace = this.#namespace
    return view
  }

  /**
   * What a call would use, and where each option comes from: the call, the profile, this client, or
   * the default. Nothing is sent. The arguments are those of the call; for `operate` and
   * `operateMany`, the operations count.
   *
   * @throws RangeError if there is no such verb; TypeError, RangeError for invalid options
   */
  explain(verb: string, ...args: unknown[]): Explanation {
    return explained(this, this.connection, true, verb, args)
  }

  /**
   * Starts chains of the builder: `await client.session().query(users.key('alice')).first()`. Cheap to
   * create and to keep. With a profile it is the builder of `withProfile(profile)`.
   *
   * @throws TypeError if it is no profile
   */
  session(profile?: Profile): Builder {
    return new Builder(profile === undefined ? this : this.withProfile(profile))
  }

  /**
   * Scans a set, or a whole namespace if there is no set. Returns an object to iterate over with
   * `for await`.
   *
   * @throws TypeError, RangeError for invalid options
   */
  query<B extends object = Bins>(
    namespace: string,
    set?: string | null,
    options?: QueryOptions,
  ): Query<B> {
    return this.dataset<B>(namespace, set).query(options)
  }

  /**
   * A transaction over records of one strongly consistent namespace, on clusters of the Enterprise
   * Edition (8.0 or later). Nothing is sent before its first call.
   *
   * ```ts
   * await using txn = client.transaction()
   * const accounts = txn.dataset('bank', 'accounts')
   * await accounts.add('alice', { balance: -10 })
   * await accounts.add('bob', { balance: 10 })
   * await txn.commit()
   * ```
   *
   * @throws RangeError, TypeError for an invalid timeout; ClientClosed
   */
  transaction(options?: TransactionOptions): Transaction {
    return new Transaction(this.connection, options, this.conversion, profileOf(this))
  }

  /**
   * The verbs of this client with their calls in a transaction of it, for keys of several sets.
   *
   * @throws TransactionError for a transaction of another client
   */
  within(transaction: TransactionParts): KeyVerbs {
    const connection = connectionWithin(transaction, this.connection)
    const profile = profileOf(this)
    return new (profile === null ? KeyVerbs : viewClass(KeyVerbs, profile, OF_CLIENT))(
      connection,
      this.conversion,
    )
  }

  /**
   * Calls a function with a transaction, commits it, and returns the function's result.
   *
   * If a record is locked by another transaction or has changed since it was read, the transaction
   * is aborted and the function is called again with a new one; after a lock there is a pause first.
   * Nothing is tried again when the outcome is in doubt. An error of the function aborts the
   * transaction.
   *
   * @throws what the function throws; CommitFailed; RangeError for invalid options
   */
  runInTransaction<T>(
    call: (transaction: Transaction) => Promise<T> | T,
    options?: RunInTransactionOptions,
  ): Promise<T> {
    return runInTransaction(this.connection, call, options, this.conversion, profileOf(this))
  }

  /** The secondary indexes of the cluster. */
  get indexes(): Indexes {
    this.#indexes ??= new Indexes(this.connection)
    return this.#indexes
  }

  /** The modules of Lua functions registered in the cluster. */
  get modules(): Modules {
    this.#modules ??= new Modules(this.connection)
    return this.#modules
  }

  /** The users of a cluster with security. */
  get users(): Users {
    this.#users ??= new Users(this.connection)
    return this.#users
  }

  /** The roles of a cluster with security. */
  get roles(): Roles {
    this.#roles ??= new Roles(this.connection)
    return this.#roles
  }

  /**
   * A node's answer to an info command, such as `'build'` or `'namespace/test'`.
   *
   * @throws ServerError if the answer is an error; RangeError if there is no such node
   */
  info(command: string, callback: Callback<string>): void
  info(command: string, options: InfoOptions, callback: Callback<string>): void
  info(command: string, options?: InfoOptions): Promise<string>
  info(
    command: string,
    options?: InfoOptions | Callback<string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    return administer<string, InfoOptions>(
      this.connection,
      options,
      callback,
      ['node'],
      (client, slot, { node }) => native.info(client, slot, command, node),
    )
  }

  /**
   * Deletes all records of a set, or of a whole namespace, at once. Indexes are kept.
   *
   * @param set - `null` for the whole namespace
   * @throws NamespaceNotFound; TypeError, RangeError for invalid names and times
   */
  truncate(namespace: string, set: string | null, callback: Callback<void>): void
  truncate(
    namespace: string,
    set: string | null,
    options: TruncateOptions,
    callback: Callback<void>,
  ): void
  truncate(namespace: string, set: string | null, options?: TruncateOptions): Promise<void>
  truncate(
    namespace: string,
    set: string | null,
    options?: TruncateOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, TruncateOptions>(
      this.connection,
      options,
      callback,
      ['before'],
      (client, slot, { before }) => {
        // A forgotten argument must not delete the whole namespace.
        if (set === undefined) throw new TypeError('set must be a string, or null for all sets')
        native.truncate(client, slot, namespace, set, before)
      },
    )
  }

  /**
   * Applies write operations to every record of the set, in the background on the nodes. The job
   * continues without the client. A record that disappears or fails meanwhile is counted and
   * skipped.
   *
   * @throws TypeError, RangeError for read operations; IndexNotFound; errors are `inDoubt` if the
   * job was started on some of the nodes
   */
  operateAll(
    namespace: string,
    set: string | null,
    operations: readonly Operation[],
    options?: OperateAllOptions,
  ): Promise<Job>
  operateAll(
    namespace: string,
    set: string | null,
    operations: readonly Operation[],
    callback: Callback<Job>,
  ): void
  operateAll(
    namespace: string,
    set: string | null,
    operations: readonly Operation[],
    options: OperateAllOptions,
    callback: Callback<Job>,
  ): void
  operateAll(
    namespace: string,
    set: string | null,
    operations: readonly Operation[],
    options?: OperateAllOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(
      this.connection,
      () => named(namespace, set),
      'operate',
      operations,
      options,
      callback,
    )
  }

  /**
   * Calls a function of a registered module on every record of the set; otherwise like
   * `operateAll`.
   */
  applyAll(
    namespace: string,
    set: string | null,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: JobOptions,
  ): Promise<Job>
  applyAll(
    namespace: string,
    set: string | null,
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    callback: Callback<Job>,
  ): void
  applyAll(
    namespace: string,
    set: string | null,
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    options: JobOptions,
    callback: Callback<Job>,
  ): void
  applyAll(
    namespace: string,
    set: string | null,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: JobOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(
      this.connection,
      () => named(namespace, set),
      'apply',
      [module, name, args],
      options,
      callback,
    )
  }

  /** Renews the time to live of every record of the set; otherwise like `operateAll`. */
  touchAll(namespace: string, set: string | null, options?: TouchAllOptions): Promise<Job>
  touchAll(namespace: string, set: string | null, callback: Callback<Job>): void
  touchAll(
    namespace: string,
    set: string | null,
    options: TouchAllOptions,
    callback: Callback<Job>,
  ): void
  touchAll(
    namespace: string,
    set: string | null,
    options?: TouchAllOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(
      this.connection,
      () => named(namespace, set),
      'touch',
      undefined,
      options,
      callback,
    )
  }

  /** Deletes every record of the set; otherwise like `operateAll`. */
  deleteAll(namespace: string, set: string | null, options?: DeleteAllOptions): Promise<Job>
  deleteAll(namespace: string, set: string | null, callback: Callback<Job>): void
  deleteAll(
    namespace: string,
    set: string | null,
    options: DeleteAllOptions,
    callback: Callback<Job>,
  ): void
  deleteAll(
    namespace: string,
    set: string | null,
    options?: DeleteAllOptions | Callback<Job>,
    callback?: Callback<Job>,
  ): Promise<Job> | undefined {
    return startJob(
      this.connection,
      () => named(namespace, set),
      'delete',
      undefined,
      options,
      callback,
    )
  }

  /**
   * Makes many calls with up to `limit` of them in flight, and yields their results in the order of
   * the calls, or with `ordered: false` as they come.
   *
   * ```ts
   * for await (const record of client.concurrent(ids, (id) => users.get(id))) {
   *   console.log(record.bins)
   * }
   * ```
   *
   * Takes functions that make a call each, or items and one function that makes the call of an item.
   * Either may be any iterable, also asynchronous or endless: it is read as results are consumed. An
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
   * Records a sample of this client's calls into a file until it is stopped, to send the like to
   * another cluster with `spikewire lab rehearse`.
   *
   * Of a call it keeps its kind, when it came and how long it took, how it ended, the sizes of
   * request and reply, the number of records, numbers that stand for its set and its record, and
   * nothing else: no keys, no values, no names of bins, sets or namespaces. Queries and jobs are not
   * recorded. Calls never wait for the recording: what its thread cannot keep up with is left out
   * and counted.
   *
   * @throws Error with the system's `code`, such as `'EEXIST'`, if the file cannot be created;
   * TypeError, RangeError for invalid options, and if this client is being recorded already;
   * ClientClosed
   */
  record(path: string, options?: RecordOptions): Recording {
    this.connection.check()
    return new Recording(this.connection.handle, path, options)
  }

  /** Whether the client is open. */
  get isOpen(): boolean {
    return this.connection.isOpen
  }

  /** The nodes of the cluster as currently known. */
  get nodes(): NodeInfo[] {
    this.connection.check()
    const flat = native.nodes(this.connection.handle)
    const nodes: NodeInfo[] = []
    for (let at = 0; at < flat.length; at += 4) {
      const [name, address, build, features] = flat.slice(at, at + 4) as [
        string,
        string,
        string,
        string,
      ]
      nodes.push({ name, address, build, features: features === '' ? [] : features.split(',') })
    }
    return nodes
  }

  /** The counters since they were last reset, and the current state, as plain data. */
  stats(): Stats {
    return statsOf(this.connection)
  }

  /** Switches counting on and off, and reports events and slow commands. */
  get metrics(): Metrics {
    this.#metrics ??= new Metrics(this.connection)
    return this.#metrics
  }

  /**
   * Calls `listener` with every event about nodes from now on, such as `{ type: 'nodeDown', node }`;
   * returns a function that ends this. Events are looked for every 100 ms, which does not keep the
   * process alive, or the client. What a listener throws is thrown again as an uncaught exception.
   *
   * @throws TypeError if the listener is not a function
   */
  onEvent(listener: EventListener): () => void {
    return listen(this.connection, listener)
  }

  /**
   * Closes every connection. Calls in flight fail with `ClientClosed`. Closing again is harmless.
   */
  close(): Promise<void>
  close(callback: Callback<void>): void
  close(callback?: Callback<void>): Promise<void> | undefined {
    checkCallback(callback)
    return outcome(this.connection.close(), callback)
  }

  [inspect.custom](): string {
    if (!this.isOpen) return 'Client(closed)'
    return `Client(${this.nodes.map(({ name, address }) => `${name} ${address}`).join(', ')})`
  }

  /** For `await using client = await Client.connect(...)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** A promise for what may throw at once. */
function connecting(connect: () => Promise<Client>): Promise<Client> {
  return new Promise((resolve) => resolve(connect()))
}

/** The set of a job. A forgotten argument must not mean the whole namespace. */
function named(namespace: string, set: string | null): Space {
  if (set === undefined) throw new TypeError('set must be a string, or null for all sets')
  return spaceNumber(namespace, set)
}
