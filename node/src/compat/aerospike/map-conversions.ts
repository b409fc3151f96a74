/** Operations on maps, for the engine. */

import * as native from '../../aerospike/op/map.js'
import type { Path } from '../../aerospike/operation/ctx.js'
import type { Entries, MapKey } from '../../aerospike/operation/types.js'
import type {
  MapByIndex,
  MapByKeys,
  MapByValue,
  MapOrder,
  MapReturn,
} from '../../aerospike/operation/words.js'
import { NOT_APPLICABLE } from './failures.js'
import { MAP, MAP_ORDERS } from './numbers.js'
import { type Conversions, flagsOf, type Properties, wordOf } from './properties.js'
import { toNativeValue } from './values.js'

const FLAGS = { createOnly: 1, updateOnly: 2, noFail: 4, partial: 8 }
/** What a write mode says as flags. */
const MODES: Record<number, number> = { 0: 0, 1: FLAGS.updateOnly, 2: FLAGS.createOnly }

/** A flag of policies. */
export type MapFlag = keyof typeof FLAGS

function orderOf(of: Properties): MapOrder {
  return wordOf('order', MAP_ORDERS, of.optionalInteger('order') ?? 0, NOT_APPLICABLE)
}

function flagsIn(policy: Properties): number {
  const flags = policy.optionalInteger('writeFlags')
  if (flags !== undefined) return flags
  return MODES[policy.optionalInteger('writeMode') ?? 0] ?? 0
}

/** The options in the policy that an operation takes. Servers ignore the other ones. */
export function mapOptions<N extends MapFlag>(
  of: Properties,
  names: readonly N[],
): { [name in N]?: boolean } & { order?: MapOrder; ctx: Path | undefined } {
  const { policy, ctx } = of
  const options = flagsOf<MapFlag>(flagsIn(policy), FLAGS, names)
  return policy.has('order') ? { ...options, order: orderOf(policy), ctx } : { ...options, ctx }
}

interface Selection<R> {
  returning: R
  inverted: boolean
  ctx: Path | undefined
}

type Returning = MapByIndex & MapByValue & MapByKeys & MapReturn

function selected<R = Returning>(of: Properties): Selection<R> {
  const { returning, inverted } = of.selection
  return { returning: returning as R, inverted, ctx: of.ctx }
}

function one<R = Returning>(of: Properties): { returning: R; ctx: Path | undefined } {
  return { returning: of.returning as R, ctx: of.ctx }
}

function key(of: Properties, name = 'key'): MapKey {
  return of.value(name) as MapKey
}

function bound(of: Properties, name: string): MapKey | null {
  return (of.optionalValue(name) ?? null) as MapKey | null
}

/** An object of any class counts by its own properties. */
function entries(items: object): Entries {
  const all = items instanceof Map ? [...items] : Object.entries(items)
  return new Map(all.map(([key, each]) => [toNativeValue(key), toNativeValue(each)])) as Entries
}

/** By number. */
export const mapConversions: Conversions = {
  [MAP.SET_POLICY]: (of) => {
    flagsIn(of.policy)
    return native.setOrder(of.bin, orderOf(of.policy), { ctx: of.ctx })
  },
  [MAP.PUT]: (of) =>
    native.put(
      of.bin,
      key(of),
      of.value('value'),
      mapOptions(of, ['createOnly', 'updateOnly', 'noFail']),
    ),
  [MAP.PUT_ITEMS]: (of) =>
    native.putItems(
      of.bin,
      entries(of.object('items')),
      mapOptions(of, ['createOnly', 'updateOnly', 'noFail', 'partial']),
    ),
  [MAP.INCREMENT]: (of) =>
    native.increment(of.bin, key(of), of.value('incr') as number, mapOptions(of, [])),
  [MAP.DECREMENT]: (of) =>
    native.decrement(of.bin, key(of), of.value('decr') as number, mapOptions(of, [])),
  [MAP.CREATE]: (of) => {
    const options = { persistIndex: of.boolean('persistIndex'), ctx: of.ctx }
    of.integer('order')
    return native.create(of.bin, orderOf(of), options)
  },
  [MAP.CLEAR]: (of) => native.clear(of.bin, { ctx: of.ctx }),
  [MAP.SIZE]: (of) => native.size(of.bin, { ctx: of.ctx }),
  [MAP.GET_BY_KEY]: (of) => native.getByKey(of.bin, key(of), one(of)),
  [MAP.GET_BY_KEY_LIST]: (of) =>
    native.getByKeyList(of.bin, of.list('keys') as MapKey[], selected(of)),
  [MAP.GET_BY_KEY_RANGE]: (of) =>
    native.getByKeyRange(of.bin, bound(of, 'begin'), bound(of, 'end'), selected(of)),
  [MAP.GET_BY_KEY_REL_INDEX_RANGE]: (of) =>
    native.getByKeyRelativeIndex(
      of.bin,
      key(of),
      of.integer('index'),
      of.optionalInteger('count'),
      selected(of),
    ),
  [MAP.GET_BY_INDEX]: (of) => native.getByIndex(of.bin, of.integer('index'), one(of)),
  [MAP.GET_BY_INDEX_RANGE]: (of) =>
    native.getByIndexRange(of.bin, of.integer('index'), of.optionalInteger('count'), selected(of)),
  [MAP.GET_BY_RANK]: (of) => native.getByRank(of.bin, of.integer('rank'), one(of)),
  [MAP.GET_BY_RANK_RANGE]: (of) =>
    native.getByRankRange(of.bin, of.integer('rank'), of.optionalInteger('count'), selected(of)),
  [MAP.GET_BY_VALUE]: (of) => native.getByValue(of.bin, of.value('value'), selected(of)),
  [MAP.GET_BY_VALUE_LIST]: (of) => native.getByValueList(of.bin, of.list('values'), selected(of)),
  [MAP.GET_BY_VALUE_RANGE]: (of) =>
    native.getByValueRange(
      of.bin,
      of.optionalValue('begin') ?? null,
      of.optionalValue('end'),
      selected(of),
    ),
  [MAP.GET_BY_VALUE_REL_RANK_RANGE]: (of) =>
    native.getByValueRelativeRank(
      of.bin,
      of.value('value'),
      of.integer('rank'),
      of.optionalInteger('count'),
      selected(of),
    ),
  [MAP.REMOVE_BY_KEY]: (of) => native.removeByKey(of.bin, key(of), one(of)),
  [MAP.REMOVE_BY_KEY_LIST]: (of) =>
    native.removeByKeyList(of.bin, of.list('keys') as MapKey[], selected(of)),
  [MAP.REMOVE_BY_KEY_RANGE]: (of) =>
    native.removeByKeyRange(of.bin, bound(of, 'begin'), bound(of, 'end'), selected(of)),
  [MAP.REMOVE_BY_KEY_REL_INDEX_RANGE]: (of) =>
    native.removeByKeyRelativeIndex(
      of.bin,
      key(of),
      of.integer('index'),
      of.optionalInteger('count'),
      selected(of),
    ),
  [MAP.REMOVE_BY_INDEX]: (of) => native.removeByIndex(of.bin, of.integer('index'), one(of)),
  [MAP.REMOVE_BY_INDEX_RANGE]: (of) =>
    native.removeByIndexRange(
      of.bin,
      of.integer('index'),
      of.optionalInteger('count'),
      selected(of),
    ),
  [MAP.REMOVE_BY_RANK]: (of) => native.removeByRank(of.bin, of.integer('rank'), one(of)),
  [MAP.REMOVE_BY_RANK_RANGE]: (of) =>
    native.removeByRankRange(of.bin, of.integer('rank'), of.optionalInteger('count'), selected(of)),
  [MAP.REMOVE_BY_VALUE]: (of) => native.removeByValue(of.bin, of.value('value'), selected(of)),
  [MAP.REMOVE_BY_VALUE_LIST]: (of) =>
    native.removeByValueList(of.bin, of.list('values'), selected(of)),
  [MAP.REMOVE_BY_VALUE_RANGE]: (of) =>
    native.removeByValueRange(
      of.bin,
      of.optionalValue('begin') ?? null,
      of.optionalValue('end'),
      selected(of),
    ),
  [MAP.REMOVE_BY_VALUE_REL_RANK_RANGE]: (of) =>
    native.removeByValueRelativeRank(
      of.bin,
      of.value('value'),
      of.integer('rank'),
      of.optionalInteger('count'),
      selected(of),
    ),
}
