/** Expressions on HyperLogLog sketches: `exp.hll`. The first argument is a sketch. */

import * as native from '../../../aerospike/exp/hll.js'
import type { Expression, Operand } from '../../../aerospike/operation/expression.js'
import { strictFlags } from '../bit-conversions.js'
import { type AerospikeExp, checkExpressions, call as onSketch, operand } from '../expression.js'
import { NOT_APPLICABLE } from '../failures.js'

/** The options of writes. */
export interface HLLPolicy {
  /** Of `hll.writeFlags`. */
  writeFlags?: number | undefined
  /** The same. */
  flags?: number | undefined
}
type Policy = HLLPolicy | null | undefined

const FLAGS = { createOnly: 1, updateOnly: 2, noFail: 4, allowFold: 8 }

function policyOf<N extends keyof typeof FLAGS>(policy: Policy, names: readonly N[]) {
  return strictFlags(policy?.writeFlags ?? policy?.flags ?? 0, FLAGS, names, NOT_APPLICABLE)
}

function call(make: () => Expression<never>, ...args: AerospikeExp[]): AerospikeExp {
  checkExpressions(...args)
  return onSketch(() => make() as Operand)
}

function on(bin: AerospikeExp): Operand<'hll'> {
  return operand(bin) as Operand<'hll'>
}

function listOf(list: AerospikeExp): Operand<'list'> {
  return operand(list) as Operand<'list'>
}

/** A number of bits; -1 means none. */
function bits(count: number): number | undefined {
  return count === -1 ? undefined : count
}

/** An empty sketch with minhash bits. */
export function initMH(
  bin: AerospikeExp,
  mhBitCount: number,
  indexBitCount: number,
  policy?: Policy,
): AerospikeExp {
  const options = () => policyOf(policy, ['createOnly', 'updateOnly', 'noFail'])
  return call(() => native.init(on(bin), bits(indexBitCount), bits(mhBitCount), options()), bin)
}

/** An empty sketch. */
export function init(bin: AerospikeExp, indexBitCount: number, policy?: Policy): AerospikeExp {
  return initMH(bin, 0, indexBitCount, policy)
}

/** The sketch with values added, which is created with minhash bits if need be. */
export function addMH(
  bin: AerospikeExp,
  mhBitCount: number,
  indexBitCount: number,
  list: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  const options = () => policyOf(policy, ['createOnly', 'noFail'])
  return call(
    () => native.add(on(bin), listOf(list), bits(indexBitCount), bits(mhBitCount), options()),
    bin,
    list,
  )
}

/** The sketch with values added, which is created if need be. */
export function add(
  bin: AerospikeExp,
  indexBitCount: number,
  list: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return addMH(bin, -1, indexBitCount, list, policy)
}

/** The sketch with values added. */
export function update(bin: AerospikeExp, list: AerospikeExp, policy?: Policy): AerospikeExp {
  return addMH(bin, -1, -1, list, policy)
}

/** The estimated number of different values. */
export function getCount(bin: AerospikeExp): AerospikeExp {
  return call(() => native.getCount(on(bin)), bin)
}

/** The union with other sketches. */
export function getUnion(bin: AerospikeExp, list: AerospikeExp): AerospikeExp {
  return call(() => native.getUnion(on(bin), listOf(list)), bin, list)
}

/** The estimated number of different values in the union. */
export function getUnionCount(bin: AerospikeExp, list: AerospikeExp): AerospikeExp {
  return call(() => native.getUnionCount(on(bin), listOf(list)), bin, list)
}

/** The estimated number of values that are in all sketches. */
export function getIntersectCount(bin: AerospikeExp, list: AerospikeExp): AerospikeExp {
  return call(() => native.getIntersectCount(on(bin), listOf(list)), bin, list)
}

/** The share of the union that is in all sketches, from 0 to 1. */
export function getSimilarity(bin: AerospikeExp, list: AerospikeExp): AerospikeExp {
  return call(() => native.getSimilarity(on(bin), listOf(list)), bin, list)
}

/** `[index bits, minhash bits]`. */
export function describe(bin: AerospikeExp): AerospikeExp {
  return call(() => native.describe(on(bin)), bin)
}

/** 1 if all the values may have been added, 0 if one was not. */
export function mayContain(bin: AerospikeExp, list: AerospikeExp): AerospikeExp {
  return call(() => native.mayContain(on(bin), listOf(list)), bin, list)
}
