/** Operations on whole bins, on the record, and by path: `operations`. */

import { Context } from './cdt.js'
import type { AerospikeExp } from './expression.js'
import { PATH, SCALAR } from './numbers.js'
import { Operation } from './operation.js'

export { Operation, remove as delete }

/** Reads a bin. */
export function read(bin: string): Operation {
  return new Operation(SCALAR.READ, bin)
}

/** Writes a bin; `null` removes it. */
export function write(bin: string, value: unknown): Operation {
  return new Operation(SCALAR.WRITE, bin, { value })
}

/** Adds to a number; a missing bin counts as 0. */
export function add(bin: string, value: unknown): Operation {
  return new Operation(SCALAR.INCR, bin, { value })
}

/** Adds to a number; a missing bin counts as 0. */
export function incr(bin: string, value: unknown): Operation {
  return new Operation(SCALAR.INCR, bin, { value })
}

/** Appends to a string or bytes; a missing bin counts as empty. */
export function append(bin: string, value: string | Buffer): Operation {
  return new Operation(SCALAR.APPEND, bin, { value })
}

/** Prepends to a string or bytes; a missing bin counts as empty. */
export function prepend(bin: string, value: string | Buffer): Operation {
  return new Operation(SCALAR.PREPEND, bin, { value })
}

/**
 * Renews the record's time to live.
 *
 * @param ttl - In seconds, or one of `ttl`. Default: the namespace's.
 */
export function touch(ttl?: number): Operation {
  return new Operation(SCALAR.TOUCH, undefined, { ttl })
}

/** Deletes the record. */
function remove(): Operation {
  return new Operation(SCALAR.DELETE)
}

function checkPath(ctx: unknown): asserts ctx is Context {
  if (!(ctx instanceof Context)) throw new TypeError('ctx must be a CDT Context')
}

/**
 * Returns the elements at the end of a path.
 *
 * @param flags - What to return: of `exp.pathSelectFlags`.
 */
export function selectByPath(bin: string, flags: number, ctx: Context): Operation {
  checkPath(ctx)
  return new Operation(PATH.SELECT, bin, { ctx, flags })
}

/**
 * Replaces each element at the end of a path with the value of an expression, or removes it
 * (`exp.removeResult()`).
 *
 * @param flags - Of `exp.pathModifyFlags`.
 */
export function modifyByPath(
  bin: string,
  modExp: AerospikeExp | string,
  flags: number,
  ctx: Context,
): Operation {
  checkPath(ctx)
  return new Operation(PATH.MODIFY, bin, { modExp, ctx, flags })
}
