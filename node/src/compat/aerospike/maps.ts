/** Operations on maps: `maps`. */

import { Context } from './cdt.js'
import { MAP } from './numbers.js'
import { Operation } from './operation.js'

/** Orders of maps. */
export const order = { UNORDERED: 0, KEY_ORDERED: 1, KEY_VALUE_ORDERED: 3 } as const
export type order = (typeof order)[keyof typeof order]

/** Which entries are written. For old servers; `writeFlags` says more. */
export const writeMode = { UPDATE: 0, UPDATE_ONLY: 1, CREATE_ONLY: 2 } as const
export type writeMode = (typeof writeMode)[keyof typeof writeMode]

/** How to write. Flags are added up. */
export const writeFlags = {
  DEFAULT: 0,
  /** Rejects keys that already exist. */
  CREATE_ONLY: 1,
  /** Rejects keys that do not exist. */
  UPDATE_ONLY: 2,
  /** Leaves the map unchanged instead of failing. */
  NO_FAIL: 4,
  /** With `NO_FAIL`, applies the entries that are not rejected. */
  PARTIAL: 8,
} as const
export type writeFlags = (typeof writeFlags)[keyof typeof writeFlags]

/** What to return of the selected entries. */
export const returnType = {
  NONE: 0,
  INDEX: 1,
  REVERSE_INDEX: 2,
  RANK: 3,
  REVERSE_RANK: 4,
  COUNT: 5,
  KEY: 6,
  VALUE: 7,
  /** An array of keys and values by turns. */
  KEY_VALUE: 8,
  EXISTS: 13,
  UNORDERED_MAP: 16,
  ORDERED_MAP: 17,
  /** Added to another one: all entries but the selected ones. */
  INVERTED: 0x10000,
} as const
export type returnType = (typeof returnType)[keyof typeof returnType]

/** The options of writes. */
export interface MapPolicyOptions {
  /** The order of a map that must be created: of `order`. Default: unordered. */
  order?: number | undefined
  /** Of `writeMode`. Default: create and update. */
  writeMode?: number | undefined
  /** Of `writeFlags`, instead of `writeMode`. */
  writeFlags?: number | undefined
}

/** A path, or a function that adds steps to an empty one. */
export type ContextOrFunction = Context | ((context: Context) => void)

/** An operation on a map. */
export class MapOperation extends Operation {
  /** Sets what to return of the selected entries: of `returnType`. */
  andReturn(returnType: number): this {
    this['returnType'] = returnType
    return this
  }

  /** Applies the operation to a map nested in the bin. */
  withContext(contextOrFunction: ContextOrFunction): this {
    if (typeof contextOrFunction === 'object') {
      this['context'] = contextOrFunction
    } else if (typeof contextOrFunction === 'function') {
      this['context'] = new Context()
      contextOrFunction(this['context'])
    }
    return this
  }
}

/** Sets the order of a map. */
export function setPolicy(bin: string, policy: MapPolicyOptions): MapOperation {
  return new MapOperation(MAP.SET_POLICY, bin, { policy })
}

/** Sets a key. The result is the new size. */
export function put(
  bin: string,
  key: unknown,
  value: unknown,
  policy?: MapPolicyOptions,
): MapOperation {
  return new MapOperation(MAP.PUT, bin, { key, value, policy })
}

/** Sets keys: an object or a Map. The result is the new size. */
export function putItems(bin: string, items: object, policy?: MapPolicyOptions): MapOperation {
  return new MapOperation(MAP.PUT_ITEMS, bin, { items, policy })
}

/** Adds to the number at a key. The result is the new number. */
export function increment(
  bin: string,
  key: unknown,
  incr: unknown,
  policy?: MapPolicyOptions,
): MapOperation {
  return new MapOperation(MAP.INCREMENT, bin, { key, incr, policy })
}

/** Subtracts from the number at a key. The result is the new number. */
export function decrement(
  bin: string,
  key: unknown,
  decr: unknown,
  policy?: MapPolicyOptions,
): MapOperation {
  return new MapOperation(MAP.DECREMENT, bin, { key, decr, policy })
}

/** Removes all entries. */
export function clear(bin: string): MapOperation {
  return new MapOperation(MAP.CLEAR, bin)
}

/** Returns the number of entries. */
export function size(bin: string): MapOperation {
  return new MapOperation(MAP.SIZE, bin)
}

/** Removes the entry with a key. */
export function removeByKey(bin: string, key: unknown, returnType?: number): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_KEY, bin, { key, returnType })
}

/** Removes the entries with these keys. */
export function removeByKeyList(bin: string, keys: unknown[], returnType?: number): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_KEY_LIST, bin, { keys, returnType })
}

/**
 * Removes entries with keys from `begin` on, up to but without `end`. `undefined` is less than all
 * keys, or greater.
 */
export function removeByKeyRange(
  bin: string,
  begin: unknown,
  end?: unknown,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_KEY_RANGE, bin, { begin, end, returnType })
}

/** Removes `count` entries, or all to the end, by index relative to a key. */
export function removeByKeyRelIndexRange(
  bin: string,
  key: unknown,
  index: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_KEY_REL_INDEX_RANGE, bin, { key, index, count, returnType })
}

/** Removes all entries with a value. */
export function removeByValue(bin: string, value: unknown, returnType?: number): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_VALUE, bin, { value, returnType })
}

/** Removes all entries with one of several values. */
export function removeByValueList(
  bin: string,
  values: unknown[],
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_VALUE_LIST, bin, { values, returnType })
}

/**
 * Removes entries with values from `begin` on, up to but without `end`. `undefined` is less than
 * all values, or greater.
 */
export function removeByValueRange(
  bin: string,
  begin: unknown,
  end?: unknown,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_VALUE_RANGE, bin, { begin, end, returnType })
}

/** Removes `count` entries, or all to the largest, by rank relative to a value. */
export function removeByValueRelRankRange(
  bin: string,
  value: unknown,
  rank: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_VALUE_REL_RANK_RANGE, bin, {
    value,
    rank,
    count,
    returnType,
  })
}

/** Removes the entry at an index. */
export function removeByIndex(bin: string, index: number, returnType?: number): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_INDEX, bin, { index, returnType })
}

/** Removes `count` entries from an index on, or all to the end. */
export function removeByIndexRange(
  bin: string,
  index: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_INDEX_RANGE, bin, { index, count, returnType })
}

/** Removes the entry of a rank by value: 0 is the smallest, -1 the largest. */
export function removeByRank(bin: string, rank: number, returnType?: number): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_RANK, bin, { rank, returnType })
}

/** Removes `count` entries from a rank on, or all to the largest. */
export function removeByRankRange(
  bin: string,
  rank: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.REMOVE_BY_RANK_RANGE, bin, { rank, count, returnType })
}

/** Selects the entry with a key. */
export function getByKey(bin: string, key: unknown, returnType?: number): MapOperation {
  return new MapOperation(MAP.GET_BY_KEY, bin, { key, returnType })
}

/** Selects the entries with these keys. */
export function getByKeyList(bin: string, keys: unknown[], returnType?: number): MapOperation {
  return new MapOperation(MAP.GET_BY_KEY_LIST, bin, { keys, returnType })
}

/**
 * Selects entries with keys from `begin` on, up to but without `end`. `undefined` is less than all
 * keys, or greater.
 */
export function getByKeyRange(
  bin: string,
  begin: unknown,
  end?: unknown,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.GET_BY_KEY_RANGE, bin, { begin, end, returnType })
}

/** Selects `count` entries, or all to the end, by index relative to a key. */
export function getByKeyRelIndexRange(
  bin: string,
  key: unknown,
  index: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.GET_BY_KEY_REL_INDEX_RANGE, bin, { key, index, count, returnType })
}

/** Selects all entries with a value. */
export function getByValue(bin: string, value: unknown, returnType?: number): MapOperation {
  return new MapOperation(MAP.GET_BY_VALUE, bin, { value, returnType })
}

/** Selects all entries with one of several values. */
export function getByValueList(bin: string, values: unknown[], returnType?: number): MapOperation {
  return new MapOperation(MAP.GET_BY_VALUE_LIST, bin, { values, returnType })
}

/**
 * Selects entries with values from `begin` on, up to but without `end`. `undefined` is less than
 * all values, or greater.
 */
export function getByValueRange(
  bin: string,
  begin: unknown,
  end?: unknown,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.GET_BY_VALUE_RANGE, bin, { begin, end, returnType })
}

/** Selects `count` entries, or all to the largest, by rank relative to a value. */
export function getByValueRelRankRange(
  bin: string,
  value: unknown,
  rank: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.GET_BY_VALUE_REL_RANK_RANGE, bin, { value, rank, count, returnType })
}

/** Selects the entry at an index. */
export function getByIndex(bin: string, index: number, returnType?: number): MapOperation {
  return new MapOperation(MAP.GET_BY_INDEX, bin, { index, returnType })
}

/** Selects `count` entries from an index on, or all to the end. */
export function getByIndexRange(
  bin: string,
  index: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.GET_BY_INDEX_RANGE, bin, { index, count, returnType })
}

/** Selects the entry of a rank by value: 0 is the smallest, -1 the largest. */
export function getByRank(bin: string, rank: number, returnType?: number): MapOperation {
  return new MapOperation(MAP.GET_BY_RANK, bin, { rank, returnType })
}

/** Selects `count` entries from a rank on, or all to the largest. */
export function getByRankRange(
  bin: string,
  rank: number,
  count?: number | null,
  returnType?: number,
): MapOperation {
  return new MapOperation(MAP.GET_BY_RANK_RANGE, bin, { rank, count, returnType })
}

/** Creates a map, if the bin does not exist; `order` is one of `order`. */
export function create(
  bin: string,
  order: number,
  persistIndex = false,
  ctx?: ContextOrFunction,
): MapOperation {
  const operation = new MapOperation(MAP.CREATE, bin, { order, persistIndex })
  return ctx === undefined ? operation : operation.withContext(ctx)
}
