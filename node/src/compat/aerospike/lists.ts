/** Operations on lists: `lists`. */

import { Context } from './cdt.js'
import { AerospikeError } from './error.js'
import { LIST } from './numbers.js'
import { Operation } from './operation.js'

/** Orders of lists. */
export const order = { UNORDERED: 0, ORDERED: 1 } as const
export type order = (typeof order)[keyof typeof order]

/** How to sort. */
export const sortFlags = { DEFAULT: 0, DROP_DUPLICATES: 2 } as const
export type sortFlags = (typeof sortFlags)[keyof typeof sortFlags]

/** How to write. Flags are added up. */
export const writeFlags = {
  DEFAULT: 0,
  /** Rejects values that already exist. */
  ADD_UNIQUE: 1,
  /** Rejects an index beyond the end. */
  INSERT_BOUNDED: 2,
  /** Leaves the list unchanged instead of failing. */
  NO_FAIL: 4,
  /** With `NO_FAIL`, applies the values that are not rejected. */
  PARTIAL: 8,
} as const
export type writeFlags = (typeof writeFlags)[keyof typeof writeFlags]

/** What to return of the selected elements. */
export const returnType = {
  NONE: 0,
  INDEX: 1,
  REVERSE_INDEX: 2,
  RANK: 3,
  REVERSE_RANK: 4,
  COUNT: 5,
  VALUE: 7,
  EXISTS: 13,
  /** Added to another one: all elements but the selected ones. */
  INVERTED: 0x10000,
} as const
export type returnType = (typeof returnType)[keyof typeof returnType]

/** The options of writes. */
export interface ListPolicyOptions {
  /** The order of a list that must be created: of `order`. Default: unordered. */
  order?: number | undefined
  /** Of `writeFlags`. Default: none. */
  writeFlags?: number | undefined
}

/** A path, or a function that adds steps to an empty one. */
export type ContextOrFunction = Context | ((context: Context) => void)

/** An operation on a list. */
export class ListOperation extends Operation {
  /** Selects all elements but those that would be selected. Not every operation can. */
  invertSelection(): this {
    throw new AerospikeError(`List operation cannot be inverted: ${this.op}`)
  }

  /** Applies the operation to a list nested in the bin. */
  withContext(contextOrFunction: ContextOrFunction): this {
    if (contextOrFunction instanceof Context) {
      this['context'] = contextOrFunction
    } else if (typeof contextOrFunction === 'function') {
      this['context'] = new Context()
      contextOrFunction(this['context'])
    } else {
      throw new AerospikeError('a context is a cdt.Context, or a function that takes one')
    }
    return this
  }

  /** Sets what to return of the selected elements: of `returnType`. */
  andReturn(returnType: number): this {
    this['returnType'] = returnType
    return this
  }
}

/** An operation on a list that can select all elements but those that it names. */
export class InvertibleListOp extends ListOperation {
  constructor(op: number, bin: string, properties?: object) {
    super(op, bin, properties)
    this['inverted'] = false
  }

  override invertSelection(): this {
    this['inverted'] = true
    return this
  }
}

/** Sets the order of a list: of `order`. */
export function setOrder(bin: string, order: number): ListOperation {
  return new ListOperation(LIST.SET_ORDER, bin, { order })
}

/** Sorts a list, with `sortFlags`. */
export function sort(bin: string, flags: number): ListOperation {
  return new ListOperation(LIST.SORT, bin, { flags })
}

/** Appends a value. The result is the new size. */
export function append(bin: string, value: unknown, policy?: ListPolicyOptions): ListOperation {
  return new ListOperation(LIST.APPEND, bin, { value, policy })
}

/** Appends values. The result is the new size. */
export function appendItems(
  bin: string,
  list: unknown[],
  policy?: ListPolicyOptions,
): ListOperation {
  return new ListOperation(LIST.APPEND_ITEMS, bin, { list, policy })
}

/** Inserts a value. The result is the new size. */
export function insert(
  bin: string,
  index: number,
  value: unknown,
  policy?: ListPolicyOptions,
): ListOperation {
  return new ListOperation(LIST.INSERT, bin, { index, value, policy })
}

/** Inserts values. The result is the new size. */
export function insertItems(
  bin: string,
  index: number,
  list: unknown[],
  policy?: ListPolicyOptions,
): ListOperation {
  return new ListOperation(LIST.INSERT_ITEMS, bin, { index, list, policy })
}

/** Removes an element and returns it. */
export function pop(bin: string, index: number): ListOperation {
  return new ListOperation(LIST.POP, bin, { index })
}

/** Removes elements and returns them: `count`, or all to the end. */
export function popRange(bin: string, index: number, count?: number | null): ListOperation {
  return new ListOperation(LIST.POP_RANGE, bin, { index, count })
}

/** Removes an element. The result is the number of removed ones. */
export function remove(bin: string, index: number): ListOperation {
  return new ListOperation(LIST.REMOVE, bin, { index })
}

/** Removes elements: `count`, or all to the end. The result is their number. */
export function removeRange(bin: string, index: number, count?: number | null): ListOperation {
  return new ListOperation(LIST.REMOVE_RANGE, bin, { index, count })
}

/** Removes the element at an index. */
export function removeByIndex(bin: string, index: number, returnType?: number): ListOperation {
  return new ListOperation(LIST.REMOVE_BY_INDEX, bin, { index, returnType })
}

/** Removes `count` elements from an index on, or all to the end. */
export function removeByIndexRange(
  bin: string,
  index: number,
  count?: number | null,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.REMOVE_BY_INDEX_RANGE, bin, { index, count, returnType })
}

/** Removes all elements equal to a value. */
export function removeByValue(bin: string, value: unknown, returnType?: number): InvertibleListOp {
  return new InvertibleListOp(LIST.REMOVE_BY_VALUE, bin, { value, returnType })
}

/** Removes all elements equal to one of several values. */
export function removeByValueList(
  bin: string,
  values: unknown[],
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.REMOVE_BY_VALUE_LIST, bin, { values, returnType })
}

/**
 * Removes elements from `begin` on, up to but without `end`. `undefined` is less than all values,
 * or greater.
 */
export function removeByValueRange(
  bin: string,
  begin: unknown,
  end?: unknown,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.REMOVE_BY_VALUE_RANGE, bin, { begin, end, returnType })
}

/** Removes `count` elements, or all to the largest, by rank relative to a value. */
export function removeByValueRelRankRange(
  bin: string,
  value: unknown,
  rank: number,
  count?: number | null,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.REMOVE_BY_VALUE_REL_RANK_RANGE, bin, {
    value,
    rank,
    count,
    returnType,
  })
}

/** Removes the element of a rank: 0 is the smallest, -1 the largest. */
export function removeByRank(bin: string, rank: number, returnType?: number): ListOperation {
  return new ListOperation(LIST.REMOVE_BY_RANK, bin, { rank, returnType })
}

/** Removes `count` elements from a rank on, or all to the largest. */
export function removeByRankRange(
  bin: string,
  rank: number,
  count?: number | null,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.REMOVE_BY_RANK_RANGE, bin, { rank, count, returnType })
}

/** Removes all elements. */
export function clear(bin: string): ListOperation {
  return new ListOperation(LIST.CLEAR, bin)
}

/** Replaces the element at an index. */
export function set(
  bin: string,
  index: number,
  value: unknown,
  policy?: ListPolicyOptions,
): ListOperation {
  return new ListOperation(LIST.SET, bin, { index, value, policy })
}

/**
 * Removes all elements except `count` from an index on. The result is the number of removed ones.
 */
export function trim(bin: string, index: number, count: number): ListOperation {
  return new ListOperation(LIST.TRIM, bin, { index, count })
}

/** Returns the element at an index. */
export function get(bin: string, index: number): ListOperation {
  return new ListOperation(LIST.GET, bin, { index })
}

/** Returns `count` elements from an index on, or all to the end. */
export function getRange(bin: string, index: number, count?: number | null): ListOperation {
  return new ListOperation(LIST.GET_RANGE, bin, { index, count })
}

/** Selects the element at an index. */
export function getByIndex(bin: string, index: number, returnType?: number): ListOperation {
  return new ListOperation(LIST.GET_BY_INDEX, bin, { index, returnType })
}

/** Selects `count` elements from an index on, or all to the end. */
export function getByIndexRange(
  bin: string,
  index: number,
  count?: number | null,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.GET_BY_INDEX_RANGE, bin, { index, count, returnType })
}

/** Selects all elements equal to a value. */
export function getByValue(bin: string, value: unknown, returnType?: number): InvertibleListOp {
  return new InvertibleListOp(LIST.GET_BY_VALUE, bin, { value, returnType })
}

/** Selects all elements equal to one of several values. */
export function getByValueList(
  bin: string,
  values: unknown[],
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.GET_BY_VALUE_LIST, bin, { values, returnType })
}

/**
 * Selects elements from `begin` on, up to but without `end`. `undefined` is less than all values,
 * or greater.
 */
export function getByValueRange(
  bin: string,
  begin: unknown,
  end?: unknown,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.GET_BY_VALUE_RANGE, bin, { begin, end, returnType })
}

/** Selects `count` elements, or all to the largest, by rank relative to a value. */
export function getByValueRelRankRange(
  bin: string,
  value: unknown,
  rank: number,
  count?: number | null,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.GET_BY_VALUE_REL_RANK_RANGE, bin, {
    value,
    rank,
    count,
    returnType,
  })
}

/** Selects the element of a rank: 0 is the smallest, -1 the largest. */
export function getByRank(bin: string, rank: number, returnType?: number): ListOperation {
  return new ListOperation(LIST.GET_BY_RANK, bin, { rank, returnType })
}

/** Selects `count` elements from a rank on, or all to the largest. */
export function getByRankRange(
  bin: string,
  rank: number,
  count?: number | null,
  returnType?: number,
): InvertibleListOp {
  return new InvertibleListOp(LIST.GET_BY_RANK_RANGE, bin, { rank, count, returnType })
}

/** Adds to the number at an index; 1 by default. The result is the new number. */
export function increment(
  bin: string,
  index: number,
  value?: unknown,
  policy?: ListPolicyOptions,
): ListOperation {
  return new ListOperation(LIST.INCREMENT, bin, { index, value, policy })
}

/** Returns the number of elements. */
export function size(bin: string): ListOperation {
  return new ListOperation(LIST.SIZE, bin)
}

/** Creates a list, if the bin does not exist; `order` is one of `order`. */
export function create(
  bin: string,
  order: number,
  pad = false,
  persistIndex = false,
  ctx?: ContextOrFunction,
): ListOperation {
  const operation = new ListOperation(LIST.CREATE, bin, { order, pad, persistIndex })
  return ctx === undefined ? operation : operation.withContext(ctx)
}
