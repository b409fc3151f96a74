/** CQL values for which JavaScript has no type. */

import { inspect } from 'node:util'

/** A value in a result. */
export type CqlValue =
  | number
  | bigint
  | string
  | boolean
  | null
  | Buffer
  | Date
  | Decimal
  | Duration
  | Time
  | Float32Array
  | typeof EMPTY
  | CqlValue[]
  | Set<CqlValue>
  | Map<CqlValue, CqlValue>
  | { [name: string]: CqlValue }

/**
 * A value of a user-defined type, typed by an interface or class: an object with the fields as
 * properties. Promises, functions and collections are excluded.
 */
export type CqlObject = object & {
  readonly then?: never
  readonly apply?: never
  readonly length?: never
  readonly size?: never
}

/** A value for a parameter of a statement. */
export type CqlInput =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | ArrayBuffer
  | Date
  | Decimal
  | Duration
  | Time
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint16Array
  | Uint32Array
  | typeof UNSET
  | typeof EMPTY
  | readonly CqlInput[]
  | ReadonlySet<CqlInput>
  | ReadonlyMap<CqlInput, CqlInput>
  | { readonly [name: string]: CqlInput | undefined }
  | CqlObject

/**
 * Leaves a parameter unset, so that its column keeps its value. Only valid for a whole parameter.
 */
export const UNSET: unique symbol = Symbol.for('spikewire.cql.UNSET')

/**
 * A value of zero bytes, which some types (such as numbers) allow besides null, for compatibility
 * with old clients.
 */
export const EMPTY: unique symbol = Symbol.for('spikewire.cql.EMPTY')

const DECIMAL =
  /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,10}))?$|^([+-]?)\.(\d+)(?:[eE]([+-]?\d{1,10}))?$/

/** A `decimal`: `unscaled` × 10^-`scale`, of any size and exact. */
export class Decimal {
  /** All digits. */
  readonly unscaled: bigint
  /**
   * The number of digits after the decimal point; negative for trailing zeros that are not stored.
   */
  readonly scale: number

  /**
   * @param unscaled - all digits
   * @param scale - a signed 32-bit integer
   */
  constructor(unscaled: bigint, scale = 0) {
    if (typeof unscaled !== 'bigint') {
      throw new TypeError(`the digits of a Decimal are a bigint, not ${typeof unscaled}`)
    }
    if (!Number.isInteger(scale) || scale !== (scale | 0)) {
      throw new RangeError(
        `the scale of a Decimal is a whole number of 32 bits, got ${String(scale)}`,
      )
    }
    this.unscaled = unscaled
    this.scale = scale
  }

  /**
   * Parses a number: `Decimal.from('12.50')`. Trailing zeros are significant.
   *
   * @throws RangeError for any other text
   */
  static from(text: string): Decimal {
    if (typeof text !== 'string') throw new TypeError(`a string was expected, not ${typeof text}`)
    const match = DECIMAL.exec(text)
    if (match === null) throw new RangeError(`${inspect(text)} is not a decimal number`)
    const sign = match[1] ?? match[5]
    const [whole, behind] = [match[2] ?? '', match[3] ?? match[6] ?? '']
    const exponent = Number(match[4] ?? match[7] ?? 0)
    const digits = BigInt(whole + behind)
    return new Decimal(sign === '-' ? -digits : digits, behind.length - exponent)
  }

  /** Whether digits and scale are equal: 1.0 does not equal 1.00. */
  equals(other: Decimal): boolean {
    return this.unscaled === other.unscaled && this.scale === other.scale
  }

  /** The nearest number. */
  toNumber(): number {
    return Number(`${this.unscaled}e${-this.scale}`)
  }

  /** The number as text that `Decimal.from` accepts: `-12.50`, `1E+30`. */
  toString(): string {
    const { unscaled, scale } = this
    const sign = unscaled < 0n ? '-' : ''
    const digits = String(unscaled < 0n ? -unscaled : unscaled)
    if (scale === 0) return sign + digits
    // At most six zeros after the point, otherwise scientific notation, as in Java and Python.
    const exponent = digits.length - 1 - scale
    if (scale > 0 && exponent >= -7) {
      const padded = digits.padStart(scale + 1, '0')
      return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
    }
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits[0]}${rest}E${exponent < 0 ? '' : '+'}${exponent}`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect.custom](): string {
    return `Decimal(${this})`
  }
}

/**
 * A `duration`: months, days and nanoseconds, which are not converted into one another. All have
 * the same sign.
 */
export class Duration {
  readonly months: number
  readonly days: number
  readonly nanoseconds: bigint

  constructor(months = 0, days = 0, nanoseconds: bigint | number = 0n) {
    for (const [name, value] of [['months', months] as const, ['days', days] as const]) {
      if (!Number.isInteger(value) || value !== (value | 0)) {
        throw new RangeError(`${name} must be a whole number of 32 bits, got ${String(value)}`)
      }
    }
    this.months = months
    this.days = days
    this.nanoseconds = BigInt.asIntN(64, exactly('nanoseconds', nanoseconds))
    if (this.nanoseconds !== BigInt(nanoseconds)) {
      throw new RangeError(`nanoseconds must fit 64 bits, got ${nanoseconds}`)
    }
    const signs = [months, days, Number(this.nanoseconds)].map(Math.sign)
    if (signs.includes(1) && signs.includes(-1)) {
      throw new RangeError('months, days and nanoseconds must have the same sign')
    }
  }

  /** Whether all parts are equal. */
  equals(other: Duration): boolean {
    const { months, days, nanoseconds } = this
    return months === other.months && days === other.days && nanoseconds === other.nanoseconds
  }

  /** The duration in CQL notation: `1mo2d3ns`. */
  toString(): string {
    const { months, days, nanoseconds } = this
    const negative = months < 0 || days < 0 || nanoseconds < 0n
    const parts = [
      months === 0 ? '' : `${Math.abs(months)}mo`,
      days === 0 ? '' : `${Math.abs(days)}d`,
      nanoseconds === 0n ? '' : `${nanoseconds < 0n ? -nanoseconds : nanoseconds}ns`,
    ].join('')
    return `${negative ? '-' : ''}${parts || '0ns'}`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect.custom](): string {
    return `Duration(${this})`
  }
}

const DAY = 86_400_000_000_000n
const TIME = /^(\d\d):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?$/

/** A `time` of day, with nanosecond precision. */
export class Time {
  /** Nanoseconds since midnight. */
  readonly nanoseconds: bigint

  /** @param nanoseconds - since midnight, less than a day */
  constructor(nanoseconds: bigint | number) {
    const exact = exactly('nanoseconds', nanoseconds)
    if (exact < 0n || exact >= DAY) {
      throw new RangeError(`a Time is from 00:00:00 to 23:59:59.999999999, got ${exact} ns`)
    }
    this.nanoseconds = exact
  }

  /**
   * Parses a time: `Time.from('13:30:54.234')`.
   *
   * @throws RangeError for any other text
   */
  static from(text: string): Time {
    const match = TIME.exec(text)
    if (match === null) throw new RangeError(`${inspect(text)} is not a time such as 13:30:54.234`)
    const [, hour, minute, second, fraction = ''] = match
    const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
    return new Time(BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0')))
  }

  get hour(): number {
    return Number(this.nanoseconds / 3_600_000_000_000n)
  }

  get minute(): number {
    return Number((this.nanoseconds / 60_000_000_000n) % 60n)
  }

  get second(): number {
    return Number((this.nanoseconds / 1_000_000_000n) % 60n)
  }

  /** The nanoseconds within the second, 0 to 999,999,999. */
  get nanosecond(): number {
    return Number(this.nanoseconds % 1_000_000_000n)
  }

  /** Whether both times are equal. */
  equals(other: Time): boolean {
    return this.nanoseconds === other.nanoseconds
  }

  /** `13:30:54.234000000` */
  toString(): string {
    const two = (number: number) => String(number).padStart(2, '0')
    const fraction = String(this.nanosecond).padStart(9, '0')
    return `${two(this.hour)}:${two(this.minute)}:${two(this.second)}.${fraction}`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect.custom](): string {
    return `Time(${this})`
  }
}

function exactly(name: string, value: bigint | number): bigint {
  if (typeof value === 'bigint') return value
  if (Number.isSafeInteger(value)) return BigInt(value)
  throw new RangeError(`${name} must be a bigint or a safe whole number, got ${String(value)}`)
}
