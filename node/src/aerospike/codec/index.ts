/**
 * How a client stores values of custom classes, and how it reads certain bins.
 *
 * ```ts
 * import { Client, codec } from 'spikewire'
 *
 * const forms = new codec.Codec({
 *   types: [[Decimal, String]],
 *   bins: { created: codec.timestamp('ms'), settings: codec.json() },
 * })
 * const client = await Client.connect(seeds, { codec: forms })
 * ```
 *
 * Values are neither tagged nor guessed: a class defines how its instances are written, a bin how its
 * value is written and read, and other clients see plain values. No form is used by default.
 */

import { Form } from './codec.js'

export {
  type BinForm,
  Codec,
  type CodecOptions,
  type EncodeClass,
  Form,
  type ValueClass,
} from './codec.js'

/** Units of a timestamp, in milliseconds. */
const UNITS = { s: 1_000n, ms: 1n } as const

/** The unit of a timestamp: seconds, milliseconds or microseconds since 1970. */
export type TimestampUnit = 's' | 'ms' | 'us'

/**
 * `Date` values as integers: the time since 1970 in a unit, by default microseconds. Fractions of
 * the unit are rounded down, when they are read to milliseconds.
 *
 * @throws RangeError for another unit
 */
export function timestamp(unit: TimestampUnit = 'us'): Form<Date> {
  if (unit !== 'us' && unit !== 'ms' && unit !== 's') {
    throw new RangeError(`unit must be 's', 'ms' or 'us', got ${String(unit)}`)
  }
  const encode = (value: Date) => {
    const milliseconds = BigInt(time(value, 'timestamp'))
    return unit === 'us' ? milliseconds * 1_000n : floored(milliseconds, UNITS[unit])
  }
  const decode = (value: number | bigint) => {
    if (typeof value !== 'bigint' && !Number.isInteger(value)) {
      throw new TypeError(`a timestamp is an integer, not ${typeof value}`)
    }
    const count = BigInt(value)
    return new Date(Number(unit === 'us' ? floored(count, 1_000n) : count * UNITS[unit]))
  }
  return new Form(encode, decode)
}

/** `Date` values as ISO 8601 text. */
export function iso(): Form<Date> {
  const encode = (value: Date) => new Date(time(value, 'iso')).toISOString()
  const decode = (value: string) => {
    const date = new Date(value)
    if (typeof value !== 'string' || Number.isNaN(date.getTime())) {
      throw new TypeError(`${JSON.stringify(value)} is no ISO 8601 text`)
    }
    return date
  }
  return new Form(encode, decode)
}

/** Values as their `String(value)`, read by a function: `text((it) => new Decimal(it))`. */
export function text<T>(parse: (text: string) => T): Form<T> {
  if (typeof parse !== 'function') {
    throw new TypeError(`text takes a function, not ${typeof parse}`)
  }
  return new Form<T>(String, parse)
}

/** Values that JSON can represent, as JSON text. NaN and infinities are rejected. */
export function json<T = unknown>(): Form<T> {
  const encode = (value: T) => {
    const text = JSON.stringify(value, finite)
    if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`)
    return text
  }
  return new Form<T>(encode, JSON.parse)
}

/** The milliseconds of a valid date. */
function time(value: unknown, form: string): number {
  if (!(value instanceof Date)) {
    throw new TypeError(`${form} takes a Date, not ${value === null ? 'null' : typeof value}`)
  }
  const milliseconds = value.getTime()
  if (Number.isNaN(milliseconds)) throw new RangeError('the Date is invalid')
  return milliseconds
}

/** An integer division that rounds down. */
function floored(count: bigint, by: bigint): bigint {
  const quotient = count / by
  return count % by < 0n ? quotient - 1n : quotient
}

/** JSON has no numbers that are not finite, and would have `null` for them. */
function finite(_: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError(`JSON has no ${value}`)
  }
  return value
}
