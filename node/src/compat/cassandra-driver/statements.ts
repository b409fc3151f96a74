/** Statements with parameters: they are prepared once, and their values are encoded by type. */

import { inspect } from 'node:util'
import type { Prepared } from '../../cql/prepared.js'
import type { Session } from '../../cql/session.js'
import { UNSET } from '../../cql/values.js'
import type { Encoding } from './conversion/decode.js'
import { type Encoder, encoderOf } from './conversion/encode.js'
import { routingKey } from './conversion/routing.js'
import { type NativeType, nativeOf, nativeType } from './conversion/type-info.js'
import { ArgumentError, ResponseError } from './errors.js'
import { type DataType, dataTypes, responseErrorCodes, unset } from './types/constants.js'

/** Parameters, in order or by name. */
// biome-ignore lint/suspicious/noExplicitAny: the other driver's type
export type ArrayOrObject = any[] | { [name: string]: any }

/** A prepared statement, with what encodes its parameters. */
export interface KnownStatement {
  readonly prepared: Prepared
  readonly encoders: readonly Encoder[]
  readonly types: readonly NativeType[]
  /** Whether it may change the schema, or the keyspace. */
  readonly isChange: boolean
  /** Whether a result of it had many rows. */
  isLarge: boolean
}

/** Statements that change the schema or the keyspace. */
const CHANGES = /^\s*(?:create|alter|drop|use)\b/i

/** Whether a statement may change the schema, or the keyspace. */
export function isChange(query: string): boolean {
  return CHANGES.test(query)
}

/** The prepared statements of a client, the latest `most` of them. */
export class Statements {
  readonly #session: Session
  readonly #encoding: Encoding
  readonly #most: number
  readonly #log: (type: string, message: string) => void
  #isFull = false
  readonly #known = new Map<string, KnownStatement>()
  /** Those of one keyspace by their text, whose hash is known as long as the program keeps it. */
  readonly #byText = new Map<string, KnownStatement>()
  #keyspace: string | undefined
  readonly #preparing = new Map<string, Promise<KnownStatement>>()

  constructor(
    session: Session,
    encoding: Encoding,
    most: number,
    log: (type: string, message: string) => void,
  ) {
    this.#log = log
    this.#session = session
    this.#encoding = encoding
    this.#most = most
  }

  /** The statement, if it is prepared. */
  find(query: string, keyspace: string | undefined): KnownStatement | undefined {
    if (keyspace !== this.#keyspace) {
      this.#keyspace = keyspace
      this.#byText.clear()
    }
    let known = this.#byText.get(query)
    if (known === undefined) {
      known = this.#known.get(`${keyspace ?? ''}\0${query}`)
      if (known !== undefined) this.#byText.set(query, known)
    }
    return known
  }

  /** Prepares a statement, once even if several executions wait for it. */
  prepare(
    query: string,
    keyspace: string | undefined,
    options: { keyspace?: string; timeout?: number } | undefined,
  ): Promise<KnownStatement> {
    const name = `${keyspace ?? ''}\0${query}`
    const under = this.#preparing.get(name)
    if (under !== undefined) return under
    const preparing = this.#session
      .prepare(query, options)
      .then((prepared) => {
        const types = prepared.parameters.map(({ type }) => nativeType(type))
        const encoders = types.map((type) => encoderOf(type, this.#encoding))
        const known = { prepared, encoders, types, isChange: isChange(query), isLarge: false }
        if (this.#known.size >= this.#most) {
          if (!this.#isFull) {
            this.#isFull = true
            this.#log(
              'warning',
              `More than ${this.#most} statements are prepared (maxPrepared): pass values as ` +
                'parameters instead of writing them into statements',
            )
          }
          const [oldest] = this.#known.keys()
          this.#known.delete(oldest as string)
          this.#byText.clear()
        }
        this.#known.set(name, known)
        return known
      })
      .finally(() => this.#preparing.delete(name))
    this.#preparing.set(name, preparing)
    return preparing
  }

  /** Forgets what a statement was, since its parameters may be other ones by now. */
  forget(query: string, keyspace: string | undefined): void {
    this.#known.delete(`${keyspace ?? ''}\0${query}`)
    this.#byText.clear()
  }

  clear(): void {
    this.#known.clear()
    this.#byText.clear()
  }

  /**
   * Checks values against the types that a program says they have; the server says what they are.
   *
   * @throws TypeError for a type that does not exist, or a value that does not fit its type
   */
  checkHints(hints: unknown, values: ArrayOrObject | null | undefined): void {
    const pairs: [unknown, unknown][] = Array.isArray(hints)
      ? hints.map((hint, at) => [hint, Array.isArray(values) ? values[at] : undefined])
      : Object.entries(hints ?? {}).map(([name, hint]) => [hint, parameterOf(values, name)])
    for (const [hint, value] of pairs) {
      if (hint === null || hint === undefined) continue
      const type = typeOfHint(hint)
      if (type === undefined) {
        if (Array.isArray(hints)) throw new TypeError(`${inspect(hint)} is no type`)
        continue
      }
      const native = nativeOf(type)
      if (native === undefined || value === null || value === undefined || value === unset) continue
      encoderOf(native, this.#encoding)(value)
    }
  }

  /** The routing key of a statement's values; `undefined` if they do not determine a partition. */
  routingKey(
    { prepared, types }: KnownStatement,
    values: ArrayOrObject | null | undefined,
  ): Buffer | undefined {
    const ordered = inOrder(prepared, values)
    const { partitionKey } = prepared
    return routingKey(
      partitionKey.map((at) => types[at] as NativeType),
      partitionKey.map((at) => ordered[at]),
    )
  }

  /** The values of a statement for the native session. */
  encode(
    { prepared, encoders }: KnownStatement,
    values: ArrayOrObject | null | undefined,
  ): unknown[] {
    const ordered = inOrder(prepared, values)
    if (ordered.length !== encoders.length) {
      // What the server says when it gets them.
      const none = `there were ${encoders.length} markers(?) in CQL but 0 bound variables`
      const why = ordered.length === 0 ? none : 'Invalid amount of bind variables'
      throw new ResponseError(responseErrorCodes.invalid, why)
    }
    const asUnset = this.#encoding.useUndefinedAsUnset !== false
    const result = new Array<unknown>(ordered.length)
    for (let at = 0; at < ordered.length; at++) {
      const value = ordered[at]
      if (value === null) result[at] = null
      else if (value === undefined) result[at] = asUnset ? UNSET : null
      else if (typeof value === 'object' && value === unset) result[at] = UNSET
      else {
        const encoded = (encoders[at] as Encoder)(value)
        // As in the other driver, an empty collection is none.
        result[at] = Array.isArray(encoded) && encoded.length === 0 ? null : encoded
      }
    }
    return result
  }
}

/** The type that a hint names: a name, a code, or a type. */
function typeOfHint(hint: unknown): DataType | undefined {
  if (typeof hint === 'string') return dataTypes.getByName(hint)
  if (typeof hint === 'number') return { code: hint }
  return typeof (hint as DataType).code === 'number' ? (hint as DataType) : undefined
}

function parameterOf(values: ArrayOrObject | null | undefined, name: string): unknown {
  return values && !Array.isArray(values) ? values[name] : undefined
}

function inOrder(prepared: Prepared, values: ArrayOrObject | null | undefined): readonly unknown[] {
  if (values === null || values === undefined) return []
  if (Array.isArray(values)) return values
  if (typeof values !== 'object') {
    throw new ArgumentError(`parameters must be an array or an object, got ${inspect(values)}`)
  }
  const lower = new Map(Object.keys(values).map((name) => [name.toLowerCase(), name]))
  return prepared.parameters.map(({ name }) => {
    if (Object.hasOwn(values, name)) return values[name]
    const other = lower.get(name.toLowerCase())
    if (other === undefined) throw new ArgumentError(`Parameter "${name}" not defined`)
    return values[other]
  })
}
