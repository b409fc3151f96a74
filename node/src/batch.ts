/** What a verb on many records gives. `crates/spikewire-node/src/batch.rs` is the other half. */

import { inspect } from 'node:util'
import type { SpikewireError } from './errors.js'
import { Key } from './key.js'
import type { Space } from './native.js'
import { type Bins, define, Record } from './record.js'

/** The keys of a batch: namespaces and sets by number, user keys or digests. */
export interface RowKeys {
  /** The number of the set of all rows, or one number for each row. */
  readonly spaces: Space | readonly Space[]
  /** As the native part is given them. */
  readonly keys: readonly unknown[]
}

/**
 * The outcomes of a batch, one per row, in input order.
 *
 * `batch[row]` and iterating give a `Record`, or `null` where there is no such record (or `where` is
 * not true for it); a row that failed throws its error when it is read. `codes` and `errors` look
 * without throwing.
 *
 * @typeParam B - the bins of the records
 */
export class Batch<B extends object = Bins> {
  readonly [row: number]: Record<B> | null

  /** How many rows there are. */
  readonly length: number
  /**
   * The result code of every row: 0 is success, 2 no such record, 27 a record that `where` is not
   * true for; numbers below 0 are failures on this side.
   */
  readonly codes: Int32Array
  /** The errors of the rows that failed, by row. Records that are not there are no failures. */
  readonly errors: ReadonlyMap<number, SpikewireError> = new Map()
  /** The rows that failed and may have been written all the same. */
  readonly inDoubt: readonly number[]
  #rows: RowKeys = { spaces: 0, keys: [] }

  /** Batches come from the engine. */
  constructor(codes: Int32Array, inDoubt: readonly number[]) {
    this.codes = codes
    this.length = codes.length
    this.inDoubt = inDoubt
    const rows = this as { [row: number]: Record<B> | null }
    for (let row = 0; row < codes.length; row++) rows[row] = null
  }

  /** How many rows found their record. */
  get found(): number {
    return this.codes.reduce((found, code) => (code === 0 ? found + 1 : found), 0)
  }

  /** The keys, in input order. */
  get keys(): Key[] {
    const { keys } = this.#rows
    return keys.map((key, row) => Key.known(this.#space(row), key))
  }

  #space(row: number): Space {
    const { spaces } = this.#rows
    return typeof spaces === 'number' ? spaces : (spaces[row] as Space)
  }

  /** A row, counted from the end when negative; `undefined` where there is none. */
  at(row: number): Record<B> | null | undefined {
    return this[row < 0 ? this.length + row : row]
  }

  /** Throws the error of the first row that failed; gives the batch itself otherwise. */
  raiseForErrors(): this {
    for (const error of this.errors.values()) throw error
    return this
  }

  /**
   * The records that were found, by user key; by the digest in hexadecimal digits where that is all
   * there is. A row that failed throws its error. Keys that are Buffers are found as the same object.
   */
  toMap(): Map<Key['key'], Record<B>> {
    const found = new Map<Key['key'], Record<B>>()
    for (let row = 0; row < this.length; row++) {
      const record = this[row]
      if (!record) continue
      const key = this.#rows.keys[row]
      const name = Array.isArray(key) ? (key[0] as Buffer).toString('hex') : (key as Key['key'])
      found.set(name, record)
    }
    return found
  }

  /** The rows, in input order. */
  *[Symbol.iterator](): IterableIterator<Record<B> | null> {
    for (let row = 0; row < this.length; row++) yield this[row] as Record<B> | null
  }

  [inspect.custom](): string {
    return `Batch(${this.length} rows, ${this.found} found, ${this.errors.size} failed)`
  }

  /** @internal Tells records and errors their keys. */
  ofRecord(_: Space, rows: RowKeys): void {
    this.#rows = rows
    const { spaces, keys } = rows
    const errors = this.errors.size > 0 ? this.errors : undefined
    for (let row = 0; row < keys.length; row++) {
      const space = typeof spaces === 'number' ? spaces : (spaces[row] as Space)
      const error = errors?.get(row)
      if (error === undefined) this[row]?.ofRecord(space, keys[row])
      else error.ofRecord(space, keys[row])
    }
  }
}

/** The error of a row, which learns its key. */
export function ofRow(
  error: SpikewireError,
  { spaces, keys }: RowKeys,
  row: number,
): SpikewireError {
  error.ofRecord(typeof spaces === 'number' ? spaces : (spaces[row] as Space), keys[row])
  return error
}

/** Numbers in the array of what was found, for each record: row, generation, seconds to live. */
const NUMBERS = 3

/** A batch without its records. */
export function makeBatch(codes: Int32Array, inDoubt: Int32Array | null): Batch {
  return new Batch(codes, inDoubt === null ? [] : Array.from(inDoubt))
}

/** A row has failed: reading it throws the error. */
export function failRow(batch: Batch, row: number, error: SpikewireError): void {
  const errors = batch.errors as Map<number, SpikewireError>
  errors.set(row, error)
  // An answer that cannot be read is the server's success, and none here.
  if (batch.codes[row] === 0) batch.codes[row] = error.code
  Object.defineProperty(batch, row, {
    get() {
      throw error
    },
    enumerable: true,
    configurable: true,
  })
}

type RowsFactory = (
  batch: Batch,
  found: Int32Array,
  from: number,
  count: number,
  ...values: unknown[]
) => void

/** Seconds left to live; records that never expire have -1. */
function secondsLeft(number: number): number | null {
  return number === -1 ? null : number >>> 0
}

/**
 * What makes up to `most` records of a batch in one call, all of certain bins, and with so many
 * results where they are of operations. With 0, or where code may not be made of strings, nothing is
 * compiled for them.
 */
export function makeRows(names: string[], results: number | null, most: number): RowsFactory {
  if (most > 0) {
    try {
      const made = new Function('Record', 'secondsLeft', code(names, results, most))
      return made(Record, secondsLeft)
    } catch {}
  }
  const wide = names.length + (results ?? 0)
  return (batch, found, from, count, ...values) => {
    const rows = batch as { [row: number]: Record }
    for (let nth = 0; nth < count; nth++) {
      const [row, generation, ttl] = found.subarray(NUMBERS * (from + nth)) as unknown as number[]
      const own = values.slice(nth * wide, (nth + 1) * wide)
      const bins: Bins = {}
      for (const [at, name] of names.entries()) define(bins, name, own[at])
      const record = new Record(bins, generation as number, secondsLeft(ttl as number))
      if (results !== null) define(record, 'results', own.slice(names.length))
      rows[row as number] = record
    }
  }
}

function code(names: string[], results: number | null, most: number): string {
  const bins = names.map((_, at) => `v${at}`)
  const given = Array.from({ length: results ?? 0 }, (_, at) => `r${at}`)
  const fields = names.map((name, at) => {
    const quoted = JSON.stringify(name)
    return `${name === '__proto__' ? `[${quoted}]` : quoted}: v${at}`
  })
  const one = `const one = (${['batch', 'found', 'at', ...bins, ...given].join(', ')}) => {
    const record =
      new Record({ ${fields.join(', ')} }, found[at + 1], secondsLeft(found[at + 2]))
    ${results === null ? '' : `record.results = [${given.join(', ')}]`}
    batch[found[at]] = record
  }`
  const start = `let at = from * ${NUMBERS}`
  if (bins.length + given.length === 0) {
    return `${one}
    return (batch, found, from, count) => {
      ${start}
      for (let nth = 0; nth < count; nth++, at += ${NUMBERS}) one(batch, found, at)
    }`
  }
  const values = Array.from({ length: most }, (_, nth) =>
    [...bins, ...given].map((name) => `${name}_${nth}`),
  )
  const steps = values.map((some, nth) => {
    const call = `one(batch, found, at + ${NUMBERS * nth}, ${some.join(', ')})`
    return `${call}\nif (count === ${nth + 1}) return`
  })
  return `${one}
  return (batch, found, from, count, ${values.flat().join(', ')}) => {
    ${start}
    ${steps.join('\n')}
  }`
}
