/** Secondary indexes of the cluster: creating, listing, waiting, dropping. */

import type { Callback } from '../../bridge/callbacks.js'
import type { Connection } from '../../bridge/connection.js'
import { native } from '../model/native.js'
import type { BinValue } from '../model/values.js'
import type { Step } from '../operation/ctx.js'
import type { Expression } from '../operation/expression.js'
import { type AdminOptions, administer, type WaitOptions } from './admin.js'

/** The type of the indexed values. Values of other types are not indexed. */
export type IndexKind = 'numeric' | 'string' | 'blob' | 'geo2dsphere'

/** What is indexed instead of a bin's value: elements of a list, keys or values of a map. */
export type IndexOf = 'list' | 'mapkeys' | 'mapvalues'

/** A secondary index. */
export interface Index {
  /** Its name. */
  name: string
  namespace: string
  /** `null`: the index covers all records of the namespace. */
  set: string | null
  /** `null`: the index is on an expression or a set. */
  bin: string | null
  /** The type of the indexed values; empty for an index of a set. */
  kind: IndexKind | ''
  /** What is indexed: `default` is the bin's value, `set` all records of a set (used by scans). */
  of: IndexOf | 'default' | 'set'
  /** Whether it is completely built on the node that answered. */
  ready: boolean
}

/** Options of `indexes.create`. */
export interface CreateIndexOptions extends WaitOptions {
  /**
   * The name of the index. Default: derived from set, bin and `of`, such as `users_age` or
   * `users_tags_list`.
   */
  name?: string | undefined
  /** Indexes elements of a list, or keys or values of a map, instead of the bin's value. */
  of?: IndexOf | undefined
  /** The path to a nested list or map. Such an index needs a `name`. */
  ctx?: readonly Step[] | undefined
  /** Whether to wait until every node has built it. Default: true. */
  wait?: boolean | undefined
  /** How long to wait, in milliseconds; 0: no limit. Default: 60,000. */
  timeout?: number | undefined
}

/** What `indexes.createOnSet` takes. */
export interface CreateSetIndexOptions extends WaitOptions {
  /** Its name. Default: that of the set and `_set`. */
  name?: string | undefined
  /** Whether to wait until every node has built it. Default: true. */
  wait?: boolean | undefined
  /** How long to wait, in milliseconds; 0: no limit. Default: 60,000. */
  timeout?: number | undefined
}

/** A bin's name, or an expression whose value is indexed. */
export type IndexSubject =
  | string
  | Expression<never>
  | readonly [text: string, ...parameters: BinValue[]]

const CREATE = ['name', 'of', 'ctx', 'wait', 'timeout'] as const
const CREATE_ON_SET = ['name', 'wait', 'timeout'] as const
const TIMEOUT = 60_000

/** How long to wait; `undefined`: not at all. */
function limitOf(wait: unknown, timeout: number): number | undefined {
  if (typeof wait !== 'boolean') throw new TypeError(`wait must be boolean, not ${typeof wait}`)
  return wait ? timeout : undefined
}

/**
 * The secondary indexes of a client's cluster; `client.indexes`. An index belongs to the whole
 * cluster and has a name.
 *
 * ```ts
 * await client.indexes.create('test', 'users', 'age', 'numeric')
 * ```
 */
export class Indexes {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Creates an index, waits until every node has built it, and returns its name. Creating the same
   * index again is not an error.
   *
   * @param set - `null` for all records of the namespace
   * @param bin - the bin's name, or an expression whose value is indexed, which requires a `name`
   * @param kind - the type of the values to index
   * @throws ServerError with code 200 if there is another index of that name; NamespaceNotFound;
   * Timeout if a node is not ready in time; TypeError, RangeError for invalid names and kinds
   */
  create(
    namespace: string,
    set: string | null,
    bin: IndexSubject,
    kind: IndexKind,
    callback: Callback<string>,
  ): void
  create(
    namespace: string,
    set: string | null,
    bin: IndexSubject,
    kind: IndexKind,
    options: CreateIndexOptions,
    callback: Callback<string>,
  ): void
  create(
    namespace: string,
    set: string | null,
    bin: IndexSubject,
    kind: IndexKind,
    options?: CreateIndexOptions,
  ): Promise<string>
  create(
    namespace: string,
    set: string | null,
    bin: IndexSubject,
    kind: IndexKind,
    options?: CreateIndexOptions | Callback<string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    return administer<string, CreateIndexOptions>(
      this.#connection,
      options,
      callback,
      CREATE,
      (client, slot, { of, name, ctx, wait = true, timeout = TIMEOUT }) => {
        const limit = limitOf(wait, timeout)
        native.indexCreate(client, slot, namespace, set, bin, kind, of, name, ctx, limit)
      },
    )
  }

  /**
   * Creates an index of all records of a set, by which scans of the set find them without a look at
   * other sets; gives its name. A query does not name it. Creating the same one again is no error.
   *
   * @throws as `create`
   */
  createOnSet(namespace: string, set: string, callback: Callback<string>): void
  createOnSet(
    namespace: string,
    set: string,
    options: CreateSetIndexOptions,
    callback: Callback<string>,
  ): void
  createOnSet(namespace: string, set: string, options?: CreateSetIndexOptions): Promise<string>
  createOnSet(
    namespace: string,
    set: string,
    options?: CreateSetIndexOptions | Callback<string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    return administer<string, CreateSetIndexOptions>(
      this.#connection,
      options,
      callback,
      CREATE_ON_SET,
      (client, slot, { name, wait = true, timeout = TIMEOUT }) =>
        native.indexCreateOnSet(client, slot, namespace, set, name, limitOf(wait, timeout)),
    )
  }

  /**
   * Waits until every node has built an index, for 60 seconds by default.
   *
   * @throws Timeout if that takes longer
   */
  wait(namespace: string, name: string, callback: Callback<void>): void
  wait(namespace: string, name: string, options: WaitOptions, callback: Callback<void>): void
  wait(namespace: string, name: string, options?: WaitOptions): Promise<void>
  wait(
    namespace: string,
    name: string,
    options?: WaitOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, WaitOptions>(
      this.#connection,
      options,
      callback,
      ['timeout'],
      (client, slot, { timeout = TIMEOUT }) =>
        native.indexWait(client, slot, namespace, name, timeout),
    )
  }

  /**
   * The indexes of a namespace, sorted by name.
   *
   * @throws NamespaceNotFound if there is no such namespace
   */
  list(namespace: string, callback: Callback<Index[]>): void
  list(namespace: string, options: AdminOptions, callback: Callback<Index[]>): void
  list(namespace: string, options?: AdminOptions): Promise<Index[]>
  list(
    namespace: string,
    options?: AdminOptions | Callback<Index[]>,
    callback?: Callback<Index[]>,
  ): Promise<Index[]> | undefined {
    return administer<Index[], AdminOptions>(
      this.#connection,
      options,
      callback,
      [],
      (client, slot) => native.indexList(client, slot, namespace),
    )
  }

  /** Drops an index; does nothing if there is none of that name. */
  drop(namespace: string, set: string | null, name: string, callback: Callback<void>): void
  drop(
    namespace: string,
    set: string | null,
    name: string,
    options: AdminOptions,
    callback: Callback<void>,
  ): void
  drop(namespace: string, set: string | null, name: string, options?: AdminOptions): Promise<void>
  drop(
    namespace: string,
    set: string | null,
    name: string,
    options?: AdminOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return administer<void, AdminOptions>(this.#connection, options, callback, [], (client, slot) =>
      native.indexDrop(client, slot, namespace, set, name),
    )
  }
}
