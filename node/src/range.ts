/**
 * Which values of a secondary index a query or a job asks for.
 *
 * ```ts
 * import { index } from 'spikewire'
 *
 * users.query({ index: index.between('age', 20, 30) })
 * ```
 *
 * The index has to be there; without one a filter does the same, at the cost of looking at every
 * record: `users.query({ where: '$.age >= 20' })`.
 */

import { inspect } from 'node:util'
import { type Given, type Known, shown, taken } from './calls.js'
import type { Path } from './ctx.js'
import type { Expression } from './expression.js'
import { native } from './native.js'
import type { GeoJSON } from './values.js'

/** What of a list or map is indexed. */
export type IndexOf = 'list' | 'mapkeys' | 'mapvalues'

/** Where an index is. */
export interface IndexPlace {
  /** The name of the index, instead of the bin, which is `null` then. */
  name?: string | undefined
  /** The way to a nested list or map, as the index was made with. */
  ctx?: Path | undefined
}

/** What of which bin is indexed. */
export interface IndexPlaceOf extends IndexPlace {
  /** The elements of a list, or the keys or values of a map, instead of the bin's value. */
  of?: IndexOf | undefined
}

/** A bin's name; or the expression of an index on one; or `null`, where the index has a name. */
export type IndexBin = string | Expression | null

/** What a query asks an index for; made by the functions of `index`. */
export class IndexRange {
  /** @internal As the native part reads it. */
  readonly parts: readonly unknown[]
  readonly #given: Given

  /** @internal */
  constructor(parts: readonly unknown[], given: Given) {
    native.indexRange(parts)
    this.parts = parts
    this.#given = given
  }

  /** The call that makes it. */
  toString(): string {
    return shown(this.#given)
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

function range(
  kind: string,
  known: Known,
  bin: IndexBin,
  values: readonly unknown[],
  options: object | undefined,
): IndexRange {
  const { of, name, ctx } = taken('index', kind, known, options) as IndexPlaceOf
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

/** This value: an integer of 64 bits, or a string or bytes of less than 2,048 bytes. */
export function equal(
  bin: IndexBin,
  value: number | bigint | string | Uint8Array,
  options?: IndexPlace,
): IndexRange {
  return range('equal', PLACE, bin, [value], options)
}

/** A list with this element, or a map with this key or value; `of` is `'list'` by default. */
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
