/** Prepared statements. */

import { inspect } from 'node:util'
import { plainArray } from '../bridge/proxies.js'
import { native } from './native.js'
import type { CqlInput } from './values.js'

/**
 * The values of a statement: in order, or by parameter name. Names that are not quoted in CQL are
 * in lower case on the server; a name that only differs in case names the same parameter.
 */
export type Parameters = readonly CqlInput[] | { readonly [name: string]: CqlInput | undefined }

/** A parameter of a prepared statement. */
export interface Parameter {
  readonly name: string
  /** Its type in CQL notation. */
  readonly type: string
}

const forgotten = new FinalizationRegistry((number: number) => native.release(number))

/**
 * A prepared statement; created by `session.prepare`. It can be used with any session on the same
 * cluster in the same thread. A node that does not know it is asked to prepare it when that becomes
 * apparent.
 */
export class Prepared {
  /** The text of the statement. */
  readonly text: string
  /** The statement's id on the server. */
  readonly id: Buffer
  /** Its parameters, in order. */
  readonly parameters: readonly Parameter[]
  /**
   * The indexes of the parameters that form the partition key, in the key's order; empty if the
   * statement does not determine a partition, in which case it may go to any node.
   */
  readonly partitionKey: readonly number[]
  /** The server's warnings from preparing the statement. */
  readonly warnings: readonly string[]
  readonly #number: number
  /** What it is now, if its parameters have changed. */
  #successor: Prepared | undefined

  /** @internal */
  constructor(
    number: number,
    text: string,
    id: Buffer,
    parameters: readonly Parameter[],
    partitionKey: readonly number[],
    warnings: readonly string[],
  ) {
    if (typeof number !== 'number') {
      throw new TypeError('a Prepared comes from `await session.prepare(text)`, not from `new`')
    }
    this.#number = number
    this.text = text
    this.id = id
    this.parameters = parameters
    this.partitionKey = partitionKey
    this.warnings = warnings
    forgotten.register(this, number)
  }

  /**
   * Binds values to the statement. They are validated and encoded once, for later use and for many
   * executions. If the schema was changed since the statement was prepared, prepare it again first.
   *
   * @throws TypeError, RangeError for values that do not fit, with column and type
   */
  bind(parameters?: Parameters | null): Bound {
    const latest = Prepared.latest(this)
    return new Bound(native.cqlBind(latest.#number, plainArray(latest.order(parameters))), latest)
  }

  /** @internal Its number in the native part. */
  static numberOf(prepared: Prepared): number {
    return prepared.#number
  }

  /** @internal What it is now, as far as known. */
  static latest(prepared: Prepared): Prepared {
    if (prepared.#successor === undefined) return prepared
    let latest = prepared.#successor
    while (latest.#successor !== undefined) latest = latest.#successor
    prepared.#successor = latest
    return latest
  }

  /** @internal Records how a node describes it now. */
  static renewed(prepared: Prepared, now: Prepared): void {
    Prepared.latest(prepared).#successor = now
    prepared.#successor = now
  }

  /** @internal The values in the order of the parameters. */
  order(values: Parameters | null | undefined): readonly unknown[] {
    if (values === undefined || values === null) return []
    if (Array.isArray(values)) return values
    if (typeof values !== 'object' || ArrayBuffer.isView(values)) {
      const kind = typeof values === 'object' ? 'a typed array' : typeof values
      throw new TypeError(`parameters must be an array or an object, not ${kind}`)
    }
    return this.#byName(values as { [name: string]: unknown })
  }

  #byName(values: { [name: string]: unknown }): readonly unknown[] {
    const plain = Object.getPrototypeOf(values)
    if (plain === null || Object.getPrototypeOf(plain) === null) {
      for (const name of Object.keys(values)) {
        if (this.parameters.some((parameter) => parameter.name === name)) continue
        const other = this.parameters.find((parameter) => isSame(parameter.name, name))
        if (other !== undefined && !(other.name in values)) continue
        const known = this.parameters.map((parameter) => parameter.name).join(', ')
        throw new RangeError(
          `no parameter ${inspect(name)}; ${known === '' ? 'the statement takes no values' : `there are: ${known}`}`,
        )
      }
    }
    return this.parameters.map(({ name }) =>
      name in values ? values[name] : valueInOtherCase(values, name),
    )
  }

  [inspect.custom](): string {
    return `Prepared(${inspect(this.text)})`
  }
}

/** Whether two names differ at most in upper and lower case, as CQL takes names without quotes. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** The value of a parameter whose name differs only in upper and lower case. */
function valueInOtherCase(values: { [name: string]: unknown }, parameter: string): unknown {
  const names = Object.keys(values).filter((name) => isSame(name, parameter))
  if (names.length === 1) return values[names[0] as string]
  throw new RangeError(
    names.length === 0
      ? `no value for parameter ${inspect(parameter)}`
      : `${names.join(' and ')} both name the parameter ${inspect(parameter)}`,
  )
}

/**
 * A prepared statement with its values; created by `prepared.bind`. Used like a prepared statement,
 * but without parameters.
 */
export class Bound {
  /** The statement. */
  readonly prepared: Prepared
  readonly #number: number

  /** @internal */
  constructor(number: number, prepared: Prepared) {
    if (typeof number !== 'number') {
      throw new TypeError('a Bound comes from `prepared.bind(parameters)`, not from `new`')
    }
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

/** A statement that can be executed: text, prepared, or bound. */
export type Statement = string | Prepared | Bound

/** Creates a prepared statement; called by the native part. */
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
