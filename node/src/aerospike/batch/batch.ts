/**
 * The result of a verb on many records. The native half is
 * `crates/spikewire-node/src/aerospike/batch.rs`.
 */

import { inspect } from 'node:util'
import { markAsUntransferable } from 'node:worker_threads'
import { define } from '../../bridge/objects.js'
import type { Codec } from '../codec/codec.js'
import { Columns } from '../command/columns.js'
import type { SpikewireError } from '../model/errors.js'
import { Key } from '../model/key.js'
import type { Space } from '../model/native.js'
import { type Bins, Record } from '../model/record.js'
import { type BatchColumnsOptions, type TableParts, tableOf } from './columns.js'

/** The keys of a batch: namespaces and sets as numbers, user keys or digests. */
export interface RowKeys {
  /** The number of the set common to all rows, or one number per row. */
  readonly spaces: Space | readonly Space[]
  /** Keys in the form in which they are passed to the native part. */
  readonly keys: readonly unknown[]
}

/**
 * A row of a batch whose reply did not come by the call's `deadline`: the record may exist or not.
 * `row instanceof Late` tells it from a record and from `null`, and `batch.late` has the numbers of
 * these rows.
 */
export class Late {
  /** The only object of this class. */
  static readonly row: Late = new Late()

  private constructor() {
    Object.freeze(this)
  }

  /** @internal It is of no record. */
  ofRecord(_space: Space, _key: unknown): void {}

  [inspect.custom](): string {
    return 'Late'
  }
}

/**
 * The results of a batch, one per row, in input order.
 *
 * `batch[row]` and iteration return a `Record`, `null` if the record does not exist or `where` is
 * not true for it, or `Late.row` if the call has a `deadline` and the reply did not come by then.
 * Reading a row that failed throws its error; `codes`, `errors` and `late` can be inspected without
 * throwing.
 *
 * @typeParam B - the bins of the records
 * @typeParam L - `Late` if the call has a `deadline`
 */
export class Batch<B extends object = Bins, L extends Late = never> {
  readonly [row: number]: Record<B> | L | null

  /** The number of rows. */
  readonly length: number
  /**
   * The result code of every row: 0 is success, 2 record not found, 27 filtered out by `where`;
   * negative codes are client-side failures, but -16 is a late row.
   */
  readonly codes: Int32Array
  /** The errors of failed rows, by row number. A missing record is not a failure. */
  readonly errors: ReadonlyMap<number, SpikewireError> = new Map()
  /** The numbers of the rows that failed but may have been written. */
  readonly inDoubt: readonly number[]
  /**
   * The numbers of the rows whose reply did not come by the call's `deadline`. They are neither
   * missing nor failed.
   */
  readonly late: readonly number[]
  #rows: RowKeys = { spaces: 0, keys: [] }
  #codec: Codec | undefined

  /** Created by the engine only. */
  constructor(codes: Int32Array, inDoubt: readonly number[], late: readonly number[] = []) {
    this.codes = codes
    this.length = codes.length
    this.inDoubt = inDoubt
    this.late = late
    const rows = this as { [row: number]: Record<B> | Late | null }
    for (let row = 0; row < codes.length; row++) rows[row] = null
    for (const row of late) rows[row] = Late.row
  }

  /** @internal One batch with the rows of several, in order. */
  static joined(batches: readonly Batch[]): Batch {
    const [first] = batches
    if (batches.length === 1 && first !== undefined) return first
    const length = batches.reduce((sum, batch) => sum + batch.length, 0)
    const codes = new Int32Array(length)
    const [inDoubt, late, keys, spaces]: [number[], number[], unknown[], Space[]] = [[], [], [], []]
    let from = 0
    for (const batch of batches) {
      codes.set(batch.codes, from)
      inDoubt.push(...batch.inDoubt.map((row) => from + row))
      late.push(...batch.late.map((row) => from + row))
      for (let row = 0; row < batch.length; row++) {
        keys.push(batch.#rows.keys[row])
        spaces.push(batch.#space(row))
      }
      from += batch.length
    }
    const joined = new Batch(codes, inDoubt, late)
    joined.#rows = { spaces, keys }
    from = 0
    for (const batch of batches) {
      for (let row = 0; row < batch.length; row++) {
        const error = batch.errors.get(row)
        if (error !== undefined) failRow(joined, from + row, error)
        else (joined as { [row: number]: Record | null })[from + row] = batch[row] as Record | null
      }
      from += batch.length
    }
    return joined
  }

  /** The number of rows that found their record. */
  get found(): number {
    return this.codes.reduce((count, code) => (code === 0 ? count + 1 : count), 0)
  }

  /** The keys, in input order. */
  get keys(): Key[] {
    const { keys } = this.#rows
    return keys.map((key, row) => Key.known(this.#space(row), key))
  }

  #space(row: number): Space {
    const { spaces } = this.#rows
    return typeof spaces === 'number' ? spaces : (spaces[row] as Space)
  }

  /** The row at an index, counted from the end if negative; `undefined` if out of range. */
  at(row: number): Record<B> | L | null | undefined {
    return this[row < 0 ? this.length + row : row]
  }

  /** Throws the error of the first failed row; returns the batch if there is none. */
  raiseForErrors(): this {
    for (const error of this.errors.values()) throw error
    return this
  }

  /**
   * The records found, by user key, or by digest in hexadecimal if the user key is unknown. A
   * failed row throws its error. A key that is a Buffer is only found by the same Buffer object.
   */
  toMap(): Map<Key['key'], Record<B>> {
    const records = new Map<Key['key'], Record<B>>()
    for (let row = 0; row < this.length; row++) {
      const record = this[row]
      if (!record || record instanceof Late) continue
      const key = this.#rows.keys[row]
      const name = Array.isArray(key) ? (key[0] as Buffer).toString('hex') : (key as Key['key'])
      records.set(name, record)
    }
    return records
  }

  /**
   * The records as columns of typed arrays, one row per row of the batch; values are null where there
   * is no record or bin. Results of operations are left out. If a record is only read to become part
   * of a table, `getColumns` is faster.
   *
   * Numbers of records are whole or not, each for itself: name the type of a column of floats in
   * `schema`, or read with `doubles: 'double'`.
   *
   * @throws the error of the first failed row, unless `errors` is `'mask'`; TypeError, RangeError for
   * a value that does not fit its column, with row and column
   */
  toColumns(options?: BatchColumnsOptions): Columns {
    const { keys } = this.#rows
    return new Columns(tableOf(this, keys, this.#codec, options, false) as TableParts)
  }

  /**
   * Like `toColumns`, but returns an Arrow IPC stream, which `tableFromIPC` of `apache-arrow`, DuckDB,
   * Polars and pyarrow can read.
   */
  toArrow(options?: BatchColumnsOptions): Buffer {
    return tableOf(this, this.#rows.keys, this.#codec, options, true) as Buffer
  }

  /** @internal Sets the codec that the records were decoded with. */
  static decoded(batch: Batch<object, Late>, codec: Codec | undefined): void {
    batch.#codec = codec
  }

  /** The rows, in input order. */
  *[Symbol.iterator](): IterableIterator<Record<B> | L | null> {
    for (let row = 0; row < this.length; row++) yield this[row] as Record<B> | L | null
  }

  [inspect.custom](): string {
    const late = this.late.length === 0 ? '' : `, ${this.late.length} late`
    return `Batch(${this.length} rows, ${this.found} found, ${this.errors.size} failed${late})`
  }

  /** @internal Sets the keys of records and errors. */
  ofRecord(_: Space, rows: RowKeys): void {
    this.#rows = rows
    const { spaces, keys } = rows
    const errors = this.errors.size > 0 ? this.errors : undefined
    for (let row = 0; row < keys.length; row++) {
      const space = typeof spaces === 'number' ? spaces : (spaces[row] as Space)
      const error = errors?.get(row)
      if (error === undefined) this[row]?.ofRecord(space, keys[row])
      else error.ofRecord(space, keys[row])
    }
  }
}

/** Sets the key of a row's error, and returns the error. */
export function ofRow(
  error: SpikewireError,
  { spaces, keys }: RowKeys,
  row: number,
): SpikewireError {
  error.ofRecord(typeof spaces === 'number' ? spaces : (spaces[row] as Space), keys[row])
  return error
}

/**
 * Replaces the records of a batch. What `convert` throws is thrown when the row is read, so that it
 * does not keep others from being read.
 */
export function convertRows(
  batch: Batch<object, Late>,
  convert: (record: Record<object>, row: number) => Record<object>,
): void {
  const rows = batch as { [row: number]: Record<object> }
  for (let row = 0; row < batch.length; row++) {
    if (batch.codes[row] !== 0) continue
    const record = batch[row]
    if (!(record instanceof Record)) continue
    try {
      rows[row] = convert(record, row)
    } catch (error) {
      Object.defineProperty(batch, row, {
        get() {
          throw error
        },
        enumerable: true,
        configurable: true,
      })
    }
  }
}

/** Numbers per record in the array of their heads: row, generation, seconds to live. */
const NUMBERS = 3

/** Creates a batch with codes only; records are filled in later. */
export function makeBatch(
  codes: Int32Array,
  inDoubt: Int32Array | null,
  late: Int32Array | null,
): Batch {
  const numbers = (rows: Int32Array | null) => (rows === null ? [] : Array.from(rows))
  return new Batch(codes, numbers(inDoubt), numbers(late))
}

/** Marks a row as failed: reading it throws the error. */
export function failRow(batch: Batch, row: number, error: SpikewireError): void {
  const errors = batch.errors as Map<number, SpikewireError>
  errors.set(row, error)
  // A reply that cannot be decoded has the server's code for success, which would be wrong here.
  if (batch.codes[row] === 0) batch.codes[row] = error.code
  Object.defineProperty(batch, row, {
    get() {
      throw error
    },
    enumerable: true,
    configurable: true,
  })
}

type RowsFactory = (
  batch: Batch,
  heads: Int32Array,
  from: number,
  count: number,
  ...values: unknown[]
) => void

/** Bytes that are smaller have memory in common; as in `crates/spikewire-node/src/aerospike/record.rs`. */
const SHARED = 128

/**
 * Bytes in the memory that several records share. `at` is their offset and length in one number;
 * `start` is where the memory begins.
 */
function sharedBytes(memory: ArrayBuffer, start: number, at: number): Buffer {
  return Buffer.from(memory, Math.floor(at / SHARED) - start, at % SHARED)
}

/** Seconds to live; -1 stands for records that never expire. */
function secondsLeft(number: number): number | null {
  return number === -1 ? null : number >>> 0
}

/**
 * Creates the function that makes up to `most` records of a batch in one call. All of them have the
 * same bin names, and the same number of operation results, if any. `shared` says of which bins the
 * values are numbers for `sharedBytes`; then their memory, and its start, come before the values. If
 * `most` is 0 or code
 * generation from strings is disallowed, a generic function is returned instead of a compiled one.
 */
export function makeRows(
  names: string[],
  results: number | null,
  most: number,
  shared: readonly boolean[] | null,
): RowsFactory {
  if (most > 0) {
    try {
      const parameters = ['Record', 'secondsLeft', 'sharedBytes', 'markAsUntransferable']
      const factory = new Function(...parameters, code(names, results, most, shared))
      return factory(Record, secondsLeft, sharedBytes, markAsUntransferable)
    } catch {}
  }
  const wide = names.length + (results ?? 0)
  return (batch, heads, from, count, ...values) => {
    const rows = batch as { [row: number]: Record }
    if (shared !== null) {
      const [memory, start] = values.splice(0, 2) as [ArrayBuffer, number]
      markAsUntransferable(memory)
      for (let at = 0; at < values.length; at++) {
        if (shared[at % wide]) values[at] = sharedBytes(memory, start, values[at] as number)
      }
    }
    for (let nth = 0; nth < count; nth++) {
      const [row, generation, ttl] = heads.subarray(NUMBERS * (from + nth)) as unknown as number[]
      const own = values.slice(nth * wide, (nth + 1) * wide)
      const bins: Bins = {}
      for (const [at, name] of names.entries()) define(bins, name, own[at])
      const record = new Record(bins, generation as number, secondsLeft(ttl as number))
      if (results !== null) define(record, 'results', own.slice(names.length))
      rows[row as number] = record
    }
  }
}

function code(
  names: string[],
  results: number | null,
  most: number,
  shared: readonly boolean[] | null,
): string {
  const bins = names.map((_, at) => `v${at}`)
  const outputs = Array.from({ length: results ?? 0 }, (_, at) => `r${at}`)
  const fields = names.map((name, at) => {
    const quoted = JSON.stringify(name)
    const value = shared?.[at] ? `sharedBytes(memory, start, v${at})` : `v${at}`
    return `${name === '__proto__' ? `[${quoted}]` : quoted}: ${value}`
  })
  const memory = shared === null ? [] : ['memory', 'start']
  const parameters = [...memory, 'batch', 'heads', 'at', ...bins, ...outputs]
  const one = `const one = (${parameters.join(', ')}) => {
    const record =
      new Record({ ${fields.join(', ')} }, heads[at + 1], secondsLeft(heads[at + 2]))
    ${results === null ? '' : `record.results = [${outputs.join(', ')}]`}
    batch[heads[at]] = record
  }`
  const start = `let at = from * ${NUMBERS}`
  if (bins.length + outputs.length === 0) {
    return `${one}
    return (batch, heads, from, count) => {
      ${start}
      for (let nth = 0; nth < count; nth++, at += ${NUMBERS}) one(batch, heads, at)
    }`
  }
  const values = Array.from({ length: most }, (_, nth) =>
    [...bins, ...outputs].map((name) => `${name}_${nth}`),
  )
  const steps = values.map((some, nth) => {
    const first = [...memory, 'batch', 'heads', `at + ${NUMBERS * nth}`]
    const call = `one(${[...first, ...some].join(', ')})`
    return `${call}\nif (count === ${nth + 1}) return`
  })
  return `${one}
  return (${['batch', 'heads', 'from', 'count', ...memory, ...values.flat()].join(', ')}) => {
    ${start}
    ${shared === null ? '' : 'markAsUntransferable(memory)'}
    ${steps.join('\n')}
  }`
}
