/** Durations. */

import { Long } from './long.js'

/** Nanoseconds of the units of time of day, from the largest. */
const UNITS: readonly [name: string, nanoseconds: bigint][] = [
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['ns', 1n],
]
const MOST = 0x7fff_ffffn
/** One less if the duration is not negative, which is seen later. */
const MOST_NANOSECONDS = 0x8000_0000_0000_0000n

/** Symbol, name, the part it counts for, and how much of it, in the order they must have. */
const PARTS: readonly [symbol: string, name: string, part: 0 | 1 | 2, factor: bigint][] = [
  ['y', 'years', 0, 12n],
  ['mo', 'months', 0, 1n],
  ['w', 'weeks', 1, 7n],
  ['d', 'days', 1, 1n],
  ['h', 'hours', 2, UNITS[0]?.[1] as bigint],
  ['m', 'minutes', 2, UNITS[1]?.[1] as bigint],
  ['s', 'seconds', 2, UNITS[2]?.[1] as bigint],
  ['ms', 'milliseconds', 2, 1_000_000n],
  ['us', 'microseconds', 2, 1000n],
  ['ns', 'nanoseconds', 2, 1n],
]
const TOTALS = ['months', 'days', 'nanoseconds'] as const

/** Adds up amounts of units, which must come in order. */
class Sum {
  readonly totals: [bigint, bigint, bigint] = [0n, 0n, 0n]
  #last = -1

  add(amount: string, symbol: string): this {
    const unit = symbol.toLowerCase().replace('µs', 'us')
    const at = PARTS.findIndex(([known]) => known === unit)
    const [, name, part, factor] = PARTS[at] as (typeof PARTS)[number]
    if (at === this.#last) {
      throw new TypeError(`the ${name} are twice in the duration`)
    }
    if (at < this.#last) {
      throw new TypeError(`the ${PARTS[this.#last]?.[1]} must come after the ${name} in a duration`)
    }
    this.#last = at
    this.totals[part] += BigInt(amount) * factor
    const most = part === 2 ? MOST_NANOSECONDS : MOST
    if (this.totals[part] > most) {
      throw new TypeError(`the ${TOTALS[part]} of a duration are at most ${most}`)
    }
    return this
  }

  duration(negative: boolean): Duration {
    const [months, days, nanoseconds] = this.totals.map((total) => (negative ? -total : total))
    return new Duration(Number(months), Number(days), Long.fromBigInt(nanoseconds as bigint))
  }
}

const ISO = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
const ISO_WEEKS = /^P(\d+)W$/
const ISO_DIGITS = /^P(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})$/
const AMOUNT = /(\d+)(y|mo|w|d|h|s|ms|us|µs|ns|m)/gi

/** An unsigned integer as the protocol writes a `vint`. */
function vint(value: bigint): Buffer {
  const zigzag = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  const extra = Math.min(8, Math.max(0, Math.ceil((zigzag.toString(2).length - 7) / 7)))
  const bytes = Buffer.from(zigzag.toString(16).padStart(2 * (extra + 1), '0'), 'hex')
  bytes[0] = (bytes[0] as number) | (0xff & ~(0xff >> extra))
  return bytes
}

/** @internal Reads a `vint`; returns the value and where it ends. */
function readVint(bytes: Buffer, at: number): [bigint, number] {
  const first = bytes[at] as number
  const extra = first === 0xff ? 8 : Math.clz32((~first & 0xff) << 24)
  let value = BigInt(first & (0xff >> extra))
  for (let next = 1; next <= extra; next++)
    value = (value << 8n) | BigInt(bytes[at + next] as number)
  return [(value >> 1n) ^ -(value & 1n), at + 1 + extra]
}

/** A `duration`: months, days and nanoseconds. */
export class Duration {
  readonly months: number
  readonly days: number
  readonly nanoseconds: Long

  constructor(months: number, days: number, nanoseconds: number | Long) {
    this.months = months
    this.days = days
    this.nanoseconds = typeof nanoseconds === 'number' ? Long.fromNumber(nanoseconds) : nanoseconds
  }

  /**
   * Parses `1y2mo3d4h5m6s`, or ISO 8601: `P1Y2M`, `P2W`, `P0001-02-03T04:05:06`.
   *
   * @throws TypeError for anything else
   */
  static fromString(input: string): Duration {
    const negative = input.startsWith('-')
    const text = negative ? input.slice(1) : input
    const sum = new Sum()
    if (!text.startsWith('P')) {
      for (const [, amount, symbol] of text.matchAll(AMOUNT)) {
        sum.add(amount as string, symbol as string)
      }
      return sum.duration(negative)
    }
    const weeks = ISO_WEEKS.exec(text)
    const match = ISO.exec(text) ?? ISO_DIGITS.exec(text)
    if (weeks !== null) sum.add(weeks[1] as string, 'w')
    else if (match === null) throw new TypeError(`'${text}' is no duration`)
    else {
      for (const [at, symbol] of ['y', 'mo', 'd', 'h', 'm', 's'].entries()) {
        const amount = match[at + 1]
        if (amount !== undefined) sum.add(amount, symbol)
      }
    }
    return sum.duration(negative)
  }

  static fromBuffer(buffer: Buffer): Duration {
    const [months, first] = readVint(buffer, 0)
    const [days, second] = readVint(buffer, first)
    const [nanoseconds] = readVint(buffer, second)
    return new Duration(Number(months), Number(days), Long.fromBigInt(nanoseconds))
  }

  toBuffer(): Buffer {
    const parts = [BigInt(this.months), BigInt(this.days), this.nanoseconds.toBigInt()]
    return Buffer.concat(parts.map(vint))
  }

  equals(other: Duration | unknown): boolean {
    return (
      other instanceof Duration &&
      this.months === other.months &&
      this.days === other.days &&
      this.nanoseconds.equals(other.nanoseconds)
    )
  }

  /** `1y2mo3d4h5m6s`. */
  toString(): string {
    const { months, days } = this
    const nanoseconds = this.nanoseconds.toBigInt()
    let text = months < 0 || days < 0 || nanoseconds < 0n ? '-' : ''
    const put = (amount: number | bigint, unit: string) => {
      if (amount > 0) text += `${amount}${unit}`
    }
    const all = Math.abs(months)
    put(Math.floor(all / 12), 'y')
    put(all % 12, 'mo')
    put(Math.abs(days), 'd')
    let rest = nanoseconds < 0n ? -nanoseconds : nanoseconds
    for (const [unit, worth] of UNITS) {
      put(rest / worth, unit)
      rest %= worth
    }
    return text
  }
}
