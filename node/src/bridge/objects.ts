/**
 * Builds maps and objects from arrays of alternating keys and values, as the native part returns
 * them.
 */

export function mapOf(flat: readonly unknown[]): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>()
  for (let at = 0; at < flat.length; at += 2) map.set(flat[at], flat[at + 1])
  return map
}

export function objectOf(flat: readonly unknown[]): object {
  const object = {}
  for (let at = 0; at < flat.length; at += 2) define(object, flat[at] as string, flat[at + 1])
  return object
}

/** Sets a property of any name, including `__proto__`. */
export function define(target: object, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  } else {
    ;(target as { [name: string]: unknown })[name] = value
  }
}
