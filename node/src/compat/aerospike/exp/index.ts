/**
 * Expressions, which nodes evaluate on a record, as a filter or to compute a value: `exp`.
 *
 * An expression that no node accepts can be built. The call that it is used for fails.
 */

export * as bit from './bit.js'
export * as hll from './hll.js'
export * as lists from './lists.js'
export * as maps from './maps.js'
export * as operations from './operations.js'
export * from './operators.js'
export * from './paths.js'
export { type } from './selection.js'
export * from './values.js'

/** How to read the value of an expression. */
export const expReadFlags = {
  DEFAULT: 0,
  /** Returns `null` if the expression has no value, instead of failing. */
  EVAL_NO_FAIL: 16,
} as const
export type expReadFlags = (typeof expReadFlags)[keyof typeof expReadFlags]

/** How to write the value of an expression. Flags are added up. */
export const expWriteFlags = {
  DEFAULT: 0,
  /** Fails if the bin exists. */
  CREATE_ONLY: 1,
  /** Fails if the bin does not exist. */
  UPDATE_ONLY: 2,
  /** `null` removes the bin instead of failing. */
  ALLOW_DELETE: 4,
  /** Does nothing instead of failing on `CREATE_ONLY` and `UPDATE_ONLY`. */
  POLICY_NO_FAIL: 8,
  /** Does nothing if the expression has no value, instead of failing. */
  EVAL_NO_FAIL: 16,
} as const
export type expWriteFlags = (typeof expWriteFlags)[keyof typeof expWriteFlags]
