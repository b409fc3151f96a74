/** What programs pass in as tables, for both databases, and how the native part gets them. */

import { types as kinds } from 'node:util'
import { type Handle, nativePart } from '../addon/native.js'
import { type BatchParts, batchParts, type ColumnParts } from './arrow.js'

/** A typed array of numbers as a column. */
export type NumberArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array

/** A table or a record batch of `apache-arrow`, of any version. */
export interface ArrowTable {
  readonly schema: { readonly fields: readonly { readonly name: string }[] }
  readonly numCols: number
  readonly numRows: number
}

/** Columns by name: typed arrays, arrays of values, or both. All have the same length. */
export interface ColumnArrays {
  readonly [column: string]: NumberArray | readonly unknown[]
}

/** A table that the native part has read. */
export interface OpenTable {
  /** Its number; to be released. */
  readonly handle: Handle
  readonly names: readonly string[]
  readonly rows: number
}

/** Whether a value is a table or a record batch of `apache-arrow`. */
export function isArrow(value: unknown): value is ArrowTable {
  if (typeof value !== 'object' || value === null) return false
  const { schema, batches, data } = value as { schema?: unknown; batches?: unknown; data?: unknown }
  if (typeof schema !== 'object' || schema === null) return false
  if (!Array.isArray((schema as { fields?: unknown }).fields)) return false
  return Array.isArray(batches) || (typeof data === 'object' && data !== null)
}

/** Whether a value is an Arrow IPC stream or file. */
export function isBytes(value: unknown): value is Uint8Array {
  return kinds.isUint8Array(value) || kinds.isArrayBuffer(value)
}

/** Whether a value is an object of columns. */
export function isColumns(value: unknown): value is ColumnArrays {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false
  const columns = Object.values(value)
  return columns.length > 0 && columns.every((column) => Array.isArray(column) || isNumbers(column))
}

/** Whether a value is a typed array. */
export function isNumbers(value: unknown): value is NumberArray {
  return kinds.isTypedArray(value)
}

/**
 * Opens a table. `undefined` for columns with values that have no type in common: those are read one
 * by one.
 *
 * @throws TypeError, RangeError for tables that cannot be read
 */
export function openTable(source: ArrowTable | Uint8Array | ColumnArrays): OpenTable | undefined {
  let sent: Uint8Array | BatchParts[]
  if (isBytes(source)) sent = source
  else if (isArrow(source)) sent = batchParts(source)
  else {
    const columns = columnParts(source)
    if (columns === undefined) return undefined
    sent = [[lengthOf(source), columns]]
  }
  const [handle, names, rows] = nativePart.tableOpen(sent)
  return { handle, names, rows }
}

/** Releases a table. */
export function closeTable({ handle }: OpenTable): void {
  nativePart.release(handle)
}

/**
 * The number of rows of columns.
 *
 * @throws RangeError if columns differ in length
 */
export function lengthOf(columns: ColumnArrays): number {
  const [first, ...others] = Object.entries(columns)
  if (first === undefined) return 0
  for (const [name, { length }] of others) {
    if (length === first[1].length) continue
    throw new RangeError(
      `columns differ in length: ${first[0]} has ${first[1].length} rows, ${name} has ${length}`,
    )
  }
  return first[1].length
}

/** Types by class; subclasses of `Uint8Array` are looked up as such. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['Int8Array', 'int8'],
  ['Int16Array', 'int16'],
  ['Int32Array', 'int32'],
  ['BigInt64Array', 'int64'],
  ['Uint8Array', 'uint8'],
  ['Uint8ClampedArray', 'uint8'],
  ['Uint16Array', 'uint16'],
  ['Uint32Array', 'uint32'],
  ['BigUint64Array', 'uint64'],
  ['Float16Array', 'float16'],
  ['Float32Array', 'float32'],
  ['Float64Array', 'float64'],
])

/** Columns in the form in which the native part takes them, if all have a type. */
function columnParts(columns: ColumnArrays): ColumnParts[] | undefined {
  const parts: ColumnParts[] = []
  for (const [name, column] of Object.entries(columns)) {
    const part = isNumbers(column) ? numberParts(name, column) : textParts(name, column)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return parts
}

function numberParts(name: string, column: NumberArray): ColumnParts {
  const word = WORDS.get(column[Symbol.toStringTag])
  if (word === undefined) throw new TypeError(`column ${name} is of an unknown typed array`)
  return [name, word, column.length, 0, undefined, [bytesOf(column)], []]
}

/** The memory of a typed array. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
}

/** A column of strings and nulls; `undefined` for other values. */
function textParts(name: string, column: readonly unknown[]): ColumnParts | undefined {
  const count = column.length
  const ends = new Int32Array(count + 1)
  let valid: Uint8Array | undefined
  let bytes = 0
  for (let row = 0; row < count; row++) {
    const value = column[row]
    if (typeof value === 'string') bytes += Buffer.byteLength(value)
    else if (value === null || value === undefined) {
      valid ??= new Uint8Array((count + 7) >> 3).fill(0xff)
      ;(valid[row >> 3] as number) &= ~(1 << (row & 7))
    } else return undefined
    // With more, offsets need 64 bits; values are then read one by one.
    if (bytes > 0x7fff_ffff) return undefined
    ends[row + 1] = bytes
  }
  const text = Buffer.from(column.map((value) => value ?? '').join(''))
  // A lone surrogate has other bytes next to another one.
  if (text.length !== bytes) return undefined
  return [name, 'utf8', count, 0, valid, [bytesOf(ends), text], []]
}
