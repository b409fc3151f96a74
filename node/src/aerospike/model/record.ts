/** Records, as returned by reads. */

import { define } from '../../bridge/objects.js'
import { Key } from './key.js'
import type { Space } from './native.js'
import type { BinValue } from './values.js'

/** The bins of a record of unknown type. */
export type Bins = { [bin: string]: BinValue }

/** A record: bins, generation and time to live. */
export class Record<B = Bins> {
  /** Values by bin name. Bins that the record does not have are absent. */
  readonly bins: B
  /** How often the record was written, from 1 to 65,535, after which it wraps around. */
  readonly generation: number
  /** Seconds to live when it was read; `null` if it never expires. */
  readonly ttl: number | null
  /** One result per operation of `operate`; `null` for operations without a result. */
  declare readonly results: readonly BinValue[]
  #space: Space = -1
  #key: unknown
  /** The digest if the user key is unknown, one character per byte. */
  #digest: string | undefined

  /** Created by the engine. */
  constructor(bins: B, generation: number, ttl: number | null) {
    this.bins = bins
    this.generation = generation
    this.ttl = ttl
  }

  /**
   * The record as the schema of its dataset makes it of the bins: checked when it is first asked for.
   * Without a schema, the bins.
   *
   * @throws ConversionError if the bins do not fit
   */
  get value(): B {
    return this.bins
  }

  /** The record's key. */
  get key(): Key {
    const digest = this.#digest
    const key = digest === undefined ? this.#key : [Buffer.from(digest, 'latin1')]
    return Key.known(this.#space, key)
  }

  /** @internal The key, if the record has one yet. */
  get knownKey(): Key | null {
    return this.#space === -1 ? null : this.key
  }

  /** @internal Makes another object the same record. */
  copyTo(other: Record<B>): void {
    other.#space = this.#space
    other.#key = this.#key
    other.#digest = this.#digest
    const { results } = this
    if (results !== undefined) {
      Object.defineProperty(other, 'results', { value: results, enumerable: true })
    }
  }

  /** @internal Sets the digest or the user key of a record of a query. */
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

/** Creates a record with any bins. */
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
 * Creates a function that makes records with these bins. It uses an object literal, which is
 * several times as fast as setting properties one by one; if code generation from strings is
 * disallowed, properties are set.
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
