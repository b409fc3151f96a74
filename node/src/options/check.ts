/** The rejection of unknown options, and of options that are none. */

import { checkSpan } from './durations.js'

/**
 * The options in the form in which the native part takes them: each as `nativeValue` returns it, or
 * unchanged. Throws for names not in `known`.
 */
export function checkOptions(
  options: object | undefined | null,
  known: readonly string[],
  nativeValue?: (name: string, value: unknown) => unknown,
): object | undefined {
  if (options === undefined || options === null) return undefined
  if (typeof options !== 'object') {
    throw new TypeError(`options must be an object, not ${typeof options}`)
  }
  if (Array.isArray(options)) {
    const instead = known.includes('bins') ? ": for bins, write { bins: ['name'] }" : ''
    throw new TypeError(`options must be an object, not an array${instead}`)
  }
  let changed: { [name: string]: unknown } | undefined
  for (const name in options) {
    if (!known.includes(name)) {
      throw new TypeError(`unknown option ${name}; there are: ${[...known].sort().join(', ')}`)
    }
    const value = (options as { [name: string]: unknown })[name]
    if (name === 'timeout' || name === 'socketTimeout') checkSpan(name, value)
    if (nativeValue === undefined) continue
    const converted = nativeValue(name, value)
    if (converted !== value) changed = { ...(changed ?? options), [name]: converted }
  }
  return changed ?? options
}
