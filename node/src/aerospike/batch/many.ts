/** The verbs on many records, common to clients and datasets. */

import type { Slot } from '../../addon/native.js'
import { type Callback, checkCallback, outcome, withSignal } from '../../bridge/callbacks.js'
import { commands } from '../../bridge/channels.js'
import { untilAborted } from '../../bridge/signals.js'
import { aboutRecord, executor, NO_RECORD, openSlot, rejectCall } from '../../bridge/slots.js'
import { type ColumnOptions, type ColumnParts, Columns, schemaOf } from '../command/columns.js'
import {
  type CallOptions,
  type DeadlineOptions,
  LIMITS,
  type LimitOptions,
  READ_MANY,
  type ReadManyOptions,
  type ReadOptions,
  type ReplyOptions,
  toNativeOptions,
  WRITE_MANY,
  type WriteManyOptions,
  type WriteOptions,
} from '../command/options.js'
import {
  APPLY,
  type ApplyOptions,
  DELETE,
  type DeleteOptions,
  OPERATE_MANY,
  type OperateManyOptions,
  Verbs,
} from '../command/verbs.js'
import type { SpikewireError } from '../model/errors.js'
import type { Key } from '../model/key.js'
import { native } from '../model/native.js'
import { publishCall } from '../model/published.js'
import type { BinValue } from '../model/values.js'
import type { Operation } from '../operation/operation.js'
import { Conversion } from '../typed/conversion.js'
import { Batch, convertRows, type Late, ofRow } from './batch.js'
import {
  atRow,
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
import { encodedRows, type Row } from './rows.js'
import {
  isTable,
  type PutTableOptions,
  putTables,
  selectionOf,
  TABLE,
  type Tables,
  type TableWriter,
} from './tables.js'

/** Options of `getMany`. */
export interface GetManyOptions extends ReadManyOptions {
  /** The bins to read. Default: all; an empty array reads none (only generation and TTL). */
  bins?: readonly string[] | undefined
}

/**
 * Options of `batch`; `deadline` is for batches of `Read`. `readMode` and `readTouch` of rows that
 * read, and `ttl`, `exists`, `durable` and `sendKey` of rows that write, are for rows that do not set
 * them.
 */
export interface BatchOptions
  extends LimitOptions,
    DeadlineOptions,
    ReplyOptions,
    Pick<ReadOptions, 'readMode' | 'readTouch'>,
    Pick<WriteOptions, 'ttl' | 'exists' | 'durable' | 'sendKey'> {}

/** Options of `deleteMany`. */
export interface DeleteManyOptions extends DeleteOptions, ReplyOptions {}

/** Options of `applyMany`. */
export interface ApplyManyOptions extends ApplyOptions, ReplyOptions {}

/** Options with a deadline, by which rows may be late. */
type Timely<O extends DeadlineOptions> = O & { deadline: number }

/** Options of `getColumns` and `getArrow`; with a `schema`, only its bins are read. */
export interface GetColumnsOptions extends GetManyOptions, Omit<ColumnOptions, 'rows'> {
  /**
   * How a failed row is handled: its error is thrown (`'raise'`, the default), or its values are
   * null (`'mask'`).
   */
  errors?: 'raise' | 'mask' | undefined
}

type TableParts = [length: number, columns: ColumnParts[]]

const GET_COLUMNS = [...READ_MANY, 'bins', 'schema', 'key', 'generation', 'ttl', 'errors']
/** @internal */
export const GET_MANY = [...READ_MANY, 'bins']
const OF_ROWS = ['readMode', 'readTouch', 'ttl', 'exists', 'durable', 'sendKey']
const BATCH = [...LIMITS, ...OF_ROWS, 'deadline', 'respondAllKeys']
const DELETE_MANY = [...DELETE, 'respondAllKeys']
const APPLY_MANY = [...APPLY, 'respondAllKeys']
/** The verbs by their options. */
const VERBS = new Map<readonly string[], string>([
  [GET_MANY, 'getMany'],
  [GET_COLUMNS, 'getColumns'],
  [READ_MANY, 'existsMany'],
  [WRITE_MANY, 'putMany'],
  [DELETE_MANY, 'deleteMany'],
  [OPERATE_MANY, 'operateMany'],
  [APPLY_MANY, 'applyMany'],
  [BATCH, 'batch'],
])

/** The verbs that process many records in one call. */
export abstract class ManyVerbs<K, B extends object, W extends object = Partial<B>> extends Verbs<
  K,
  B,
  W
> {
  /**
   * Reads many records in one call, in parallel over the nodes.
   *
   * @param keys - an array or another iterable; for a client, the keys may be of several sets
   * @returns a batch in input order, with `null` for records that do not exist or for which `where`
   * is not true. A failed row does not affect the others.
   * @throws TypeError, RangeError for an invalid key, with its row number; nothing is sent then
   */
  getMany(keys: Iterable<K | Key>, options: Timely<GetManyOptions>): Promise<Batch<B, Late>>
  getMany(keys: Iterable<K | Key>, options?: GetManyOptions): Promise<Batch<B>>
  getMany(keys: Iterable<K | Key>, callback: Callback<Batch<B>>): void
  getMany(keys: Iterable<K | Key>, options: GetManyOptions, callback: Callback<Batch<B>>): void
  getMany(
    keys: Iterable<K | Key>,
    options?: GetManyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B, Late>> | undefined {
    if (typeof options === 'function') return this.getMany(keys, {}, options) as undefined
    const { conversion } = this
    return this.#many(keys, options, GET_MANY, callback, (client, slot, rows, nativeOptions) => {
      const bins = conversion === undefined ? options?.bins : conversion.selection(options?.bins)
      native.getMany(client, slot, ...sent(rows), bins, nativeOptions)
    })
  }

  /**
   * Reads many records into columns of typed arrays, one row per key, in input order. No objects
   * are created for records and values. Values are null if the record or the bin does not exist.
   *
   * ```ts
   * const table = await users.getColumns(ids, { schema: { age: 'float64' } })
   * const ages = table.get('age')?.values as Float64Array
   * ```
   *
   * @throws the error of the first failed row, unless `errors` is `'mask'`; TypeError, RangeError
   * for a value that does not fit its column, with row and column
   */
  getColumns(keys: Iterable<K | Key>, options?: GetColumnsOptions): Promise<Columns>
  getColumns(keys: Iterable<K | Key>, callback: Callback<Columns>): void
  getColumns(keys: Iterable<K | Key>, options: GetColumnsOptions, callback: Callback<Columns>): void
  getColumns(
    keys: Iterable<K | Key>,
    options?: GetColumnsOptions | Callback<Columns>,
    callback?: Callback<Columns>,
  ): Promise<Columns> | undefined {
    if (typeof options === 'function') return this.getColumns(keys, {}, options) as undefined
    checkCallback(callback)
    const promise = this.#table(keys, options, false).then(
      (table) => new Columns(table as TableParts),
    )
    return outcome(promise, callback)
  }

  /**
   * Like `getColumns`, but returns an Arrow IPC stream, which `tableFromIPC` of `apache-arrow`,
   * DuckDB, Polars and pyarrow can read.
   */
  getArrow(keys: Iterable<K | Key>, options?: GetColumnsOptions): Promise<Buffer>
  getArrow(keys: Iterable<K | Key>, callback: Callback<Buffer>): void
  getArrow(keys: Iterable<K | Key>, options: GetColumnsOptions, callback: Callback<Buffer>): void
  getArrow(
    keys: Iterable<K | Key>,
    options?: GetColumnsOptions | Callback<Buffer>,
    callback?: Callback<Buffer>,
  ): Promise<Buffer> | undefined {
    if (typeof options === 'function') return this.getArrow(keys, {}, options) as undefined
    checkCallback(callback)
    const promise = this.#table(keys, options, true) as Promise<Buffer>
    return outcome(promise, callback)
  }

  /**
   * Checks which of many records exist, without reading their bins.
   *
   * @returns a batch of records without bins, with `null` for records that do not exist or for
   * which `where` is not true
   */
  existsMany(keys: Iterable<K | Key>, options: Timely<ReadManyOptions>): Promise<Batch<B, Late>>
  existsMany(keys: Iterable<K | Key>, options?: ReadManyOptions): Promise<Batch<B>>
  existsMany(keys: Iterable<K | Key>, callback: Callback<Batch<B>>): void
  existsMany(keys: Iterable<K | Key>, options: ReadManyOptions, callback: Callback<Batch<B>>): void
  existsMany(
    keys: Iterable<K | Key>,
    options?: ReadManyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B, Late>> | undefined {
    if (typeof options === 'function') return this.existsMany(keys, {}, options) as undefined
    return this.#many(keys, options, READ_MANY, callback, (client, slot, rows, nativeOptions) =>
      native.existsMany(client, slot, ...sent(rows), nativeOptions),
    )
  }

  /**
   * Deletes many records.
   *
   * @returns a batch of records without bins, one per deleted record, with `null` for records that
   * did not exist or for which `where` was not true
   */
  deleteMany(keys: Iterable<K | Key>, options?: DeleteManyOptions): Promise<Batch<B>>
  deleteMany(keys: Iterable<K | Key>, callback: Callback<Batch<B>>): void
  deleteMany(
    keys: Iterable<K | Key>,
    options: DeleteManyOptions,
    callback: Callback<Batch<B>>,
  ): void
  deleteMany(
    keys: Iterable<K | Key>,
    options?: DeleteManyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.deleteMany(keys, {}, options) as undefined
    return this.#many(keys, options, DELETE_MANY, callback, (client, slot, rows, nativeOptions) =>
      native.removeMany(client, slot, ...sent(rows), nativeOptions),
    )
  }

  /** Applies the same operations to many records. */
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options: Timely<OperateManyOptions>,
  ): Promise<Batch<B, Late>>
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options?: OperateManyOptions,
  ): Promise<Batch<B>>
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    callback: Callback<Batch<B>>,
  ): void
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options: OperateManyOptions,
    callback: Callback<Batch<B>>,
  ): void
  operateMany(
    keys: Iterable<K | Key>,
    operations: readonly Operation[],
    options?: OperateManyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B, Late>> | undefined {
    if (typeof options === 'function') {
      return this.operateMany(keys, operations, {}, options) as undefined
    }
    return this.#many(
      keys,
      options,
      OPERATE_MANY,
      callback,
      (client, slot, rows, nativeOptions) =>
        native.operateMany(client, slot, ...sent(rows), operations, nativeOptions),
      operations,
    )
  }

  /**
   * Calls a function of a registered module on many records, each on the node that holds it.
   *
   * @returns a batch of records whose `results` hold the function's return value. The error of a
   * row whose function failed is `FunctionFailed`.
   */
  applyMany(
    keys: Iterable<K | Key>,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyManyOptions,
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
    options: ApplyManyOptions,
    callback: Callback<Batch<B>>,
  ): void
  applyMany(
    keys: Iterable<K | Key>,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyManyOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') {
      return this.applyMany(keys, module, name, args, {}, options) as undefined
    }
    return this.#many(keys, options, APPLY_MANY, callback, (client, slot, rows, nativeOptions) =>
      native.applyMany(client, slot, ...sent(rows), module, name, args, nativeOptions),
    )
  }

  /**
   * Writes many records in one call, in parallel over the nodes.
   *
   * @param records - a `Map` of keys to bins; an iterable or async iterable of pairs `[key, bins]`;
   * or an object, whose property names are string keys. An async iterable is collected first:
   * nothing is sent before everything is validated.
   * @returns a batch of records without bins
   * @throws TypeError, RangeError for an invalid key or invalid bins, with their row number;
   * nothing is sent then
   */
  putMany(records: Records<K | Key, B, W>, options?: WriteManyOptions): Promise<Batch<B>>
  /**
   * Writes the rows of a table: Arrow, columns, or objects of which `key` is one property. Rows go in
   * windows of 16,384; `timeout` is for each. Codecs do not apply to Arrow and typed arrays.
   *
   * @throws TypeError, RangeError for a value that cannot be written, with row and column. Nothing of
   * its window is sent then; the message says how many rows were sent before.
   */
  putMany(records: Tables, options: PutTableOptions): Promise<Batch<B>>
  putMany(records: Records<K | Key, B, W>, callback: Callback<Batch<B>>): void
  putMany(
    records: Records<K | Key, B, W>,
    options: WriteManyOptions,
    callback: Callback<Batch<B>>,
  ): void
  putMany(records: Tables, options: PutTableOptions, callback: Callback<Batch<B>>): void
  putMany(
    records: Records<K | Key, B, W> | Tables,
    options?: WriteManyOptions | PutTableOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B>> | undefined {
    if (typeof options === 'function') return this.#putMany(records, {}, options)
    return this.#putMany(records, options, callback)
  }

  #putMany(
    records: unknown,
    options: WriteManyOptions | PutTableOptions | undefined,
    callback: Callback<Batch<B>> | undefined,
  ): Promise<Batch<B>> | undefined {
    checkCallback(callback)
    if (isTable(records, options)) {
      return outcome(this.#putTables(records, options as PutTableOptions), callback)
    }
    const { conversion } = this
    const put = (all: unknown) =>
      this.#call(options, WRITE_MANY, (client, slot, nativeOptions) => {
        const { keys, bins } = pairs(all)
        const rows = this.#rows(slot, keys)
        const plain = conversion === undefined ? bins : written(conversion, rows, bins, options)
        const { shapes, values } = binsOf(plain)
        native.putMany(client, slot, ...sent(rows), shapes, values, nativeOptions)
      })
    const promise = isAsync(records) ? collected(records, options).then(put) : put(records)
    return outcome(promise, callback)
  }

  async #putTables(records: unknown, options: PutTableOptions): Promise<Batch<B>> {
    const known = [...WRITE_MANY, ...TABLE]
    toNativeOptions(options, known)
    const selection = selectionOf(options)
    const { key: _, bins: __, nulls: ___, ...others } = options
    const isConverted = this.conversion?.schema !== undefined
    const writer: TableWriter = {
      put: (pairs) => this.#putMany(pairs, others, undefined) as Promise<Batch>,
      write: (table, from) => {
        if (isConverted) throw new TypeError('tables go to a dataset without a schema')
        return this.#call<Batch>(options, known, (client, slot, nativeOptions) => {
          // Every key of a table belongs to the dataset.
          const space = this.spaceOf('' as K)
          const { key, bins, removes } = selection
          const keys = native.putTable(
            ...([client, slot, space, table.handle] as const),
            ...([key, bins, removes, from, nativeOptions] as const),
          )
          aboutRecord(slot, NO_RECORD, { spaces: space, keys })
        })
      },
    }
    return (await putTables(records, selection, writer)) as unknown as Batch<B>
  }

  /**
   * Mixes reads, writes, deletes and Lua functions in one call; each row is about one record.
   *
   * Rows for one node are sent in one request and run in order; those for different nodes run in
   * parallel. A failed row does not affect the others.
   *
   * @param rows - an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own options
   * @returns a batch in input order: a record per row, with `results` if the row has operations;
   * `null` if the record does not exist or the row's `where` is not true for it
   * @throws TypeError, RangeError for an invalid row, with its number; nothing is sent then
   */
  batch(rows: Iterable<Row>, options: Timely<BatchOptions>): Promise<Batch<B, Late>>
  batch(rows: Iterable<Row>, options?: BatchOptions): Promise<Batch<B>>
  batch(rows: Iterable<Row>, callback: Callback<Batch<B>>): void
  batch(rows: Iterable<Row>, options: BatchOptions, callback: Callback<Batch<B>>): void
  batch(
    rows: Iterable<Row>,
    options?: BatchOptions | Callback<Batch<B>>,
    callback?: Callback<Batch<B>>,
  ): Promise<Batch<B, Late>> | undefined {
    if (typeof options === 'function') return this.batch(rows, {}, options) as undefined
    checkCallback(callback)
    const { conversion } = this
    let all: readonly unknown[] = []
    const promise = this.#call(options, BATCH, (client, slot, nativeOptions) => {
      all = list('rows', rows)
      const encoded = encodedRows(all, conversion)
      const keyed = this.#rows(
        slot,
        (all as Row[]).map(({ key }) => key),
      )
      native.batch(client, slot, ...sent(keyed), encoded, nativeOptions)
    })
    if (conversion !== undefined) {
      const converted = promise.then((batch) => {
        convertRows(batch, (record, row) => conversion.read(record, (all[row] as Row).operations))
        Batch.decoded(batch, conversion.codec)
        return batch
      })
      return outcome(converted, callback)
    }
    return outcome(promise, callback)
  }

  #many(
    keys: Iterable<K | Key>,
    options: CallOptions | undefined,
    known: readonly string[],
    callback: Callback<Batch<B>> | undefined,
    send: (client: number, slot: Slot, rows: Rows, options: unknown) => void,
    operations?: readonly Operation[],
  ): Promise<Batch<B>> | undefined {
    checkCallback(callback)
    const { conversion } = this
    const promise = this.#call(options, known, (client, slot, nativeOptions) =>
      send(client, slot, this.#rows(slot, list('keys', keys)), nativeOptions),
    )
    if (conversion !== undefined) {
      const converted = promise.then((batch) => {
        convertRows(batch, (record) => conversion.read(record, operations))
        Batch.decoded(batch, conversion.codec)
        return batch
      })
      return outcome(converted, callback)
    }
    return outcome(promise, callback)
  }

  /** Reads a table of many records, as its parts or as an Arrow IPC stream. */
  async #table(
    keys: Iterable<K | Key>,
    options: GetColumnsOptions | undefined,
    asStream: boolean,
  ): Promise<TableParts | Buffer> {
    let rows: Rows | undefined
    const result = await this.#call<unknown>(
      options,
      GET_COLUMNS,
      (client, slot, nativeOptions) => {
        const { bins, schema, lenient, key, generation, ttl } = nativeColumnOptions(options)
        rows = rowsOf(this as ManyVerbs<unknown, B>, list('keys', keys))
        native.getColumns(
          client,
          slot,
          ...sent(rows),
          bins,
          nativeOptions,
          schema,
          key,
          generation,
          ttl,
          lenient,
          asStream,
        )
      },
    )
    if (Array.isArray(result) && result.length === 3) {
      const [row, , error] = result as [number, undefined, SpikewireError]
      throw ofRow(error, rows as Rows, row)
    }
    return result as TableParts | Buffer
  }

  /** Rows for these keys, registered so that the call's result gets them. */
  #rows(slot: Slot, keys: unknown[]): Rows {
    const rows = rowsOf(this as ManyVerbs<unknown, B>, keys)
    aboutRecord(slot, NO_RECORD, rows)
    return rows
  }

  /** Creates a promise; `send` sends the request that settles it. */
  #call<T = Batch<B>>(
    options: CallOptions | undefined,
    known: readonly string[],
    send: (client: number, slot: Slot, options: unknown) => void,
  ): Promise<T> {
    const promise = new Promise<T>(executor)
    const slot = openSlot()
    try {
      const nativeOptions = toNativeOptions(options, known)
      const signal = options?.signal
      if (signal !== undefined) signal.throwIfAborted()
      const client = this.connection.handle
      send(client, slot, nativeOptions)
      if (signal !== undefined) {
        withSignal(promise, slot, signal, () => native.abandon(client, slot))
      }
    } catch (error) {
      rejectCall(slot, error)
    }
    if (commands.hasSubscribers) {
      // Without a key: only a dataset has a set for all of them.
      return publishCall(promise, VERBS.get(known) as string, () =>
        this.spaceOf(undefined as never),
      )
    }
    return promise
  }
}

/** The options of columns in the form in which the native part takes them. */
function nativeColumnOptions(options: GetColumnsOptions = {}) {
  const { schema, errors = 'raise', key, generation, ttl } = options
  if (errors !== 'raise' && errors !== 'mask') {
    throw new RangeError(`errors must be 'raise' or 'mask', got ${String(errors)}`)
  }
  const flat = schemaOf(schema)
  const others = [key, generation, ttl]
  const named = Object.keys(schema ?? {}).filter((name) => !others.includes(name))
  const bins = options.bins ?? (schema && named)
  return { bins, schema: flat, lenient: errors === 'mask', key, generation, ttl }
}

/** The bins of rows through schema and codec. Errors have row and key. */
function written(
  conversion: Conversion,
  { spaces, keys }: Rows,
  all: readonly unknown[],
  options: WriteManyOptions | undefined,
): unknown[] {
  return all.map((bins, row) => {
    try {
      return conversion.written(bins, options?.exists)
    } catch (error) {
      const space = typeof spaces === 'number' ? spaces : (spaces[row] as number)
      throw atRow(row, Conversion.about(error, space, keys[row]))
    }
  })
}

/**
 * Collects an async iterable of records. Options are validated before the first record is
 * requested.
 */
async function collected(
  records: AsyncIterable<unknown>,
  options: WriteManyOptions | undefined,
): Promise<unknown[]> {
  toNativeOptions(options, WRITE_MANY)
  const signal = options?.signal
  signal?.throwIfAborted()
  return untilAborted(collect(records, signal), signal)
}
