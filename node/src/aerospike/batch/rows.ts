/** Rows of `batch`, which mixes reads, writes, deletes and Lua functions. */

import { type ReadOptions, toNativeOptions, type WriteOptions } from '../command/options.js'
import type { Key, UserKey } from '../model/key.js'
import type { Bins } from '../model/record.js'
import { shapeOf } from '../model/shapes.js'
import type { BinValue } from '../model/values.js'
import type { Operation } from '../operation/operation.js'
import type { Conversion } from '../typed/conversion.js'
import { atRow, kindOf } from './gather.js'

/** Options of a `Read`. */
export interface ReadRowOptions extends Pick<ReadOptions, 'where' | 'readTouch' | 'readMode'> {
  /** The bins to read. Default: all; an empty array reads none (only generation and TTL). */
  bins?: readonly string[] | undefined
  /** Read operations from `op`, instead of `bins`. */
  ops?: readonly Operation[] | undefined
}

/** Options of a `Write`. */
export type WriteRowOptions = Pick<
  WriteOptions,
  | ('ttl' | 'generation' | 'exists' | 'durable' | 'sendKey' | 'where')
  | ('commitLevel' | 'onLockingOnly')
>

/** Options of a `Delete`. */
export type DeleteRowOptions = Pick<
  WriteOptions,
  'generation' | 'durable' | 'sendKey' | 'where' | 'commitLevel' | 'onLockingOnly'
>

/** Options of an `Apply`. */
export type ApplyRowOptions = Pick<
  WriteOptions,
  'ttl' | 'durable' | 'sendKey' | 'where' | 'commitLevel' | 'onLockingOnly'
>

const READ_ROW = ['bins', 'ops', 'where', 'readTouch', 'readMode']
const COMMIT = ['commitLevel', 'onLockingOnly']
const WRITE_ROW = ['ttl', 'generation', 'exists', 'durable', 'sendKey', 'where', ...COMMIT]
const DELETE_ROW = ['generation', 'durable', 'sendKey', 'where', ...COMMIT]
const APPLY_ROW = ['ttl', 'durable', 'sendKey', 'where', ...COMMIT]

/** Kinds of rows; the numbers must match `crates/spikewire-node/src/aerospike/many/mixed.rs`. */
export const READ = 0
export const WRITE = 1
export const OPERATE = 2
export const DELETE = 3
export const APPLY = 4

/**
 * A row of `batch`: a `Read`, a `Write`, a `Delete` or an `Apply`. Its contents are validated by
 * `batch`, whose errors name the row.
 */
export abstract class Row {
  /** The record's key. */
  readonly key: UserKey | Key

  /** @internal */
  constructor(key: UserKey | Key) {
    this.key = key
  }

  /**
   * @internal The form in which the native part takes it: kind, options, and three values that
   * depend on the kind.
   */
  abstract encoded(conversion?: Conversion): [number, unknown, unknown, unknown, unknown]

  /** @internal Its operations, if it has any. */
  get operations(): readonly Operation[] | undefined {
    return undefined
  }
}

function frozenOptions<T extends object>(
  options: T | undefined,
  known: readonly string[],
): Readonly<T> {
  toNativeOptions(options, known)
  return Object.freeze({ ...(options as T) })
}

/** Reads a record in a batch: all bins, some bins, or the results of operations. */
export class Read extends Row {
  /** The options. */
  readonly options: Readonly<ReadRowOptions>

  /** @throws TypeError for an unknown option */
  constructor(key: UserKey | Key, options?: ReadRowOptions) {
    super(key)
    this.options = frozenOptions(options, READ_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(conversion?: Conversion): [number, unknown, unknown, unknown, unknown] {
    const { ops } = this.options
    let { bins } = this.options
    if (conversion !== undefined && ops === undefined) bins = conversion.selection(bins)
    return [READ, toNativeOptions(this.options, READ_ROW), bins, ops, undefined]
  }

  /** @internal */
  override get operations(): readonly Operation[] | undefined {
    return this.options.ops
  }
}

/** Writes a record in a batch: bins, or operations of which at least one writes. */
export class Write<B extends object = Bins> extends Row {
  /** Bins by name, or operations from `op`. */
  readonly what: Partial<B> | readonly Operation[]
  /** The options. */
  readonly options: Readonly<WriteRowOptions>

  /** @throws TypeError for an unknown option */
  constructor(
    key: UserKey | Key,
    what: Partial<B> | readonly Operation[],
    options?: WriteRowOptions,
  ) {
    super(key)
    this.what = what
    this.options = frozenOptions(options, WRITE_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(conversion?: Conversion): [number, unknown, unknown, unknown, unknown] {
    const options = toNativeOptions(this.options, WRITE_ROW)
    if (Array.isArray(this.what)) return [OPERATE, options, this.what, undefined, undefined]
    const values: unknown[] = []
    const { exists } = this.options
    const bins = conversion === undefined ? this.what : conversion.written(this.what, exists)
    return [WRITE, options, shapeOf(bins, values), values, undefined]
  }

  /** @internal */
  override get operations(): readonly Operation[] | undefined {
    return Array.isArray(this.what) ? this.what : undefined
  }
}

/** Deletes a record in a batch. */
export class Delete extends Row {
  /** The options. */
  readonly options: Readonly<DeleteRowOptions>

  /** @throws TypeError for an unknown option */
  constructor(key: UserKey | Key, options?: DeleteRowOptions) {
    super(key)
    this.options = frozenOptions(options, DELETE_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(): [number, unknown, unknown, unknown, unknown] {
    return [DELETE, toNativeOptions(this.options, DELETE_ROW), undefined, undefined, undefined]
  }
}

/**
 * Calls a function of a registered module on a record in a batch. The row's `results` hold the
 * return value.
 */
export class Apply extends Row {
  /** The module's name without the extension. */
  readonly module: string
  /** The function's name. */
  readonly name: string
  /** The function's arguments. */
  readonly args: readonly BinValue[] | undefined
  /** The options. */
  readonly options: Readonly<ApplyRowOptions>

  /** @throws TypeError for an unknown option */
  constructor(
    key: UserKey | Key,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyRowOptions,
  ) {
    super(key)
    this.module = module
    this.name = name
    this.args = args
    this.options = frozenOptions(options, APPLY_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(): [number, unknown, unknown, unknown, unknown] {
    return [APPLY, toNativeOptions(this.options, APPLY_ROW), this.module, this.name, this.args]
  }
}

/** @internal Rows in the form in which the native part takes them, concatenated. */
export function encodedRows(rows: readonly unknown[], conversion?: Conversion): unknown[] {
  const flat: unknown[] = []
  rows.forEach((row, at) => {
    try {
      if (!(row instanceof Row)) {
        throw new TypeError(`a row must be a Read, Write, Delete or Apply, not ${kindOf(row)}`)
      }
      flat.push(...row.encoded(conversion))
    } catch (error) {
      throw atRow(at, error)
    }
  })
  return flat
}
