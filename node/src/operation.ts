/** Operations: one step of `operate`, checked and encoded when it is made. */

import { inspect } from 'node:util'
import { camel, type Given, shown, taken } from './calls.js'
import { native } from './native.js'

/**
 * One step of `operate`; made by the functions of `op`. It was checked when it was made, and can be
 * kept and used again.
 */
export class Operation {
  /** What the native part made of it. */
  readonly encoded: Uint8Array
  readonly #given: Given

  /** @internal */
  constructor(encoded: Uint8Array, given: Given) {
    this.encoded = encoded
    this.#given = given
  }

  /** The call that makes it. Arrays and objects are shown as they are now. */
  toString(): string {
    return shown(this.#given)
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

/**
 * An operation on a list, a map, bits or a sketch. `known` are its options with their defaults, in
 * the order in which the native part takes them.
 *
 * @internal
 */
export function operation(
  family: 'list' | 'map' | 'bit' | 'hll',
  kind: string,
  bin: string,
  values: readonly unknown[],
  known: Readonly<Record<string, unknown>> = {},
  options?: object,
): Operation {
  const name = `op.${family}.${camel(kind)}`
  const { ctx, pad = false, ...flags } = taken(name, known, options)
  const all = [...values, ...Object.values(flags)]
  const encoded = native.operation(family, kind, bin, all, ctx, pad)
  return new Operation(encoded, { name, values: [bin, ...values], options: { ...options } })
}

/**
 * An operation on a whole bin, or on the record.
 *
 * @internal
 */
export function plain(kind: string, ...values: readonly unknown[]): Operation {
  const encoded = native.plainOperation(kind, ...values)
  return new Operation(encoded, { name: `op.${kind}`, values, options: {} })
}
