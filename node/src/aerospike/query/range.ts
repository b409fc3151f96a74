/**
 * The values of a secondary index that a query or a job selects.
 *
 * ```ts
 * import { index } from 'spikewire'
 *
 * users.query({ index: index.between('age', 20, 30) })
 * ```
 *
 * The index must exist. Without one, a filter does the same but visits every record: `users.query({
 * where: '$.age >= 20' })`.
 */

import { inspect } from 'node:util'
import { native } from '../model/native.js'
import type { GeoJSON } from '../model/values.js'
import type { Path } from '../operation/ctx.js'
import type { Expression } from '../operation/expression.js'
import {
  type Invocation,
  type OptionDefaults,
  sourceText,
  withDefaults,
} from '../operation/invocation.js'

/** Which part of a list or map is indexed. */
export type IndexOf = 'list' | 'mapkeys' | 'mapvalues'

/** Options that identify an index. */
export interface IndexPlace {
  /** The name of the index, instead of the bin, which must then be `null`. */
  name?: string | undefined
  /** The path to a nested list or map, as in the definition of the index. */
  ctx?: Path | undefined
}

/** Options that identify an index on a bin, a list or a map. */
export interface IndexPlaceOf extends IndexPlace {
  /** Elements of a list, or keys or values of a map, instead of the bin's value. */
  of?: IndexOf | undefined
}

/**
 * A bin's name, the expression of an index on an expression, or `null` if the index is given by
 * name.
 */
export type IndexBin = string | Expression | null

/** A selection of index values; created by the functions of `index`. */
export class IndexRange {
  /** @internal The form in which the native part takes it. */
  readonly parts: readonly unknown[]
  readonly #invocation: Invocation

  /** @internal */
  constructor(parts: readonly unknown[], invocation: Invocation) {
    native.indexRange(parts)
    this.parts = parts
    this.#invocation = invocation
  }

  /** The call that creates it, as source text. */
  toString(): string {
    return sourceText(this.#invocation)
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

function range(
  kind: string,
  known: OptionDefaults,
  bin: IndexBin,
  values: readonly unknown[],
  options: object | undefined,
): IndexRange {
  const { of, name, ctx } = withDefaults('index', kind, known, options) as IndexPlaceOf
  const [first, second] = values
  const parts = [kind, bin, first, second, of, name, ctx]
  return new IndexRange(parts, { of: 'index', kind, values: [bin, ...values], options })
}

const PLACE = { name: undefined, ctx: undefined }
const PLACE_OF = { of: undefined, ...PLACE }

/** Integers from `low` to `high`, both included. */
export function between(
  bin: IndexBin,
  low: number | bigint,
  high: number | bigint,
  options?: IndexPlaceOf,
): IndexRange {
  return range('between', PLACE_OF, bin, [low, high], options)
}

/** Exactly this value: a 64-bit integer, or a string or bytes of less than 2,048 bytes. */
export function equal(
  bin: IndexBin,
  value: number | bigint | string | Uint8Array,
  options?: IndexPlace,
): IndexRange {
  return range('equal', PLACE, bin, [value], options)
}

/** Lists with this element, or maps with this key or value; `of` is `'list'` by default. */
export function contains(
  bin: IndexBin,
  value: number | bigint | string | Uint8Array,
  options?: IndexPlaceOf,
): IndexRange {
  return range('contains', { ...PLACE_OF, of: 'list' }, bin, [value], options)
}

/** Points within this polygon or circle. */
export function within(bin: IndexBin, region: GeoJSON, options?: IndexPlaceOf): IndexRange {
  return range('within', PLACE_OF, bin, [region], options)
}

/** Polygons and circles around this point. */
export function around(bin: IndexBin, point: GeoJSON, options?: IndexPlaceOf): IndexRange {
  return range('around', PLACE_OF, bin, [point], options)
}
