/** What operations take. */

import type { BinValue, Double, Marker } from '../values.js'

export type { BinValue, HyperLogLog } from '../values.js'

/** Bytes. A `Buffer` is a `Uint8Array`. */
export type Bytes = Uint8Array | ArrayBuffer

/** A key of a map: a string, a whole number, a bigint of 64 bits, or bytes. */
export type MapKey = string | number | bigint | Bytes

/** An integer of 64 bits, signed. */
export type Integer = number | bigint

/** What is added to a number. */
export type Amount = number | bigint | Double

/** Several values. */
export type Values = readonly BinValue[]

/** Entries of a map. */
export type Entries = { readonly [key: string]: BinValue } | ReadonlyMap<MapKey, BinValue>

/** What operations search for: a value, or `op.WILDCARD` or `op.INFINITY`. */
export type Sought = BinValue | Marker | readonly Sought[]
