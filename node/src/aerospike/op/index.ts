/**
 * Operations for `operate`: several steps on one record, applied in order and atomically.
 *
 * ```ts
 * import { op } from 'spikewire'
 *
 * const record = await users.operate('alice', [op.add('visits', 1), op.get('visits')])
 * record.results // [null, 1]: one result per operation
 * ```
 *
 * This module has the operations on whole bins; `op.list`, `op.map`, `op.bit`, `op.hll` and
 * `op.string` and `op.path` are
 * separate modules. Each function validates and encodes its arguments immediately, so an operation
 * can be kept and reused; an invalid argument throws a `TypeError` or `RangeError` that names the
 * bin.
 *
 * If several operations name the same bin, `record.results` has the result of each of them, and
 * `record.bins` the last one that is not `null`.
 */

import type { Where } from '../operation/expression.js'
import { computing, type Operation, plain } from '../operation/operation.js'
import type { Amount, BinValue, Bytes } from '../operation/types.js'

export { INFINITY, type Marker, WILDCARD } from '../model/values.js'
export type { Amount, Entries, Integer, Sought, Values } from '../operation/types.js'
export type * from '../operation/words.js'
export * as bit from './bit.js'
export * as hll from './hll.js'
export * as list from './list.js'
export * as map from './map.js'
export * as path from './path.js'
export * as string from './string.js'
export { remove as delete }

/**
 * Reads a bin, or all bins. Reading all bins cannot be mixed with operations that return results.
 */
export function get(bin?: string): Operation {
  return bin === undefined ? plain('get') : plain('get', bin)
}

/** Writes a bin; `null` removes it. */
export function put(bin: string, value: BinValue): Operation {
  return plain('put', bin, value)
}

/** Adds to a number; a missing bin counts as 0. Integers wrap at 64 bits on the server. */
export function add(bin: string, value: Amount): Operation {
  return plain('add', bin, value)
}

/** Appends to text or bytes; a missing bin counts as empty. */
export function append(bin: string, value: string | Bytes): Operation {
  return plain('append', bin, value)
}

/** Prepends to text or bytes; a missing bin counts as empty. */
export function prepend(bin: string, value: string | Bytes): Operation {
  return plain('prepend', bin, value)
}

/** Renews the record's time to live; fails with `RecordNotFound` if the record is missing. */
export function touch(): Operation {
  return plain('touch')
}

/** Deletes the record; subsequent writes start from an empty one. */
function remove(): Operation {
  return plain('delete')
}

/** The options of `read`. */
export interface ReadOptions {
  /**
   * Returns `null` if the value is unknown, for example because a bin is missing, instead of
   * failing with `OpNotApplicable`. Default: `false`.
   */
  noFail?: boolean | undefined
}

/**
 * Reads the value of an expression, as if it were a bin of this name.
 *
 * @param expression - Made by `exp`, a text, or an array of a text and its parameters.
 */
export function read(name: string, expression: Where<never>, options?: ReadOptions): Operation {
  return computing('read', name, expression, { noFail: false }, options)
}

/** The options of `write`. */
export interface WriteOptions {
  /** Fails with `BinExists` if the bin exists. Default: `false`. */
  createOnly?: boolean | undefined
  /** Fails with `BinNotFound` if the bin does not exist. Default: `false`. */
  updateOnly?: boolean | undefined
  /** `null` removes the bin instead of failing. Default: `false`. */
  allowDelete?: boolean | undefined
  /** Does nothing instead of failing, also if the value is unknown. Default: `false`. */
  noFail?: boolean | undefined
}

/**
 * Writes the value of an expression into a bin.
 *
 * @param expression - Made by `exp`, a text, or an array of a text and its parameters.
 */
export function write(bin: string, expression: Where<never>, options?: WriteOptions): Operation {
  const known = { createOnly: false, updateOnly: false, allowDelete: false, noFail: false }
  return computing('write', bin, expression, known, options)
}
