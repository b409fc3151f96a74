/**
 * Paths to many elements inside expressions: `exp.path`.
 *
 * ```ts
 * import { ctx, exp } from 'spikewire'
 *
 * const books = exp.bin('books', 'list')
 * const cheap = exp.path.select(books, [ctx.allChildren('@.price < 10')])
 * exp.list.size(cheap).gt(0)
 * ```
 *
 * The first argument is a list or map: a bin, or the result of another call. Where the first step
 * of the path does not say which, the bin must. Paths and options are those of `op.path`. Functions
 * that modify return the modified list or map; nothing is written. Whatever fails makes the whole
 * expression unknown.
 */

import type { Path } from '../operation/ctx.js'
import {
  type Expression,
  type Kind,
  makeExpression,
  type Operand,
  type Where,
} from '../operation/expression.js'
import { type OptionDefaults, withDefaults } from '../operation/invocation.js'
import type { PathOptions, SelectOptions } from '../operation/path-options.js'

export type { PathOptions, SelectOptions } from '../operation/path-options.js'

function along<K extends Kind>(
  kind: string,
  on: unknown,
  path: Path,
  value: unknown,
  known: OptionDefaults,
  options: object | undefined,
): Expression<K> {
  const { returning, noFail } = withDefaults('exp.path', kind, known, options)
  return makeExpression('path', kind, on, path, returning, value, noFail)
}

/**
 * The elements at the end of a path: a list, or, with `returning: 'tree'`, a list or map like
 * `on`.
 */
export function select(
  on: Operand<'list' | 'map'>,
  path: Path,
  options: SelectOptions & { returning: 'tree' },
): Expression<'list' | 'map'>
export function select(
  on: Operand<'list' | 'map'>,
  path: Path,
  options?: SelectOptions,
): Expression<'list'>
export function select(
  on: Operand<'list' | 'map'>,
  path: Path,
  options?: SelectOptions,
): Expression<'list' | 'map'> {
  return along('select', on, path, undefined, { returning: 'value', noFail: false }, options)
}

/**
 * The list or map with each element at the end of a path replaced by the value of an expression
 * about it.
 */
export function modify(
  on: Operand<'list' | 'map'>,
  path: Path,
  value: Where<never>,
  options?: PathOptions,
): Expression<'list' | 'map'> {
  return along('modify', on, path, value, { noFail: false }, options)
}

/** The list or map without the elements at the end of a path. */
export function remove(
  on: Operand<'list' | 'map'>,
  path: Path,
  options?: PathOptions,
): Expression<'list' | 'map'> {
  return along('remove', on, path, undefined, { noFail: false }, options)
}
