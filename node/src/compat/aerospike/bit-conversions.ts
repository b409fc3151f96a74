/** Operations on bits and on sketches, for the engine. */

import { HyperLogLog } from '../../aerospike/model/values.js'
import * as bit from '../../aerospike/op/bit.js'
import * as hll from '../../aerospike/op/hll.js'
import type { Operation } from '../../aerospike/operation/operation.js'
import { ArgumentFailure, INVALID_REQUEST } from './failures.js'
import { BIT, HLL, HLL_READS, OVERFLOWS } from './numbers.js'
import { type Conversions, flagsOf, type Properties, wordOf } from './properties.js'

const BIT_FLAGS = { createOnly: 1, updateOnly: 2, noFail: 4, partial: 8 }
const RESIZE_FLAGS = { fromFront: 1, growOnly: 2, shrinkOnly: 4 }
const HLL_FLAGS = { createOnly: 1, updateOnly: 2, noFail: 4, allowFold: 8 }

/** The options in a policy. A node rejects flags that an operation does not take. */
function policyOf<F extends string, N extends F>(
  of: Properties,
  known: { readonly [name in F]: number },
  names: readonly N[],
): { [name in N]?: boolean } {
  return strictFlags(of.policy.optionalInteger('writeFlags') ?? 0, known, names)
}

/** The options that flags of an operation say, of which a node takes only these. Other ones have this code. */
export function strictFlags<F extends string, N extends F>(
  flags: number,
  known: { readonly [name in F]: number },
  names: readonly N[],
  code: number = INVALID_REQUEST,
): { [name in N]?: boolean } {
  const mask = names.reduce((sum, name) => sum | known[name], 0)
  if (flags & ~mask) {
    throw new ArgumentFailure(`flags that the operation does not take: ${flags}`, code)
  }
  return flagsOf<F>(flags, known, names)
}

type Range = readonly [bin: string, offset: number, size: number]

function bits(of: Properties): Range {
  return [of.bin, of.integer('bitOffset'), of.integer('bitSize')]
}

function span(of: Properties): Range {
  return [of.bin, of.integer('offset'), of.integer('size')]
}

const EXISTING = ['updateOnly', 'noFail', 'partial'] as const
const ARITHMETIC = ['updateOnly', 'noFail'] as const
const CREATING = ['createOnly', 'updateOnly', 'noFail'] as const

function onExisting(of: Properties): bit.RemoveOptions {
  return policyOf(of, BIT_FLAGS, EXISTING)
}

function onNumber(of: Properties): bit.AddOptions {
  return {
    signed: of.boolean('sign'),
    overflow: wordOf('overflow action', OVERFLOWS, of.integer('overflowAction')),
    ...policyOf(of, BIT_FLAGS, ARITHMETIC),
  }
}

const bitOperations: Conversions = {
  [BIT.RESIZE]: (of) =>
    bit.resize(of.bin, of.integer('size'), {
      ...strictFlags(of.integer('flags'), RESIZE_FLAGS, ['fromFront', 'growOnly', 'shrinkOnly']),
      ...policyOf(of, BIT_FLAGS, CREATING),
    }),
  [BIT.INSERT]: (of) =>
    bit.insert(of.bin, of.integer('offset'), of.bytes('value'), policyOf(of, BIT_FLAGS, CREATING)),
  [BIT.REMOVE]: (of) => bit.remove(...span(of), onExisting(of)),
  [BIT.SET]: (of) => bit.set(...bits(of), of.bytes('value'), onExisting(of)),
  [BIT.SET_INT]: (of) =>
    bit.setInt(...bits(of), of.integer('value'), policyOf(of, BIT_FLAGS, ARITHMETIC)),
  [BIT.OR]: (of) => bit.or(...bits(of), of.bytes('value'), onExisting(of)),
  [BIT.XOR]: (of) => bit.xor(...bits(of), of.bytes('value'), onExisting(of)),
  [BIT.AND]: (of) => bit.and(...bits(of), of.bytes('value'), onExisting(of)),
  [BIT.NOT]: (of) => bit.not(...span(of), onExisting(of)),
  [BIT.LSHIFT]: (of) => bit.lshift(...bits(of), of.integer('shift'), onExisting(of)),
  [BIT.RSHIFT]: (of) => bit.rshift(...bits(of), of.integer('shift'), onExisting(of)),
  [BIT.ADD]: (of) => bit.add(...bits(of), of.integer('value'), onNumber(of)),
  [BIT.SUBTRACT]: (of) => bit.subtract(...bits(of), of.integer('value'), onNumber(of)),
  [BIT.GET]: (of) => bit.get(...bits(of)),
  [BIT.LSCAN]: (of) => bit.lscan(...bits(of), of.boolean('value')),
  [BIT.RSCAN]: (of) => bit.rscan(...bits(of), of.boolean('value')),
  [BIT.GET_INT]: (of) => bit.getInt(...bits(of), { signed: of.boolean('sign') }),
}

/** A number of bits; -1 means none. */
function width(of: Properties, name: string): number | undefined {
  const count = of.integer(name)
  return count === -1 ? undefined : count
}

/** Sketches, which may also be the bytes of one. */
function sketches(of: Properties): HyperLogLog[] {
  const values = of.list('list')
  return values.map((value) =>
    value instanceof Uint8Array ? new HyperLogLog(value) : (value as HyperLogLog),
  )
}

const HLL_CONVERSIONS: { readonly [command: number]: (of: Properties) => Operation } = {
  [HLL_READS.GET_COUNT]: (of) => hll.getCount(of.bin),
  [HLL_READS.DESCRIBE]: (of) => hll.describe(of.bin),
  [HLL_READS.GET_UNION]: (of) => hll.getUnion(of.bin, sketches(of)),
  [HLL_READS.GET_UNION_COUNT]: (of) => hll.getUnionCount(of.bin, sketches(of)),
  [HLL_READS.GET_INTERSECT_COUNT]: (of) => hll.getIntersectCount(of.bin, sketches(of)),
  [HLL_READS.GET_SIMILARITY]: (of) => hll.getSimilarity(of.bin, sketches(of)),
}

function readSketch(of: Properties): Operation {
  const convert = HLL_CONVERSIONS[of.integer('command')]
  if (convert === undefined) throw new ArgumentFailure('unknown command', INVALID_REQUEST)
  return convert(of)
}

const hllOperations: Conversions = {
  [HLL.INIT]: (of) =>
    hll.init(
      of.bin,
      width(of, 'indexBits'),
      width(of, 'minhashBits'),
      policyOf(of, HLL_FLAGS, CREATING),
    ),
  [HLL.ADD]: (of) =>
    hll.add(
      of.bin,
      of.list('list'),
      width(of, 'indexBits'),
      width(of, 'minhashBits'),
      policyOf(of, HLL_FLAGS, ['createOnly', 'noFail']),
    ),
  [HLL.SET_UNION]: (of) =>
    hll.setUnion(
      of.bin,
      sketches(of),
      policyOf(of, HLL_FLAGS, ['createOnly', 'updateOnly', 'noFail', 'allowFold']),
    ),
  [HLL.REFRESH_COUNT]: (of) => hll.refreshCount(of.bin),
  [HLL.FOLD]: (of) => hll.fold(of.bin, of.integer('indexBits')),
  [HLL.READ]: readSketch,
  [HLL.READ_LIST]: readSketch,
}

/** By number. */
export const bitConversions: Conversions = { ...checked(bitOperations), ...hllOperations }

/** Policies are checked before anything else, and those of reads, too. */
function checked(conversions: Conversions): Conversions {
  const entries = Object.entries(conversions).map(([op, convert]) => [
    op,
    (of: Properties) => {
      of.policy.optionalInteger('writeFlags')
      return convert(of)
    },
  ])
  return Object.fromEntries(entries)
}
