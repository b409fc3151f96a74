/** Values of CQL that JavaScript has no type of its own for. */

import { inspect } from 'node:util'

/** What a result holds. */
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
 * A value of a user-defined type, of an interface or a class: an object with its fields as properties,
 * and none of what promises, functions and collections have.
 */
export type CqlObject = object & {
  readonly then?: never
  readonly apply?: never
  readonly length?: never
  readonly size?: never
}

/** What a statement is given for a parameter. */
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

/** For a parameter that is not to be set: its column keeps what it holds. Only for a whole parameter. */
export const UNSET: unique symbol = Symbol.for('spikewire.cql.UNSET')

/** A value of no bytes, which some types (of numbers, for example) have beside null, for old clients' sake. */
export const EMPTY: unique symbol = Symbol.for('spikewire.cql.EMPTY')

const DECIMAL =
  /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,10}))?$|^([+-]?)\.(\d+)(?:[eE]([+-]?\d{1,10}))?$/

/** A `decimal`: `unscaled` × 10^-`scale`, of any size and exact. */
export class Decimal {
  /** All digits. */
  readonly unscaled: bigint
  /** How many of them stand behind the point; negative for zeros that are not written. */
  readonly scale: number

  /**
   * @param unscaled - all digits
   * @param scale - 32 bits with a sign
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
   * The number that a text says: `Decimal.from('12.50')`. Its zeros at the end count.
   *
   * @throws RangeError for other text
   */
  static from(text: string): Decimal {
    if (typeof text !== 'string') throw new TypeError(`a text was expected, not ${typeof text}`)
    const found = DECIMAL.exec(text)
    if (found === null) throw new RangeError(`${inspect(text)} is no decimal number`)
    const sign = found[1] ?? found[5]
    const [whole, behind] = [found[2] ?? '', found[3] ?? found[6] ?? '']
    const exponent = Number(found[4] ?? found[7] ?? 0)
    const digits = BigInt(whole + behind)
    return new Decimal(sign === '-' ? -digits : digits, behind.length - exponent)
  }

  /** Whether digits and scale are the same: 1.0 is not 1.00. */
  equals(other: Decimal): boolean {
    return this.unscaled === other.unscaled && this.scale === other.scale
  }

  /** The nearest number. */
  toNumber(): number {
    return Number(`${this.unscaled}e${-this.scale}`)
  }

  /** As text that `Decimal.from` reads again: `-12.50`, `1E+30`. */
  toString(): string {
    const { unscaled, scale } = this
    const sign = unscaled < 0n ? '-' : ''
    const digits = String(unscaled < 0n ? -unscaled : unscaled)
    if (scale === 0) return sign + digits
    // As many zeros in front as a reader can count; like Java and Python otherwise.
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

/** A `duration`: months, days and nanoseconds, which do not become one another. All are of one sign. */
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
      throw new RangeError('months, days and nanoseconds are to have the same sign')
    }
  }

  /** Whether all parts are the same. */
  equals(other: Duration): boolean {
    const { months, days, nanoseconds } = this
    return months === other.months && days === other.days && nanoseconds === other.nanoseconds
  }

  /** As CQL spells it: `1mo2d3ns`. */
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

/** A `time` of day, to the nanosecond. */
export class Time {
  /** Since midnight. */
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
   * The time that a text says: `Time.from('13:30:54.234')`.
   *
   * @throws RangeError for other text
   */
  static from(text: string): Time {
    const found = TIME.exec(text)
    if (found === null) throw new RangeError(`${inspect(text)} is no time, such as 13:30:54.234`)
    const [, hour, minute, second, fraction = ''] = found
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

  /** Nanoseconds of the second, 0 to 999,999,999. */
  get nanosecond(): number {
    return Number(this.nanoseconds % 1_000_000_000n)
  }

  /** Whether it is the same time. */
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
