/** What all steps have: options. */

import { kindOf } from '../batch/gather.js'
import type { DetailLevel, Replica, Where } from '../command/options.js'
import type { Operand } from '../operation/expression.js'

/** Options of a verb, as a step has collected them. */
export type StepOptions = { [name: string]: unknown }

/** How a call is retried, besides the number of retries. Durations are in milliseconds. */
export interface RetryPauses {
  /** As `sleepBetweenRetries` of `get`. */
  sleep?: number | undefined
  /** As `sleepMultiplier` of `get`. */
  multiplier?: number | undefined
  /** As `maxSleepBetweenRetries` of `get`. */
  maxSleep?: number | undefined
  /** As `sleepJitter` of `get`. */
  jitter?: boolean | undefined
}

const PAUSES: { readonly [name: string]: string } = {
  sleep: 'sleepBetweenRetries',
  multiplier: 'sleepMultiplier',
  maxSleep: 'maxSleepBetweenRetries',
  jitter: 'sleepJitter',
}

/**
 * One verb with its keys and options. Methods change the step and return it; an option that is
 * `undefined` is as if it had not been set.
 */
export abstract class Step {
  /** @internal */
  options: StepOptions | undefined = undefined

  /** @internal Sets an option. */
  option(name: string, value: unknown): this {
    if (value === undefined || value === null) {
      if (this.options !== undefined) delete this.options[name]
      return this
    }
    if (this.options === undefined) this.options = {}
    this.options[name] = value
    return this
  }

  /**
   * Only records for which the condition is true: an expression from `exp`, or a text such as
   * `'$.age > 25'`. In a text each `?` stands for the next parameter, or `?0` for the first one.
   *
   * @throws RangeError for a second condition
   */
  where(condition: Where | undefined, ...parameters: Operand[]): this {
    if (this.options !== undefined && 'where' in this.options) {
      throw new RangeError('where is set already: write one condition, with `and` or `&`')
    }
    if (parameters.length === 0) return this.option('where', condition)
    if (typeof condition !== 'string') {
      throw new TypeError(
        `only a text takes parameters: the condition is of type ${kindOf(condition)}`,
      )
    }
    return this.option('where', [condition, ...parameters])
  }

  /** Which replica serves the call; as in `get`. */
  replica(replica: Replica | undefined): this {
    return this.option('replica', replica)
  }

  /** Total time of the call including retries, in milliseconds; as in `get`. */
  timeout(timeout: number | undefined): this {
    return this.option('timeout', timeout)
  }

  /** Cancels the call when it is aborted; as in `get`. */
  signal(signal: AbortSignal | undefined): this {
    return this.option('signal', signal)
  }

  /** How much the server is asked to say about errors; as in `get`. */
  errorDetails(level: DetailLevel | undefined): this {
    return this.option('errorDetails', level)
  }

  /** How the call is retried: `maxRetries`, `sleepBetweenRetries` and related options of `get`. */
  retries(maxRetries?: number, pauses: RetryPauses = {}): this {
    this.#keep('maxRetries', maxRetries)
    for (const [name, value] of Object.entries(pauses)) {
      const option = Object.hasOwn(PAUSES, name) ? PAUSES[name] : undefined
      if (option === undefined) {
        const known = Object.keys(PAUSES).join(', ')
        throw new TypeError(`unknown option ${name}; there are: ${known}`)
      }
      this.#keep(option, value)
    }
    return this
  }

  /** Sets an option unless it was left out. */
  #keep(name: string, value: unknown): void {
    if (value !== undefined) this.option(name, value)
  }

  /** @internal A step of the same class with the same keys. */
  abstract blank(): this

  /** A copy with bins, operations and options of its own, for steps used as templates. */
  copy(): this {
    const copy = Object.assign(this.blank(), this)
    if (this.options !== undefined) copy.options = { ...this.options }
    return copy
  }
}
