/** Prepared statements. */

import { inspect } from 'node:util'
import { native } from './native.js'
import type { CqlInput } from './values.js'

/**
 * The values of a statement: in order, or by the names of its parameters. Names that CQL finds without
 * quotes are in lower case.
 */
export type Parameters = readonly CqlInput[] | { readonly [name: string]: CqlInput | undefined }

/** A parameter of a prepared statement. */
export interface Parameter {
  readonly name: string
  /** Its type, as CQL spells it. */
  readonly type: string
}

const forgotten = new FinalizationRegistry((number: number) => native.release(number))

/**
 * A prepared statement, from `session.prepare`. It may be used with any session on the same cluster
 * in the same thread; nodes that do not know it are asked to prepare it when that shows.
 */
export class Prepared {
  /** The text of the statement. */
  readonly text: string
  /** The server's id of it. */
  readonly id: Buffer
  /** Its parameters, in order. */
  readonly parameters: readonly Parameter[]
  /**
   * The indexes of the parameters that make the partition key, in the key's order; empty where the
   * statement does not fix a partition, so that any node is asked.
   */
  readonly partitionKey: readonly number[]
  /** What the server warned of when it prepared the statement. */
  readonly warnings: readonly string[]
  readonly #number: number

  /** @internal */
  constructor(
    number: number,
    text: string,
    id: Buffer,
    parameters: readonly Parameter[],
    partitionKey: readonly number[],
    warnings: readonly string[],
  ) {
    this.#number = number
    this.text = text
    this.id = id
    this.parameters = parameters
    this.partitionKey = partitionKey
    this.warnings = warnings
    forgotten.register(this, number)
  }

  /**
   * The statement with values, which are checked and kept as they are sent: for later, and for many
   * executions.
   *
   * @throws TypeError, RangeError for values that do not fit, with column and type
   */
  bind(parameters?: Parameters | null): Bound {
    return new Bound(native.cqlBind(this.#number, this.order(parameters)), this)
  }

  /** @internal Its number in the native part. */
  static numberOf(prepared: Prepared): number {
    return prepared.#number
  }

  /** @internal The values in the order of the parameters. */
  order(given: Parameters | null | undefined): readonly unknown[] {
    if (given === undefined || given === null) return []
    if (Array.isArray(given)) return given
    if (typeof given !== 'object' || ArrayBuffer.isView(given)) {
      const kind = typeof given === 'object' ? 'a typed array' : typeof given
      throw new TypeError(`parameters must be an array or an object, not ${kind}`)
    }
    return this.#byName(given as { [name: string]: unknown })
  }

  #byName(given: { [name: string]: unknown }): readonly unknown[] {
    const plain = Object.getPrototypeOf(given)
    if (plain === null || Object.getPrototypeOf(plain) === null) {
      for (const name of Object.keys(given)) {
        if (this.parameters.some((parameter) => parameter.name === name)) continue
        const known = this.parameters.map((parameter) => parameter.name).join(', ')
        throw new RangeError(`no parameter ${inspect(name)}; there are: ${known}`)
      }
    }
    return this.parameters.map(({ name }) => {
      if (name in given) return given[name]
      throw new RangeError(`no value for parameter ${inspect(name)}`)
    })
  }

  [inspect.custom](): string {
    return `Prepared(${inspect(this.text)})`
  }
}

/** A prepared statement with its values, from `prepared.bind`: used as a prepared one, without parameters. */
export class Bound {
  /** The statement. */
  readonly prepared: Prepared
  readonly #number: number

  /** @internal */
  constructor(number: number, prepared: Prepared) {
    this.#number = number
    this.prepared = prepared
    forgotten.register(this, number)
  }

  /** @internal Its number in the native part. */
  static numberOf(bound: Bound): number {
    return bound.#number
  }

  [inspect.custom](): string {
    return `Bound(${inspect(this.prepared.text)})`
  }
}

/** What is executed: text, a prepared statement, or one with its values. */
export type Statement = string | Prepared | Bound

/** A prepared statement, as the native part makes it. */
export function makePrepared(
  number: number,
  text: string,
  id: Buffer,
  names: string[],
  types: string[],
  partitionKey: number[],
  warnings: string[],
): Prepared {
  const parameters = names.map((name, at) => Object.freeze({ name, type: types[at] as string }))
  return new Prepared(number, text, id, Object.freeze(parameters), partitionKey, warnings)
}
