/** Views of objects, some of whose methods are replaced. */

type Method = (...args: never[]) => unknown

/** What stands in for a method; it is called with the arguments of the method. */
export type Replacement = (...args: unknown[]) => unknown

/** The objects that views are of. */
const targets = new WeakMap<object, object>()

/** The object that a view is of, or the object itself. */
export function targetOf<T extends object>(candidate: T): T {
  return (targets.get(candidate) as T | undefined) ?? candidate
}

/** Whether an object is a view. */
export function isView(candidate: object): boolean {
  return targets.has(candidate)
}

/**
 * A view of an object. `replace` returns what stands in for a method, `undefined` for those that
 * stay as they are. Methods are called on the object itself: a view has none of its private fields.
 */
export function viewOf<T extends object>(
  target: T,
  replace: (name: string | symbol, method: Replacement) => Replacement | undefined,
): T {
  const methods = new Map<string | symbol, unknown>()
  const view = new Proxy(target, {
    get(_, name) {
      const known = methods.get(name)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || name === 'constructor') return value
      const method = (value as Method).bind(target) as Replacement
      const used = replace(name, method) ?? method
      methods.set(name, used)
      return used
    },
  })
  targets.set(view, target)
  return view
}
