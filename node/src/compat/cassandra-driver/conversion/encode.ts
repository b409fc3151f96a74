/** Makes parameters of the native session of values of the other driver. */

import { inspect } from 'node:util'
import { ShortTuple } from '../../../cql/conversions.js'
import * as native from '../../../cql/values.js'
import { BigDecimal } from '../types/big-decimal.js'
import { unset } from '../types/constants.js'
import { Duration } from '../types/duration.js'
import { InetAddress } from '../types/inet-address.js'
import { Integer } from '../types/integer.js'
import { LocalDate } from '../types/local-date.js'
import { LocalTime } from '../types/local-time.js'
import { Long, type LongLike } from '../types/long.js'
import { Uuid } from '../types/uuid.js'
import { Vector } from '../types/vector.js'
import { valueOfBytes } from './bytes.js'
import { textOfLocalDate } from './days.js'
import type { Encoding } from './decode.js'
import type { NativeType } from './type-info.js'

/** Makes a parameter of a value, which is neither null nor undefined. */
export type Encoder = (value: unknown) => unknown

/** @throws TypeError */
function wrong(expected: string, value: unknown): never {
  throw new TypeError(`${expected} was expected, got ${inspect(value)}`)
}

/** An integer of at most 32 bits. */
function int(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'bigint') return value
  const number = Number(value)
  if (Number.isNaN(number)) wrong('a number', value)
  return Math.trunc(number)
}

function isLong(value: unknown): value is Long {
  return Long.isLong(value)
}

/** The value of a `Long` of this package or of npm `long`. */
function integerOf({ low, high, unsigned }: LongLike): number | bigint {
  if (high >= -0x20_0000 && high < 0x20_0000) return high * 4_294_967_296 + (low >>> 0)
  return new Long(low, high, unsigned).toBigInt()
}

function bigint(value: unknown): unknown {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? value : Long.fromNumber(value).toBigInt()
  }
  if (isLong(value)) return integerOf(value)
  if (typeof value === 'bigint') return value
  if (typeof value === 'string') return Long.fromString(value).toBigInt()
  return wrong('a Long, a number, a bigint or text', value)
}

function varint(value: unknown): unknown {
  if (value instanceof Integer) return value.toBigInt()
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Integer.fromNumber(value).toBigInt()
  if (typeof value === 'string') return Integer.fromString(value).toBigInt()
  return wrong('an Integer, a number, a bigint or text', value)
}

function decimal(value: unknown): unknown {
  const known =
    typeof value === 'number'
      ? BigDecimal.fromNumber(value)
      : typeof value === 'string'
        ? BigDecimal.fromString(value)
        : value
  if (!(known instanceof BigDecimal)) wrong('a BigDecimal, a number or text', value)
  return new native.Decimal(known._intVal.toBigInt(), known._scale)
}

function double(value: unknown): unknown {
  if (typeof value === 'number') return value
  const number = typeof value === 'string' ? Number.parseFloat(value) : Number.NaN
  return Number.isNaN(number) ? wrong('a number, or the text of one,', value) : number
}

function text(value: unknown): unknown {
  return typeof value === 'string' ? value : wrong('text', value)
}

function blob(value: unknown): unknown {
  return value instanceof Uint8Array ? value : wrong('a Buffer', value)
}

function uuid(value: unknown): unknown {
  if (value instanceof Uuid) return value.toString()
  if (typeof value !== 'string') wrong('a Uuid or its text', value)
  try {
    return Uuid.fromString(value).toString()
  } catch (error) {
    throw new TypeError((error as Error).message)
  }
}

function inet(value: unknown): unknown {
  if (value instanceof InetAddress) return value.toString()
  if (typeof value === 'string') return InetAddress.fromString(value).toString()
  return wrong('an InetAddress, its text or its bytes', value)
}

function timestamp(value: unknown): unknown {
  const date = typeof value === 'string' ? new Date(value) : value
  if (date instanceof Date) {
    if (Number.isNaN(date.getTime())) throw new TypeError(`Invalid date: ${value}`)
    return date
  }
  return bigint(date)
}

function date(value: unknown): unknown {
  if (value instanceof LocalDate) return textOfLocalDate(value)
  try {
    if (typeof value === 'string') return textOfLocalDate(LocalDate.fromString(value))
    if (value instanceof Date) return textOfLocalDate(LocalDate.fromDate(value))
  } catch (error) {
    throw new TypeError(`not a date: ${(error as Error).message}`)
  }
  return wrong('a LocalDate, a Date or text', value)
}

function time(value: unknown): unknown {
  let known = value
  try {
    if (typeof value === 'string') known = LocalTime.fromString(value)
  } catch (error) {
    throw new TypeError(`not a time: ${(error as Error).message}`)
  }
  if (!(known instanceof LocalTime)) wrong('a LocalTime or text', value)
  return new native.Time(known.value.toNumber())
}

function duration(value: unknown): unknown {
  if (!(value instanceof Duration)) wrong('a Duration', value)
  return new native.Duration(value.months, value.days, integerOf(value.nanoseconds))
}

const SIMPLE: { readonly [type: string]: Encoder } = {
  ascii: text,
  text,
  bigint,
  counter: bigint,
  blob,
  boolean: (value) => !!value,
  date,
  decimal,
  double,
  duration,
  float: double,
  inet,
  int,
  smallint: int,
  tinyint: int,
  time,
  timestamp,
  timeuuid: uuid,
  uuid,
  varint,
}

const same: Encoder = (value) => value

/** What makes parameters of a type. */
export function encoderOf(type: NativeType, encoding: Encoding): Encoder {
  if (typeof type === 'string') {
    const encode = SIMPLE[type] ?? same
    if (encode === blob || encode === same) return encode
    return (value) => {
      if (typeof value !== 'object' || !Buffer.isBuffer(value)) return encode(value)
      const known = valueOfBytes(type, value)
      return known === native.EMPTY ? known : encode(known)
    }
  }
  switch (type[0]) {
    case 'list':
      return listOf(encoderOf(type[1], encoding), undefined)
    case 'set':
      return listOf(encoderOf(type[1], encoding), encoding.set)
    case 'map':
      return mapOf(encoderOf(type[1], encoding), encoderOf(type[2], encoding))
    case 'tuple':
      return tupleOf(type.slice(1).map((it) => encoderOf(it as NativeType, encoding)))
    case 'vector':
      return vectorOf(encoderOf(type[1], encoding), type[2])
    case 'udt':
      return udtOf(type[3].map(([name, it]) => [name, encoderOf(it, encoding)]))
    default:
      return same
  }
}

/** An element of a collection. */
function present(what: string, value: unknown): unknown {
  if (value === null || value === undefined || value === unset) {
    throw new TypeError(`${what} can't contain null or unset values`)
  }
  return value
}

// biome-ignore lint/complexity/noBannedTypes: the other driver's type
function listOf(encode: Encoder, set: Function | undefined): Encoder {
  return (value) => {
    let array = value
    if (value instanceof Set || (set !== undefined && value instanceof set)) {
      const all: unknown[] = []
      ;(value as Set<unknown>).forEach((element) => {
        all.push(element)
      })
      array = all
    }
    if (!Array.isArray(array)) wrong('an array', value)
    return array.map((element) => encode(present('A collection', element)))
  }
}

function mapOf(key: Encoder, value: Encoder): Encoder {
  return (map) => {
    if (typeof map !== 'object') wrong('an object or a map', map)
    const result = new Map<unknown, unknown>()
    const add = (content: unknown, name: unknown) => {
      result.set(key(present('A map', name)), value(present('A map', content)))
    }
    const { forEach } = map as { forEach?: (add: (value: unknown, key: unknown) => void) => void }
    if (typeof forEach === 'function' && !Object.hasOwn(map as object, 'forEach')) {
      forEach.call(map, add)
    } else {
      for (const [name, content] of Object.entries(map as object)) add(content, name)
    }
    return result
  }
}

/** A part of a tuple or a user-defined type, which may be null. */
function part(encode: Encoder | undefined, value: unknown): unknown {
  if (value === null || value === undefined || value === unset) return null
  return encode === undefined ? value : encode(value)
}

interface TupleLike {
  length: number
  get(index: number): unknown
}

function tupleOf(encoders: readonly Encoder[]): Encoder {
  return (value) => {
    const { length, get } = value as TupleLike
    if (typeof get !== 'function') wrong('a Tuple', value)
    const count = Math.min(length, encoders.length)
    const components = Array.from({ length: count }, (_, at) =>
      part(encoders[at], (value as TupleLike).get(at)),
    )
    return count < encoders.length ? new ShortTuple(components) : components
  }
}

function vectorOf(encode: Encoder, dimension: number): Encoder {
  return (value) => {
    if (!((value as object) instanceof Vector)) {
      throw new TypeError(`a Vector or a Float32Array was expected, got ${inspect(value)}`)
    }
    const elements = [...(value as Iterable<unknown>)]
    if (elements.length !== dimension) {
      const got = `got ${elements.length}`
      throw new TypeError(`a vector with ${dimension} dimensions was expected, ${got}`)
    }
    return elements.map((element) => encode(present('A vector', element)))
  }
}

function udtOf(fields: readonly [string, Encoder][]): Encoder {
  return (value) => {
    if (typeof value !== 'object') wrong('an object', value)
    const object = value as { [name: string]: unknown }
    return Object.fromEntries(fields.map(([name, encode]) => [name, part(encode, object[name])]))
  }
}
