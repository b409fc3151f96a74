/** Expressions on lists: `exp.lists`. The first argument is a list; the others are expressions, too. */

import * as native from '../../../aerospike/exp/list.js'
import { type AerospikeExp, expression, operand } from '../expression.js'
import type { ListPolicyOptions } from '../lists.js'
import { LIST_ORDERS, OPERATOR } from '../numbers.js'
import { flagsOf } from '../properties.js'
import { changing, ofList, policyOptions, removing, type Within, within } from './selection.js'

type Policy = ListPolicyOptions | null | undefined

const FLAGS = { unique: 1, bounded: 2, noFail: 4, partial: 8 }
type Flag = keyof typeof FLAGS

function policyOf<N extends Flag>(policy: Policy, names: readonly N[]) {
  return policyOptions(policy, FLAGS, LIST_ORDERS, names)
}

/** The options of functions that never create a list. */
function unordered<N extends Flag>(policy: Policy, names: readonly N[]) {
  return policyOf({ writeFlags: policy?.writeFlags }, names)
}

/** The number of elements. */
export function size(bin: AerospikeExp, ctx?: Within): AerospikeExp {
  return expression(OPERATOR.CALL, () => native.size(operand(bin) as never, within(ctx)))
}

/** Elements equal to a value. */
export function getByValue(
  bin: AerospikeExp,
  value: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByValue(operand(bin) as never, operand(value) as never, options),
  )
}

/** Elements from `begin` on, up to but without `end`. */
export function getByValueRange(
  bin: AerospikeExp,
  begin: AerospikeExp,
  end: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByValueRange(
      operand(bin) as never,
      operand(begin) as never,
      operand(end) as never,
      options,
    ),
  )
}

/** Elements equal to one of several values. */
export function getByValueList(
  bin: AerospikeExp,
  value: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByValueList(operand(bin) as never, operand(value) as never, options),
  )
}

/** Elements to the largest, by rank relative to a value. */
export function getByRelRankRangeToEnd(
  bin: AerospikeExp,
  value: AerospikeExp,
  rank: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByValueRelativeRank(
      operand(bin) as never,
      operand(value) as never,
      operand(rank) as never,
      undefined,
      options,
    ),
  )
}

/** `count` elements, by rank relative to a value. */
export function getByRelRankRange(
  bin: AerospikeExp,
  value: AerospikeExp,
  rank: AerospikeExp,
  count: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByValueRelativeRank(
      operand(bin) as never,
      operand(value) as never,
      operand(rank) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The element at an index. */
export function getByIndex(
  bin: AerospikeExp,
  index: AerospikeExp,
  valueType: number,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.one(valueType, returnType, ctx, (options) =>
    native.getByIndex(operand(bin) as never, operand(index) as never, options),
  )
}

/** Elements from an index to the end. */
export function getByIndexRangeToEnd(
  bin: AerospikeExp,
  index: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByIndexRange(operand(bin) as never, operand(index) as never, undefined, options),
  )
}

/** `count` elements from an index on. */
export function getByIndexRange(
  bin: AerospikeExp,
  index: AerospikeExp,
  count: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByIndexRange(
      operand(bin) as never,
      operand(index) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The element of a rank: 0 is the smallest, -1 the largest. */
export function getByRank(
  bin: AerospikeExp,
  rank: AerospikeExp,
  valueType: number,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.one(valueType, returnType, ctx, (options) =>
    native.getByRank(operand(bin) as never, operand(rank) as never, options),
  )
}

/** Elements from a rank to the largest. */
export function getByRankRangeToEnd(
  bin: AerospikeExp,
  rank: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByRankRange(operand(bin) as never, operand(rank) as never, undefined, options),
  )
}

/** `count` elements from a rank on. */
export function getByRankRange(
  bin: AerospikeExp,
  rank: AerospikeExp,
  count: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofList.several(returnType, ctx, (options) =>
    native.getByRankRange(
      operand(bin) as never,
      operand(rank) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The list with a value appended. */
export function append(
  bin: AerospikeExp,
  value: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.append(operand(bin) as never, operand(value) as never, {
      ...options,
      ...policyOf(policy, ['unique', 'noFail']),
    }),
  )
}

/** The list with several values appended. */
export function appendItems(
  bin: AerospikeExp,
  value: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.appendItems(operand(bin) as never, operand(value) as never, {
      ...options,
      ...policyOf(policy, ['unique', 'noFail', 'partial']),
    }),
  )
}

/** The list with a value inserted. */
export function insert(
  bin: AerospikeExp,
  value: AerospikeExp,
  idx: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.insert(operand(bin) as never, operand(idx) as never, operand(value) as never, {
      ...options,
      ...unordered(policy, ['unique', 'bounded', 'noFail']),
    }),
  )
}

/** The list with several values inserted. */
export function insertItems(
  bin: AerospikeExp,
  value: AerospikeExp,
  idx: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.insertItems(operand(bin) as never, operand(idx) as never, operand(value) as never, {
      ...options,
      ...unordered(policy, ['unique', 'bounded', 'noFail', 'partial']),
    }),
  )
}

/** The list with a number increased. */
export function increment(
  bin: AerospikeExp,
  value: AerospikeExp,
  idx: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.increment(operand(bin) as never, operand(idx) as never, operand(value) as never, {
      ...options,
      ...policyOf(policy, ['unique', 'bounded', 'noFail']),
    }),
  )
}

/** The list with an element replaced. */
export function set(
  bin: AerospikeExp,
  value: AerospikeExp,
  idx: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.set(operand(bin) as never, operand(idx) as never, operand(value) as never, {
      ...options,
      ...unordered(policy, ['unique', 'bounded', 'noFail']),
    }),
  )
}

/** The list without elements. */
export function clear(bin: AerospikeExp, ctx?: Within): AerospikeExp {
  return changing(ctx, (options) => native.clear(operand(bin) as never, options))
}

/** The list without the elements equal to a value. */
export function removeByValue(
  bin: AerospikeExp,
  value: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByValue(operand(bin) as never, operand(value) as never, options),
  )
}

/** The list without the elements equal to one of several values. */
export function removeByValueList(
  bin: AerospikeExp,
  values: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByValueList(operand(bin) as never, operand(values) as never, options),
  )
}

/** The list without the elements from `begin` on, up to but without `end`. */
export function removeByValueRange(
  bin: AerospikeExp,
  end: AerospikeExp,
  begin: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByValueRange(
      operand(bin) as never,
      operand(begin) as never,
      operand(end) as never,
      options,
    ),
  )
}

/** The list without the elements to the largest, by rank relative to a value. */
export function removeByRelRankRangeToEnd(
  bin: AerospikeExp,
  rank: AerospikeExp,
  value: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByValueRelativeRank(
      operand(bin) as never,
      operand(value) as never,
      operand(rank) as never,
      undefined,
      options,
    ),
  )
}

/** The list without `count` elements, by rank relative to a value. */
export function removeByRelRankRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  rank: AerospikeExp,
  value: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByValueRelativeRank(
      operand(bin) as never,
      operand(value) as never,
      operand(rank) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The list without the element at an index. */
export function removeByIndex(
  bin: AerospikeExp,
  idx: AerospikeExp,
  ctx?: Within,
  _returnType?: number,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.removeByIndex(operand(bin) as never, operand(idx) as never, options),
  )
}

/** The list without the elements from an index to the end. */
export function removeByIndexRangeToEnd(
  bin: AerospikeExp,
  idx: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByIndexRange(operand(bin) as never, operand(idx) as never, undefined, options),
  )
}

/** The list without `count` elements from an index on. */
export function removeByIndexRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  idx: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByIndexRange(
      operand(bin) as never,
      operand(idx) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The list without the element of a rank. */
export function removeByRank(
  bin: AerospikeExp,
  rank: AerospikeExp,
  ctx?: Within,
  _returnType?: number,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.removeByRank(operand(bin) as never, operand(rank) as never, options),
  )
}

/** The list without the elements from a rank to the largest. */
export function removeByRankRangeToEnd(
  bin: AerospikeExp,
  rank: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByRankRange(operand(bin) as never, operand(rank) as never, undefined, options),
  )
}

/** The list without `count` elements from a rank on. */
export function removeByRankRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  rank: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByRankRange(
      operand(bin) as never,
      operand(rank) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The list sorted: of `lists.sortFlags`. */
export function sort(bin: AerospikeExp, order: number, ctx?: Within): AerospikeExp {
  const flags = flagsOf(order, { descending: 1, dropDuplicates: 2 })
  return changing(ctx, (options) => native.sort(operand(bin) as never, { ...options, ...flags }))
}
