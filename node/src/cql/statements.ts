/** Passes statements and their parameters to the native part. */

import type { Handle, Slot } from '../addon/native.js'
import { plainArray } from '../bridge/proxies.js'
import { native, type PageForm } from './native.js'
import type { PrepareOptions } from './options.js'
import { Bound, type Parameters, Prepared } from './prepared.js'

/** Up to this many values are passed as separate arguments. */
const MOST_VALUES = 16

/** Sends a prepared statement; `options` have been validated by `checkOptions`. */
export function sendPrepared(
  session: Handle,
  slot: Slot,
  page: PageForm,
  statement: Prepared,
  parameters: Parameters | null | undefined,
  options: object | undefined,
): void {
  if (!(statement instanceof Prepared)) throw noStatement(statement)
  const latest = Prepared.latest(statement)
  const number = numberOf(latest)
  const v = latest.order(parameters)
  // Separate arguments: the native part reads them faster than the elements of an array.
  switch (v.length) {
    case 1:
      native.cqlExecute(session, slot, page, number, options, undefined, v[0])
      return
    case 2:
      native.cqlExecute(session, slot, page, number, options, undefined, v[0], v[1])
      return
    case 3:
      native.cqlExecute(session, slot, page, number, options, undefined, v[0], v[1], v[2])
      return
    default:
      if (v.length > MOST_VALUES) {
        native.cqlExecute(session, slot, page, number, options, plainArray(v))
      } else {
        native.cqlExecute(session, slot, page, number, options, undefined, ...v)
      }
  }
}

/** Sends a bound statement. */
export function sendBound(
  session: Handle,
  slot: Slot,
  page: PageForm,
  bound: Bound,
  parameters: Parameters | null | undefined,
  options: object | undefined,
): void {
  native.cqlExecuteBound(session, slot, page, boundNumber(bound, parameters), options)
}

/**
 * Whether an error may mean that the parameters of a statement are other ones by now than those
 * that values do not fit, or that values were bound to former ones.
 */
export function mayBeOutdated(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError
}

/** The number of a prepared statement in the native part. */
export function numberOf(statement: unknown): number {
  if (statement instanceof Prepared) return Prepared.numberOf(statement)
  throw noStatement(statement)
}

/** The number of a bound statement. Throws if further parameters are given. */
export function boundNumber(bound: Bound, parameters: Parameters | null | undefined): number {
  if (hasValues(parameters)) throw new TypeError('a bound statement has its values already')
  return Bound.numberOf(bound)
}

/** The error for a value that is not a statement. */
export function noStatement(value: unknown): TypeError {
  const kind = value === null ? 'null' : typeof value
  return new TypeError(`a statement must be a string, a Prepared or a Bound, not ${kind}`)
}

/** The cache key of a text, which includes its keyspace. */
export function nameOf(text: string, options: PrepareOptions | undefined): string {
  return options?.keyspace === undefined ? text : `${options.keyspace}\0${text}`
}

/** Whether there are parameters. An empty array or object counts as none. */
export function hasValues(parameters: Parameters | null | undefined): boolean {
  if (parameters === undefined || parameters === null) return false
  if (Array.isArray(parameters)) return parameters.length > 0
  if (typeof parameters !== 'object') return true
  for (const _ in parameters) return true
  return Object.getPrototypeOf(parameters) !== Object.prototype
}

/** A copy of the parameters, for a statement that is sent later. */
export function copied(parameters: Parameters | null | undefined): Parameters | null | undefined {
  if (Array.isArray(parameters)) return [...parameters]
  if (typeof parameters !== 'object' || parameters === null) return parameters
  return Object.getPrototypeOf(parameters) === Object.prototype ? { ...parameters } : parameters
}
