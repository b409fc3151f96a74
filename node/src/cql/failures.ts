/** Creates errors for failures reported by the engine. */

import * as errors from './errors.js'

const CLASSES: { readonly [name: string]: typeof errors.CqlError } = errors
for (const kind of Object.values(CLASSES)) {
  Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true })
}

/**
 * Creates the error for a failure. `details` has names and values, alternating; `failedAttempts`
 * has nodes and reasons.
 */
export function makeError(
  className: string,
  code: number | null,
  message: string,
  node: string | null,
  attempts: number,
  inDoubt: boolean,
  details: readonly unknown[],
  failedAttempts: readonly (string | null)[],
): errors.CqlError {
  const errorClass = CLASSES[className] ?? errors.ServerError
  const failed: errors.FailedAttempt[] = []
  for (let at = 0; at < failedAttempts.length; at += 2) {
    failed.push({ node: failedAttempts[at] ?? null, reason: failedAttempts[at + 1] ?? '' })
  }
  const error = new errorClass(message, code, node, attempts, inDoubt, failed)
  for (let at = 0; at < details.length; at += 2) {
    Object.defineProperty(error, details[at] as string, {
      value: details[at + 1],
      enumerable: true,
      configurable: true,
    })
  }
  return error
}
