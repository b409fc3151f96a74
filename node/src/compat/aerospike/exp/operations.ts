/** Operations with expressions: `exp.operations`. */

import type { AerospikeExp } from '../expression.js'
import { EXPRESSION } from '../numbers.js'
import { Operation } from '../operation.js'

/** An operation that reads or writes the value of an expression. */
export class ExpOperation extends Operation {
  constructor(
    op: number,
    bin: string,
    exp: AerospikeExp | string,
    flags?: number,
    properties?: object,
  ) {
    super(op, bin, { exp, flags, ...properties })
  }
}

/** Reads the value of an expression, as if it were a bin; `flags` are of `exp.expReadFlags`. */
export function read(bin: string, exp: AerospikeExp | string, flags?: number): ExpOperation {
  return new ExpOperation(EXPRESSION.READ, bin, exp, flags)
}

/** Writes the value of an expression into a bin; `flags` are of `exp.expWriteFlags`. */
export function write(bin: string, exp: AerospikeExp | string, flags?: number): ExpOperation {
  return new ExpOperation(EXPRESSION.WRITE, bin, exp, flags)
}
