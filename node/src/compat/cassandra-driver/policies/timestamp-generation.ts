/** Generators of the timestamps of writes. */

import { callable } from '../callable.js'
import type { ClientContext as Client } from '../contracts.js'
import { ArgumentError } from '../errors.js'
import { Long } from '../types/long.js'

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
  #last = -1
  #warned = 0

  /**
   * @param warningThreshold - how many milliseconds the clock may be behind until that is logged
   * @param minLogInterval - the shortest pause between messages in milliseconds; 0: none
   */
  constructor(warningThreshold?: number, minLogInterval?: number) {
    super()
    if (warningThreshold !== undefined && warningThreshold < 0) {
      throw new ArgumentError('warningThreshold can not be lower than 0')
    }
    this.#threshold = warningThreshold || 1000
    this.#pause = minLogInterval ?? 1000
  }

  /** The current time in milliseconds. */
  getDate(): number {
    return Date.now()
  }

  override next(client: Client): Long | number | null {
    const now = this.getDate() * 1000
    this.#last = now > this.#last ? now : this.#last + 1
    const behind = Math.floor(this.#last / 1000) - now / 1000
    if (behind >= this.#threshold && this.#pause > 0) {
      const at = Date.now()
      if (this.#warned + this.#pause <= at) {
        this.#warned = at
        client.log(
          'warning',
          `The clock is ${behind} milliseconds behind the last timestamp (${this.#last}), which ` +
            'is incremented instead so that timestamps increase',
        )
      }
    }
    return Number.isSafeInteger(this.#last) ? this.#last : Long.fromNumber(this.#last)
  }
}
