/** What a read gives. */

import { Key } from './key.js'
import type { Space } from './native.js'
import type { BinValue } from './values.js'

/** The bins of a record, when nothing more is known about them. */
export type Bins = { [bin: string]: BinValue }

/** A record: bins, generation and time to live. */
export class Record<B = Bins> {
  /** Bin names to values. Bins that the record does not have are not there. */
  readonly bins: B
  /** How often the record was written, from 1 to 65,535 and round again. */
  readonly generation: number
  /** Seconds left to live when it was read; `null` when it never expires. */
  readonly ttl: number | null
  /** One result per operation, for `operate`; `null` where an operation gives none. */
  declare readonly results: readonly BinValue[]
  #space: Space = -1
  #key: unknown
  /** Where the user key is not known: the digest, a character for each byte. */
  #digest: string | undefined

  /** Records come from the engine. */
  constructor(bins: B, generation: number, ttl: number | null) {
    this.bins = bins
    this.generation = generation
    this.ttl = ttl
  }

  /** The record's address. */
  get key(): Key {
    const digest = this.#digest
    const key = digest === undefined ? this.#key : [Buffer.from(digest, 'latin1')]
    return Key.known(this.#space, key)
  }

  /** @internal A record of a query: its digest, or its user key. */
  ofRow(space: Space, digest: string | undefined, key: unknown): void {
    this.#space = space
    this.#digest = digest
    this.#key = key
  }

  /** @internal */
  ofRecord(space: Space, key: unknown): void {
    this.#space = space
    this.#key = key
  }
}

/** A record with the results of operations. */
export type OperatedRecord<B = Bins> = Record<B>

/** Sets a property whatever its name is: `__proto__` is a name like any other. */
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

/** A record of any bins. */
export function makeRecord(
  generation: number,
  ttl: number | null,
  names: string[],
  values: unknown[],
  results: unknown[] | null,
): Record {
  const bins: Bins = {}
  for (let at = 0; at < names.length; at++) define(bins, names[at] as string, values[at])
  const record = new Record(bins, generation, ttl)
  if (results !== null)
    Object.defineProperty(record, 'results', { value: results, enumerable: true })
  return record
}

type Factory = (generation: number, ttl: number | null, ...values: unknown[]) => Record

/**
 * What makes records of certain bins: an object literal, several times as quick as setting one
 * property after the other. Where code may not be made of strings, that is what is left.
 */
export function makeFactory(names: string[]): Factory {
  const values = names.map((_, at) => `v${at}`)
  const fields = names.map((name, at) => {
    const quoted = JSON.stringify(name)
    return `${name === '__proto__' ? `[${quoted}]` : quoted}: v${at}`
  })
  const parameters = ['generation', 'ttl', ...values].join(', ')
  const body = `return (${parameters}) => new Record({ ${fields.join(', ')} }, generation, ttl)`
  try {
    return new Function('Record', body)(Record) as Factory
  } catch {
    return (generation, ttl, ...values) => makeRecord(generation, ttl, names, values, null)
  }
}
