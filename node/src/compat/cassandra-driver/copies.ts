/** Copies of idempotent statements under a policy of the program, which says when each is sent. */

import {
  ConstantSpeculativeExecutionPolicy,
  NoSpeculativeExecutionPolicy,
  type SpeculativeExecutionPlan,
  type SpeculativeExecutionPolicy,
} from './policies/speculative-execution.js'

/** Whether a policy is one of the program: the engine itself follows the others. */
export function isOwnPolicy(policy: SpeculativeExecutionPolicy): boolean {
  return (
    policy.constructor !== NoSpeculativeExecutionPolicy &&
    policy.constructor !== ConstantSpeculativeExecutionPolicy
  )
}

/**
 * Executes a statement, and sends a copy each time that the plan says so, until there is a result. The
 * error is that of the execution that failed last.
 *
 * @param execute - one execution; calls back with each node that it asks
 * @param onCopy - called before each copy
 */
export function withCopies<T, H>(
  plan: SpeculativeExecutionPlan,
  execute: (onHost: (host: H) => void) => Promise<T>,
  onCopy: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let [running, isOver] = [0, false]
    let host: H | undefined
    let timer: NodeJS.Timeout | undefined
    const end = (): void => {
      isOver = true
      clearTimeout(timer)
    }
    const failed = (error: unknown): void => {
      running--
      // As long as others are on their way, one of them may succeed.
      if (isOver || running > 0) return
      end()
      reject(error)
    }
    const next = (): void => {
      const delay = Number(plan.nextExecution(host as never))
      if (!(delay >= 0)) return
      timer = setTimeout(() => {
        onCopy()
        start()
      }, delay)
    }
    const start = (): void => {
      running++
      const result = execute((current) => {
        host = current
      })
      result.then((value) => {
        end()
        resolve(value)
      }, failed)
      try {
        next()
      } catch (error) {
        end()
        reject(error)
      }
    }
    start()
  })
}
