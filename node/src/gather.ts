/** Keys and records as verbs on many of them are given them. */

import { types } from 'node:util'
import type { RowKeys } from './batch.js'
import type { SentRows, Space } from './native.js'
import { shapeOf } from './shapes.js'

/** Rows as the native part is given them. */
export interface Rows extends RowKeys {
  /** The keys once more where all of them are numbers, or their lengths: these are read in one go. */
  readonly numbers: Float64Array | undefined
  /** All keys in one, where all of them are strings. */
  readonly text: string | undefined
}

/** Rows as arguments of the native part. */
export function sent({ spaces, keys, numbers, text }: Rows): SentRows {
  return [spaces, keys, numbers, text]
}

/** What knows where keys belong. */
interface Home {
  spaceOf(key: unknown): Space
  wireOf(key: unknown): unknown
}

/** Numbers of the latest call; longer lists of keys get an array of their own. */
let scratch = new Float64Array(256)
const LONGEST = 1 << 16

function room(count: number): Float64Array {
  if (count <= scratch.length) return scratch
  const array = new Float64Array(2 ** Math.ceil(Math.log2(count)))
  if (count <= LONGEST) scratch = array
  return array
}

/** What is wrong with a row, with its number. */
export function atRow(row: number, error: unknown): unknown {
  // The native part's errors may be of another realm: test runners have one for each file.
  if (!types.isNativeError(error)) return error
  if (error.name === 'TypeError') return new TypeError(`row ${row}: ${error.message}`)
  if (error.name === 'RangeError') return new RangeError(`row ${row}: ${error.message}`)
  return error
}

/** Goes through an array or another iterable, but not text or bytes. */
export function list(
  what: string,
  items: unknown,
  wanted = 'an iterable, such as an array',
): unknown[] {
  if (Array.isArray(items)) return items.slice()
  const iterable =
    typeof items === 'object' &&
    items !== null &&
    typeof (items as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function' &&
    !types.isUint8Array(items)
  if (!iterable) {
    throw new TypeError(`${what} must be ${wanted}, not ${kindOf(items)}`)
  }
  return Array.from(items as Iterable<unknown>)
}

/** Bins of many records as the native part is given them. */
export interface ManyBins {
  /** The number of their names where these are alike; else of each. */
  readonly shapes: number | (number | string[])[]
  /** The values of all of them, one behind the other. */
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

/** What `putMany` takes, for keys of type `K` and bins of type `B`. */
export type Records<K, B extends object> =
  | Iterable<readonly [K, Partial<B>]>
  | AsyncIterable<readonly [K, Partial<B>]>
  | { readonly [key: string]: Partial<B> }

/** Whether records come one after the other. */
export function isAsync(records: unknown): records is AsyncIterable<unknown> {
  return (
    typeof records === 'object' &&
    records !== null &&
    typeof (records as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function' &&
    typeof (records as Partial<Iterable<unknown>>)[Symbol.iterator] !== 'function'
  )
}

/** Records one after the other, until there are no more or the signal is aborted. */
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

/** Keys and bins of records: a `Map`, pairs, or an object. */
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

/** A value's type for messages: the class of an object. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  return value.constructor?.name || 'object'
}

/** Rows of these keys; the array becomes theirs. */
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
    // Where user keys by themselves belong is the same for all of them.
    const alone = typeof key !== 'object' && same !== undefined && each === undefined
    const space = alone ? (same as Space) : spaceOf(home, key, row)
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

/** Whether all keys are numbers, which are then in the array. */
function areNumbers(keys: readonly unknown[], numbers: Float64Array): boolean {
  for (let row = 0; row < keys.length; row++) {
    const key = keys[row]
    if (typeof key !== 'number') return false
    numbers[row] = key
  }
  return true
}

/** Whether all keys are strings, whose lengths are then in the array. */
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
