/** Expressions on maps: `exp.maps`. The first argument is a map; the others are expressions, too. */

import * as native from '../../../aerospike/exp/map.js'
import { type AerospikeExp, expression, operand } from '../expression.js'
import type { MapPolicyOptions } from '../maps.js'
import { MAP_ORDERS, OPERATOR } from '../numbers.js'
import { changing, ofMap, policyOptions, removing, type Within, within } from './selection.js'

type Policy = MapPolicyOptions | null | undefined

const FLAGS = { createOnly: 1, updateOnly: 2, noFail: 4, partial: 8 }
type Flag = keyof typeof FLAGS

function policyOf<N extends Flag>(policy: Policy, names: readonly N[]) {
  return policyOptions(policy, FLAGS, MAP_ORDERS, names)
}

/** The map with a key set. */
export function put(
  bin: AerospikeExp,
  value: AerospikeExp,
  key: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.put(operand(bin) as never, operand(key) as never, operand(value) as never, {
      ...options,
      ...policyOf(policy, ['createOnly', 'updateOnly', 'noFail']),
    }),
  )
}

/** The map with several keys set. */
export function putItems(
  bin: AerospikeExp,
  map: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.putItems(operand(bin) as never, operand(map) as never, {
      ...options,
      ...policyOf(policy, ['createOnly', 'updateOnly', 'noFail', 'partial']),
    }),
  )
}

/** The map with the number at a key increased. */
export function increment(
  bin: AerospikeExp,
  value: AerospikeExp,
  key: AerospikeExp,
  policy?: Policy,
  ctx?: Within,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.increment(operand(bin) as never, operand(key) as never, operand(value) as never, {
      ...options,
      ...policyOf(policy, []),
    }),
  )
}

/** The map without entries. */
export function clear(bin: AerospikeExp, ctx?: Within): AerospikeExp {
  return changing(ctx, (options) => native.clear(operand(bin) as never, options))
}

/** The number of entries. */
export function size(bin: AerospikeExp, ctx?: Within): AerospikeExp {
  return expression(OPERATOR.CALL, () => native.size(operand(bin) as never, within(ctx)))
}

/** The map without the entry with a key. */
export function removeByKey(
  bin: AerospikeExp,
  key: AerospikeExp,
  ctx?: Within,
  _returnType?: number,
): AerospikeExp {
  return changing(ctx, (options) =>
    native.removeByKey(operand(bin) as never, operand(key) as never, options),
  )
}

/** The map without the entries with these keys. */
export function removeByKeyList(
  bin: AerospikeExp,
  keys: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByKeyList(operand(bin) as never, operand(keys) as never, options),
  )
}

/** The map without the entries with keys from `begin` on, up to but without `end`. */
export function removeByKeyRange(
  bin: AerospikeExp,
  end: AerospikeExp,
  begin: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByKeyRange(
      operand(bin) as never,
      operand(begin) as never,
      operand(end) as never,
      options,
    ),
  )
}

/** The map without the entries to the end, by index relative to a key. */
export function removeByKeyRelIndexRangeToEnd(
  bin: AerospikeExp,
  idx: AerospikeExp,
  key: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByKeyRelativeIndex(
      operand(bin) as never,
      operand(key) as never,
      operand(idx) as never,
      undefined,
      options,
    ),
  )
}

/** The map without `count` entries, by index relative to a key. */
export function removeByKeyRelIndexRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  idx: AerospikeExp,
  key: AerospikeExp,
  ctx?: Within,
  returnType = 0,
): AerospikeExp {
  return removing(returnType, ctx, (options) =>
    native.removeByKeyRelativeIndex(
      operand(bin) as never,
      operand(key) as never,
      operand(idx) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The map without the entries with a value. */
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

/** The map without the entries with one of several values. */
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

/** The map without the entries with values from `begin` on, up to but without `end`. */
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

/** The map without the entries to the largest, by rank relative to a value. */
export function removeByValueRelRankRangeToEnd(
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

/** The map without `count` entries, by rank relative to a value. */
export function removeByValueRelRankRange(
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

/** The map without the entry at an index. */
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

/** The map without the entries from an index to the end. */
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

/** The map without `count` entries from an index on. */
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

/** The map without the entry of a rank by value: 0 is the smallest, -1 the largest. */
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

/** The map without the entries from a rank to the largest. */
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

/** The map without `count` entries from a rank on. */
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

/** The entry with a key. */
export function getByKey(
  bin: AerospikeExp,
  key: AerospikeExp,
  valueType: number,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.one(valueType, returnType, ctx, (options) =>
    native.getByKey(operand(bin) as never, operand(key) as never, options),
  )
}

/** The entries with these keys. */
export function getByKeyList(
  bin: AerospikeExp,
  keys: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByKeyList(operand(bin) as never, operand(keys) as never, options),
  )
}

/** The entries with keys from `begin` on, up to but without `end`. */
export function getByKeyRange(
  bin: AerospikeExp,
  end: AerospikeExp,
  begin: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByKeyRange(
      operand(bin) as never,
      operand(begin) as never,
      operand(end) as never,
      options,
    ),
  )
}

/** The entries to the end, by index relative to a key. */
export function getByKeyRelIndexRangeToEnd(
  bin: AerospikeExp,
  idx: AerospikeExp,
  key: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByKeyRelativeIndex(
      operand(bin) as never,
      operand(key) as never,
      operand(idx) as never,
      undefined,
      options,
    ),
  )
}

/** `count` entries, by index relative to a key. */
export function getByKeyRelIndexRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  idx: AerospikeExp,
  key: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByKeyRelativeIndex(
      operand(bin) as never,
      operand(key) as never,
      operand(idx) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The entries with a value. */
export function getByValue(
  bin: AerospikeExp,
  value: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByValue(operand(bin) as never, operand(value) as never, options),
  )
}

/** The entries with one of several values. */
export function getByValueList(
  bin: AerospikeExp,
  values: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByValueList(operand(bin) as never, operand(values) as never, options),
  )
}

/** The entries with values from `begin` on, up to but without `end`. */
export function getByValueRange(
  bin: AerospikeExp,
  end: AerospikeExp,
  begin: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByValueRange(
      operand(bin) as never,
      operand(begin) as never,
      operand(end) as never,
      options,
    ),
  )
}

/** The entries to the largest, by rank relative to a value. */
export function getByValueRelRankRangeToEnd(
  bin: AerospikeExp,
  rank: AerospikeExp,
  value: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByValueRelativeRank(
      operand(bin) as never,
      operand(value) as never,
      operand(rank) as never,
      undefined,
      options,
    ),
  )
}

/** `count` entries, by rank relative to a value. */
export function getByValueRelRankRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  rank: AerospikeExp,
  value: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByValueRelativeRank(
      operand(bin) as never,
      operand(value) as never,
      operand(rank) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The entry at an index. */
export function getByIndex(
  bin: AerospikeExp,
  idx: AerospikeExp,
  valueType: number,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.one(valueType, returnType, ctx, (options) =>
    native.getByIndex(operand(bin) as never, operand(idx) as never, options),
  )
}

/** The entries from an index to the end. */
export function getByIndexRangeToEnd(
  bin: AerospikeExp,
  idx: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByIndexRange(operand(bin) as never, operand(idx) as never, undefined, options),
  )
}

/** `count` entries from an index on. */
export function getByIndexRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  idx: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByIndexRange(
      operand(bin) as never,
      operand(idx) as never,
      operand(count) as never,
      options,
    ),
  )
}

/** The entry of a rank by value: 0 is the smallest, -1 the largest. */
export function getByRank(
  bin: AerospikeExp,
  rank: AerospikeExp,
  valueType: number,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.one(valueType, returnType, ctx, (options) =>
    native.getByRank(operand(bin) as never, operand(rank) as never, options),
  )
}

/** The entries from a rank to the largest. */
export function getByRankRangeToEnd(
  bin: AerospikeExp,
  rank: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByRankRange(operand(bin) as never, operand(rank) as never, undefined, options),
  )
}

/** `count` entries from a rank on. */
export function getByRankRange(
  bin: AerospikeExp,
  count: AerospikeExp,
  rank: AerospikeExp,
  returnType: number,
  ctx?: Within,
): AerospikeExp {
  return ofMap.several(returnType, ctx, (options) =>
    native.getByRankRange(
      operand(bin) as never,
      operand(rank) as never,
      operand(count) as never,
      options,
    ),
  )
}
