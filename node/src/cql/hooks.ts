/** Functions that the native part calls for Cassandra; set once, when `spikewire/cql` is loaded. */

import { types } from 'node:util'
import { mapOf, objectOf } from '../bridge/objects.js'
import { standsFor } from '../bridge/proxies.js'
import { ShortTuple, shapeFor } from './conversions.js'
import { makeFactory } from './factories.js'
import { makeError } from './failures.js'
import { native } from './native.js'
import { nameNode } from './node-names.js'
import { makePrepared } from './prepared.js'
import { done } from './replies.js'
import { makeRows } from './rows.js'
import { Decimal, Duration, EMPTY, Time, UNSET } from './values.js'

/** Kinds of values; the numbers must match `crates/spikewire-node/src/cql/value/mod.rs`. */
const SORT = {
  other: 0,
  map: 1,
  set: 2,
  decimal: 3,
  duration: 4,
  time: 5,
  unset: 6,
  empty: 7,
  proxy: 8,
  shortTuple: 9,
} as const

function classify(value: unknown): number {
  if (value === UNSET) return SORT.unset
  if (value === EMPTY) return SORT.empty
  if (types.isMap(value)) return SORT.map
  if (types.isSet(value)) return SORT.set
  if (value instanceof Decimal) return SORT.decimal
  if (value instanceof Duration) return SORT.duration
  if (value instanceof Time) return SORT.time
  if (value instanceof ShortTuple) return SORT.shortTuple
  return types.isProxy(value) ? SORT.proxy : SORT.other
}

function unwrap(value: unknown): unknown {
  if (value instanceof Decimal) return [value.unscaled, value.scale]
  if (value instanceof Duration) return [value.months, value.days, value.nanoseconds]
  if (value instanceof Time) return value.nanoseconds
  if (value instanceof ShortTuple) return value.components
  if (types.isSet(value)) return [...value]
  if (types.isProxy(value)) return standsFor(value as object)
  return [...(value as Map<unknown, unknown>)].flat(1)
}

function wrap(sort: number, content: unknown): unknown {
  switch (sort) {
    case SORT.empty:
      return EMPTY
    case SORT.time:
      return new Time(content as bigint)
    case SORT.set:
      return new Set(content as unknown[])
    case SORT.decimal:
      return new Decimal(...(content as [bigint, number]))
    case SORT.duration:
      return new Duration(...(content as [number, number, bigint]))
    case SORT.map:
      return mapOf(content as unknown[])
    default:
      return objectOf(content as unknown[])
  }
}

native.cqlSetup(
  makeError,
  shapeFor,
  makeFactory,
  makeRows,
  makePrepared,
  classify,
  unwrap,
  wrap,
  nameNode,
  done,
)
