/**
 * Expressions on the bits of bytes: `exp.bit`. The first argument is bytes, and numbers and values are
 * expressions.
 */

import * as native from '../../../aerospike/exp/bit.js'
import type { Expression } from '../../../aerospike/operation/expression.js'
import { strictFlags } from '../bit-conversions.js'
import { type AerospikeExp, checkExpressions, call as onBytes, operand } from '../expression.js'
import { ArgumentFailure, NOT_APPLICABLE } from '../failures.js'
import { OVERFLOWS } from '../numbers.js'
import { flagsOf, wordOf } from '../properties.js'

/** The options of writes. */
export interface BitPolicy {
  /** Of `bitwise.writeFlags`. */
  writeFlags?: number | undefined
  /** The same. */
  flags?: number | undefined
}
type Policy = BitPolicy | null | undefined

const FLAGS = { createOnly: 1, updateOnly: 2, noFail: 4, partial: 8 }

function policyOf<N extends keyof typeof FLAGS>(policy: Policy, names: readonly N[]) {
  return strictFlags(policy?.writeFlags ?? policy?.flags ?? 0, FLAGS, names, NOT_APPLICABLE)
}

const existing = (policy: Policy) => policyOf(policy, ['updateOnly', 'noFail', 'partial'])
const creating = (policy: Policy) => policyOf(policy, ['createOnly', 'updateOnly', 'noFail'])

type Make = (...operands: never[]) => Expression<never>

function call(make: Make, ...args: AerospikeExp[]): AerospikeExp {
  checkExpressions(...args)
  return onBytes(() => make(...(args.map(operand) as never[])) as never)
}

/** The bytes with another size; `flags` are of `bitwise.resizeFlags`. */
export function reSize(
  bin: AerospikeExp,
  flags: number,
  byteSize: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  const sides = flagsOf(flags, { fromFront: 1, growOnly: 2, shrinkOnly: 4 })
  return call(
    (on, size) => native.resize(on, size, { ...sides, ...creating(policy) }),
    bin,
    byteSize,
  )
}

/** The bytes with others inserted. */
export function insert(
  bin: AerospikeExp,
  value: AerospikeExp,
  byteOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, data) => native.insert(on, offset, data, creating(policy)),
    bin,
    byteOffset,
    value,
  )
}

/** The bytes without some of them. */
export function remove(
  bin: AerospikeExp,
  byteSize: AerospikeExp,
  byteOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, size) => native.remove(on, offset, size, existing(policy)),
    bin,
    byteOffset,
    byteSize,
  )
}

/** The bytes with bits set to those of others. */
export function set(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return logical(native.set, bin, value, bitSize, bitOffset, policy)
}

type Logical = typeof native.set

function logical(
  make: Logical,
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy: Policy,
): AerospikeExp {
  return call(
    (on, offset, size, data) => make(on, offset, size, data, existing(policy)),
    bin,
    bitOffset,
    bitSize,
    value,
  )
}

/** Logical OR with bytes. */
export function or(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return logical(native.or, bin, value, bitSize, bitOffset, policy)
}

/** Logical XOR with bytes. */
export function xor(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return logical(native.xor, bin, value, bitSize, bitOffset, policy)
}

/** Logical AND with bytes. */
export function and(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return logical(native.and, bin, value, bitSize, bitOffset, policy)
}

/** The bytes with bits inverted. */
export function not(
  bin: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, size) => native.not(on, offset, size, existing(policy)),
    bin,
    bitOffset,
    bitSize,
  )
}

/** The bytes with bits shifted left. */
export function lShift(
  bin: AerospikeExp,
  shift: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, size, by) => native.lshift(on, offset, size, by, existing(policy)),
    bin,
    bitOffset,
    bitSize,
    shift,
  )
}

/** The bytes with bits shifted right. */
export function rShift(
  bin: AerospikeExp,
  shift: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, size, by) => native.rshift(on, offset, size, by, existing(policy)),
    bin,
    bitOffset,
    bitSize,
    shift,
  )
}

const SIGNED = 1

function arithmetic(action: number, policy: Policy): native.AddOptions {
  return {
    signed: (action & SIGNED) !== 0,
    overflow: wordOf('overflow action', OVERFLOWS, action & ~SIGNED, NOT_APPLICABLE),
    ...policyOf(policy, ['updateOnly', 'noFail']),
  }
}

/** The bytes with an integer increased; `action` is one of `bitwise.overflow`. */
export function add(
  bin: AerospikeExp,
  action: number,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, size, by) => native.add(on, offset, size, by, arithmetic(action, policy)),
    bin,
    bitOffset,
    bitSize,
    value,
  )
}

/** The bytes with an integer decreased; `action` is one of `bitwise.overflow`. */
export function subtract(
  bin: AerospikeExp,
  action: number,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  return call(
    (on, offset, size, by) => native.subtract(on, offset, size, by, arithmetic(action, policy)),
    bin,
    bitOffset,
    bitSize,
    value,
  )
}

/** The bytes with bits set to an integer. */
export function setInt(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
  policy?: Policy,
): AerospikeExp {
  const options = () => policyOf(policy, ['updateOnly', 'noFail'])
  return call(
    (on, offset, size, to) => native.setInt(on, offset, size, to, options()),
    bin,
    bitOffset,
    bitSize,
    value,
  )
}

/** Bits as bytes. */
export function get(
  bin: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
): AerospikeExp {
  return call((on, offset, size) => native.get(on, offset, size), bin, bitOffset, bitSize)
}

/** The number of bits that are 1. */
export function count(
  bin: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
): AerospikeExp {
  return call((on, offset, size) => native.count(on, offset, size), bin, bitOffset, bitSize)
}

function bit(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new ArgumentFailure('the bit must be a constant: exp.bool', NOT_APPLICABLE)
}

/** The position of the first bit with this value; -1 if there is none. */
export function lScan(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
): AerospikeExp {
  return call(
    (on, offset, size, of) => native.lscan(on, offset, size, bit(of)),
    bin,
    bitOffset,
    bitSize,
    value,
  )
}

/** The position of the last bit with this value; -1 if there is none. */
export function rScan(
  bin: AerospikeExp,
  value: AerospikeExp,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
): AerospikeExp {
  return call(
    (on, offset, size, of) => native.rscan(on, offset, size, bit(of)),
    bin,
    bitOffset,
    bitSize,
    value,
  )
}

/** Bits as an integer, which may have a sign. */
export function getInt(
  bin: AerospikeExp,
  sign: boolean,
  bitSize: AerospikeExp,
  bitOffset: AerospikeExp,
): AerospikeExp {
  const options = { signed: Boolean(sign) }
  return call(
    (on, offset, size) => native.getInt(on, offset, size, options),
    bin,
    bitOffset,
    bitSize,
  )
}
