/** Types of the arguments of operations. */

import type { BinValue, Double, Marker } from '../model/values.js'

export type { BinValue, HyperLogLog } from '../model/values.js'

/** Bytes. A `Buffer` is a `Uint8Array`. */
export type Bytes = Uint8Array | ArrayBuffer

/** A key of a map: a string, an integer, a 64-bit bigint, or bytes. */
export type MapKey = string | number | bigint | Bytes

/** A signed 64-bit integer. */
export type Integer = number | bigint

/** An amount to add to a number. */
export type Amount = number | bigint | Double

/** Several values. */
export type Values = readonly BinValue[]

/** Entries of a map. */
export type Entries = { readonly [key: string]: BinValue } | ReadonlyMap<MapKey, BinValue>

/** A value to search for, or `op.WILDCARD` or `op.INFINITY`. */
export type Sought = BinValue | Marker | readonly Sought[]
