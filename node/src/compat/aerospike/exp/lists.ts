/** Expressions on lists: `exp.lists`. The first argument is a list; the others are expressions, too. */

import * as native from '../../../aerospike/exp/list.js'
import { type AerospikeExp, call, checkExpressions, operand } from '../expression.js'
import { createdList, type ListFlag, listFlags } from '../list-conversions.js'
import type { ListPolicyOptions } from '../lists.js'
import { flagsOf, type Properties } from '../properties.js'
import { changing, NONE, ofList, removing, type Within, within, writing } from './selection.js'

type Exp = AerospikeExp

/** The options of functions that never create a list. */
function changed(flags: readonly ListFlag[]): (of: Properties) => object {
  return (of) => listFlags(of, flags)
}

/** The options of functions that may create a list. */
function created(flags: readonly ListFlag[]): (of: Properties) => object {
  return (of) => ({ ...createdList(of), ...listFlags(of, flags) })
}

/** The number of elements. */
export const size = changing<[]>(native.size, [])

/** Elements equal to a value. */
export const getByValue = ofList.several<[value: Exp]>(native.getByValue, [0])

/** Elements from `begin` on, up to but without `end`. */
export const getByValueRange = ofList.several<[begin: Exp, end: Exp]>(
  native.getByValueRange,
  [0, 1],
)

/** Elements equal to one of several values. */
export const getByValueList = ofList.several<[value: Exp]>(native.getByValueList, [0])

/** Elements to the largest, by rank relative to a value. */
export const getByRelRankRangeToEnd = ofList.several<[value: Exp, rank: Exp]>(
  native.getByValueRelativeRank,
  [0, 1, NONE],
)

/** `count` elements, by rank relative to a value. */
export const getByRelRankRange = ofList.several<[value: Exp, rank: Exp, count: Exp]>(
  native.getByValueRelativeRank,
  [0, 1, 2],
)

/** The element at an index. */
export const getByIndex = ofList.one<[index: Exp]>(native.getByIndex, [0])

/** Elements from an index to the end. */
export const getByIndexRangeToEnd = ofList.several<[index: Exp]>(native.getByIndexRange, [0, NONE])

/** `count` elements from an index on. */
export const getByIndexRange = ofList.several<[index: Exp, count: Exp]>(
  native.getByIndexRange,
  [0, 1],
)

/** The element of a rank: 0 is the smallest, -1 the largest. */
export const getByRank = ofList.one<[rank: Exp]>(native.getByRank, [0])

/** Elements from a rank to the largest. */
export const getByRankRangeToEnd = ofList.several<[rank: Exp]>(native.getByRankRange, [0, NONE])

/** `count` elements from a rank on. */
export const getByRankRange = ofList.several<[rank: Exp, count: Exp]>(native.getByRankRange, [0, 1])

/** The list with a value appended. */
export const append = writing<[value: Exp], ListPolicyOptions>(
  native.append,
  [0],
  created(['unique', 'noFail']),
)

/** The list with several values appended. */
export const appendItems = writing<[value: Exp], ListPolicyOptions>(
  native.appendItems,
  [0],
  created(['unique', 'noFail', 'partial']),
)

/** The list with a value inserted. */
export const insert = writing<[value: Exp, idx: Exp], ListPolicyOptions>(
  native.insert,
  [1, 0],
  changed(['unique', 'bounded', 'noFail']),
)

/** The list with several values inserted. */
export const insertItems = writing<[value: Exp, idx: Exp], ListPolicyOptions>(
  native.insertItems,
  [1, 0],
  changed(['unique', 'bounded', 'noFail', 'partial']),
)

/** The list with a number increased. */
export const increment = writing<[value: Exp, idx: Exp], ListPolicyOptions>(
  native.increment,
  [1, 0],
  created(['unique', 'bounded', 'noFail']),
)

/** The list with an element replaced. */
export const set = writing<[value: Exp, idx: Exp], ListPolicyOptions>(
  native.set,
  [1, 0],
  changed(['unique', 'bounded', 'noFail']),
)

/** The list without elements. */
export const clear = changing<[]>(native.clear, [])

/** The list without the elements equal to a value. */
export const removeByValue = removing<[value: Exp]>(native.removeByValue, [0])

/** The list without the elements equal to one of several values. */
export const removeByValueList = removing<[values: Exp]>(native.removeByValueList, [0])

/** The list without the elements from `begin` on, up to but without `end`. */
export const removeByValueRange = removing<[end: Exp, begin: Exp]>(
  native.removeByValueRange,
  [1, 0],
)

/** The list without the elements to the largest, by rank relative to a value. */
export const removeByRelRankRangeToEnd = removing<[rank: Exp, value: Exp]>(
  native.removeByValueRelativeRank,
  [1, 0, NONE],
)

/** The list without `count` elements, by rank relative to a value. */
export const removeByRelRankRange = removing<[count: Exp, rank: Exp, value: Exp]>(
  native.removeByValueRelativeRank,
  [2, 1, 0],
)

/** The list without the element at an index. */
export const removeByIndex = removing<[idx: Exp]>(native.removeByIndex, [0], true)

/** The list without the elements from an index to the end. */
export const removeByIndexRangeToEnd = removing<[idx: Exp]>(native.removeByIndexRange, [0, NONE])

/** The list without `count` elements from an index on. */
export const removeByIndexRange = removing<[count: Exp, idx: Exp]>(
  native.removeByIndexRange,
  [1, 0],
)

/** The list without the element of a rank. */
export const removeByRank = removing<[rank: Exp]>(native.removeByRank, [0], true)

/** The list without the elements from a rank to the largest. */
export const removeByRankRangeToEnd = removing<[rank: Exp]>(native.removeByRankRange, [0, NONE])

/** The list without `count` elements from a rank on. */
export const removeByRankRange = removing<[count: Exp, rank: Exp]>(native.removeByRankRange, [1, 0])

/** The list sorted: `order` is of `lists.sortFlags`. */
export function sort(bin: Exp, order: number, ctx?: Within): Exp {
  checkExpressions(bin)
  const flags = flagsOf(order, { descending: 1, dropDuplicates: 2 })
  return call(() => native.sort(operand(bin) as never, { ...flags, ...within(ctx) }) as never)
}
