/** Policies of copies of idempotent statements, which the engine sends to other nodes. */

import { callable } from '../callable.js'
import type { ClientContext as Client } from '../contracts.js'
import { ArgumentError } from '../errors.js'
import type { Host } from '../hosts.js'

/** The copies of one statement. */
export interface SpeculativeExecutionPlan {
  /** How long to wait for the next copy, in milliseconds; negative: there is none. */
  nextExecution(host?: Host): number
}

class SpeculativeExecutionPolicyBase {
  init(_client: Client): void {}

  shutdown(): void {}

  newPlan(_keyspace?: string, _query?: unknown): SpeculativeExecutionPlan {
    throw new Error('a speculative execution policy must have a method newPlan()')
  }

  getOptions(): Map<string, unknown> {
    return new Map()
  }
}
Object.defineProperty(SpeculativeExecutionPolicyBase, 'name', {
  value: 'SpeculativeExecutionPolicy',
})

/** The base of the policies. */
export const SpeculativeExecutionPolicy = callable(SpeculativeExecutionPolicyBase)
/** The base of the policies. */
export type SpeculativeExecutionPolicy = SpeculativeExecutionPolicyBase

/** No copies: the default. */
export class NoSpeculativeExecutionPolicy extends SpeculativeExecutionPolicy {
  override newPlan(): SpeculativeExecutionPlan {
    return { nextExecution: () => -1 }
  }
}

/** A number of copies, with the same pause before each. */
export class ConstantSpeculativeExecutionPolicy extends SpeculativeExecutionPolicy {
  /** @internal */
  readonly _delay: number
  /** @internal */
  readonly _maxSpeculativeExecutions: number

  /** @throws ArgumentError if the delay is negative, or the number is not positive */
  constructor(delay: number, maxSpeculativeExecutions: number) {
    super()
    if (!(delay >= 0)) throw new ArgumentError('delay must be at least 0')
    if (!(maxSpeculativeExecutions > 0)) {
      throw new ArgumentError('maxSpeculativeExecutions must be above 0')
    }
    this._delay = delay
    this._maxSpeculativeExecutions = maxSpeculativeExecutions
  }

  override newPlan(): SpeculativeExecutionPlan {
    let sent = 0
    return { nextExecution: () => (sent++ < this._maxSpeculativeExecutions ? this._delay : -1) }
  }

  override getOptions(): Map<string, unknown> {
    return new Map([
      ['delay', this._delay],
      ['maxSpeculativeExecutions', this._maxSpeculativeExecutions],
    ])
  }
}
