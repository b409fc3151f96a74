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
import { type Conversions, flagsOf, type Properties, wordOf } from './properties.js'

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

const READ_FLAGS = { noFail: 16 }
const WRITE_FLAGS = { createOnly: 1, updateOnly: 2, allowDelete: 4, policyNoFail: 8, noFail: 16 }

function writeOptions(flags: number): op.WriteOptions {
  const { policyNoFail, noFail, ...options } = flagsOf(flags, WRITE_FLAGS)
  const onlyPolicy = policyNoFail && (options.createOnly || options.updateOnly)
  return { ...options, noFail: noFail || onlyPolicy }
}

/** What is done with the elements at the end of a path, and whether those that fail are skipped. */
export function pathFlags(flags: number): { action: number; noFail: boolean } {
  const action = flags & ~PATH_NO_FAIL & ~PATH_APPLY
  return { action, noFail: (flags & PATH_NO_FAIL) !== 0 }
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
    const flags = flagsOf(of.optionalInteger('flags') ?? 0, READ_FLAGS)
    return op.read(of.bin, toNativeExpression(expressionOf(of, 'exp')), flags)
  },
  [EXPRESSION.WRITE]: (of) => {
    const options = writeOptions(of.optionalInteger('flags') ?? 0)
    return op.write(of.bin, toNativeExpression(expressionOf(of, 'exp')), options)
  },
  [PATH.SELECT]: (of) => {
    const { action, noFail } = pathFlags(of.integer('flags'))
    return path.select(of.bin, pathOf(of), { returning: returningOf(action), noFail })
  },
  [PATH.MODIFY]: (of) => {
    const { action, noFail } = pathFlags(of.integer('flags'))
    if (action !== 0) throw new ArgumentFailure('unknown flags of a path', INVALID_REQUEST)
    const value = expressionOf(of, 'modExp')
    if (isRemoval(value)) return path.remove(of.bin, pathOf(of), { noFail })
    return path.modify(of.bin, pathOf(of), toNativeExpression(value), { noFail })
  },
}
