/** Functions that the native part calls; set once, when the package is loaded. */

import { types } from 'node:util'
import { mapOf, objectOf } from '../bridge/objects.js'
import { standsFor } from '../bridge/proxies.js'
import { done, fail, postpone, settle } from '../bridge/slots.js'
import { handOver } from '../statistics/stages.js'
import { failRow, makeBatch, makeRows } from './batch/batch.js'
import { makeError } from './model/failures.js'
import { native } from './model/native.js'
import { makeFactory, makeRecord } from './model/record.js'
import { Double, GeoJSON, HyperLogLog, Marker, OrderedMap } from './model/values.js'

/** Kinds of objects; the numbers must match `crates/spikewire-node/src/aerospike/value/mod.rs`. */
const OTHER = 0
const DOUBLE = 1
const GEOJSON = 2
const HLL = 3
const MAP = 4
const MARKER = 5
const PROXY = 6
const ORDERED_MAP = 7

function classify(value: unknown): number {
  if (value instanceof Double) return DOUBLE
  if (types.isMap(value)) return MAP
  if (value instanceof OrderedMap) return ORDERED_MAP
  if (value instanceof GeoJSON) return GEOJSON
  if (value instanceof HyperLogLog) return HLL
  if (value instanceof Marker) return MARKER
  return types.isProxy(value) ? PROXY : OTHER
}

function unwrap(value: unknown): unknown {
  if (value instanceof Double) return value.value
  if (value instanceof GeoJSON) return value.text
  if (value instanceof HyperLogLog) return value.bytes
  if (value instanceof Marker) return value.kind
  if (value instanceof OrderedMap) return value.entries
  if (types.isProxy(value)) return standsFor(value as object)
  return [...(value as Map<unknown, unknown>)].flat(1)
}

function wrap(sort: number, content: unknown): unknown {
  switch (sort) {
    case DOUBLE:
      return new Double(content as number)
    case GEOJSON:
      return new GeoJSON(content as string)
    case HLL:
      return new HyperLogLog(content as Buffer)
    case MAP:
      return mapOf(content as unknown[])
    default:
      return objectOf(content as unknown[])
  }
}

native.setup(
  settle,
  fail,
  done,
  makeError,
  makeFactory,
  makeRecord,
  makeBatch,
  makeRows,
  failRow as (batch: unknown, row: number, error: unknown) => void,
  classify,
  unwrap,
  wrap,
  postpone,
  handOver,
)
