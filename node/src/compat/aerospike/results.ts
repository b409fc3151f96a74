/** Values as the engine returns them, as programs expect them. */

import {
  GeoJSON as NativeGeoJSON,
  HyperLogLog as NativeHyperLogLog,
} from '../../aerospike/model/values.js'
import { HyperLogLog } from './hyperloglog.js'
import type { AerospikeBins } from './types.js'

let wrapsSketches = false

/**
 * Whether sketches are returned as `HyperLogLog` rather than as a Buffer.
 *
 * @throws TypeError for anything but true and false
 */
export function wrapHLL(enable: boolean): void {
  if (typeof enable !== 'boolean') {
    throw new TypeError('wrapHLL requires exactly one boolean argument')
  }
  wrapsSketches = enable
}

/** The bins of a record; they are changed in place. */
export function binsOf(bins: object): AerospikeBins {
  for (const name in bins) {
    const value = (bins as AerospikeBins)[name]
    if (typeof value === 'object' && value !== null) {
      ;(bins as AerospikeBins)[name] = converted(value)
    }
  }
  return bins as AerospikeBins
}

/** A value; lists and maps are changed in place. */
export function programValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? converted(value) : value
}

function converted(value: object): unknown {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item = value[at]
      if (typeof item === 'object' && item !== null) value[at] = converted(item)
    }
    return value
  }
  if (value instanceof Uint8Array) return value
  if (value instanceof Map) return objectOf(value)
  if (value instanceof NativeGeoJSON) return value.text
  if (value instanceof NativeHyperLogLog) {
    return wrapsSketches ? new HyperLogLog(value.bytes) : value.bytes
  }
  return binsOf(value)
}

/** A map with keys of other types than strings; its keys become strings. */
function objectOf(map: ReadonlyMap<unknown, unknown>): object {
  const object: { [key: string]: unknown } = {}
  for (const [key, value] of map) {
    Object.defineProperty(object, String(key), {
      value: programValue(value),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return object
}
