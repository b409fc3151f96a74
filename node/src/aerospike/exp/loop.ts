/**
 * Loop variables, the element that a path is at: `exp.loop`.
 *
 * ```ts
 * import { ctx, exp, op } from 'spikewire'
 *
 * op.path.select('scores', [ctx.allChildren(exp.loop.value('int').gt(10))])
 * ```
 *
 * They have a value in filters of `ctx.allChildren` and `ctx.andWhere`, and in the new value of
 * `op.path.modify` and `exp.path.modify`; anywhere else they are refused. A filter inside another
 * one is about the elements of its own path. A variable of another type is unknown.
 */

import { type Expression, type Kind, makeExpression } from '../operation/expression.js'

/** The value of the element; `kind` is its type, needed if its use does not imply it. */
export function value(): Expression
export function value<K extends Kind>(kind: K): Expression<K>
export function value(kind?: Kind): Expression {
  return makeExpression('loop', 'value', kind)
}

/** The key of the element, in a map. */
export function key(): Expression<'int' | 'string' | 'blob'>
export function key<K extends 'int' | 'string' | 'blob'>(kind: K): Expression<K>
export function key(kind?: Kind): Expression<never> {
  return makeExpression('loop', 'key', kind)
}

/** The index of the element, in a list. */
export function index(): Expression<'int'> {
  return makeExpression('loop', 'index', undefined)
}
