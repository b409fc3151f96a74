/** Classes that programs may also call as functions, as those of the other driver can be. */

/** What the class of a program calls, with its own instance as `this`. */
type Constructor = abstract new (...args: never[]) => object

/**
 * A class that can be called with an instance as `this`, which gets the properties of a new one:
 * `Base.call(this, ...)` in constructors written as functions, with `util.inherits`.
 */
export function callable<C extends Constructor>(base: C): C {
  return new Proxy(base, {
    apply(target, self: object, args: unknown[]) {
      const instance = Reflect.construct(target, args, self?.constructor ?? target) as object
      for (const name of Reflect.ownKeys(instance)) {
        Object.defineProperty(self, name, Reflect.getOwnPropertyDescriptor(instance, name) as never)
      }
    },
  })
}
