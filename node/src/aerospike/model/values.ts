/** Aerospike values for which JavaScript has no type. */

import { inspect, types } from 'node:util'

/** A value of a bin, or inside a list or map. */
export type BinValue =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | ArrayBuffer
  | Double
  | GeoJSON
  | HyperLogLog
  | BinValue[]
  | Map<BinValue, BinValue>
  | { [key: string]: BinValue }

/**
 * A number that is stored as a float even if it is whole: `new Double(3)`. Other whole numbers are
 * stored as integers. In arithmetic it behaves like its number.
 */
export class Double {
  readonly value: number

  constructor(value: number) {
    if (typeof value !== 'number') throw new TypeError(`a Double is a number, not ${typeof value}`)
    this.value = value
  }

  valueOf(): number {
    return this.value
  }

  toJSON(): number {
    return this.value
  }

  toString(): string {
    return String(this.value)
  }

  [inspect.custom](): string {
    return `Double(${this.value})`
  }
}

/** A GeoJSON value: a point, a polygon or a circle. */
export class GeoJSON {
  /** The JSON text. */
  readonly text: string

  /** @param value - the JSON text, or the object it represents */
  constructor(value: string | object) {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      throw new TypeError(`GeoJSON must be a string or an object, not ${typeof value}`)
    }
    this.text = typeof value === 'string' ? value : JSON.stringify(value)
  }

  /** A point. */
  static point(longitude: number, latitude: number): GeoJSON {
    return new GeoJSON({ type: 'Point', coordinates: [longitude, latitude] })
  }

  /** The object that the text represents. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }

  toString(): string {
    return this.text
  }

  [inspect.custom](): string {
    return `GeoJSON(${this.text})`
  }
}

/** A HyperLogLog sketch, as produced by the operations of `op.hll`. */
export class HyperLogLog {
  /** The sketch in the server's format. */
  readonly bytes: Buffer

  constructor(bytes: Uint8Array) {
    if (!types.isUint8Array(bytes)) throw new TypeError('a HyperLogLog takes a Buffer')
    this.bytes = Buffer.from(bytes)
  }

  [inspect.custom](): string {
    return `HyperLogLog(${this.bytes.length} bytes)`
  }
}

/** @internal A map that is stored ordered by its keys. */
export class OrderedMap {
  /** Keys and values by turns. */
  readonly entries: readonly unknown[]

  constructor(entries: readonly unknown[]) {
    this.entries = entries
  }
}

/** A bound or a pattern for arguments of operations; cannot be stored. */
export class Marker {
  /** @internal */
  readonly kind: 'infinity' | 'wildcard'

  /** @internal */
  constructor(kind: 'infinity' | 'wildcard') {
    this.kind = kind
  }

  [inspect.custom](): string {
    return this.kind === 'infinity' ? 'INFINITY' : 'WILDCARD'
  }
}

/** Greater than every value, as the upper bound of a range. */
export const INFINITY = new Marker('infinity')
/** Equal to any one value; nothing that follows it in the searched value is compared. */
export const WILDCARD = new Marker('wildcard')
