/** Static functions that can be called with `new`, as those of the other driver can be. */

/**
 * Lets programs write `new LocalTime.fromMilliseconds(...)`, which returns what the function does.
 * Methods of classes cannot be called like that.
 */
export function letStaticsConstruct(type: object): void {
  for (const name of Object.getOwnPropertyNames(type)) {
    const descriptor = Object.getOwnPropertyDescriptor(type, name) as PropertyDescriptor
    const method: unknown = descriptor.value
    // Those that have a prototype can be called so already; it is a class's own property, too.
    if (typeof method !== 'function' || Object.hasOwn(method, 'prototype')) continue
    const value = function (this: unknown, ...args: unknown[]): unknown {
      return Reflect.apply(method, new.target === undefined ? this : type, args)
    }
    Object.defineProperty(value, 'name', { value: name })
    Object.defineProperty(value, 'length', { value: method.length })
    Object.defineProperty(type, name, { ...descriptor, value })
  }
}
