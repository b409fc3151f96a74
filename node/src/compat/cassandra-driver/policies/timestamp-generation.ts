/** Generators of the timestamps of writes. */

import { callable } from '../callable.js'
import type { ClientContext as Client } from '../contracts.js'
import { ArgumentError } from '../errors.js'
import { Long } from '../types/long.js'

/** The first timestamp that is a `Long`: the last milliseconds of safe integers. */
const LAST_NUMBER = 9_007_199_254_740_000n

class TimestampGeneratorBase {
  /** The timestamp of the next statement, in microseconds; `null`: the server's. */
  next(_client: Client): Long | number | null {
    throw new Error('a timestamp generator must have a method next()')
  }
}
Object.defineProperty(TimestampGeneratorBase, 'name', { value: 'TimestampGenerator' })

/** The base of generators of programs. */
export const TimestampGenerator = callable(TimestampGeneratorBase)
/** The base of generators of programs. */
export type TimestampGenerator = TimestampGeneratorBase

/** Timestamps that always increase: the default. By default, the engine makes them. */
export class MonotonicTimestampGenerator extends TimestampGenerator {
  readonly #threshold: number
  readonly #pause: number
  #last = -1n
  #warned = 0

  /**
   * @param warningThreshold - how many milliseconds the clock may be behind until that is logged
   * @param minLogInterval - the shortest pause between messages in milliseconds; 0: none
   */
  constructor(warningThreshold?: number, minLogInterval?: number) {
    super()
    if (warningThreshold !== undefined && warningThreshold < 0) {
      throw new ArgumentError('warningThreshold must be at least 0')
    }
    this.#threshold = warningThreshold || 1000
    this.#pause = minLogInterval ?? 1000
  }

  /** The current time in whole milliseconds. */
  getDate(): number {
    return Date.now()
  }

  override next(client: Client): Long | number | null {
    const date = this.getDate()
    const now = BigInt(date) * 1000n
    this.#last = now > this.#last ? now : this.#last + 1n
    const behind = Number(this.#last / 1000n) - date
    if (behind >= this.#threshold && this.#pause > 0) {
      const at = Date.now()
      if (this.#warned + this.#pause <= at) {
        this.#warned = at
        client.log(
          'warning',
          `Timestamp generated for a clock that is ${behind} milliseconds behind the last one: ` +
            `${this.#last}, which is the last one plus one, so that timestamps increase`,
        )
      }
    }
    // Until 2255.
    return this.#last < LAST_NUMBER ? Number(this.#last) : Long.fromBigInt(this.#last)
  }
}
