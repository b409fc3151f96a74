/** Predicates of queries on a secondary index. */

import { GeoJSON as NativeGeoJSON } from '../../aerospike/model/values.js'
import * as native from '../../aerospike/query/range.js'
import { type Context, toNativeContext } from './cdt.js'
import { Double } from './double.js'
import { indexDataType, indexType } from './enums.js'
import { type AerospikeExp, toNativeExpression } from './expression.js'
import { ArgumentFailure, asArgument } from './failures.js'
import { GeoJSON } from './geojson.js'
import { toNativeValue } from './values.js'

const EQUAL = 0
const RANGE = 1

/** A value that an index can be searched for. */
export type IndexedValue = string | number | Double | Buffer | object

/** A predicate; created by the functions of `filter`. */
export class SindexFilterPredicate {
  /** 0: equality, 1: a range or region. */
  predicate: number
  /** The bin's name. */
  bin: string | null | undefined
  /** One of `indexDataType`. */
  datatype: number
  /** One of `indexType`. */
  type: number
  /** The path to a nested list or map. */
  context: Context | undefined
  /** The value, or the text of a point or region. */
  val?: unknown
  /** The smallest integer of a range. */
  min?: number
  /** The largest integer of a range. */
  max?: number
  /** The name of the index, instead of a bin. */
  indexName?: string
  /** The expression of the index, instead of a bin. */
  exp?: AerospikeExp | string

  constructor(
    predicate: number,
    bin: string | null | undefined,
    dataType: number,
    type: number | undefined,
    context: Context | undefined,
    properties: object = {},
  ) {
    this.predicate = predicate
    this.bin = bin
    this.datatype = dataType
    this.type = type || indexType.DEFAULT
    this.context = context
    Object.assign(this, properties)
  }
}

function dataTypeOf(value: unknown): number {
  if (typeof value === 'string') return indexDataType.STRING
  if (typeof value === 'number' || value instanceof Double) return indexDataType.NUMERIC
  if (Buffer.isBuffer(value)) return indexDataType.BLOB
  throw new TypeError('a filter takes a string, a number or a Buffer')
}

function region(
  bin: string | null,
  value: unknown,
  type?: number,
  ctx?: Context,
): SindexFilterPredicate {
  const isText = typeof value !== 'object' || value === null
  const val = isText ? value : value instanceof GeoJSON ? value.str : JSON.stringify(value)
  return new SindexFilterPredicate(RANGE, bin, indexDataType.GEO2DSPHERE, type, ctx, { val })
}

/**
 * Integers from `min` to `max`, both included.
 *
 * @param type - One of `indexType`. Default: the bin's value.
 * @param context - The path to a nested list or map.
 */
export function range(
  bin: string | null,
  min: number,
  max: number,
  type?: number,
  context?: Context,
): SindexFilterPredicate {
  const kind = indexDataType.NUMERIC
  return new SindexFilterPredicate(RANGE, bin, kind, type, context, { min, max })
}

/** A bin with this value. */
export function equal(bin: string | null, val: IndexedValue): SindexFilterPredicate {
  return new SindexFilterPredicate(EQUAL, bin, dataTypeOf(val), undefined, undefined, { val })
}

/** A list with this element, or a map with this key or value; see `range`. */
export function contains(
  bin: string | null,
  val: IndexedValue,
  type?: number,
  context?: Context,
): SindexFilterPredicate {
  return new SindexFilterPredicate(EQUAL, bin, dataTypeOf(val), type, context, { val })
}

/** Points within a polygon or circle; see `range`. */
export function geoWithinGeoJSONRegion(
  bin: string | null,
  value: GeoJSON | object | string,
  type?: number,
  context?: Context,
): SindexFilterPredicate {
  return region(bin, value, type, context)
}

/** Polygons and circles around a point; see `range`. */
export function geoContainsGeoJSONPoint(
  bin: string | null,
  value: GeoJSON | object | string,
  type?: number,
  context?: Context,
): SindexFilterPredicate {
  return region(bin, value, type, context)
}

/** Points within a circle: its center in degrees, and its radius in metres; see `range`. */
export function geoWithinRadius(
  bin: string | null,
  lon: number,
  lat: number,
  radius: number,
  type?: number,
  context?: Context,
): SindexFilterPredicate {
  return region(bin, GeoJSON.Circle(lon, lat, radius), type, context)
}

/** Polygons and circles around a point in degrees; see `range`. */
export function geoContainsPoint(
  bin: string | null,
  lon: number,
  lat: number,
  type?: number,
  context?: Context,
): SindexFilterPredicate {
  return region(bin, GeoJSON.Point(lon, lat), type, context)
}

const OF: Record<number, native.IndexOf> = {
  [indexType.LIST]: 'list',
  [indexType.MAPKEYS]: 'mapkeys',
  [indexType.MAPVALUES]: 'mapvalues',
}

/**
 * The engine's range, as the option `index` of queries and jobs takes it.
 *
 * @throws ArgumentFailure for a filter of another type than its value
 */
export function toNativeRange(filter: SindexFilterPredicate): native.IndexRange {
  const { bin, options } = placeOf(filter)
  const of = OF[filter.type]
  const numeric = filter.datatype === indexDataType.NUMERIC
  return asArgument(() => {
    const place = of === undefined ? options : { ...options, of }
    if (filter.predicate === RANGE && !numeric) {
      if (typeof filter.val !== 'string') throw new ArgumentFailure('not a point or region')
      return native.within(bin, new NativeGeoJSON(filter.val), place)
    }
    if (filter.predicate === RANGE) {
      return native.between(bin, integer(filter.min), integer(filter.max), place)
    }
    const value = numeric ? integer(filter.val) : (filter.val as string | Buffer)
    return of === undefined
      ? native.equal(bin, value, options)
      : native.contains(bin, value, { ...options, of })
  })
}

/** A whole number; fractions are cut off. */
function integer(value: unknown): number | bigint {
  if (typeof value === 'bigint') return value
  const number = value instanceof Double ? value.Double : value
  if (typeof number !== 'number') throw new ArgumentFailure('not a number')
  return toNativeValue(Math.trunc(number)) as number | bigint
}

function placeOf(filter: SindexFilterPredicate): {
  bin: native.IndexBin
  options: native.IndexPlace
} {
  const { bin, indexName: name, exp } = filter
  if (exp !== undefined && exp !== null) return { bin: toNativeExpression(exp), options: {} }
  if (typeof name === 'string') return { bin: null, options: { name } }
  if (typeof bin !== 'string') throw new ArgumentFailure('a filter needs a bin')
  return { bin, options: { ctx: toNativeContext(filter.context) } }
}
