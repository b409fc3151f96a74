/** Constants, bins and metadata in expressions. */

import {
  Double as NativeDouble,
  GeoJSON as NativeGeoJSON,
} from '../../../aerospike/model/values.js'
import type { Kind, Operand } from '../../../aerospike/operation/expression.js'
import { Double } from '../double.js'
import {
  type AerospikeExp,
  ExpressionPart,
  engineExpression,
  expression,
  marker,
} from '../expression.js'
import { ArgumentFailure } from '../failures.js'
import type { GeoJSON } from '../geojson.js'
import { OPERATOR } from '../numbers.js'
import { toNativeValue } from '../values.js'

/** A constant of one JavaScript type. */
function constant<T>(
  op: number,
  name: string,
  isValid: (value: unknown) => boolean,
  convert: (value: T) => unknown = (value) => value,
): (value: T) => AerospikeExp {
  return (value) => {
    const part = new ExpressionPart(op, () => {
      if (!isValid(value)) throw new ArgumentFailure(`not a constant of this type: ${typeof value}`)
      return convert(value) as Operand
    })
    part[name] = value
    return [part]
  }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'
const isDouble = (value: unknown): boolean => typeof value === 'number' || value instanceof Double
const whole = (value: number | bigint): unknown =>
  typeof value === 'bigint' ? value : toNativeValue(Math.trunc(value))

/** `true` or `false`. */
export const bool = constant<boolean>(
  OPERATOR.BOOL,
  'boolVal',
  (value) => typeof value === 'boolean',
)
/** An integer; fractions are cut off. */
export const int = constant<number | bigint>(OPERATOR.INT, 'intVal', isNumber, whole)
/** An integer that is not negative. */
export const uint = constant<number | bigint>(OPERATOR.UINT, 'uintVal', isNumber, whole)
/** A float. */
export const float = constant<number | Double>(
  OPERATOR.FLOAT,
  'floatVal',
  isDouble,
  (value) => new NativeDouble(typeof value === 'number' ? value : value.Double),
)
/** A string. */
export const str = constant<string>(OPERATOR.STR, 'strVal', (value) => typeof value === 'string')
/** A point or region. */
export const geo = constant<GeoJSON | string | object>(
  OPERATOR.GEO_VALUE,
  'value',
  (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
  (value) => new NativeGeoJSON('str' in Object(value) ? (value as GeoJSON).str : value),
)

/** Bytes. The size follows from the Buffer. */
export function bytes(value: Buffer, _size?: number): AerospikeExp {
  return constant<Buffer>(OPERATOR.BYTES, 'bytesVal', (each) => each instanceof Uint8Array)(value)
}

/** A constant of any type. */
function any(value: unknown): AerospikeExp {
  return expression(OPERATOR.VALUE, () => {
    if (value === undefined) throw new ArgumentFailure('a constant must not be undefined')
    return toNativeValue(value) as Operand
  })
}

/** A list. */
export function list(value: unknown[]): AerospikeExp {
  return any(value)
}

/** A map. */
export function map(value: object): AerospikeExp {
  return any(value)
}

/** `null`. */
export function nil(): AerospikeExp {
  return any(null)
}

/** Greater than every value, as the bound of a range. */
export function inf(): AerospikeExp {
  return marker(OPERATOR.VALUE, 'inf')
}

/** Equal to every value. */
export function wildcard(): AerospikeExp {
  return marker(OPERATOR.VALUE, 'wildcard')
}

/** A value that is never known. */
export function unknown(): AerospikeExp {
  return expression(OPERATOR.UNKNOWN, () => engineExpression('unknown'))
}

function key(kind: Kind): () => AerospikeExp {
  return () => expression(OPERATOR.KEY, () => engineExpression('key', kind))
}

/** The user key, if an integer is stored with the record. */
export const keyInt = key('int')
/** The user key, if a string is stored with the record. */
export const keyStr = key('string')
/** The user key, if bytes are stored with the record. */
export const keyBlob = key('blob')

function bin(kind: Kind): (binName: string) => AerospikeExp {
  return (binName) =>
    expression(OPERATOR.BIN, () => engineExpression('bin', checkedName(binName), kind))
}

function checkedName(binName: unknown): unknown {
  if (typeof binName === 'string') return binName
  throw new ArgumentFailure("a bin's name must be a string")
}

/** A bin with a boolean. */
export const binBool = bin('bool')
/** A bin with an integer. */
export const binInt = bin('int')
/** A bin with a float. */
export const binFloat = bin('float')
/** A bin with a string. */
export const binStr = bin('string')
/** A bin with bytes. */
export const binBlob = bin('blob')
/** A bin with a point or region. */
export const binGeo = bin('geo')
/** A bin with a list. */
export const binList = bin('list')
/** A bin with a map. */
export const binMap = bin('map')
/** A bin with a sketch. */
export const binHll = bin('hll')

/** The number of the type of a bin's value. */
export function binType(binName: string): AerospikeExp {
  return expression(OPERATOR.BIN_TYPE, () => engineExpression('binType', checkedName(binName)))
}

/** Whether the record has a bin. */
export function binExists(binName: string): AerospikeExp {
  const make = (): Operand =>
    engineExpression('join', '!=', engineExpression('binType', checkedName(binName)), 0)
  return expression(OPERATOR.NE, make)
}

function meta(op: number, name: string): () => AerospikeExp {
  return () => expression(op, () => engineExpression('meta', name))
}

/** Whether the user key is stored with the record. */
export const keyExist = meta(OPERATOR.KEY_EXIST, 'keyExists')
/** The name of the record's set. */
export const setName = meta(OPERATOR.SET_NAME, 'setName')
/** The size of the record on a device, in bytes. */
export const deviceSize = meta(OPERATOR.DEVICE_SIZE, 'deviceSize')
/** When the record was last written, in ns since 1970. */
export const lastUpdate = meta(OPERATOR.LAST_UPDATE, 'lastUpdate')
/** Milliseconds since the record was last written. */
export const sinceUpdate = meta(OPERATOR.SINCE_UPDATE, 'sinceUpdate')
/** When the record expires, in ns since 1970; -1 for never. */
export const voidTime = meta(OPERATOR.VOID_TIME, 'voidTime')
/** Seconds until the record expires; -1 for never. */
export const ttl = meta(OPERATOR.TTL, 'ttl')
/** Whether the record is a tombstone. */
export const isTombstone = meta(OPERATOR.IS_TOMBSTONE, 'isTombstone')
/** The size of the record in memory, in bytes. */
export const memorySize = meta(OPERATOR.MEMORY_SIZE, 'memorySize')
/** The size of the record, in bytes. */
export const recordSize = meta(OPERATOR.RECORD_SIZE, 'recordSize')
