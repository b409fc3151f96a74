/**
 * Policies that say what follows an error. The engine itself retries under the default one; any
 * other is asked after each attempt.
 */

import { callable } from '../callable.js'
import type { ExecutionOptions } from '../contracts.js'

/** What a policy is told about a statement. */
export interface OperationInfo {
  query: string
  executionOptions: ExecutionOptions
  /** How often it was retried. */
  nbRetry: number
}

/** What follows an error. */
export interface DecisionInfo {
  /** One of `RetryPolicy.retryDecision`. */
  decision: number
  consistency?: number | undefined
  useCurrentHost?: boolean
}

const DECISIONS = { rethrow: 0, retry: 1, ignore: 2 } as const

class RetryPolicyBase {
  /** The decisions. */
  static readonly retryDecision: { rethrow: 0; retry: 1; ignore: 2 } = DECISIONS

  /** Too few replicas are alive. */
  onUnavailable(
    info: OperationInfo,
    _consistency: number,
    _required: number,
    _alive: number,
  ): DecisionInfo {
    return info.nbRetry > 0 ? this.rethrowResult() : this.retryResult(undefined, false)
  }

  /** Too few replicas answered a read. */
  onReadTimeout(
    info: OperationInfo,
    _consistency: number,
    received: number,
    blockFor: number,
    isDataPresent: boolean,
  ): DecisionInfo {
    const worthwhile = info.nbRetry === 0 && received >= blockFor && !isDataPresent
    return worthwhile ? this.retryResult() : this.rethrowResult()
  }

  /** Too few replicas acknowledged a write. */
  onWriteTimeout(
    info: OperationInfo,
    _consistency: number,
    _received: number,
    _blockFor: number,
    writeType: string,
  ): DecisionInfo {
    const worthwhile = info.nbRetry === 0 && writeType === 'BATCH_LOG'
    return worthwhile ? this.retryResult() : this.rethrowResult()
  }

  /** The request failed, or the coordinator could not handle it. */
  onRequestError(
    _info: OperationInfo,
    _consistency: number | undefined,
    _error: Error,
  ): DecisionInfo {
    return this.retryResult(undefined, false)
  }

  /** The decision to try again. */
  retryResult(consistency?: number, useCurrentHost?: boolean): DecisionInfo {
    return {
      decision: DECISIONS.retry,
      consistency,
      useCurrentHost: useCurrentHost !== false,
    }
  }

  /** The decision to report the error. */
  rethrowResult(): DecisionInfo {
    return { decision: DECISIONS.rethrow }
  }
}
Object.defineProperty(RetryPolicyBase, 'name', { value: 'RetryPolicy' })

/** The default policy, and the base of policies of programs. */
export const RetryPolicy = callable(RetryPolicyBase)
/** The default policy, and the base of policies of programs. */
export type RetryPolicy = RetryPolicyBase

/** Retries writes and failed requests only if the statement is idempotent. */
export class IdempotenceAwareRetryPolicy extends RetryPolicy {
  readonly #child: RetryPolicy

  constructor(childPolicy?: RetryPolicy) {
    super()
    this.#child = childPolicy ?? new RetryPolicy()
  }

  override onReadTimeout(...about: Parameters<RetryPolicy['onReadTimeout']>): DecisionInfo {
    return this.#child.onReadTimeout(...about)
  }

  override onUnavailable(...about: Parameters<RetryPolicy['onUnavailable']>): DecisionInfo {
    return this.#child.onUnavailable(...about)
  }

  override onRequestError(...about: Parameters<RetryPolicy['onRequestError']>): DecisionInfo {
    const idempotent = about[0].executionOptions.isIdempotent()
    return idempotent ? this.#child.onRequestError(...about) : this.rethrowResult()
  }

  override onWriteTimeout(...about: Parameters<RetryPolicy['onWriteTimeout']>): DecisionInfo {
    const idempotent = about[0].executionOptions.isIdempotent()
    return idempotent ? this.#child.onWriteTimeout(...about) : this.rethrowResult()
  }
}

/** Reports every error. */
export class FallthroughRetryPolicy extends RetryPolicy {
  override onReadTimeout(): DecisionInfo {
    return this.rethrowResult()
  }

  override onRequestError(): DecisionInfo {
    return this.rethrowResult()
  }

  override onUnavailable(): DecisionInfo {
    return this.rethrowResult()
  }

  override onWriteTimeout(): DecisionInfo {
    return this.rethrowResult()
  }
}
