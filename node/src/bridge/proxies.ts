/**
 * Values behind a Proxy, as frameworks with reactive state hand them out. The native part sees only
 * the Proxy, so its content is read here, through the Proxy.
 */

import { types } from 'node:util'

/** An array that the native part can read. */
export function plainArray(array: readonly unknown[]): readonly unknown[] {
  return types.isProxy(array) ? Array.from(array) : array
}

/**
 * An array, a Map, a Set or a plain object with the content of a Proxy; the values inside are not
 * looked at. For a Proxy of anything else, or of one whose methods it does not forward, the reason
 * why it cannot be read.
 */
export function standsFor(proxy: object): object | string {
  if (Array.isArray(proxy)) return Array.from(proxy)
  const prototype: unknown = Object.getPrototypeOf(proxy)
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return { ...proxy }
  try {
    // Not `instanceof`: test runners have a Map and a Set of their own.
    const tag = Object.prototype.toString.call(proxy)
    if (tag === '[object Map]') return new Map(proxy as Map<unknown, unknown>)
    if (tag === '[object Set]') return new Set(proxy as Set<unknown>)
  } catch {
    // The methods of both need the object itself.
  }
  const name: unknown = (proxy as { constructor?: { name?: unknown } }).constructor?.name
  const kind = typeof name === 'string' && name !== '' ? name : 'object'
  return `cannot read a Proxy of ${kind}: pass the ${kind} itself`
}
