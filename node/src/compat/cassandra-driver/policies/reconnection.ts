/** Policies of pauses between attempts to connect to a node again. */

import { callable } from '../callable.js'

class ReconnectionPolicyBase {
  /** The pauses in milliseconds, without end. */
  newSchedule(): Iterator<number> {
    throw new Error('a reconnection policy must have a method newSchedule()')
  }

  getOptions(): Map<string, unknown> {
    return new Map()
  }
}
Object.defineProperty(ReconnectionPolicyBase, 'name', { value: 'ReconnectionPolicy' })

/** The base of the policies. */
export const ReconnectionPolicy = callable(ReconnectionPolicyBase)
/** The base of the policies. */
export type ReconnectionPolicy = ReconnectionPolicyBase

/** Always the same pause. */
export class ConstantReconnectionPolicy extends ReconnectionPolicy {
  readonly delay: number

  constructor(delay: number) {
    super()
    this.delay = delay
  }

  override *newSchedule(): Generator<number, never, undefined> {
    for (;;) yield this.delay
  }

  override getOptions(): Map<string, unknown> {
    return new Map([['delay', this.delay]])
  }
}

/** Each pause twice as long as the one before, up to a limit, and varied by chance. */
export class ExponentialReconnectionPolicy extends ReconnectionPolicy {
  readonly baseDelay: number
  readonly maxDelay: number
  readonly startWithNoDelay: boolean | undefined

  constructor(baseDelay: number, maxDelay: number, startWithNoDelay?: boolean) {
    super()
    this.baseDelay = baseDelay
    this.maxDelay = maxDelay
    this.startWithNoDelay = startWithNoDelay
  }

  override *newSchedule(): Generator<number, never, undefined> {
    if (this.startWithNoDelay) yield 0
    for (let doubled = 0; ; doubled++) {
      const pause = Math.min(this.baseDelay * 2 ** Math.min(doubled, 64), this.maxDelay)
      yield this.#varied(pause)
    }
  }

  /** Within 15 % of the pause, but neither below the first one nor above the last. */
  #varied(pause: number): number {
    let [least, range] = [0.85, 0.3]
    if (!this.startWithNoDelay && pause === this.baseDelay) [least, range] = [1, 0.15]
    else if (pause === this.maxDelay) range = 0.15
    return Math.floor(pause * (least + Math.random() * range))
  }

  override getOptions(): Map<string, unknown> {
    return new Map<string, unknown>([
      ['baseDelay', this.baseDelay],
      ['maxDelay', this.maxDelay],
      ['startWithNoDelay', this.startWithNoDelay],
    ])
  }
}
