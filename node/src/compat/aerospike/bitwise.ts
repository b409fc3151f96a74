/** Operations on the bits of bytes: `bitwise`. Offsets may be negative: from the end. */

import { BIT } from './numbers.js'
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
  /** Stops at the end of the bytes instead of failing. */
  PARTIAL: 8,
} as const
export type writeFlags = (typeof writeFlags)[keyof typeof writeFlags]

/** How to resize. Flags are added up. */
export const resizeFlags = { DEFAULT: 0, FROM_FRONT: 1, GROW_ONLY: 2, SHRINK_ONLY: 4 } as const
export type resizeFlags = (typeof resizeFlags)[keyof typeof resizeFlags]

/** How arithmetic treats a result that does not fit. */
export const overflow = { FAIL: 0, SATURATE: 2, WRAP: 4 } as const
export type overflow = (typeof overflow)[keyof typeof overflow]

/** The options of writes. */
export interface BitwisePolicyOptions {
  /** Of `writeFlags`. Default: none. */
  writeFlags?: number | undefined
}

/** An operation on bits. */
export class BitwiseOperation extends Operation {
  /** Sets how to write. */
  withPolicy(policy: BitwisePolicyOptions): this {
    this['policy'] = policy
    return this
  }
}

/** Arithmetic on bits. */
export class OverflowableBitwiseOp extends BitwiseOperation {
  constructor(op: number, bin: string, properties?: object) {
    super(op, bin, properties)
    this['overflowAction'] = overflow.FAIL
  }

  /** Sets how to treat a result that does not fit: of `overflow`. */
  onOverflow(action: number): this {
    this['overflowAction'] = action
    return this
  }
}

/** Sets the number of bytes, with `resizeFlags`. */
export function resize(bin: string, size: number, flags = 0): BitwiseOperation {
  return new BitwiseOperation(BIT.RESIZE, bin, { size, flags })
}

/** Inserts bytes. */
export function insert(bin: string, byteOffset: number, value: Buffer): BitwiseOperation {
  return new BitwiseOperation(BIT.INSERT, bin, { offset: byteOffset, value })
}

/** Removes bytes. */
export function remove(bin: string, byteOffset: number, byteSize: number): BitwiseOperation {
  return new BitwiseOperation(BIT.REMOVE, bin, { offset: byteOffset, size: byteSize })
}

/**
 * Sets bits to those of a Buffer, or to an integer.
 *
 * @throws TypeError for other values
 */
export function set(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: Buffer | number,
): BitwiseOperation {
  const isInteger = Number.isSafeInteger(value)
  if (!isInteger && !Buffer.isBuffer(value)) {
    throw new TypeError('bits are set to a Buffer or an integer')
  }
  const op = isInteger ? BIT.SET_INT : BIT.SET
  return new BitwiseOperation(op, bin, { bitOffset, bitSize, value })
}

/** Logical OR with bytes. */
export function or(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: Buffer,
): BitwiseOperation {
  return new BitwiseOperation(BIT.OR, bin, { bitOffset, bitSize, value })
}

/** Logical XOR with bytes. */
export function xor(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: Buffer,
): BitwiseOperation {
  return new BitwiseOperation(BIT.XOR, bin, { bitOffset, bitSize, value })
}

/** Logical AND with bytes. */
export function and(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: Buffer,
): BitwiseOperation {
  return new BitwiseOperation(BIT.AND, bin, { bitOffset, bitSize, value })
}

/** Inverts bits. */
export function not(bin: string, bitOffset: number, bitSize: number): BitwiseOperation {
  return new BitwiseOperation(BIT.NOT, bin, { offset: bitOffset, size: bitSize })
}

/** Shifts bits left. */
export function lshift(
  bin: string,
  bitOffset: number,
  bitSize: number,
  shift: number,
): BitwiseOperation {
  return new BitwiseOperation(BIT.LSHIFT, bin, { bitOffset, bitSize, shift })
}

/** Shifts bits right. */
export function rshift(
  bin: string,
  bitOffset: number,
  bitSize: number,
  shift: number,
): BitwiseOperation {
  return new BitwiseOperation(BIT.RSHIFT, bin, { bitOffset, bitSize, shift })
}

/** Adds to an integer of at most 64 bits, which may have a sign. */
export function add(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: number,
  sign: boolean,
): OverflowableBitwiseOp {
  return new OverflowableBitwiseOp(BIT.ADD, bin, { bitOffset, bitSize, value, sign })
}

/** Subtracts from an integer of at most 64 bits, which may have a sign. */
export function subtract(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: number,
  sign: boolean,
): OverflowableBitwiseOp {
  return new OverflowableBitwiseOp(BIT.SUBTRACT, bin, { bitOffset, bitSize, value, sign })
}

/** Returns bits as a Buffer. */
export function get(bin: string, bitOffset: number, bitSize: number): BitwiseOperation {
  return new BitwiseOperation(BIT.GET, bin, { bitOffset, bitSize })
}

/** Returns bits as an integer, which may have a sign. */
export function getInt(
  bin: string,
  bitOffset: number,
  bitSize: number,
  sign: boolean,
): BitwiseOperation {
  return new BitwiseOperation(BIT.GET_INT, bin, { bitOffset, bitSize, sign })
}

/** Returns the position of the first bit with this value; -1 if there is none. */
export function lscan(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: boolean,
): BitwiseOperation {
  return new BitwiseOperation(BIT.LSCAN, bin, { bitOffset, bitSize, value })
}

/** Returns the position of the last bit with this value; -1 if there is none. */
export function rscan(
  bin: string,
  bitOffset: number,
  bitSize: number,
  value: boolean,
): BitwiseOperation {
  return new BitwiseOperation(BIT.RSCAN, bin, { bitOffset, bitSize, value })
}
