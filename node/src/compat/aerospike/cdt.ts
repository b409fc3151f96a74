/** Context paths to a list or map nested in a bin. */

import * as native from '../../aerospike/operation/ctx.js'
import type { MapKey } from '../../aerospike/operation/types.js'
import { type AerospikeExp, toNativeExpression } from './expression.js'
import { ArgumentFailure, asArgument, INVALID_REQUEST, NOT_APPLICABLE } from './failures.js'
import { toNativeValue } from './values.js'

/** A step: its type, and the index, rank, key, value or filter that it goes to. */
export type ContextItem = [type: number, value: unknown]

const CHILDREN = 0x04
const LIST_INDEX = 0x10
const LIST_RANK = 0x11
const LIST_VALUE = 0x13
const MAP_INDEX = 0x20
const MAP_RANK = 0x21
const MAP_KEY = 0x22
const MAP_VALUE = 0x23
const MAP_KEYS_IN = 0x2a
const FILTER = 0x204
/** Added to the type of a step that creates what is missing. */
const CREATE_UNORDERED = 0x40
const CREATE_SECOND = 0x80
const CREATE_ORDERED = 0xc0

const INT32 = 2 ** 31

function int32(what: string, value: number): number {
  if (value >= INT32) throw new Error(`${what} overflow: the largest one is ${INT32 - 1}`)
  if (value < -INT32) throw new Error(`${what} underflow: the smallest one is ${-INT32}`)
  return value
}

/** A path: steps from the bin inward. Methods add a step and return the path itself. */
export class Context {
  /** The steps. */
  items: ContextItem[] = []

  /** Into a list by index; negative from the end. */
  addListIndex(index: number): this {
    return this.add(LIST_INDEX, int32('index', index))
  }

  /**
   * Into a list by index; the list is created if it is missing: ordered if `order` is
   * `lists.order.ORDERED`, else filled with `null` up to the index if `pad` is true.
   */
  addListIndexCreate(index: number, order?: number, pad?: boolean): this {
    const kind = order ? CREATE_ORDERED : pad ? CREATE_SECOND : CREATE_UNORDERED
    return this.add(LIST_INDEX | kind, int32('index', index))
  }

  /** Into a list by rank: 0 is the smallest element, -1 the largest. */
  addListRank(rank: number): this {
    return this.add(LIST_RANK, int32('rank', rank))
  }

  /** Into a list by value. */
  addListValue(value: unknown): this {
    return this.add(LIST_VALUE, value)
  }

  /** Into a map by the index of its keys in order. */
  addMapIndex(index: number): this {
    return this.add(MAP_INDEX, int32('index', index))
  }

  /** Into a map by the rank of its values: 0 is the smallest, -1 the largest. */
  addMapRank(rank: number): this {
    return this.add(MAP_RANK, int32('rank', rank))
  }

  /** Into a map by key. */
  addMapKey(key: unknown): this {
    return this.add(MAP_KEY, key)
  }

  /** Into a map by key; the map is created with this order (`maps.order`) if it is missing. */
  addMapKeyCreate(key: unknown, order?: number): this {
    const kind = order ? (order === 1 ? CREATE_SECOND : CREATE_ORDERED) : CREATE_UNORDERED
    return this.add(MAP_KEY | kind, key)
  }

  /** Into a map by value. */
  addMapValue(value: unknown): this {
    return this.add(MAP_VALUE, value)
  }

  /** Into the values of a map at these keys. For paths, on servers from 8.1.2. */
  addMapKeysIn(keys: unknown[]): this {
    return this.add(MAP_KEYS_IN, keys)
  }

  /** Only those elements of the step before for which `exp` is true. For paths, as above. */
  addAndFilter(exp: AerospikeExp | string): this {
    return this.add(FILTER, exp)
  }

  /** Into all elements of a list or map. For paths. */
  addAllChildren(): this {
    return this.add(CHILDREN)
  }

  /** Into all elements of a list or map for which `exp` is true. For paths. */
  addAllChildrenWithFilter(exp: AerospikeExp | string): this {
    return this.add(CHILDREN, exp)
  }

  private add(type: number, value?: unknown): this {
    this.items.push([type, value])
    return this
  }

  /**
   * Whether the last step of a path is into a list or a map: a type of `exp.type`, or `type` without a
   * path.
   */
  static getContextType(context: Context | null | undefined, type: number): number {
    const last = context?.items.at(-1)
    if (last === undefined) return type
    return last[0] & LIST_INDEX ? 4 : 5
  }
}

/**
 * The engine's path, for the option `ctx`; `undefined` for the bin itself.
 *
 * @throws ArgumentFailure with the code of the call's error
 */
export function toNativeContext(context: unknown): native.Path | undefined {
  if (context === undefined || context === null) return undefined
  if (typeof context !== 'object' || !('items' in context) || !Array.isArray(context.items)) {
    throw new ArgumentFailure('a context must be a cdt.Context')
  }
  if (context.items.length === 0) {
    throw new ArgumentFailure('a context must have a step', INVALID_REQUEST)
  }
  return context.items.map((item: ContextItem) => step(item))
}

/** The same, for an operation that is not by path: its steps lead to one element each. */
export function toSinglePath(context: unknown): native.Path | undefined {
  const path = toNativeContext(context)
  if (path && (context as Context).items.some(([type]) => SEVERAL.includes(type))) {
    throw new ArgumentFailure('the context names several elements', NOT_APPLICABLE)
  }
  return path
}

const SEVERAL = [CHILDREN, FILTER, MAP_KEYS_IN]

function step([type, of]: ContextItem): native.Step {
  const make = STEPS[type]
  if (make === undefined) throw new ArgumentFailure(`unknown type of a step: ${type}`)
  return asArgument(() => make(of), NOT_APPLICABLE)
}

const number = (of: unknown): number => (of as number) | 0
const key = (of: unknown): MapKey => toNativeValue(of) as MapKey

const STEPS: Record<number, (of: unknown) => native.Step> = {
  [CHILDREN]: (of) =>
    of === undefined || of === null ? native.allChildren() : native.allChildren(filter(of)),
  [FILTER]: (of) => native.andWhere(filter(of)),
  [LIST_INDEX]: (of) => native.listIndex(number(of)),
  [LIST_INDEX | CREATE_UNORDERED]: (of) => native.listIndexCreate(number(of)),
  [LIST_INDEX | CREATE_SECOND]: (of) =>
    native.listIndexCreate(number(of), 'unordered', { pad: true }),
  [LIST_INDEX | CREATE_ORDERED]: (of) => native.listIndexCreate(number(of), 'ordered'),
  [LIST_RANK]: (of) => native.listRank(number(of)),
  [LIST_VALUE]: (of) => native.listValue(toNativeValue(of)),
  [MAP_INDEX]: (of) => native.mapIndex(number(of)),
  [MAP_RANK]: (of) => native.mapRank(number(of)),
  [MAP_KEY]: (of) => native.mapKey(key(of)),
  [MAP_KEY | CREATE_UNORDERED]: (of) => native.mapKeyCreate(key(of)),
  [MAP_KEY | CREATE_SECOND]: (of) => native.mapKeyCreate(key(of), 'key'),
  [MAP_KEY | CREATE_ORDERED]: (of) => native.mapKeyCreate(key(of), 'key_value'),
  [MAP_VALUE]: (of) => native.mapValue(toNativeValue(of)),
  [MAP_KEYS_IN]: (of) => {
    if (!Array.isArray(of)) throw new ArgumentFailure('the keys of a step must be an array')
    return native.mapKeysIn(of.map(key))
  },
}

function filter(of: unknown): ReturnType<typeof toNativeExpression> {
  return toNativeExpression(of as AerospikeExp | string)
}
