/** Collects the keys and records passed to verbs on many records. */

import { types } from 'node:util'
import { ConversionError } from '../model/conversion-error.js'
import type { SentRows, Space } from '../model/native.js'
import { shapeOf } from '../model/shapes.js'
import type { RowKeys } from './batch.js'

/** Rows in the form in which the native part takes them. */
export interface Rows extends RowKeys {
  /**
   * The keys again if all are numbers, or their lengths if all are strings, so that the native part
   * can read them in one go.
   */
  readonly numbers: Float64Array | undefined
  /** All keys concatenated, if all are strings. */
  readonly text: string | undefined
}

/** Rows as arguments of native functions. */
export function sent({ spaces, keys, numbers, text }: Rows): SentRows {
  return [spaces, keys, numbers, text]
}

/** The client or dataset that keys belong to. */
interface Home {
  spaceOf(key: unknown): Space
  wireOf(key: unknown): unknown
}

/** A buffer reused between calls; longer lists of keys get their own. */
let scratch = new Float64Array(256)
const LONGEST = 1 << 16

function room(count: number): Float64Array {
  if (count <= scratch.length) return scratch
  const array = new Float64Array(2 ** Math.ceil(Math.log2(count)))
  if (count <= LONGEST) scratch = array
  return array
}

/** Adds the row number to an error. */
export function atRow(row: number, error: unknown): unknown {
  if (error instanceof ConversionError) return error.atRow(row)
  // The native part's errors may be from another realm, since test runners have one per file.
  if (!types.isNativeError(error)) return error
  if (error.name === 'TypeError') return new TypeError(`row ${row}: ${error.message}`)
  if (error.name === 'RangeError') return new RangeError(`row ${row}: ${error.message}`)
  return error
}

/** Copies an array or another iterable, but not text or bytes, into an array. */
export function list(
  what: string,
  items: unknown,
  expected = 'an iterable, such as an array',
): unknown[] {
  if (Array.isArray(items)) return items.slice()
  const iterable =
    typeof items === 'object' &&
    items !== null &&
    typeof (items as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function' &&
    !types.isUint8Array(items)
  if (!iterable) {
    throw new TypeError(`${what} must be ${expected}, not ${kindOf(items)}`)
  }
  return Array.from(items as Iterable<unknown>)
}

/** Bins of many records in the form in which the native part takes them. */
export interface ManyBins {
  /** The number of the list of names if all rows have the same, otherwise one entry per row. */
  readonly shapes: number | (number | string[])[]
  /** The values of all rows, concatenated. */
  readonly values: unknown[]
}

/** The bins of rows, in order. */
export function binsOf(rows: readonly unknown[]): ManyBins {
  const values: unknown[] = []
  const shapes: (number | string[])[] = []
  let alike = rows.length > 0
  rows.forEach((bins, row) => {
    try {
      const shape = shapeOf(bins, values)
      shapes.push(shape)
      alike &&= typeof shape === 'number' && shape === shapes[0]
    } catch (error) {
      throw atRow(row, error)
    }
  })
  return { shapes: alike ? (shapes[0] as number) : shapes, values }
}

/** The argument of `putMany`, for keys of type `K`, and bins of type `B` or writes of type `W`. */
export type Records<K, B extends object, W extends object = Partial<B>> =
  | Iterable<readonly [K, W]>
  | AsyncIterable<readonly [K, W]>
  | { readonly [key: string]: W }

/** Whether records are an async iterable. */
export function isAsync(records: unknown): records is AsyncIterable<unknown> {
  return (
    typeof records === 'object' &&
    records !== null &&
    typeof (records as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function' &&
    typeof (records as Partial<Iterable<unknown>>)[Symbol.iterator] !== 'function'
  )
}

/** Collects records until the end, or until the signal is aborted. */
export async function collect(
  records: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const pair of records) {
    signal?.throwIfAborted()
    all.push(pair)
  }
  return all
}

/** Splits records (a `Map`, pairs, or an object) into keys and bins. */
export function pairs(records: unknown): { keys: unknown[]; bins: unknown[] } {
  if (isPlain(records)) return { keys: Object.keys(records), bins: Object.values(records) }
  const keys: unknown[] = []
  const bins: unknown[] = []
  list('records', records, 'a Map, an object or an iterable of pairs').forEach((pair, row) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      const what = Array.isArray(pair) ? `an array of ${pair.length}` : kindOf(pair)
      throw new TypeError(`row ${row}: records must be pairs of key and bins, not ${what}`)
    }
    keys.push(pair[0])
    bins.push(pair[1])
  })
  return { keys, bins }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A value's type for messages; the class name of an object. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return value.constructor?.name || 'object'
}

/** Creates rows from keys; takes ownership of the array. */
export function rowsOf(home: Home, keys: unknown[]): Rows {
  const count = keys.length
  if (count === 0) return { spaces: [], keys, numbers: undefined, text: undefined }
  const numbers = room(count)
  if (areNumbers(keys, numbers)) {
    return { spaces: spaceOf(home, keys[0], 0), keys, numbers, text: undefined }
  }
  if (areStrings(keys, numbers)) {
    return { spaces: spaceOf(home, keys[0], 0), keys, numbers, text: keys.join('') }
  }
  let same: Space | undefined
  let each: Space[] | undefined
  for (let row = 0; row < count; row++) {
    const key = keys[row]
    const space = spaceOf(home, key, row)
    if (each !== undefined) each.push(space)
    else if (same === undefined) same = space
    else if (same !== space) {
      each = new Array<Space>(row).fill(same)
      each.push(space)
    }
    if (typeof key === 'object') {
      if (Array.isArray(key)) {
        throw new TypeError(
          `row ${row}: a key must be a number, bigint, string or Buffer, not Array`,
        )
      }
      keys[row] = home.wireOf(key)
    }
  }
  return { spaces: each ?? (same as Space), keys, numbers: undefined, text: undefined }
}

/** Whether all keys are numbers; if so, they are stored in the array. */
function areNumbers(keys: readonly unknown[], numbers: Float64Array): boolean {
  for (let row = 0; row < keys.length; row++) {
    const key = keys[row]
    if (typeof key !== 'number') return false
    numbers[row] = key
  }
  return true
}

/** Whether all keys are strings; if so, their lengths are stored in the array. */
function areStrings(keys: readonly unknown[], lengths: Float64Array): boolean {
  for (let row = 0; row < keys.length; row++) {
    const key = keys[row]
    if (typeof key !== 'string') return false
    lengths[row] = key.length
  }
  return true
}

function spaceOf(home: Home, key: unknown, row: number): Space {
  try {
    return home.spaceOf(key)
  } catch (error) {
    throw atRow(row, error)
  }
}
