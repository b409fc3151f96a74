/** Values as programs write them, as values of the engine. */

import {
  type BinValue,
  Marker,
  Double as NativeDouble,
  GeoJSON as NativeGeoJSON,
  HyperLogLog as NativeHyperLogLog,
  OrderedMap,
} from '../../aerospike/model/values.js'
import { Double } from './double.js'
import { ArgumentFailure } from './failures.js'
import { GeoJSON } from './geojson.js'
import { HyperLogLog } from './hyperloglog.js'

const LEAST = -(2n ** 63n)
const BEYOND = 2n ** 63n

/**
 * The engine's value. `undefined` becomes `null`, and an object of any class becomes a map of its own
 * enumerable properties.
 *
 * @throws ArgumentFailure for a bigint that does not fit into 64 bits, and for a symbol
 */
export function toNativeValue(value: unknown): BinValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return toNativeNumber(value)
    case 'undefined':
      return null
    case 'bigint':
      if (value < LEAST || value >= BEYOND) {
        throw new ArgumentFailure(`${value} does not fit into 64 bits`)
      }
      return value
    case 'object':
    case 'function':
      return value === null ? null : toNativeObject(value)
    default:
      throw new ArgumentFailure(`a ${typeof value} is not a value`)
  }
}

/** A whole number is an integer if it fits into 64 bits, as in the other client; else a float. */
function toNativeNumber(value: number): BinValue {
  if (value === 0) return 0
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value
  return Math.abs(value) < 2 ** 63 ? BigInt(value) : new NativeDouble(value)
}

function toNativeObject(value: object): BinValue {
  if (Array.isArray(value)) return Array.from(value, toNativeValue)
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
  if (value instanceof Map) {
    const entries: BinValue[] = []
    for (const [key, each] of value) entries.push(toNativeValue(key), toNativeValue(each))
    return orderedMap(entries)
  }
  if (value instanceof Double) return new NativeDouble(value.Double)
  if (value instanceof GeoJSON) return new NativeGeoJSON(value.str)
  if (value instanceof HyperLogLog) return new NativeHyperLogLog(value.buffer)
  if (isNative(value)) return value as BinValue
  const entries: BinValue[] = []
  for (const key of Object.keys(value)) {
    entries.push(key, toNativeValue((value as { [key: string]: unknown })[key]))
  }
  return orderedMap(entries)
}

/** Maps are ordered by their keys, as in the other client. */
function orderedMap(entries: readonly BinValue[]): BinValue {
  return new OrderedMap(entries) as unknown as BinValue
}

function isNative(value: object): boolean {
  return (
    value instanceof NativeDouble ||
    value instanceof NativeGeoJSON ||
    value instanceof NativeHyperLogLog ||
    value instanceof Marker
  )
}
