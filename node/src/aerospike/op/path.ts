/**
 * Path operations, on many elements of nested lists and maps at once: `op.path`.
 *
 * ```ts
 * import { ctx, op } from 'spikewire'
 *
 * // the titles of all books that cost less than 10
 * op.path.select('books', [ctx.allChildren('@.price < 10'), ctx.mapKey('title')])
 * op.path.modify('books', [ctx.allChildren(), ctx.mapKey('price')], '@ * 1.1')
 * op.path.remove('books', [ctx.allChildren('not @.inPrint')])
 * ```
 *
 * A path is an array of 1 to 64 steps from `ctx`, from the bin inward, of which each names one
 * element, several, or all. Steps that lead nowhere name no element; those that create something
 * are refused. A step into a list where there is a map, or the reverse, fails with a `ServerError`
 * (code 4), and so does a filter whose value is unknown for an element. A bin that is neither list
 * nor map fails with `BinTypeError`, and an element whose new value is unknown with a `ServerError`
 * (code 1); nothing is changed then. `noFail` skips such elements, but steps into the wrong
 * container fail nevertheless. Changed lists and maps keep their order.
 *
 * For servers from 8.1.1.
 */

import type { Path } from '../operation/ctx.js'
import type { Where } from '../operation/expression.js'
import { along, type Operation } from '../operation/operation.js'
import type { PathOptions, SelectOptions } from '../operation/path-options.js'

export type { PathOptions, SelectOptions } from '../operation/path-options.js'

/** Returns the elements at the end of a path; an empty list if there are none. */
export function select(bin: string, path: Path, options?: SelectOptions): Operation {
  const known = { returning: 'value', noFail: false }
  return along('select', bin, path, undefined, known, options)
}

/**
 * Replaces each element at the end of a path by the value of an expression; returns nothing. In a
 * text the element is `@`, its key `@key`, its index `@index`.
 */
export function modify(
  bin: string,
  path: Path,
  value: Where<never>,
  options?: PathOptions,
): Operation {
  return along('modify', bin, path, value, { noFail: false }, options)
}

/** Removes the elements at the end of a path; returns nothing. */
export function remove(bin: string, path: Path, options?: PathOptions): Operation {
  return along('remove', bin, path, undefined, { noFail: false }, options)
}
