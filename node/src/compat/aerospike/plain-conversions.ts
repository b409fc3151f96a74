/** Operations on whole bins, on the record, with expressions and by path, for the engine. */

import { Double } from '../../aerospike/model/values.js'
import * as op from '../../aerospike/op/index.js'
import * as path from '../../aerospike/op/path.js'
import type { Path } from '../../aerospike/operation/ctx.js'
import type { Amount } from '../../aerospike/operation/types.js'
import type { PathReturn } from '../../aerospike/operation/words.js'
import { toNativeContext } from './cdt.js'
import { type AerospikeExp, isRemoval, toNativeExpression } from './expression.js'
import { ArgumentFailure, INVALID_REQUEST } from './failures.js'
import { EXPRESSION, PATH, PATH_APPLY, PATH_NO_FAIL, PATH_RETURNS, SCALAR } from './numbers.js'
import { type Conversions, type Properties, wordOf } from './properties.js'

function amount(of: Properties): Amount {
  const value = of.value('value')
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (!isNumber && !(value instanceof Double)) throw new ArgumentFailure('not a number')
  return value
}

function joined(of: Properties): string | Uint8Array {
  const value = of.value('value')
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  throw new ArgumentFailure('only strings and Buffers can be joined')
}

function expressionOf(of: Properties, name: string): AerospikeExp | string {
  return of.textOrArray(name) as AerospikeExp | string
}

const EVAL_NO_FAIL = 16
const WRITE_FLAGS = 31

/** Flags of an operation with an expression, of which a node takes only these. */
function expressionFlags(of: Properties, known: number): number {
  const flags = of.optionalInteger('flags') ?? 0
  if (flags & ~known) throw new ArgumentFailure(`unknown flags: ${flags}`, INVALID_REQUEST)
  return flags
}

/** What is done with the elements at the end of a path, and whether those that fail are skipped. */
export function pathFlags(flags: number): { action: number; noFail: boolean } {
  return { action: flags & ~PATH_NO_FAIL, noFail: (flags & PATH_NO_FAIL) !== 0 }
}

function pathOf(of: Properties): Path {
  const steps = toNativeContext(of.object('ctx'))
  if (steps === undefined) throw new ArgumentFailure('a path must have a step')
  return steps
}

function returningOf(action: number): PathReturn {
  return wordOf('flags of a path', PATH_RETURNS, action)
}

/** By number. */
export const plainConversions: Conversions = {
  [SCALAR.WRITE]: (of) => op.put(of.bin, of.value('value')),
  [SCALAR.READ]: (of) => op.get(of.bin),
  [SCALAR.INCR]: (of) => op.add(of.bin, amount(of)),
  [SCALAR.PREPEND]: (of) => op.prepend(of.bin, joined(of)),
  [SCALAR.APPEND]: (of) => op.append(of.bin, joined(of)),
  [SCALAR.TOUCH]: () => op.touch(),
  [SCALAR.DELETE]: () => op.delete(),
  [EXPRESSION.READ]: (of) => {
    const noFail = expressionFlags(of, EVAL_NO_FAIL) !== 0
    return op.read(of.bin, toNativeExpression(expressionOf(of, 'exp')), { noFail })
  },
  [EXPRESSION.WRITE]: (of) => {
    const flags = expressionFlags(of, WRITE_FLAGS)
    const operation = op.write(of.bin, toNativeExpression(expressionOf(of, 'exp')))
    // Flags are its last byte. The engine's options combine what can be told apart here.
    operation.encoded[operation.encoded.length - 1] = flags
    return operation
  },
  [PATH.SELECT]: (of) => {
    const { action, noFail } = pathFlags(of.integer('flags'))
    return path.select(of.bin, pathOf(of), { returning: returningOf(action & ~PATH_APPLY), noFail })
  },
  [PATH.MODIFY]: (of) => {
    const { action, noFail } = pathFlags(of.integer('flags'))
    if (action & ~PATH_APPLY) throw new ArgumentFailure('unknown flags of a path', INVALID_REQUEST)
    const value = expressionOf(of, 'modExp')
    if (isRemoval(value)) return path.remove(of.bin, pathOf(of), { noFail })
    return path.modify(of.bin, pathOf(of), toNativeExpression(value), { noFail })
  },
}
