/** Decimal numbers. */

import { inspect } from 'node:util'
import { bytesOf, Integer } from './integer.js'

/** A `decimal`: digits, and how many of them are after the point. */
export class BigDecimal {
  readonly _intVal: Integer
  readonly _scale: number

  /**
   * @param unscaledValue - all digits
   * @param scale - the number of digits after the point
   */
  constructor(unscaledValue: number | Integer, scale: number) {
    this._intVal =
      typeof unscaledValue === 'number' ? Integer.fromNumber(unscaledValue) : unscaledValue
    this._scale = scale
  }

  static fromBuffer(buffer: Buffer): BigDecimal {
    return new BigDecimal(Integer.fromBuffer(buffer.subarray(4)), buffer.readInt32BE(0))
  }

  static toBuffer(value: BigDecimal): Buffer {
    const scale = Buffer.allocUnsafe(4)
    scale.writeInt32BE(value._scale, 0)
    return Buffer.concat([scale, bytesOf(value._intVal.toBigInt())])
  }

  /** @throws TypeError for what is no number */
  static fromString(value: string): BigDecimal {
    if (!value) throw new TypeError('the text of a BigDecimal must not be null or empty')
    const text = value.trim()
    const point = text.indexOf('.')
    if (point < 0) return new BigDecimal(Integer.fromString(text), 0)
    const digits = Integer.fromString(text.slice(0, point) + text.slice(point + 1))
    return new BigDecimal(digits, text.length - 1 - point)
  }

  /** The number as it is written; one that is written with an exponent, to 20 digits. */
  static fromNumber(value: number): BigDecimal {
    if (Number.isNaN(value)) return new BigDecimal(Integer.ZERO, 0)
    const text = String(value)
    return BigDecimal.fromString(text.includes('e') ? value.toFixed(20) : text)
  }

  equals(other: BigDecimal | unknown): boolean {
    return other instanceof BigDecimal && this.compare(other) === 0
  }

  notEquals(other: BigDecimal | unknown): boolean {
    return !this.equals(other)
  }

  /** -1, 0 or 1. */
  compare(other: BigDecimal): number {
    const [one, two] = aligned(this, other)
    return one < two ? -1 : one > two ? 1 : 0
  }

  greaterThan(other: BigDecimal): boolean {
    return this.compare(other) === 1
  }

  subtract(other: BigDecimal): BigDecimal {
    const [one, two, scale] = aligned(this, other)
    return new BigDecimal(Integer.fromBigInt(one - two), scale)
  }

  add(other: BigDecimal): BigDecimal {
    const [one, two, scale] = aligned(this, other)
    return new BigDecimal(Integer.fromBigInt(one + two), scale)
  }

  isNegative(): boolean {
    return this._intVal.isNegative()
  }

  isZero(): boolean {
    return this._intVal.isZero()
  }

  toString(): string {
    const text = String(this._intVal)
    if (this._scale === 0) return text
    const sign = text.startsWith('-') ? '-' : ''
    const digits = text.slice(sign.length)
    // A negative scale has no text of its own in the other driver either.
    if (this._scale < 0) return `${sign}${digits}${'0'.repeat(-this._scale)}`
    const padded = digits.padStart(this._scale + 1, '0')
    return `${sign}${padded.slice(0, -this._scale)}.${padded.slice(-this._scale)}`
  }

  toNumber(): number {
    return Number.parseFloat(this.toString())
  }

  toJSON(): string {
    return this.toString()
  }

  inspect(): string {
    return `${this.constructor.name}: ${this}`
  }

  [inspect.custom](): string {
    return this.inspect()
  }
}

/** The digits of both numbers at the larger scale of the two, and that scale. */
function aligned(one: BigDecimal, two: BigDecimal): [bigint, bigint, number] {
  const scale = Math.max(one._scale, two._scale)
  const digits = (it: BigDecimal) => it._intVal.toBigInt() * 10n ** BigInt(scale - it._scale)
  return [digits(one), digits(two), scale]
}
