/** Creates errors for failures reported by the engine. */

import type { ErrorDetails } from './details.js'
import * as errors from './errors.js'

const CLASSES: { readonly [name: string]: typeof errors.SpikewireError } = errors
for (const kind of Object.values(CLASSES)) {
  Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true })
}

/** The error for invalid arguments, with the codes of Node's own errors. */
function invalidArgument(range: boolean, message: string): TypeError | RangeError {
  const error = range ? new RangeError(message) : new TypeError(message)
  Error.captureStackTrace?.(error, makeError)
  return Object.assign(error, { code: range ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE' })
}

/** Creates the error for a failure reported by the engine, or for invalid arguments. */
export function makeError(
  className: string,
  code: number,
  message: string,
  node: string | null = null,
  attempts = 0,
  inDoubt = false,
  details: ErrorDetails | null = null,
  advice: string | null = null,
): Error {
  if (className === 'TypeError' || className === 'RangeError') {
    return invalidArgument(className === 'RangeError', message)
  }
  const errorClass = CLASSES[className] ?? errors.ServerError
  const error = new errorClass(message, code, node, attempts, inDoubt, advice)
  error.details = details
  return error
}
