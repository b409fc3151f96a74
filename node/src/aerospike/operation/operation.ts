/** Operations: the steps of `operate`, validated and encoded when they are created. */

import { inspect } from 'node:util'
import { native } from '../model/native.js'
import { type Invocation, type OptionDefaults, sourceText, withDefaults } from './invocation.js'

/**
 * One step of `operate`; created by the functions of `op`. It was validated when it was created and
 * can be reused.
 */
export class Operation {
  /** The encoded operation. */
  readonly encoded: Uint8Array
  readonly #invocation: Invocation

  private constructor(encoded: Uint8Array, invocation: Invocation) {
    this.encoded = encoded
    this.#invocation = invocation
  }

  /** @internal */
  static of(encoded: Uint8Array, invocation: Invocation): Operation {
    return new Operation(encoded, invocation)
  }

  /** @internal The bin whose value it returns. */
  get wholeBin(): string | undefined {
    const { of, kind, values } = this.#invocation
    return of === 'op' && kind === 'get' ? (values[0] as string | undefined) : undefined
  }

  /** @internal The bin of which it returns something other than the value. */
  get partOf(): string | undefined {
    const { of, kind, values } = this.#invocation
    return of !== 'op' || kind === 'read' ? (values[0] as string) : undefined
  }

  /**
   * The call that creates it, as source text. Arrays and objects are shown in their current state.
   */
  toString(): string {
    return sourceText(this.#invocation)
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

/**
 * An operation on a list, a map, bits, a sketch or a string. `known` has its options with their defaults.
 *
 * @internal
 */
export function operation(
  family: 'list' | 'map' | 'bit' | 'hll' | 'string',
  kind: string,
  bin: string,
  values: readonly unknown[],
  known: OptionDefaults = {},
  options?: object,
): Operation {
  const of = `op.${family}`
  const settings = withDefaults(of, kind, known, options)
  const all = [...values]
  for (const name in settings) if (name !== 'ctx' && name !== 'pad') all.push(settings[name])
  const encoded = native.operation(
    family,
    kind,
    bin,
    all,
    settings['ctx'],
    settings['pad'] ?? false,
  )
  return Operation.of(encoded, { of, kind, values: [bin, ...values], options })
}

/**
 * An operation on a whole bin, or on the record.
 *
 * @internal
 */
export function plain(kind: string, ...values: readonly unknown[]): Operation {
  const encoded = native.plainOperation(kind, ...values)
  return Operation.of(encoded, { of: 'op', kind, values, options: undefined })
}

/**
 * An operation that reads or writes the value of an expression.
 *
 * @internal
 */
export function computing(
  kind: 'read' | 'write',
  bin: string,
  expression: unknown,
  known: OptionDefaults,
  options: object | undefined,
): Operation {
  const flags = Object.values(withDefaults('op', kind, known, options))
  const encoded = native.expressionOperation(kind, bin, expression, flags)
  return Operation.of(encoded, { of: 'op', kind, values: [bin, expression], options })
}

/**
 * An operation on the elements at the end of a path.
 *
 * @internal
 */
export function along(
  kind: 'select' | 'modify' | 'remove',
  bin: string,
  path: unknown,
  value: unknown,
  known: OptionDefaults,
  options: object | undefined,
): Operation {
  const of = 'op.path'
  const { returning, noFail } = withDefaults(of, kind, known, options)
  const encoded = native.pathOperation(kind, bin, path, returning, value, noFail)
  return Operation.of(encoded, { of, kind, values: [bin, path, value], options })
}
