/** Times of day. */

import { inspect } from 'node:util'
import { Long } from './long.js'

const LAST = Long.fromNumber(86_399_999_999_999)
const SECOND = 1_000_000_000

/** A `time`: nanoseconds since midnight. */
export class LocalTime {
  readonly value: Long
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** The nanoseconds within the second. */
  readonly nanosecond: number

  /** @throws Error if it is no time of day */
  constructor(totalNanoseconds: Long) {
    if (!Long.isLong(totalNanoseconds)) {
      throw new Error('the nanoseconds of a LocalTime must be a Long')
    }
    if (totalNanoseconds.isNegative() || totalNanoseconds.greaterThan(LAST)) {
      throw new Error('the nanoseconds of a LocalTime are out of range')
    }
    this.value = totalNanoseconds
    // Exact: a day has fewer than 2^53 nanoseconds.
    const all = totalNanoseconds.toNumber()
    const seconds = Math.floor(all / SECOND)
    this.hour = Math.floor(seconds / 3600)
    this.minute = Math.floor(seconds / 60) % 60
    this.second = seconds % 60
    this.nanosecond = all % SECOND
  }

  /** Parses `13:30:54.234`. */
  static fromString(value: string): LocalTime {
    if (typeof value !== 'string') throw new Error(`a string was expected, got ${inspect(value)}`)
    const [hour, minute, second = '0'] = value.split(':')
    const [whole, fraction = ''] = second.split('.')
    const seconds =
      Number.parseInt(hour as string, 10) * 3600 +
      Number.parseInt(minute as string, 10) * 60 +
      Number.parseInt(whole as string, 10)
    const nanoseconds = Number.parseInt(fraction.padEnd(9, '0'), 10) || 0
    return LocalTime.fromMilliseconds(seconds * 1000, nanoseconds)
  }

  /** The local time; `nanoseconds` are those within the millisecond. */
  static now(nanoseconds?: number): LocalTime {
    return LocalTime.fromDate(new Date(), nanoseconds)
  }

  /** The time of a Date in the local time zone. */
  static fromDate(date: Date, nanoseconds?: number): LocalTime {
    if (!(date instanceof Date)) throw new Error('a Date was expected')
    const local = date.getTime() - date.getTimezoneOffset() * 60_000
    return LocalTime.fromMilliseconds(local % 86_400_000, nanoseconds)
  }

  static fromMilliseconds(milliseconds: number, nanoseconds?: number): LocalTime {
    const extra = typeof nanoseconds === 'number' ? nanoseconds : 0
    return new LocalTime(Long.fromNumber(milliseconds * 1_000_000 + extra))
  }

  static fromBuffer(value: Buffer): LocalTime {
    return new LocalTime(Long.fromBuffer(value))
  }

  getTotalNanoseconds(): Long {
    return this.value
  }

  /** -1, 0 or 1. */
  compare(other: LocalTime): number {
    return this.value.compare(other.value)
  }

  equals(other: LocalTime | unknown): boolean {
    return other instanceof LocalTime && this.compare(other) === 0
  }

  toBuffer(): Buffer {
    return Long.toBuffer(this.value)
  }

  toString(): string {
    const two = (part: number) => String(part).padStart(2, '0')
    const text = `${two(this.hour)}:${two(this.minute)}:${two(this.second)}`
    if (this.nanosecond === 0) return text
    return `${text}.${String(this.nanosecond).padStart(9, '0').replace(/0+$/, '')}`
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
