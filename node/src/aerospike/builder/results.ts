/** The results of a chain's rows, and the strategies for failed rows. */

import { inspect, types } from 'node:util'
import { checkOptions } from '../../options/check.js'
import { type Batch, Late } from '../batch/batch.js'
import { FilteredOut, RecordNotFound, type SpikewireError, Timeout } from '../model/errors.js'
import type { Key } from '../model/key.js'
import type { Bins, Record } from '../model/record.js'

/**
 * How to treat a missing record: keep its result, without record and error; skip it; or treat it as
 * an error.
 */
export type Missing = 'keep' | 'skip' | 'error'

/**
 * How to treat a failed row: throw its error, keep the error in its result, skip it, or call a
 * function with the result.
 */
export type OnError<B extends object = Bins> =
  | 'raise'
  | 'collect'
  | 'skip'
  | ((result: Result<B>) => void)

/** How failed rows and missing records are treated. */
export interface Strategy<B extends object = Bins> {
  /** Failed rows. Default: `'raise'`. */
  onError?: OnError<B> | undefined
  /**
   * Records that do not exist, or for which `where` is not true. Default: `'error'` for `update`,
   * `replaceIfExists` and `touch`, otherwise `'keep'`.
   */
  missing?: Missing | undefined
}

/** The result of one row of a chain. */
export class Result<B extends object = Bins> {
  /** The row's position in the input. */
  readonly row: number
  /** The record's key. */
  readonly key: Key
  /** The record; `null` if there is none, or if the row failed. */
  readonly record: Record<B> | null
  /** The error, if the row failed; otherwise `null`. */
  readonly error: SpikewireError | null
  /** Whether the reply did not come by the `deadline`: the record may exist or not. */
  readonly late: boolean

  /** @internal */
  constructor(
    row: number,
    key: Key,
    record: Record<B> | null,
    error: SpikewireError | null,
    late = false,
  ) {
    this.row = row
    this.key = key
    this.record = record
    this.error = error
    this.late = late
  }

  /** Whether there is a record. */
  get ok(): boolean {
    return this.record !== null
  }

  /** Whether the record does not exist or `where` is not true for it, and that is not an error. */
  get missing(): boolean {
    return this.record === null && this.error === null && !this.late
  }

  /** The record. Throws the row's error, `RecordNotFound`, or `Timeout` if the row is late. */
  unwrap(): Record<B> {
    if (this.record !== null) return this.record
    if (this.late) throw lateError(this.key)
    throw this.error ?? absent(2, this.key)
  }
}

/** The results of a chain, in input order, without those that its strategy omits. */
export class Results<B extends object = Bins> {
  /** The outcomes of all rows, including those omitted here. */
  readonly batch: Batch<B, Late>
  readonly #rows: readonly number[] | undefined
  readonly #failed: ReadonlyMap<number, SpikewireError>
  readonly #offset: number
  #keys: Key[] | undefined

  /** @internal */
  constructor(
    batch: Batch<B, Late>,
    rows: readonly number[] | undefined,
    failed: ReadonlyMap<number, SpikewireError>,
    offset: number,
  ) {
    this.batch = batch
    this.#rows = rows
    this.#failed = failed
    this.#offset = offset
  }

  /** The number of results. */
  get length(): number {
    return this.#rows?.length ?? this.batch.length
  }

  /** The results of failed rows; only with `onError: 'collect'`. */
  get errors(): Result<B>[] {
    return Array.from(this.#failed.keys(), (row) => this.#result(row))
  }

  /** The result at an index, counted from the end if negative; `undefined` if out of range. */
  at(index: number): Result<B> | undefined {
    const at = index < 0 ? this.length + index : index
    const row = this.#rows === undefined ? at : this.#rows[at]
    if (row === undefined || !Number.isInteger(at) || at < 0 || at >= this.length) return undefined
    return this.#result(row)
  }

  /** The records that have come. Throws the error of a failed row. */
  *records(): IterableIterator<Record<B>> {
    for (const row of this.#numbers()) {
      const error = this.#failed.get(row)
      if (error !== undefined) throw error
      const record = this.batch[row]
      if (record && !(record instanceof Late)) yield record
    }
  }

  /** The records that have come, in an array. Throws the error of a failed row. */
  toList(): Record<B>[] {
    return [...this.records()]
  }

  /** The first record. Throws `RecordNotFound` if there is none, or `Timeout` if a row is late. */
  first(): Record<B> {
    for (const record of this.records()) return record
    const [late] = this.batch.late
    if (late !== undefined) throw lateError(this.batch.keys[late] as Key)
    throw absent(2, null)
  }

  /** The first record, or `null`. */
  firstOrNone(): Record<B> | null {
    for (const record of this.records()) return record
    return null
  }

  /** The number of records that exist. */
  count(): number {
    if (this.#rows === undefined && this.#failed.size === 0) return this.batch.found
    const { codes } = this.batch
    let count = 0
    for (const row of this.#numbers()) if (codes[row] === 0) count++
    return count
  }

  /** The results, in input order. */
  *[Symbol.iterator](): IterableIterator<Result<B>> {
    for (const row of this.#numbers()) yield this.#result(row)
  }

  #numbers(): Iterable<number> {
    return this.#rows ?? this.batch.codes.keys()
  }

  #result(row: number): Result<B> {
    this.#keys ??= this.batch.keys
    const key = this.#keys[row] as Key
    const error = this.#failed.get(row)
    const at = this.#offset + row
    if (error !== undefined) return new Result(at, key, null, error)
    const record = this.batch[row]
    if (record instanceof Late) return new Result<B>(at, key, null, null, true)
    return new Result<B>(at, key, record ?? null, null)
  }

  [inspect.custom](): string {
    return `Results(${this.length} rows, ${this.count()} records, ${this.#failed.size} failed)`
  }
}

/** The error for a missing record. */
export function absent(code: number, key: Key | null): SpikewireError {
  const error =
    code === 2
      ? new RecordNotFound('no such record', code, null, 1)
      : new FilteredOut('the record does not pass the filter', code, null, 1)
  error.key = key
  return error
}

function lateError(key: Key): SpikewireError {
  const error = new Timeout('the row is late: no reply came by the deadline', 9)
  error.key = key
  return error
}

const STRATEGIES: readonly unknown[] = ['raise', 'collect', 'skip']
const MISSING: readonly unknown[] = ['keep', 'skip', 'error']
/** The options of a strategy. */
export const STRATEGY = ['onError', 'missing'] as const

/** Rejects unknown strategies; returns how failed rows are treated. */
export function checkStrategy<B extends object>(
  strategy: Strategy<B> | undefined,
  known: readonly string[] = STRATEGY,
): OnError<B> {
  checkOptions(strategy, known)
  const onError: unknown = strategy?.onError ?? 'raise'
  const missing: unknown = strategy?.missing ?? undefined
  const isText = typeof onError === 'string'
  if (isText ? !STRATEGIES.includes(onError) : typeof onError !== 'function') {
    const message = `onError must be "raise", "collect", "skip" or a function, not ${inspect(onError)}`
    throw isText ? new RangeError(message) : new TypeError(message)
  }
  if (types.isAsyncFunction(onError)) {
    throw new TypeError(`onError must be a plain function: nothing awaits ${inspect(onError)}`)
  }
  if (missing !== undefined && !MISSING.includes(missing)) {
    throw new RangeError(`missing must be "keep", "skip" or "error", not ${inspect(missing)}`)
  }
  return onError as OnError<B>
}

/**
 * The results of a batch, by strategy. `missing` applies to all rows, or is one for each. `offset` is
 * the position of its first row.
 */
export function settled<B extends object>(
  batch: Batch<B, Late>,
  onError: OnError<B>,
  missing: Missing | readonly Missing[],
  offset = 0,
): Results<B> {
  const { codes } = batch
  const { length } = codes
  let all = true
  for (let row = 0; row < length && all; row++) all = codes[row] === 0
  const collected = new Map<number, SpikewireError>()
  if (all) return new Results(batch, undefined, collected, offset)
  const rows: number[] = []
  const late = new Set(batch.late)
  let keys: Key[] | undefined
  for (let row = 0; row < length; row++) {
    const code = codes[row] as number
    if (code === 0 || late.has(row)) {
      rows.push(row)
      continue
    }
    let error = batch.errors.get(row)
    if (error === undefined) {
      const treated = typeof missing === 'string' ? missing : missing[row]
      if (treated !== 'error') {
        if (treated === 'keep') rows.push(row)
        continue
      }
    }
    keys ??= batch.keys
    const key = keys[row] as Key
    error ??= absent(code, key)
    if (onError === 'raise') throw error
    if (onError === 'collect') {
      rows.push(row)
      collected.set(row, error)
    } else if (typeof onError === 'function') {
      onError(new Result<B>(offset + row, key, null, error))
    }
  }
  return new Results(batch, rows, collected, offset)
}
