/** The verbs on many records that clients and datasets share. */

import type { Batch } from './batch.js'
import { type ColumnOptions, type ColumnParts, Columns, schemaOf } from './columns.js'
import {
  binsOf,
  collect,
  isAsync,
  list,
  pairs,
  type Records,
  type Rows,
  rowsOf,
  sent,
} from './gather.js'
import type { Key } from './key.js'
import { native, type Slot } from './native.js'
import type { Operation } from './operation.js'
import {
  type CallOptions,
  checked,
  READ,
  type ReadOptions,
  WRITE,
  type WriteOptions,
} from './options.js'
import { encodedRows, type Row } from './rows.js'
import { aboutRecord, executor, NO_RECORD, openSlot, refuse } from './slots.js'
import type { BinValue } from './values.js'
import {
  APPLY,
  type ApplyOptions,
  DELETE,
  type DeleteOptions,
  OPERATE,
  type OperateOptions,
  Verbs,
} from './verbs.js'
import { type Callback, handOver, withSignal } from './ways.js'

/** What `getMany` takes. */
export interface GetManyOptions extends ReadOptions {
  /** The bins to read: all of them when left out, and none (only generation and TTL) when empty. */
  bins?: readonly string[] | undefined
}

/** What `batch` takes, for all of its rows. */
export type BatchOptions = Pick<ReadOptions, 'replica' | keyof CallOptions>

/** What `getColumns` and `getArrow` take; with a `schema` only its bins are read. */
export interface GetColumnsOptions
  extends GetManyOptions,
    Pick<ColumnOptions, 'schema' | 'generation' | 'ttl'> {}

const GET_COLUMNS = [...READ, 'bins', 'schema', 'generation', 'ttl']
const GET_MANY = [...READ, 'bins']
const BATCH = ['replica', 'timeout', 'signal']

/** The verbs on many records, each in one call for all of them. */
export abstract class ManyVerbs<K, B extends object> extends Verbs<K, B> {
  /**
   * Reads many records in one call, in parallel over the nodes.
   *
   * @param keys - an array or another iterable; of a client, keys of several sets too
   * @returns a batch in input order: `null` where there is no such record or `where` is not true for
   * it. A row that fails does not affect the others.
   * @throws TypeError, RangeError for a key that cannot be one, with its row; nothing is sent then
   */
  getMany(keys: Iterable<K | Key>, options?: GetManyOptions): Promise<Batch<B>>
  getMany(keys: Iterable<K | Key>, callback: Callback<Batch<B>>): void
  getMany(keys: Iterable<K | Key>, options: GetManyOptions, callback: Callback<Batch<B>>): void
  getMany(
    keys: Iterable<K | Key>,
    options?: GetManyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.getMany(keys, {}, options) as undefined
    return this.#many(keys, options, GET_MANY, callback, (client, slot, rows, given) =>
      native.getMany(client, slot, ...sent(rows), options?.bins, given),
    )
  }

  /**
   * Reads many records as columns of typed arrays, without an object for each: row `n` is that of
   * key `n`, and null in every column where there is no such record or `where` is not true for it.
   *
   * @throws the error of the first row that failed; TypeError, RangeError for a value that does not
   * go into its column
   */
  getColumns(keys: Iterable<K | Key>, options?: GetColumnsOptions): Promise<Columns> {
    const made = this.#table<[number, ColumnParts[]]>(keys, options, false)
    return made.then((table) => new Columns(table))
  }

  /** As `getColumns`, as an Arrow IPC stream: for `tableFromIPC` of `apache-arrow`, and others. */
  getArrow(keys: Iterable<K | Key>, options?: GetColumnsOptions): Promise<Buffer> {
    return this.#table(keys, options, true)
  }

  #table<T>(
    keys: Iterable<K | Key>,
    options: GetColumnsOptions | undefined,
    asStream: boolean,
  ): Promise<T> {
    return this.#call<T>(options, GET_COLUMNS, (client, slot, given) => {
      const { schema, generation, ttl } = options ?? {}
      const flat = schemaOf(schema)
      const named = Object.keys(schema ?? {}).filter((name) => name !== generation && name !== ttl)
      const bins = options?.bins ?? (schema && named)
      const rows = this.#rows(slot, list('keys', keys))
      native.getColumns(client, slot, ...sent(rows), bins, given, flat, generation, ttl, asStream)
    })
  }

  /**
   * Checks which of many records exist, without reading their bins.
   *
   * @returns a batch of records without bins; `null` where there is no such record or `where` is not
   * true for it
   */
  existsMany(keys: Iterable<K | Key>, options?: ReadOptions): Promise<Batch<B>>
  existsMany(keys: Iterable<K | Key>, callback: Callback<Batch<B>>): void
  existsMany(keys: Iterable<K | Key>, options: ReadOptions, callback: Callback<Batch<B>>): void
  existsMany(
    keys: Iterable<K | Key>,
    options?: ReadOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.existsMany(keys, {}, options) as undefined
    return this.#many(keys, options, READ, callback, (client, slot, rows, given) =>
      native.existsMany(client, slot, ...sent(rows), given),
    )
  }

  /**
   * Deletes many records.
   *
   * @returns a batch of records without bins, one for each that was deleted; `null` where there was
   * no such record or `where` was not true for it
   */
  deleteMany(keys: Iterable<K | Key>, options?: DeleteOptions): Promise<Batch<B>>
  deleteMany(keys: Iterable<K | Key>, callback: Callback<Batch<B>>): void
  deleteMany(keys: Iterable<K | Key>, options: DeleteOptions, callback: Callback<Batch<B>>): void
  deleteMany(
    keys: Iterable<K | Key>,
    options?: DeleteOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.deleteMany(keys, {}, options) as undefined
    return this.#many(keys, options, DELETE, callback, (client, slot, rows, given) =>
      native.removeMany(client, slot, ...sent(rows), given),
    )
  }

  /** Applies the same operations to many records. */
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options?: OperateOptions,
  ): Promise<Batch<B>>
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    callback: Callback<Batch<B>>,
  ): void
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options: OperateOptions,
    callback: Callback<Batch<B>>,
  ): void
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options?: OperateOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') {
      return this.operateMany(keys, operations, {}, options) as undefined
    }
    return this.#many(keys, options, OPERATE, callback, (client, slot, rows, given) =>
      native.operateMany(client, slot, ...sent(rows), operations, given),
    )
  }

  /**
   * Calls a function of a registered module on many records, each on the node that holds it.
   *
   * @returns a batch of records whose `results` hold what the function returned. A row whose function
   * failed has `FunctionFailed` as its error.
   */
  applyMany(
    keys: Iterable<K | Key>,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyOptions,
  ): Promise<Batch<B>>
  applyMany(
    keys: Iterable<K | Key>,
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    callback: Callback<Batch<B>>,
  ): void
  applyMany(
    keys: Iterable<K | Key>,
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    options: ApplyOptions,
    callback: Callback<Batch<B>>,
  ): void
  applyMany(
    keys: Iterable<K | Key>,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') {
      return this.applyMany(keys, module, name, args, {}, options) as undefined
    }
    return this.#many(keys, options, APPLY, callback, (client, slot, rows, given) =>
      native.applyMany(client, slot, ...sent(rows), module, name, args, given),
    )
  }

  /**
   * Writes many records in one call, in parallel over the nodes.
   *
   * @param records - a `Map` of keys to bins; an iterable, or an async iterable, of pairs
   * `[key, bins]`; or an object whose names are the keys, all of which are strings then. What comes
   * one after the other is gathered first: nothing is sent before everything is checked.
   * @returns a batch of records without bins
   * @throws TypeError, RangeError for a key or bins that cannot be written, with their row; nothing is
   * sent then
   */
  putMany(records: Records<K | Key, B>, options?: WriteOptions): Promise<Batch<B>>
  putMany(records: Records<K | Key, B>, callback: Callback<Batch<B>>): void
  putMany(records: Records<K | Key, B>, options: WriteOptions, callback: Callback<Batch<B>>): void
  putMany(
    records: Records<K | Key, B>,
    options?: WriteOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.putMany(records, {}, options) as undefined
    const put = (all: unknown) =>
      this.#call(options, WRITE, (client, slot, given) => {
        const { keys, bins } = pairs(all)
        const rows = this.#rows(slot, keys)
        const { shapes, values } = binsOf(bins)
        native.putMany(client, slot, ...sent(rows), shapes, values, given)
      })
    const promise = isAsync(records) ? gathered(records, options).then(put) : put(records)
    return callback === undefined ? promise : handOver(promise, callback)
  }

  /**
   * Reads, writes, deletes and calls of functions in one call, each row on its own record.
   *
   * Rows for one node are sent in one request and run in order; those for different nodes run in
   * parallel. A row that fails does not affect the others.
   *
   * @param rows - an iterable of `Read`, `Write`, `Delete` and `Apply`, each with options of its own
   * @returns a batch in input order: a record for each row, with `results` where it is made of
   * operations; `null` where there is no such record or the row's `where` is not true for it
   * @throws TypeError, RangeError for an invalid row, with its number; nothing is sent then
   */
  batch(rows: Iterable<Row>, options?: BatchOptions): Promise<Batch<B>>
  batch(rows: Iterable<Row>, callback: Callback<Batch<B>>): void
  batch(rows: Iterable<Row>, options: BatchOptions, callback: Callback<Batch<B>>): void
  batch(
    rows: Iterable<Row>,
    options?: BatchOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.batch(rows, {}, options) as undefined
    const promise = this.#call(options, BATCH, (client, slot, given) => {
      const all = list('rows', rows)
      const encoded = encodedRows(all)
      const keyed = this.#rows(
        slot,
        (all as Row[]).map(({ key }) => key),
      )
      native.batch(client, slot, ...sent(keyed), encoded, given)
    })
    return callback === undefined ? promise : handOver(promise, callback)
  }

  #many(
    keys: Iterable<K | Key>,
    options: CallOptions | undefined,
    known: readonly string[],
    callback: Callback<Batch<B>> | undefined,
    send: (client: number, slot: Slot, rows: Rows, options: unknown) => void,
  ): Promise<Batch<B>> | undefined {
    const promise = this.#call(options, known, (client, slot, given) =>
      send(client, slot, this.#rows(slot, list('keys', keys)), given),
    )
    return callback === undefined ? promise : handOver(promise, callback)
  }

  /** Rows of these keys, which the result of the call will know. */
  #rows(slot: Slot, keys: unknown[]): Rows {
    const rows = rowsOf(this as ManyVerbs<unknown, B>, keys)
    aboutRecord(slot, NO_RECORD, rows)
    return rows
  }

  /** Makes a promise, and lets `send` send what settles it. */
  #call<T = Batch<B>>(
    options: CallOptions | undefined,
    known: readonly string[],
    send: (client: number, slot: Slot, options: unknown) => void,
  ): Promise<T> {
    const promise = new Promise<T>(executor)
    const slot = openSlot()
    try {
      const given = checked(options, known)
      const signal = options?.signal
      if (signal !== undefined) signal.throwIfAborted()
      send(this.connection.handle, slot, given)
      if (signal !== undefined) withSignal(promise, slot, signal)
    } catch (error) {
      refuse(slot, error)
    }
    return promise
  }
}

/** Records that come one after the other. Options are refused before the first one is asked for. */
async function gathered(
  records: AsyncIterable<unknown>,
  options: WriteOptions | undefined,
): Promise<unknown[]> {
  checked(options, WRITE)
  const signal = options?.signal
  signal?.throwIfAborted()
  return untilAborted(collect(records, signal), signal)
}

/** The same, rejected as soon as the signal is aborted. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const over = () => signal.removeEventListener('abort', abort)
    promise.finally(over).then(resolve, reject)
    if (signal.aborted) abort()
  })
}
