/** Rows of a batch that mixes reads, writes, deletes and calls of functions: what `batch` takes. */

import { atRow, kindOf } from './gather.js'
import type { Key, UserKey } from './key.js'
import type { Operation } from './operation.js'
import { checked, type ReadOptions, type WriteOptions } from './options.js'
import type { Bins } from './record.js'
import { shapeOf } from './shapes.js'
import type { BinValue } from './values.js'

/** What a `Read` takes. */
export interface ReadRowOptions extends Pick<ReadOptions, 'where' | 'readTouch' | 'readMode'> {
  /** The bins to read: all of them when left out, and none (only generation and TTL) when empty. */
  bins?: readonly string[] | undefined
  /** Operations from `op` that only read, instead of `bins`. */
  ops?: readonly Operation[] | undefined
}

/** What a `Write` takes. */
export type WriteRowOptions = Pick<
  WriteOptions,
  'ttl' | 'generation' | 'exists' | 'durable' | 'sendKey' | 'where'
>

/** What a `Delete` takes. */
export type DeleteRowOptions = Pick<WriteOptions, 'generation' | 'durable' | 'sendKey' | 'where'>

/** What an `Apply` takes. */
export type ApplyRowOptions = Pick<WriteOptions, 'ttl' | 'durable' | 'sendKey' | 'where'>

const READ_ROW = ['bins', 'ops', 'where', 'readTouch', 'readMode']
const WRITE_ROW = ['ttl', 'generation', 'exists', 'durable', 'sendKey', 'where']
const DELETE_ROW = ['generation', 'durable', 'sendKey', 'where']
const APPLY_ROW = ['ttl', 'durable', 'sendKey', 'where']

/** Sorts of rows; `crates/spikewire-node/src/many/mixed.rs` has the same numbers. */
const READ = 0
const WRITE = 1
const OPERATE = 2
const DELETE = 3
const APPLY = 4

/**
 * A row of `batch`: a `Read`, a `Write`, a `Delete` or an `Apply`. It keeps what it was given; `batch`
 * checks that and says which row it was.
 */
export abstract class Row {
  /** The record's key. */
  readonly key: UserKey | Key

  /** @internal */
  constructor(key: UserKey | Key) {
    this.key = key
  }

  /** @internal What the native part is given: sort, options, and what is the row's own. */
  abstract encoded(): [number, unknown, unknown, unknown, unknown]
}

function kept<T extends object>(options: T | undefined, known: readonly string[]): Readonly<T> {
  checked(options, known)
  return Object.freeze({ ...(options as T) })
}

/** Reads a record in a batch: all bins, the ones that are named, or what operations give. */
export class Read extends Row {
  /** What it was given. */
  readonly options: Readonly<ReadRowOptions>

  /** @throws TypeError for an option that there is not */
  constructor(key: UserKey | Key, options?: ReadRowOptions) {
    super(key)
    this.options = kept(options, READ_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(): [number, unknown, unknown, unknown, unknown] {
    const { bins, ops } = this.options
    return [READ, checked(this.options, READ_ROW), bins, ops, undefined]
  }
}

/** Writes a record in a batch: bins, or operations of which at least one writes. */
export class Write<B extends object = Bins> extends Row {
  /** Bins by name, or operations from `op`. */
  readonly what: Partial<B> | readonly Operation[]
  /** Its rules. */
  readonly options: Readonly<WriteRowOptions>

  /** @throws TypeError for an option that there is not */
  constructor(
    key: UserKey | Key,
    what: Partial<B> | readonly Operation[],
    options?: WriteRowOptions,
  ) {
    super(key)
    this.what = what
    this.options = kept(options, WRITE_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(): [number, unknown, unknown, unknown, unknown] {
    const options = checked(this.options, WRITE_ROW)
    if (Array.isArray(this.what)) return [OPERATE, options, this.what, undefined, undefined]
    const values: unknown[] = []
    return [WRITE, options, shapeOf(this.what, values), values, undefined]
  }
}

/** Deletes a record in a batch. */
export class Delete extends Row {
  /** Its rules. */
  readonly options: Readonly<DeleteRowOptions>

  /** @throws TypeError for an option that there is not */
  constructor(key: UserKey | Key, options?: DeleteRowOptions) {
    super(key)
    this.options = kept(options, DELETE_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(): [number, unknown, unknown, unknown, unknown] {
    return [DELETE, checked(this.options, DELETE_ROW), undefined, undefined, undefined]
  }
}

/**
 * Calls a function of a registered module on a record in a batch. Its row's `results` hold what the
 * function returned.
 */
export class Apply extends Row {
  /** The module's name, without its ending. */
  readonly module: string
  /** The function's name. */
  readonly name: string
  /** What it is called with. */
  readonly args: readonly BinValue[] | undefined
  /** Its rules. */
  readonly options: Readonly<ApplyRowOptions>

  /** @throws TypeError for an option that there is not */
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
    this.options = kept(options, APPLY_ROW)
    Object.freeze(this)
  }

  /** @internal */
  encoded(): [number, unknown, unknown, unknown, unknown] {
    return [APPLY, checked(this.options, APPLY_ROW), this.module, this.name, this.args]
  }
}

/** @internal Rows as the native part is given them, one behind the other. */
export function encodedRows(rows: readonly unknown[]): unknown[] {
  const flat: unknown[] = []
  rows.forEach((row, at) => {
    try {
      if (!(row instanceof Row)) {
        throw new TypeError(`a row must be a Read, Write, Delete or Apply, not ${kindOf(row)}`)
      }
      flat.push(...row.encoded())
    } catch (error) {
      throw atRow(at, error)
    }
  })
  return flat
}
