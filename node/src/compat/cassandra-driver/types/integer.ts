/** Integers of any size. */

import { inspect } from 'node:util'

const RADIX = (radix: number): number => {
  if (radix < 2 || radix > 36) throw Error(`the radix must be from 2 to 36, not ${radix}`)
  return radix
}

/** The value of bytes in two's complement, high ones first. */
function ofBytes(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  const hex = Buffer.from(bytes).toString('hex')
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${hex}`))
}

/** @internal The fewest bytes of a value in two's complement, high ones first. */
export function bytesOf(value: bigint): Buffer {
  const positive = value < 0n ? -value - 1n : value
  const length = Math.floor(positive.toString(2).length / 8) + 1
  const hex = BigInt.asUintN(8 * length, value).toString(16)
  return Buffer.from(hex.padStart(2 * length, '0'), 'hex')
}

/** A `varint`. */
export class Integer {
  /** The value. */
  readonly #value: bigint
  /** The value as text, by which two instances are told apart by deep comparisons. */
  readonly digits: string

  static readonly ZERO: Integer = new Integer([0], 0)
  static readonly ONE: Integer = new Integer([1], 0)

  /**
   * @param bits - 32 bits each, low ones first
   * @param sign - what all higher bits are: 0 or -1
   */
  constructor(bits: readonly number[], sign: number)
  constructor(bits: readonly number[] | bigint, sign = 0) {
    if (typeof bits === 'bigint') this.#value = bits
    else {
      let value = BigInt(sign === -1 ? -1 : 0)
      for (const word of [...bits].reverse()) value = (value << 32n) | BigInt(word >>> 0)
      this.#value = value
    }
    this.digits = String(this.#value)
  }

  static fromBigInt(value: bigint): Integer {
    return new (Integer as unknown as new (value: bigint) => Integer)(value)
  }

  static fromInt(value: number): Integer {
    return Integer.fromBigInt(BigInt(value | 0))
  }

  static fromNumber(value: number): Integer {
    if (Number.isNaN(value) || !Number.isFinite(value)) return Integer.ZERO
    return Integer.fromBigInt(BigInt(Math.trunc(value)))
  }

  static fromBits(bits: readonly number[]): Integer {
    const high = bits[bits.length - 1] ?? 0
    return new Integer(bits, high & -0x8000_0000 ? -1 : 0)
  }

  /** @throws TypeError for an empty text or one with a `-` inside, Error for other digits */
  static fromString(text: string, radix = 10): Integer {
    if (text.length === 0) throw TypeError('an empty text is no integer')
    RADIX(radix)
    const negative = text.startsWith('-')
    const digits = negative ? text.slice(1) : text
    if (digits.includes('-')) throw TypeError('a - is only allowed in front of an integer')
    let value = 0n
    for (const digit of digits) {
      const worth = Number.parseInt(digit, radix)
      if (Number.isNaN(worth)) throw TypeError(`${inspect(text)} is no integer`)
      value = value * BigInt(radix) + BigInt(worth)
    }
    return Integer.fromBigInt(negative ? -value : value)
  }

  static fromBuffer(bytes: Buffer): Integer {
    return Integer.fromBigInt(ofBytes(bytes))
  }

  static toBuffer(value: Integer): Buffer {
    return bytesOf(value.#value)
  }

  toBigInt(): bigint {
    return this.#value
  }

  toInt(): number {
    return Number(BigInt.asIntN(32, this.#value))
  }

  toNumber(): number {
    return Number(this.#value)
  }

  toString(radix = 10): string {
    return this.#value.toString(RADIX(radix))
  }

  toJSON(): string {
    return this.toString()
  }

  inspect(): string {
    return `Integer: ${this}`
  }

  [inspect.custom](): string {
    return this.inspect()
  }

  /** The 32 bits at an index, low ones first, as a signed number. */
  getBits(index: number): number {
    if (index < 0) return 0
    return Number(BigInt.asIntN(32, this.#value >> BigInt(32 * index)))
  }

  getBitsUnsigned(index: number): number {
    return this.getBits(index) >>> 0
  }

  /** 0, or -1 if negative. */
  getSign(): number {
    return this.#value < 0n ? -1 : 0
  }

  isZero(): boolean {
    return this.#value === 0n
  }

  isNegative(): boolean {
    return this.#value < 0n
  }

  isOdd(): boolean {
    return (this.#value & 1n) === 1n
  }

  equals(other: Integer | unknown): boolean {
    return other instanceof Integer && this.#value === other.#value
  }

  notEquals(other: Integer | unknown): boolean {
    return !this.equals(other)
  }

  greaterThan(other: Integer): boolean {
    return this.#value > other.#value
  }

  greaterThanOrEqual(other: Integer): boolean {
    return this.#value >= other.#value
  }

  lessThan(other: Integer): boolean {
    return this.#value < other.#value
  }

  lessThanOrEqual(other: Integer): boolean {
    return this.#value <= other.#value
  }

  /** -1, 0 or 1. */
  compare(other: Integer): number {
    return this.#value < other.#value ? -1 : this.#value > other.#value ? 1 : 0
  }

  /** The lowest bits, as a signed integer of so many bits. */
  shorten(bits: number): Integer {
    return Integer.fromBigInt(BigInt.asIntN(bits, this.#value))
  }

  negate(): Integer {
    return Integer.fromBigInt(-this.#value)
  }

  abs(): Integer {
    return this.isNegative() ? this.negate() : this
  }

  add(other: Integer): Integer {
    return Integer.fromBigInt(this.#value + other.#value)
  }

  subtract(other: Integer): Integer {
    return Integer.fromBigInt(this.#value - other.#value)
  }

  multiply(other: Integer): Integer {
    return Integer.fromBigInt(this.#value * other.#value)
  }

  divide(other: Integer): Integer {
    if (other.isZero()) throw Error('division by zero')
    return Integer.fromBigInt(this.#value / other.#value)
  }

  modulo(other: Integer): Integer {
    if (other.isZero()) throw Error('division by zero')
    return Integer.fromBigInt(this.#value % other.#value)
  }

  not(): Integer {
    return Integer.fromBigInt(~this.#value)
  }

  and(other: Integer): Integer {
    return Integer.fromBigInt(this.#value & other.#value)
  }

  or(other: Integer): Integer {
    return Integer.fromBigInt(this.#value | other.#value)
  }

  xor(other: Integer): Integer {
    return Integer.fromBigInt(this.#value ^ other.#value)
  }

  shiftLeft(bits: number): Integer {
    return Integer.fromBigInt(this.#value << BigInt(bits))
  }

  shiftRight(bits: number): Integer {
    return Integer.fromBigInt(this.#value >> BigInt(bits))
  }
}
