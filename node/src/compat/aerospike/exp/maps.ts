/** Expressions on maps: `exp.maps`. The first argument is a map; the others are expressions, too. */

import * as native from '../../../aerospike/exp/map.js'
import type { AerospikeExp } from '../expression.js'
import { type MapFlag, mapOptions } from '../map-conversions.js'
import type { MapPolicyOptions } from '../maps.js'
import type { Properties } from '../properties.js'
import { changing, NONE, ofMap, removing, writing } from './selection.js'

type Exp = AerospikeExp

/** The options of functions that may create a map. */
function created(flags: readonly MapFlag[]): (of: Properties) => object {
  return (of) => mapOptions(of, flags)
}

/** The map with a key set. */
export const put = writing<[value: Exp, key: Exp], MapPolicyOptions>(
  native.put,
  [1, 0],
  created(['createOnly', 'updateOnly', 'noFail']),
)

/** The map with several keys set. */
export const putItems = writing<[map: Exp], MapPolicyOptions>(
  native.putItems,
  [0],
  created(['createOnly', 'updateOnly', 'noFail', 'partial']),
)

/** The map with the number at a key increased. */
export const increment = writing<[value: Exp, key: Exp], MapPolicyOptions>(
  native.increment,
  [1, 0],
  created([]),
)

/** The map without entries. */
export const clear = changing<[]>(native.clear, [])

/** The number of entries. */
export const size = changing<[]>(native.size, [])

/** The map without the entry with a key. */
export const removeByKey = removing<[key: Exp]>(native.removeByKey, [0], true)

/** The map without the entries with these keys. */
export const removeByKeyList = removing<[keys: Exp]>(native.removeByKeyList, [0])

/** The map without the entries with keys from `begin` on, up to but without `end`. */
export const removeByKeyRange = removing<[end: Exp, begin: Exp]>(native.removeByKeyRange, [1, 0])

/** The map without the entries to the end, by index relative to a key. */
export const removeByKeyRelIndexRangeToEnd = removing<[idx: Exp, key: Exp]>(
  native.removeByKeyRelativeIndex,
  [1, 0, NONE],
)

/** The map without `count` entries, by index relative to a key. */
export const removeByKeyRelIndexRange = removing<[count: Exp, idx: Exp, key: Exp]>(
  native.removeByKeyRelativeIndex,
  [2, 1, 0],
)

/** The map without the entries with a value. */
export const removeByValue = removing<[value: Exp]>(native.removeByValue, [0])

/** The map without the entries with one of several values. */
export const removeByValueList = removing<[values: Exp]>(native.removeByValueList, [0])

/** The map without the entries with values from `begin` on, up to but without `end`. */
export const removeByValueRange = removing<[end: Exp, begin: Exp]>(
  native.removeByValueRange,
  [1, 0],
)

/** The map without the entries to the largest, by rank relative to a value. */
export const removeByValueRelRankRangeToEnd = removing<[rank: Exp, value: Exp]>(
  native.removeByValueRelativeRank,
  [1, 0, NONE],
)

/** The map without `count` entries, by rank relative to a value. */
export const removeByValueRelRankRange = removing<[count: Exp, rank: Exp, value: Exp]>(
  native.removeByValueRelativeRank,
  [2, 1, 0],
)

/** The map without the entry at an index. */
export const removeByIndex = removing<[idx: Exp]>(native.removeByIndex, [0], true)

/** The map without the entries from an index to the end. */
export const removeByIndexRangeToEnd = removing<[idx: Exp]>(native.removeByIndexRange, [0, NONE])

/** The map without `count` entries from an index on. */
export const removeByIndexRange = removing<[count: Exp, idx: Exp]>(
  native.removeByIndexRange,
  [1, 0],
)

/** The map without the entry of a rank by value: 0 is the smallest, -1 the largest. */
export const removeByRank = removing<[rank: Exp]>(native.removeByRank, [0], true)

/** The map without the entries from a rank to the largest. */
export const removeByRankRangeToEnd = removing<[rank: Exp]>(native.removeByRankRange, [0, NONE])

/** The map without `count` entries from a rank on. */
export const removeByRankRange = removing<[count: Exp, rank: Exp]>(native.removeByRankRange, [1, 0])

/** The entry with a key. */
export const getByKey = ofMap.one<[key: Exp]>(native.getByKey, [0])

/** The entries with these keys. */
export const getByKeyList = ofMap.several<[keys: Exp]>(native.getByKeyList, [0])

/** The entries with keys from `begin` on, up to but without `end`. */
export const getByKeyRange = ofMap.several<[end: Exp, begin: Exp]>(native.getByKeyRange, [1, 0])

/** The entries to the end, by index relative to a key. */
export const getByKeyRelIndexRangeToEnd = ofMap.several<[idx: Exp, key: Exp]>(
  native.getByKeyRelativeIndex,
  [1, 0, NONE],
)

/** `count` entries, by index relative to a key. */
export const getByKeyRelIndexRange = ofMap.several<[count: Exp, idx: Exp, key: Exp]>(
  native.getByKeyRelativeIndex,
  [2, 1, 0],
)

/** The entries with a value. */
export const getByValue = ofMap.several<[value: Exp]>(native.getByValue, [0])

/** The entries with one of several values. */
export const getByValueList = ofMap.several<[values: Exp]>(native.getByValueList, [0])

/** The entries with values from `begin` on, up to but without `end`. */
export const getByValueRange = ofMap.several<[end: Exp, begin: Exp]>(native.getByValueRange, [1, 0])

/** The entries to the largest, by rank relative to a value. */
export const getByValueRelRankRangeToEnd = ofMap.several<[rank: Exp, value: Exp]>(
  native.getByValueRelativeRank,
  [1, 0, NONE],
)

/** `count` entries, by rank relative to a value. */
export const getByValueRelRankRange = ofMap.several<[count: Exp, rank: Exp, value: Exp]>(
  native.getByValueRelativeRank,
  [2, 1, 0],
)

/** The entry at an index. */
export const getByIndex = ofMap.one<[idx: Exp]>(native.getByIndex, [0])

/** The entries from an index to the end. */
export const getByIndexRangeToEnd = ofMap.several<[idx: Exp]>(native.getByIndexRange, [0, NONE])

/** `count` entries from an index on. */
export const getByIndexRange = ofMap.several<[count: Exp, idx: Exp]>(native.getByIndexRange, [1, 0])

/** The entry of a rank by value: 0 is the smallest, -1 the largest. */
export const getByRank = ofMap.one<[rank: Exp]>(native.getByRank, [0])

/** The entries from a rank to the largest. */
export const getByRankRangeToEnd = ofMap.several<[rank: Exp]>(native.getByRankRange, [0, NONE])

/** `count` entries from a rank on. */
export const getByRankRange = ofMap.several<[count: Exp, rank: Exp]>(native.getByRankRange, [1, 0])
