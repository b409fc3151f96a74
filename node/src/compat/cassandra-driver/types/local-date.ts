/** Days without a time zone. */

import { inspect } from 'node:util'

const DAY = 86_400_000
/** The day 1970-01-01 on the wire. */
const CENTER = 2 ** 31

/** A `date`. */
export class LocalDate {
  /** Midnight of the day, in UTC; invalid if the day is beyond what a Date can have. */
  readonly date: Date
  /** Days since 1970-01-01 if a Date cannot have the day; otherwise `null`. */
  readonly _value: number | null
  readonly year: number
  readonly month: number
  readonly day: number

  /**
   * @param year - or, as the only argument, the days since 1970-01-01
   * @param month - 1 to 12
   * @param day - 1 to 31
   * @throws Error for what is no day
   */
  constructor(year: number, month?: number, day?: number) {
    if (typeof year === 'number' && month === undefined && day === undefined) {
      if (year < -CENTER || year > CENTER - 1) {
        throw new Error(`days since 1970-01-01 must be from ${-CENTER} to ${CENTER - 1}`)
      }
      this.date = new Date(year * DAY)
    } else if ([year, month, day].every((part) => typeof part === 'number')) {
      const date = new Date(0)
      date.setUTCFullYear(year, (month as number) - 1, day)
      if (Number.isNaN(date.getTime())) {
        throw new Error(`${year}-${month}-${day} is no day that a Date can have`)
      }
      this.date = date
    } else {
      throw new Error('year, month and day must be numbers')
    }
    this._value = Number.isNaN(this.date.getTime()) ? year : null
    this.year = this.date.getUTCFullYear()
    this.month = this.date.getUTCMonth() + 1
    this.day = this.date.getUTCDate()
  }

  /** Today, in the local time zone. */
  static now(): LocalDate {
    return LocalDate.fromDate(new Date())
  }

  /** Today, in UTC. */
  static utcNow(): LocalDate {
    return new LocalDate(Math.floor(Date.now() / DAY))
  }

  /** The day of a Date in the local time zone. */
  static fromDate(date: Date): LocalDate {
    if (Number.isNaN(date.getTime())) throw new TypeError(`Invalid date: ${date}`)
    return new LocalDate(date.getFullYear(), date.getMonth() + 1, date.getDate())
  }

  /** Parses `2024-02-29`, or days since 1970-01-01. */
  static fromString(value: string): LocalDate {
    const match = /^(-?)(\d+)-(\d+)-(\d+)/.exec(value)
    if (match !== null) {
      const [, sign, year, month, day] = match
      return new LocalDate(Number(`${sign}${year}`), Number(month), Number(day))
    }
    if (/^-?\d+$/.test(value)) return new LocalDate(Number.parseInt(value, 10))
    throw new Error(`'${value}' is no day, such as 2024-02-29`)
  }

  static fromBuffer(buffer: Buffer): LocalDate {
    return new LocalDate(buffer.readUInt32BE(0) - CENTER)
  }

  /** Days since 1970-01-01. */
  private days(): number {
    return this._value ?? Math.floor(this.date.getTime() / DAY)
  }

  /** -1, 0 or 1. */
  compare(other: LocalDate): number {
    return Math.sign(this.days() - other.days())
  }

  equals(other: LocalDate | unknown): boolean {
    return other instanceof LocalDate && this.compare(other) === 0
  }

  toBuffer(): Buffer {
    const bytes = Buffer.allocUnsafe(4)
    bytes.writeUInt32BE(this.days() + CENTER, 0)
    return bytes
  }

  toString(): string {
    if (this._value !== null) return String(this._value)
    const two = (part: number) => String(part).padStart(2, '0')
    const year = `${this.year < 0 ? '-' : ''}${String(Math.abs(this.year)).padStart(4, '0')}`
    return `${year}-${two(this.month)}-${two(this.day)}`
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
