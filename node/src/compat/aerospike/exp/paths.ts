/** Elements at the end of paths, and those that a path visits, in expressions. */

import * as path from '../../../aerospike/exp/path.js'
import type { Path } from '../../../aerospike/operation/ctx.js'
import type { Operand } from '../../../aerospike/operation/expression.js'
import { Context, toNativeContext } from '../cdt.js'
import {
  type AerospikeExp,
  call,
  engineExpression,
  expression,
  isRemoval,
  operand,
  toNativeExpression,
} from '../expression.js'
import { ArgumentFailure, INVALID_REQUEST, NOT_APPLICABLE } from '../failures.js'
import { OPERATOR, PATH_APPLY, PATH_RETURNS } from '../numbers.js'
import { pathFlags } from '../plain-conversions.js'
import { wordOf } from '../properties.js'
import { KINDS, type } from './selection.js'
import { int } from './values.js'

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

function loopVar(kind: number): (varId: number) => AerospikeExp {
  return (varId) => {
    const make = (): Operand => {
      const part = wordOf('loop variable', PARTS, varId)
      if (kind !== type.NIL) return engineExpression('loop', part, KINDS[kind])
      // The engine has no name for this type.
      return engineExpression('from', Buffer.of(0x93, OPERATOR.LOOPVAR, kind, varId))
    }
    return expression(OPERATOR.LOOPVAR, make, [int(kind), int(varId)])
  }
}

/** The element's key, value or index, a float. */
export const loopVarFloat = loopVar(type.FLOAT)
/** The element's key, value or index, an integer. */
export const loopVarInt = loopVar(type.INT)
/** The element's key, value or index, a list. */
export const loopVarList = loopVar(type.LIST)
/** The element's key, value or index, a map. */
export const loopVarMap = loopVar(type.MAP)
/** The element's key, value or index, a string. */
export const loopVarStr = loopVar(type.STR)
/** The element's key, value or index, bytes. */
export const loopVarBlob = loopVar(type.BLOB)
/** The element's key, value or index, a boolean. */
export const loopVarBool = loopVar(type.BOOL)
/** The element's key, value or index, `null`. */
export const loopVarNil = loopVar(type.NIL)
/** The element's key, value or index, a point or region. */
export const loopVarGeoJSON = loopVar(type.GEOJSON)
/** The element's key, value or index, a sketch. */
export const loopVarHLL = loopVar(type.HLL)

function checkPath(ctx: unknown): asserts ctx is Context {
  if (!(ctx instanceof Context)) throw new TypeError('ctx must be a CDT Context')
}

function stepsOf(ctx: Context): Path {
  const steps = toNativeContext(ctx)
  if (steps === undefined) throw new ArgumentFailure('a path must have a step')
  return steps
}

/** An expression by path. If its type is not what it gives, a node finds that it has no value. */
function typed(
  bin: AerospikeExp,
  valueType: number,
  flags: number,
  make: () => Operand,
): AerospikeExp {
  if (typeof bin?.[Symbol.iterator] !== 'function') throw new TypeError('bin is not iterable')
  return call(() => {
    if (typeof valueType !== 'number') throw new ArgumentFailure('valueType must be a number')
    if (typeof flags !== 'number') throw new ArgumentFailure('flags must be a number')
    const result = make() as ReturnType<typeof toNativeExpression>
    return result.kind === KINDS[valueType] ? result : engineExpression('unknown')
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
  return typed(bin, valueType, flags, () => {
    const { action, noFail } = pathFlags(flags)
    const returning = wordOf('flags of a path', PATH_RETURNS, action, NOT_APPLICABLE)
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
  return typed(bin, valueType, flags, () => {
    const { action, noFail } = pathFlags(flags)
    if (action & ~PATH_APPLY) throw new ArgumentFailure('unknown flags of a path', NOT_APPLICABLE)
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
