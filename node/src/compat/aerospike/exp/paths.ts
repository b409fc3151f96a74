/** Elements at the end of paths, and those that a path visits, in expressions. */

import * as path from '../../../aerospike/exp/path.js'
import type { Path } from '../../../aerospike/operation/ctx.js'
import type { Operand } from '../../../aerospike/operation/expression.js'
import { Context, toNativeContext } from '../cdt.js'
import {
  type AerospikeExp,
  engineExpression,
  expression,
  isRemoval,
  operand,
  toNativeExpression,
} from '../expression.js'
import { ArgumentFailure, INVALID_REQUEST } from '../failures.js'
import { OPERATOR, PATH_RETURNS } from '../numbers.js'
import { pathFlags } from '../plain-conversions.js'
import { wordOf } from '../properties.js'
import { KINDS, type type } from './selection.js'

/** What to return of the elements at the end of a path. Flags are added up. */
export const pathSelectFlags = {
  /** The list or map with nothing but what leads to the elements. */
  MATCHING_TREE: 0,
  VALUE: 1,
  LIST_VALUE: 1,
  MAP_VALUE: 1,
  MAP_KEY: 2,
  MAP_KEY_VALUE: 3,
  /** Leaves out elements that a filter fails on. */
  NO_FAIL: 16,
} as const
export type pathSelectFlags = (typeof pathSelectFlags)[keyof typeof pathSelectFlags]

/** How to modify the elements at the end of a path. */
export const pathModifyFlags = {
  DEFAULT: 0,
  /** Leaves elements as they are that a filter or the expression fails on. */
  NO_FAIL: 16,
} as const
export type pathModifyFlags = (typeof pathModifyFlags)[keyof typeof pathModifyFlags]

/** What a loop variable is, of the element that a path visits. */
export const loopVarPart = { KEY: 0, VALUE: 1, INDEX: 2 } as const
export type loopVarPart = (typeof loopVarPart)[keyof typeof loopVarPart]

const PARTS: { readonly [part: number]: string } = { 0: 'key', 1: 'value', 2: 'index' }

function loopVar(kind: string): (varId: number) => AerospikeExp {
  return (varId) =>
    expression(OPERATOR.LOOPVAR, () =>
      engineExpression('loop', wordOf('loop variable', PARTS, varId), kind),
    )
}

/** The element's key, value or index, a float. */
export const loopVarFloat = loopVar('float')
/** The element's key, value or index, an integer. */
export const loopVarInt = loopVar('int')
/** The element's key, value or index, a list. */
export const loopVarList = loopVar('list')
/** The element's key, value or index, a map. */
export const loopVarMap = loopVar('map')
/** The element's key, value or index, a string. */
export const loopVarStr = loopVar('string')
/** The element's key, value or index, bytes. */
export const loopVarBlob = loopVar('blob')
/** The element's key, value or index, a boolean. */
export const loopVarBool = loopVar('bool')
/** The element's key, value or index, `null`. */
export const loopVarNil = loopVar('nil')
/** The element's key, value or index, a point or region. */
export const loopVarGeoJSON = loopVar('geo')
/** The element's key, value or index, a sketch. */
export const loopVarHLL = loopVar('hll')

function checkPath(ctx: unknown): asserts ctx is Context {
  if (!(ctx instanceof Context)) throw new TypeError('a path must be a cdt.Context')
}

function stepsOf(ctx: Context): Path {
  const steps = toNativeContext(ctx)
  if (steps === undefined) throw new ArgumentFailure('a path must have a step')
  return steps
}

/** An expression by path. If its type is not what it gives, a node finds that it has no value. */
function typed(valueType: number, make: () => Operand): AerospikeExp {
  return expression(OPERATOR.CALL, () => {
    const made = make() as ReturnType<typeof toNativeExpression>
    return made.kind === KINDS[valueType] ? made : engineExpression('unknown')
  })
}

/**
 * The elements at the end of a path.
 *
 * @param valueType - The type of the result: a list or a map.
 * @param flags - What to return: of `exp.pathSelectFlags`.
 */
export function selectByPath(
  bin: AerospikeExp,
  valueType: type,
  flags: number,
  ctx: Context,
): AerospikeExp {
  checkPath(ctx)
  return typed(valueType, () => {
    const { action, noFail } = pathFlags(flags)
    const returning = wordOf('flags of a path', PATH_RETURNS, action)
    const options = { returning, noFail }
    return path.select(operand(bin) as never, stepsOf(ctx), options) as Operand
  })
}

/**
 * The list or map with each element at the end of a path replaced by the value of an expression, or
 * removed (`exp.removeResult()`).
 *
 * @param valueType - The type of the result: a list or a map.
 * @param flags - Of `exp.pathModifyFlags`.
 * @throws TypeError if `flags` is not a number
 */
export function modifyByPath(
  bin: AerospikeExp,
  valueType: type,
  modExp: AerospikeExp | string,
  flags: number,
  ctx: Context,
): AerospikeExp {
  checkPath(ctx)
  if (typeof flags !== 'number') throw new TypeError('flags must be a number')
  return typed(valueType, () => {
    const { action, noFail } = pathFlags(flags)
    if (action !== 0) throw new ArgumentFailure('unknown flags of a path', INVALID_REQUEST)
    const on = operand(bin) as never
    const steps = stepsOf(ctx)
    if (isRemoval(modExp)) return path.remove(on, steps, { noFail }) as Operand
    return path.modify(on, steps, toNativeExpression(modExp), { noFail }) as Operand
  })
}

/** Removes elements, as the expression of `modifyByPath`. It has no value. */
export function removeResult(): AerospikeExp {
  return expression(OPERATOR.REMOVE_RESULT, () => {
    throw new ArgumentFailure('exp.removeResult is not a value', INVALID_REQUEST)
  })
}

/** The same as `removeResult`. */
export const resultRemove = removeResult
