/** The client: connecting, closing, and verbs on whole keys. */

import { inspect } from 'node:util'
import { type Callback, checkCallback, closedWhenAborted, outcome } from '../bridge/callbacks.js'
import { Connection, type ConnectionKind } from '../bridge/connection.js'
import { type EventListener, listen } from '../bridge/events.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import { administer, type InfoOptions, type TruncateOptions } from './admin/admin.js'
import { Indexes } from './admin/indexes.js'
import { Modules } from './admin/modules.js'
import { Roles } from './admin/roles.js'
import { Users } from './admin/users.js'
import { type ClientOptions, seedText, sorted } from './client-options.js'
import { Dataset } from './dataset.js'
import { connectionWithin, KeyVerbs, type TransactionParts } from './key-verbs.js'
import { ClientClosed } from './model/errors.js'
import { spaceNumber } from './model/key.js'
import { native, type Space } from './model/native.js'
import type { Bins } from './model/record.js'
import type { BinValue } from './model/values.js'
import type { Operation } from './operation/operation.js'
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

  /**
   * Connects to a cluster.
   *
   * @param seeds - `'host:port'`, several separated by commas, or an array of them; with a TLS name
   *   `'host:name:port'`
   * @throws ConnectionFailed, Timeout if no seed answers; ServerError if the login is rejected;
   * TypeError, RangeError for invalid options
   */
  static connect(seeds: string | readonly string[], callback: Callback<Client>): void
  static connect(
    seeds: string | readonly string[],
    options: ClientOptions,
    callback: Callback<Client>,
  ): void
  static connect(seeds: string | readonly string[], options?: ClientOptions): Promise<Client>
  static connect(
    seeds: string | readonly string[],
    options: ClientOptions | Callback<Client> = {},
    callback?: Callback<Client>,
  ): Promise<Client> | undefined {
    if (typeof options === 'function') return Client.connect(seeds, {}, options) as undefined
    checkCallback(callback)
    const promise = Client.#connect(seeds, options)
    return outcome(promise, callback)
  }

  static #connect(seeds: string | readonly string[], options: ClientOptions): Promise<Client> {
    const opened = new Promise<number>(executor)
    const slot = openSlot()
    let signal: AbortSignal | undefined
    let connecting: number | undefined
    try {
      const { names, values, integers, doubles, maps } = sorted(options)
      signal = options.signal
      if (signal !== undefined) signal.throwIfAborted()
      const texts = seedText(seeds)
      connecting = native.connect(slot, texts, names, values, integers, doubles, maps)
    } catch (error) {
      rejectCall(slot, error)
    }
    const connected = opened.then((handle) => new Client(new Connection(handle, CLIENT)))
    return closedWhenAborted(connected, connecting, signal)
  }

  /** A dataset: a namespace and one of its sets. */
  dataset<B extends object = Bins>(namespace: string, set?: string | null): Dataset<B> {
    return new Dataset<B>(this.connection, namespace, set)
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
    return new Transaction(this.connection, options)
  }

  /**
   * The verbs of this client with their calls in a transaction of it, for keys of several sets.
   *
   * @throws TransactionError for a transaction of another client
   */
  within(transaction: TransactionParts): KeyVerbs {
    return new KeyVerbs(connectionWithin(transaction, this.connection))
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
    return runInTransaction(this.connection, call, options)
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

  /**
   * Calls `listener` with every event about nodes from now on, such as `{ type: 'nodeDown', node }`;
   * returns a function that ends this. Events are looked for every 100 ms, which does not keep the
   * process alive. What a listener throws is thrown again as an uncaught exception.
   *
   * @throws TypeError if the listener is not a function
   */
  onEvent(listener: EventListener): () => void {
    return listen(this.connection, native.events, listener)
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

/** The set of a job. A forgotten argument must not mean the whole namespace. */
function named(namespace: string, set: string | null): Space {
  if (set === undefined) throw new TypeError('set must be a string, or null for all sets')
  return spaceNumber(namespace, set)
}
