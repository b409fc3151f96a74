/** Records as columns: typed arrays, as in Apache Arrow. */

import { toNativeOptions } from './options.js'

/**
 * The type of a column. Without a schema, integers are `'int64'`, floats `'float64'`, strings
 * `'utf8'`, bytes `'binary'` and booleans `'bool'`; lists and maps have columns of their items. A
 * column without values is `'null'`.
 */
export type ColumnType =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'utf8'
  | 'binary'

/** The types of the wanted columns, by name. */
export interface ColumnSchema {
  readonly [bin: string]: ColumnType | `list<${string}>`
}

/** Options of `query.columns()` and `query.arrow()`. */
export interface ColumnOptions {
  /**
   * The columns and their types; other bins are left out. Default: one column per bin, with the
   * type of its first value.
   */
  schema?: ColumnSchema | undefined
  /** The maximum number of rows per table, from 1 to 10,000,000. Default: 65,536. */
  rows?: number | undefined
  /**
   * The name of a column for user keys; null where only the digest is known. Default: no such
   * column.
   */
  key?: string | undefined
  /** The name of a column for generations. Default: no such column. */
  generation?: string | undefined
  /** The name of a column for the seconds to live; null: never expires. Default: no such column. */
  ttl?: string | undefined
}

/** The typed array of a column's values. */
export type ColumnValues =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array

/** A value of a column. */
export type ColumnValue =
  | number
  | bigint
  | string
  | boolean
  | null
  | Buffer
  | ColumnValue[]
  | Map<ColumnValue, ColumnValue>

/** A column in the form in which the native part returns it. */
export type ColumnParts = [
  name: string,
  type: string,
  length: number,
  values: ArrayBuffer | undefined,
  ends: ArrayBuffer | undefined,
  valid: ArrayBuffer | undefined,
  items: ColumnParts[],
]

const ARRAYS: {
  readonly [type: string]: new (memory: ArrayBuffer) => ColumnValues
} = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
  utf8: Uint8Array,
  binary: Uint8Array,
}

/** A column: one value, or null, per record. */
export class Column implements Iterable<ColumnValue> {
  /** The name of the bin, or the requested name. */
  readonly name: string
  readonly type: ColumnType | 'list' | 'map' | 'null'
  /** The number of rows. */
  readonly length: number
  /**
   * The values, one per row, and 0 for null: a `Float64Array` for `'float64'`, a `BigInt64Array`
   * for `'int64'` and so on; 0 or 1 in a `Uint8Array` for `'bool'`. For `'utf8'` and `'binary'`,
   * the bytes of all rows, concatenated. `null` for lists, maps and columns without values.
   */
  readonly values: ColumnValues | null
  /**
   * For strings, bytes, lists and maps: row `n` has the bytes or items from `offsets[n]` up to
   * `offsets[n + 1]`. `null` for other types.
   */
  readonly offsets: Int32Array | null
  /** For each row, 1 if it has a value and 0 if it is null; `null` if all rows have one. */
  readonly valid: Uint8Array | null
  /**
   * For lists, one column with the items of all rows; for maps, two columns with their keys and
   * values.
   */
  readonly items: readonly Column[]

  /** @internal */
  constructor([name, type, length, values, ends, valid, items]: ColumnParts) {
    this.name = name
    this.type = type as Column['type']
    this.length = length
    const Values = ARRAYS[type]
    this.values = values === undefined || Values === undefined ? null : new Values(values)
    this.offsets = ends === undefined ? null : new Int32Array(ends)
    this.valid = valid === undefined ? null : new Uint8Array(valid)
    this.items = items.map((item) => new Column(item))
  }

  /** The value of a row; `undefined` if there is no such row. */
  get(row: number): ColumnValue | undefined {
    if (!(row >= 0 && row < this.length)) return undefined
    if (this.type === 'null' || this.valid?.[row] === 0) return null
    if (this.offsets === null) {
      const value = (this.values as ColumnValues)[row] as number | bigint
      return this.type === 'bool' ? value === 1 : value
    }
    const [from, to] = [this.offsets[row] as number, this.offsets[row + 1] as number]
    if (this.values !== null) {
      const bytes = Buffer.from(this.values.buffer as ArrayBuffer, from, to - from)
      return this.type === 'utf8' ? bytes.toString() : Buffer.from(bytes)
    }
    const [keys, values] = this.items as [Column, Column?]
    if (values === undefined) {
      return Array.from({ length: to - from }, (_, at) => keys.get(from + at) as ColumnValue)
    }
    const map = new Map<ColumnValue, ColumnValue>()
    for (let at = from; at < to; at++) {
      map.set(keys.get(at) as ColumnValue, values.get(at) as ColumnValue)
    }
    return map
  }

  /** The values of all rows. */
  toArray(): ColumnValue[] {
    return Array.from({ length: this.length }, (_, row) => this.get(row) as ColumnValue)
  }

  *[Symbol.iterator](): IterableIterator<ColumnValue> {
    for (let row = 0; row < this.length; row++) yield this.get(row) as ColumnValue
  }
}

/** A table of records, as columns. */
export class Columns implements Iterable<Column> {
  /** The number of records. */
  readonly length: number
  /** In the order of the schema; without one, in the order in which bins first occurred. */
  readonly columns: readonly Column[]
  readonly #byName: ReadonlyMap<string, Column>

  /** @internal */
  constructor([length, columns]: [length: number, columns: ColumnParts[]]) {
    this.length = length
    this.columns = columns.map((parts) => new Column(parts))
    this.#byName = new Map(this.columns.map((column) => [column.name, column]))
  }

  /** The names of the columns. */
  get names(): string[] {
    return this.columns.map(({ name }) => name)
  }

  /** The column of this name; `undefined` if no record had such a bin. */
  get(name: string): Column | undefined {
    return this.#byName.get(name)
  }

  [Symbol.iterator](): Iterator<Column> {
    return this.columns[Symbol.iterator]()
  }
}

const KNOWN = ['schema', 'rows', 'key', 'generation', 'ttl']

/** The options in the form in which the native part takes them. Throws for unknown names. */
export function tableArguments(
  options: ColumnOptions | undefined,
): [schema: unknown[] | undefined, rows: unknown, key: unknown, generation: unknown, ttl: unknown] {
  const { schema, rows, key, generation, ttl } = (toNativeOptions(options, KNOWN) ??
    {}) as ColumnOptions
  return [schemaOf(schema), rows, key, generation, ttl]
}

/** The names and types of a schema, alternating. */
export function schemaOf(schema: ColumnSchema | undefined): unknown[] | undefined {
  if (schema === undefined) return undefined
  if (typeof schema !== 'object' || schema === null) {
    throw new TypeError('schema must be an object of bin names to types')
  }
  return Object.entries(schema).flat()
}
