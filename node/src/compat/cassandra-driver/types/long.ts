/**
 * 64-bit integers with the methods of the class `Long` of npm `long`, which is the type of `bigint`,
 * `counter` and nanoseconds in the other driver. A class of its own, on bigints: the package has no
 * dependencies, and a program that has `long` as well can pass its instances anywhere.
 */

import { inspect } from 'node:util'

/** What the methods take for a 64-bit integer. */
export type LongValue = Long | number | bigint | string | { low: number; high: number }

/** A 64-bit integer as npm `long` has it. */
export interface LongLike {
  readonly low: number
  readonly high: number
  readonly unsigned: boolean
}

const WORD = 4_294_967_296
const SMALLEST = -0x8000_0000_0000_0000n

/** A 64-bit integer, of two 32-bit halves. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the further names are set below
export class Long implements LongLike {
  /** The low 32 bits, as a signed number. */
  readonly low: number
  /** The high 32 bits, as a signed number. */
  readonly high: number
  /** Whether it counts as unsigned. */
  readonly unsigned: boolean
  /** The mark by which npm `long` knows its instances. */
  declare readonly __isLong__: true

  static readonly ZERO: Long = new Long(0, 0)
  static readonly ONE: Long = new Long(1, 0)
  static readonly NEG_ONE: Long = new Long(-1, -1)
  static readonly UZERO: Long = new Long(0, 0, true)
  static readonly UONE: Long = new Long(1, 0, true)
  static readonly MAX_VALUE: Long = new Long(-1, 0x7fff_ffff)
  static readonly MIN_VALUE: Long = new Long(0, -0x8000_0000)
  static readonly MAX_UNSIGNED_VALUE: Long = new Long(-1, -1, true)

  constructor(low: number, high = 0, unsigned = false) {
    this.low = low | 0
    this.high = high | 0
    this.unsigned = !!unsigned
  }

  /** Whether a value is a `Long`, of this class or of npm `long`. */
  static isLong(value: unknown): value is Long {
    return (value as { __isLong__?: unknown } | null | undefined)?.__isLong__ === true
  }

  static fromBits(low: number, high: number, unsigned?: boolean): Long {
    return new Long(low, high, unsigned)
  }

  static fromInt(value: number, unsigned = false): Long {
    return unsigned ? new Long(value >>> 0, 0, true) : new Long(value, value < 0 ? -1 : 0)
  }

  static fromNumber(value: number, unsigned = false): Long {
    if (Number.isNaN(value)) return unsigned ? Long.UZERO : Long.ZERO
    if (unsigned) {
      if (value < 0) return Long.UZERO
      if (value >= 2 ** 64) return Long.MAX_UNSIGNED_VALUE
    } else {
      if (value <= -(2 ** 63)) return Long.MIN_VALUE
      if (value + 1 >= 2 ** 63) return Long.MAX_VALUE
    }
    const whole = Math.trunc(value)
    return new Long((whole % WORD) | 0, Math.floor(whole / WORD) | 0, unsigned)
  }

  static fromBigInt(value: bigint, unsigned = false): Long {
    return new Long(
      Number(BigInt.asIntN(32, value)),
      Number(BigInt.asIntN(32, value >> 32n)),
      unsigned,
    )
  }

  static fromString(text: string, unsigned?: boolean | number, radix?: number): Long {
    if (text.length === 0) throw Error('empty string')
    const [isUnsigned, base] =
      typeof unsigned === 'number' ? [radix === 1, unsigned] : [!!unsigned, radix ?? 10]
    if (base < 2 || base > 36) throw RangeError('radix')
    if (/^(?:NaN|[+-]?Infinity)$/.test(text)) return isUnsigned ? Long.UZERO : Long.ZERO
    if (text.lastIndexOf('-') > 0) throw Error('interior hyphen')
    const negative = text.startsWith('-')
    let value = 0n
    for (const digit of negative ? text.slice(1) : text) {
      const worth = Number.parseInt(digit, base)
      if (Number.isNaN(worth)) throw Error(`${inspect(text)} is no integer of base ${base}`)
      value = value * BigInt(base) + BigInt(worth)
    }
    return Long.fromBigInt(negative ? -value : value, isUnsigned)
  }

  static fromValue(value: LongValue, unsigned?: boolean): Long {
    switch (typeof value) {
      case 'number':
        return Long.fromNumber(value, unsigned)
      case 'string':
        return Long.fromString(value, unsigned)
      case 'bigint':
        return Long.fromBigInt(value, unsigned)
      default:
        if (value instanceof Long && (unsigned === undefined || unsigned === value.unsigned)) {
          return value
        }
        return new Long(value.low, value.high, unsigned ?? (value as Long).unsigned)
    }
  }

  /** @throws TypeError if the value is no Buffer */
  static fromBuffer(value: Buffer): Long {
    if (!Buffer.isBuffer(value)) throw new TypeError(`a Buffer was expected, got ${inspect(value)}`)
    return new Long(value.readInt32BE(4), value.readInt32BE(0))
  }

  /** The 8 bytes of a value, high ones first. */
  static toBuffer(value: Long): Buffer {
    if (!Long.isLong(value)) throw new TypeError(`a Long was expected, got ${inspect(value)}`)
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeInt32BE(value.high, 0)
    bytes.writeInt32BE(value.low, 4)
    return bytes
  }

  static fromBytes(bytes: number[], unsigned?: boolean, le?: boolean): Long {
    return le ? Long.fromBytesLE(bytes, unsigned) : Long.fromBytesBE(bytes, unsigned)
  }

  static fromBytesLE(bytes: number[], unsigned?: boolean): Long {
    return Long.fromBytesBE([...bytes.slice(0, 8)].reverse(), unsigned)
  }

  static fromBytesBE(bytes: number[], unsigned?: boolean): Long {
    const all = Buffer.from(bytes.slice(0, 8))
    return new Long(all.readInt32BE(4), all.readInt32BE(0), unsigned)
  }

  /** The value as a bigint. */
  toBigInt(): bigint {
    const bits = (BigInt(this.high) << 32n) | BigInt(this.low >>> 0)
    return this.unsigned ? BigInt.asUintN(64, bits) : bits
  }

  /** The nearest number. */
  toNumber(): number {
    return (this.unsigned ? this.high >>> 0 : this.high) * WORD + (this.low >>> 0)
  }

  toInt(): number {
    return this.unsigned ? this.low >>> 0 : this.low
  }

  toString(radix = 10): string {
    if (radix < 2 || radix > 36) throw RangeError('radix')
    if (radix === 10 && this.high >= -0x20_0000 && this.high < 0x20_0000) {
      return String(this.toNumber())
    }
    return this.toBigInt().toString(radix)
  }

  toJSON(): string {
    return this.toString()
  }

  inspect(): string {
    return `Long: ${this}`
  }

  [inspect.custom](): string {
    return this.inspect()
  }

  toSigned(): Long {
    return this.unsigned ? new Long(this.low, this.high) : this
  }

  toUnsigned(): Long {
    return this.unsigned ? this : new Long(this.low, this.high, true)
  }

  toBytes(le?: boolean): number[] {
    return le ? this.toBytesLE() : this.toBytesBE()
  }

  toBytesLE(): number[] {
    return this.toBytesBE().reverse()
  }

  toBytesBE(): number[] {
    return [...Long.toBuffer(this)]
  }

  getHighBits(): number {
    return this.high
  }

  getHighBitsUnsigned(): number {
    return this.high >>> 0
  }

  getLowBits(): number {
    return this.low
  }

  getLowBitsUnsigned(): number {
    return this.low >>> 0
  }

  getNumBitsAbs(): number {
    const value = this.toBigInt()
    if (value === SMALLEST) return 64
    return Math.max(1, (value < 0n ? -value : value).toString(2).length)
  }

  isZero(): boolean {
    return this.low === 0 && this.high === 0
  }

  isNegative(): boolean {
    return !this.unsigned && this.high < 0
  }

  isPositive(): boolean {
    return this.unsigned || this.high >= 0
  }

  isOdd(): boolean {
    return (this.low & 1) === 1
  }

  isEven(): boolean {
    return (this.low & 1) === 0
  }

  equals(other: LongValue): boolean {
    const { low, high, unsigned } = Long.fromValue(other)
    const mayDiffer = this.unsigned !== unsigned && this.high >>> 31 === 1 && high >>> 31 === 1
    return !mayDiffer && this.low === low && this.high === high
  }

  notEquals(other: LongValue): boolean {
    return !this.equals(other)
  }

  /** -1, 0 or 1. */
  compare(other: LongValue): number {
    const [one, two] = [this.toBigInt(), Long.fromValue(other, this.unsigned).toBigInt()]
    return one < two ? -1 : one > two ? 1 : 0
  }

  lessThan(other: LongValue): boolean {
    return this.compare(other) < 0
  }

  lessThanOrEqual(other: LongValue): boolean {
    return this.compare(other) <= 0
  }

  greaterThan(other: LongValue): boolean {
    return this.compare(other) > 0
  }

  greaterThanOrEqual(other: LongValue): boolean {
    return this.compare(other) >= 0
  }

  add(other: LongValue): Long {
    return combined(this, other, (one, two) => one + two)
  }

  subtract(other: LongValue): Long {
    return combined(this, other, (one, two) => one - two)
  }

  multiply(other: LongValue): Long {
    return combined(this, other, (one, two) => one * two)
  }

  divide(other: LongValue): Long {
    if (Long.fromValue(other).isZero()) throw Error('division by zero')
    return combined(this, other, (one, two) => one / two)
  }

  modulo(other: LongValue): Long {
    if (Long.fromValue(other).isZero()) throw Error('division by zero')
    return combined(this, other, (one, two) => one % two)
  }

  and(other: LongValue): Long {
    return combined(this, other, (one, two) => one & two)
  }

  or(other: LongValue): Long {
    return combined(this, other, (one, two) => one | two)
  }

  xor(other: LongValue): Long {
    return combined(this, other, (one, two) => one ^ two)
  }

  not(): Long {
    return new Long(~this.low, ~this.high, this.unsigned)
  }

  negate(): Long {
    return Long.fromBigInt(-this.toBigInt(), this.unsigned)
  }

  shiftLeft(bits: number | Long): Long {
    return Long.fromBigInt(this.toBigInt() << BigInt(count(bits)), this.unsigned)
  }

  shiftRight(bits: number | Long): Long {
    const signed = BigInt.asIntN(64, this.toBigInt())
    return Long.fromBigInt(signed >> BigInt(count(bits)), this.unsigned)
  }

  shiftRightUnsigned(bits: number | Long): Long {
    const unsigned = BigInt.asUintN(64, this.toBigInt())
    return Long.fromBigInt(unsigned >> BigInt(count(bits)), this.unsigned)
  }
}

/** A result with the sign of the first number. */
function combined(
  first: Long,
  other: LongValue,
  compute: (one: bigint, two: bigint) => bigint,
): Long {
  const two = Long.fromValue(other).toBigInt()
  const { unsigned } = first
  return Long.fromBigInt(
    compute(first.toBigInt(), unsigned ? BigInt.asUintN(64, two) : two),
    unsigned,
  )
}

function count(bits: number | Long): number {
  return (typeof bits === 'number' ? bits : bits.toInt()) & 63
}

/** Further names of methods, as npm `long` has them. */
const ALIASES = {
  eq: 'equals',
  neq: 'notEquals',
  ne: 'notEquals',
  lt: 'lessThan',
  lte: 'lessThanOrEqual',
  le: 'lessThanOrEqual',
  gt: 'greaterThan',
  gte: 'greaterThanOrEqual',
  ge: 'greaterThanOrEqual',
  comp: 'compare',
  sub: 'subtract',
  mul: 'multiply',
  div: 'divide',
  mod: 'modulo',
  rem: 'modulo',
  neg: 'negate',
  shl: 'shiftLeft',
  shr: 'shiftRight',
  shru: 'shiftRightUnsigned',
  shr_u: 'shiftRightUnsigned',
  eqz: 'isZero',
} as const

/** The methods under their further names. */
export interface Long {
  eq: Long['equals']
  neq: Long['notEquals']
  ne: Long['notEquals']
  lt: Long['lessThan']
  lte: Long['lessThanOrEqual']
  le: Long['lessThanOrEqual']
  gt: Long['greaterThan']
  gte: Long['greaterThanOrEqual']
  ge: Long['greaterThanOrEqual']
  comp: Long['compare']
  sub: Long['subtract']
  mul: Long['multiply']
  div: Long['divide']
  mod: Long['modulo']
  rem: Long['modulo']
  neg: Long['negate']
  shl: Long['shiftLeft']
  shr: Long['shiftRight']
  shru: Long['shiftRightUnsigned']
  shr_u: Long['shiftRightUnsigned']
  eqz: Long['isZero']
}

for (const [alias, name] of Object.entries(ALIASES)) {
  const value = Long.prototype[name]
  Object.defineProperty(Long.prototype, alias, { value, writable: true, configurable: true })
}
Object.defineProperty(Long.prototype, '__isLong__', { value: true })
