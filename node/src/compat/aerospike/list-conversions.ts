/** Operations on lists, for the engine. */

import * as native from '../../aerospike/op/list.js'
import type { Path } from '../../aerospike/operation/ctx.js'
import type { ByIndex, ByValue, ListOrder, ListReturn } from '../../aerospike/operation/words.js'
import { NOT_APPLICABLE } from './failures.js'
import { LIST, LIST_ORDERS } from './numbers.js'
import { type Conversions, flagsOf, Properties, wordOf } from './properties.js'

const FLAGS = { unique: 1, bounded: 2, noFail: 4, partial: 8 }

function orderOf(of: Properties): ListOrder {
  return wordOf('order', LIST_ORDERS, of.integer('order'), NOT_APPLICABLE)
}

/** In the order of a policy. A node looks at nothing else of it. */
const ORDERED = 1

/** A flag of policies. */
export type ListFlag = keyof typeof FLAGS

const NO_POLICY = new Properties({})

/** The policy. Anything but an object counts for none, unlike in operations on maps. */
function policyIn(of: Properties): Properties {
  return of.hasObject('policy') ? of.policy : NO_POLICY
}

/** The options in the policy that an operation takes. Servers ignore the other ones. */
export function listFlags<N extends ListFlag>(
  of: Properties,
  names: readonly N[],
): { [name in N]?: boolean } {
  const policy = policyIn(of)
  policy.optionalInteger('order')
  return flagsOf<ListFlag>(policy.optionalInteger('writeFlags') ?? 0, FLAGS, names)
}

/** The order of a list that must be created, and the path. */
export function createdList(of: Properties): { order?: ListOrder; ctx: Path | undefined } {
  const { ctx } = of
  const policy = policyIn(of)
  if (!policy.has('order')) return { ctx }
  return { order: policy.integer('order') & ORDERED ? 'ordered' : 'unordered', ctx }
}

interface Selection<R> {
  returning: R
  inverted: boolean
  ctx: Path | undefined
}

function selected<R = ByIndex & ByValue & ListReturn>(of: Properties): Selection<R> {
  const { returning, inverted } = of.selection
  return { returning: returning as R, inverted, ctx: of.ctx }
}

function one<R = ByIndex & ByValue>(of: Properties): { returning: R; ctx: Path | undefined } {
  return { returning: of.returning as R, ctx: of.ctx }
}

/** By number. */
export const listConversions: Conversions = {
  [LIST.SET_ORDER]: (of) => native.setOrder(of.bin, orderOf(of), { ctx: of.ctx }),
  [LIST.SORT]: (of) => {
    const flags = flagsOf(of.integer('flags'), { descending: 1, dropDuplicates: 2 })
    return native.sort(of.bin, { ...flags, ctx: of.ctx })
  },
  [LIST.APPEND]: (of) =>
    native.append(of.bin, of.value('value'), {
      ...createdList(of),
      ...listFlags(of, ['unique', 'noFail']),
    }),
  [LIST.APPEND_ITEMS]: (of) =>
    native.appendItems(of.bin, of.list('list'), {
      ...createdList(of),
      ...listFlags(of, ['unique', 'noFail', 'partial']),
    }),
  [LIST.INSERT]: (of) =>
    native.insert(of.bin, of.integer('index'), of.value('value'), {
      ...listFlags(of, ['unique', 'bounded', 'noFail']),
      ctx: of.ctx,
    }),
  [LIST.INSERT_ITEMS]: (of) =>
    native.insertItems(of.bin, of.integer('index'), of.list('list'), {
      ...listFlags(of, ['unique', 'bounded', 'noFail', 'partial']),
      ctx: of.ctx,
    }),
  [LIST.INCREMENT]: (of) =>
    native.increment(of.bin, of.integer('index'), (of.optionalValue('value') ?? 1) as number, {
      ...createdList(of),
      ...listFlags(of, ['unique', 'bounded', 'noFail']),
    }),
  [LIST.SET]: (of) =>
    native.set(of.bin, of.integer('index'), of.value('value'), {
      ...listFlags(of, ['unique', 'bounded', 'noFail']),
      ctx: of.ctx,
    }),
  [LIST.CREATE]: (of) => {
    const options = {
      pad: of.boolean('pad'),
      persistIndex: of.boolean('persistIndex'),
      ctx: of.ctx,
    }
    return native.create(of.bin, orderOf(of), options)
  },
  [LIST.POP]: (of) => native.pop(of.bin, of.integer('index'), { ctx: of.ctx }),
  [LIST.POP_RANGE]: (of) =>
    native.popRange(of.bin, of.integer('index'), of.optionalInteger('count'), { ctx: of.ctx }),
  [LIST.REMOVE]: (of) => native.remove(of.bin, of.integer('index'), { ctx: of.ctx }),
  [LIST.REMOVE_RANGE]: (of) =>
    native.removeRange(of.bin, of.integer('index'), of.optionalInteger('count'), { ctx: of.ctx }),
  [LIST.CLEAR]: (of) => native.clear(of.bin, { ctx: of.ctx }),
  [LIST.TRIM]: (of) =>
    native.trim(of.bin, of.integer('index'), of.integer('count'), { ctx: of.ctx }),
  [LIST.GET]: (of) => native.get(of.bin, of.integer('index'), { ctx: of.ctx }),
  [LIST.GET_RANGE]: (of) =>
    native.getRange(of.bin, of.integer('index'), of.optionalInteger('count'), { ctx: of.ctx }),
  [LIST.SIZE]: (of) => native.size(of.bin, { ctx: of.ctx }),
  [LIST.GET_BY_INDEX]: (of) => native.getByIndex(of.bin, of.integer('index'), one(of)),
  [LIST.GET_BY_INDEX_RANGE]: (of) =>
    native.getByIndexRange(of.bin, of.integer('index'), of.optionalInteger('count'), selected(of)),
  [LIST.GET_BY_RANK]: (of) => native.getByRank(of.bin, of.integer('rank'), one(of)),
  [LIST.GET_BY_RANK_RANGE]: (of) =>
    native.getByRankRange(of.bin, of.integer('rank'), of.optionalInteger('count'), selected(of)),
  [LIST.GET_BY_VALUE]: (of) => native.getByValue(of.bin, of.value('value'), selected(of)),
  [LIST.GET_BY_VALUE_LIST]: (of) => native.getByValueList(of.bin, of.list('values'), selected(of)),
  [LIST.GET_BY_VALUE_RANGE]: (of) =>
    native.getByValueRange(
      of.bin,
      of.optionalValue('begin') ?? null,
      of.optionalValue('end'),
      selected(of),
    ),
  [LIST.GET_BY_VALUE_REL_RANK_RANGE]: (of) =>
    native.getByValueRelativeRank(
      of.bin,
      of.value('value'),
      of.integer('rank'),
      of.optionalInteger('count'),
      selected(of),
    ),
  [LIST.REMOVE_BY_INDEX]: (of) => native.removeByIndex(of.bin, of.integer('index'), one(of)),
  [LIST.REMOVE_BY_INDEX_RANGE]: (of) =>
    native.removeByIndexRange(
      of.bin,
      of.integer('index'),
      of.optionalInteger('count'),
      selected(of),
    ),
  [LIST.REMOVE_BY_RANK]: (of) => native.removeByRank(of.bin, of.integer('rank'), one(of)),
  [LIST.REMOVE_BY_RANK_RANGE]: (of) =>
    native.removeByRankRange(of.bin, of.integer('rank'), of.optionalInteger('count'), selected(of)),
  [LIST.REMOVE_BY_VALUE]: (of) => native.removeByValue(of.bin, of.value('value'), selected(of)),
  [LIST.REMOVE_BY_VALUE_LIST]: (of) =>
    native.removeByValueList(of.bin, of.list('values'), selected(of)),
  [LIST.REMOVE_BY_VALUE_RANGE]: (of) =>
    native.removeByValueRange(
      of.bin,
      of.optionalValue('begin') ?? null,
      of.optionalValue('end'),
      selected(of),
    ),
  [LIST.REMOVE_BY_VALUE_REL_RANK_RANGE]: (of) =>
    native.removeByValueRelativeRank(
      of.bin,
      of.value('value'),
      of.integer('rank'),
      of.optionalInteger('count'),
      selected(of),
    ),
}
