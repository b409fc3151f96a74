/**
 * Conversions: what makes the rows of a session whose values are those of another client, without
 * making values of this one first. A drop-in registers one and opens sessions with its number.
 */

import { makeShape, type Shape } from './factories.js'
import { aloneOf } from './replies.js'

/** Makes the columns of a result, and the functions that make its rows. */
export type MakeShape = (
  names: string[],
  /** As JSON: see `type_json` in `crates/spikewire-node/src/cql/value/notation.rs`. */
  types: string[],
  keyspaces: string[],
  tables: string[],
  together: number,
  wide: boolean,
) => Shape

const conversions: MakeShape[] = []

/** Registers a conversion; returns its number, for `openConverted`. */
export function addConversion(make: MakeShape): number {
  return conversions.push(make)
}

/**
 * The columns of a result, and functions that append one row, append `together` rows, and resolve a
 * call with one row alone. Called by the native part; `conversion` is 0 for the values of this package.
 */
export function shapeFor(
  names: string[],
  types: string[],
  keyspaces: string[],
  tables: string[],
  together: number,
  wide: boolean,
  conversion: number,
): unknown[] {
  const make = conversion === 0 ? makeShape : (conversions[conversion - 1] as MakeShape)
  const [columns, one, many, row] = make(names, types, keyspaces, tables, together, wide)
  return [columns, one, many, aloneOf(columns, row, names.length)]
}

/** Of a drop-in: the first components of a tuple; those that are left are not sent, not even as null. */
export class ShortTuple {
  readonly components: readonly unknown[]

  constructor(components: readonly unknown[]) {
    this.components = components
  }
}
