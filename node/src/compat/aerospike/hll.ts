/** Operations on HyperLogLog sketches: `hll`. */

import { HLL, HLL_READS } from './numbers.js'
import { Operation } from './operation.js'

/** How to write. Flags are added up. */
export const writeFlags = {
  DEFAULT: 0,
  /** Rejects a bin that already exists. */
  CREATE_ONLY: 1,
  /** Rejects a bin that does not exist. */
  UPDATE_ONLY: 2,
  /** Leaves the bin unchanged instead of failing. */
  NO_FAIL: 4,
  /** Lets a union have fewer bits than the sketch. */
  ALLOW_FOLD: 8,
} as const
export type writeFlags = (typeof writeFlags)[keyof typeof writeFlags]

/** The options of writes. */
export interface HLLPolicyOptions {
  /** Of `writeFlags`. Default: none. */
  writeFlags?: number | undefined
}

/** An operation on a sketch. */
export class HLLOperation extends Operation {
  /** Sets how to write. */
  withPolicy(policy: HLLPolicyOptions): this {
    this['policy'] = policy
    return this
  }
}

/**
 * Creates an empty sketch, or empties one.
 *
 * @param indexBits - From 4 to 16; -1 for those of the sketch.
 * @param minhashBits - From 4 to 51, and with `indexBits` at most 64; -1 for none.
 */
export function init(bin: string, indexBits: number, minhashBits = -1): HLLOperation {
  return new HLLOperation(HLL.INIT, bin, { indexBits, minhashBits })
}

/**
 * Adds values; creates the sketch, if need be, as `init` does. The result is how many registers
 * changed.
 */
export function add(bin: string, list: unknown[], indexBits = -1, minhashBits = -1): HLLOperation {
  return new HLLOperation(HLL.ADD, bin, { list, indexBits, minhashBits })
}

/** Sets the sketch to the union of itself with others. */
export function setUnion(bin: string, list: unknown[]): HLLOperation {
  return new HLLOperation(HLL.SET_UNION, bin, { list })
}

/** Brings the count that is kept with the sketch up to date, and returns it. */
export function refreshCount(bin: string): HLLOperation {
  return new HLLOperation(HLL.REFRESH_COUNT, bin)
}

/** Reduces the number of index bits. Only for a sketch without minhash bits. */
export function fold(bin: string, indexBits: number): HLLOperation {
  return new HLLOperation(HLL.FOLD, bin, { indexBits })
}

/** Returns the estimated number of different values. */
export function getCount(bin: string): HLLOperation {
  return new HLLOperation(HLL.READ, bin, { command: HLL_READS.GET_COUNT })
}

/** Returns the union with other sketches. */
export function getUnion(bin: string, list: unknown[]): HLLOperation {
  return new HLLOperation(HLL.READ_LIST, bin, { list, command: HLL_READS.GET_UNION })
}

/** Returns the estimated number of different values in the union. */
export function getUnionCount(bin: string, list: unknown[]): HLLOperation {
  return new HLLOperation(HLL.READ_LIST, bin, { list, command: HLL_READS.GET_UNION_COUNT })
}

/** Returns the estimated number of values that are in all sketches. */
export function getIntersectCount(bin: string, list: unknown[]): HLLOperation {
  return new HLLOperation(HLL.READ_LIST, bin, { list, command: HLL_READS.GET_INTERSECT_COUNT })
}

/** Returns the share of the union that is in all sketches, from 0 to 1. */
export function getSimilarity(bin: string, list: unknown[]): HLLOperation {
  return new HLLOperation(HLL.READ_LIST, bin, { list, command: HLL_READS.GET_SIMILARITY })
}

/** Returns `[index bits, minhash bits]`. */
export function describe(bin: string): HLLOperation {
  return new HLLOperation(HLL.READ, bin, { command: HLL_READS.DESCRIBE })
}
