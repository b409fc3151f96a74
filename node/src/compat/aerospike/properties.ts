/** The properties of operations, checked and converted. */

import type { BinValue } from '../../aerospike/model/values.js'
import type { Path } from '../../aerospike/operation/ctx.js'
import type { Operation as NativeOperation } from '../../aerospike/operation/operation.js'
import { toSinglePath } from './cdt.js'
import { ArgumentFailure, INVALID_REQUEST, NOT_APPLICABLE } from './failures.js'
import { INVERTED, RETURNS } from './numbers.js'
import { toNativeValue } from './values.js'

/** The engine's operations from the properties of the other client's, by number. */
export type Conversions = { readonly [op: number]: (of: Properties) => NativeOperation }

/** The most bytes of a bin's name. */
const BIN_NAME = 15

/** The word for a number in a table; a node rejects other numbers, with this code. */
export function wordOf<T extends string>(
  what: string,
  words: { readonly [number: number]: T },
  number: number,
  code: number = INVALID_REQUEST,
): T {
  const word = words[number]
  if (word === undefined) throw new ArgumentFailure(`unknown ${what}: ${number}`, code)
  return word
}

/** Which flags are set, of those that `bits` has. */
export function flagsOf<N extends string>(
  flags: number,
  bits: { readonly [name in N]: number },
  names: readonly N[] = Object.keys(bits) as N[],
): { [name in N]?: boolean } {
  const options: { [name in N]?: boolean } = {}
  if (flags !== 0) for (const name of names) options[name] = (flags & bits[name]) !== 0
  return options
}

/** Reads properties of one object. Invalid ones are `ArgumentFailure`s of the client's code. */
export class Properties {
  readonly #of: { readonly [name: string]: unknown }

  constructor(of: object) {
    this.#of = of as { readonly [name: string]: unknown }
  }

  #reject(name: string, expected: string): never {
    throw new ArgumentFailure(`${name} must be ${expected}, not ${typeof this.#of[name]}`)
  }

  /** Whether the property is neither missing nor `null`. */
  has(name: string): boolean {
    return this.#of[name] !== undefined && this.#of[name] !== null
  }

  hasObject(name: string): boolean {
    return typeof this.#of[name] === 'object' && this.#of[name] !== null
  }

  get bin(): string {
    const bin = this.#of['bin']
    if (typeof bin !== 'string') return this.#reject('bin', 'a string')
    if (Buffer.byteLength(bin) > BIN_NAME)
      throw new ArgumentFailure(`the bin's name is too long: ${bin}`)
    return bin
  }

  get ctx(): Path | undefined {
    return toSinglePath(this.#of['context'])
  }

  /** Fractions are cut off. */
  integer(name: string): number {
    const value = this.#of[name]
    if (typeof value !== 'number') return this.#reject(name, 'a number')
    return Number.isNaN(value) ? 0 : Math.trunc(value)
  }

  optionalInteger(name: string): number | undefined {
    return this.has(name) ? this.integer(name) : undefined
  }

  boolean(name: string): boolean {
    const value = this.#of[name]
    return typeof value === 'boolean' ? value : this.#reject(name, 'a boolean')
  }

  value(name: string): BinValue {
    const value = this.#of[name]
    return value === undefined ? this.#reject(name, 'a value') : toNativeValue(value)
  }

  optionalValue(name: string): BinValue | undefined {
    return this.#of[name] === undefined ? undefined : this.value(name)
  }

  list(name: string): BinValue[] {
    const value = this.#of[name]
    return Array.isArray(value) ? value.map(toNativeValue) : this.#reject(name, 'an array')
  }

  bytes(name: string): Uint8Array {
    const value = this.#of[name]
    return value instanceof Uint8Array ? value : this.#reject(name, 'a Buffer')
  }

  textOrArray(name: string): string | unknown[] {
    const value = this.#of[name]
    if (typeof value === 'string' || Array.isArray(value)) return value
    return this.#reject(name, 'an expression')
  }

  /** An object as it is. */
  object(name: string): object {
    const value = this.#of[name]
    if (typeof value !== 'object' || value === null) return this.#reject(name, 'an object')
    return value
  }

  /** The policy's properties. Without one, they are all missing. */
  get policy(): Properties {
    return new Properties(this.#of['policy'] === undefined ? {} : this.object('policy'))
  }

  /** What to return of the selected elements, and whether these are all the others. */
  get selection(): { returning: (typeof RETURNS)[keyof typeof RETURNS]; inverted: boolean } {
    const type = this.#of['returnType'] === undefined ? 0 : this.integer('returnType')
    const inverted = this.#of['inverted'] === true || (type & INVERTED) !== 0
    return { returning: wordOf('return type', RETURNS, type & ~INVERTED, NOT_APPLICABLE), inverted }
  }

  /** The same, for a single element. */
  get returning(): (typeof RETURNS)[keyof typeof RETURNS] {
    const { returning, inverted } = this.selection
    if (inverted) throw new ArgumentFailure('one element cannot be inverted', NOT_APPLICABLE)
    return returning
  }
}
