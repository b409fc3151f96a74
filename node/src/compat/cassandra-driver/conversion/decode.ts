/** Makes values of the other driver of what the native part decodes. */

import { makeFactory } from '../../../cql/factories.js'
import { BigDecimal } from '../types/big-decimal.js'
import { Duration } from '../types/duration.js'
import { inetOfText } from '../types/inet-address.js'
import { Integer } from '../types/integer.js'
import { LocalTime } from '../types/local-time.js'
import { Long } from '../types/long.js'
import { Tuple } from '../types/tuple.js'
import { timeUuidOfText, uuidOfText } from '../types/uuid.js'
import { Vector } from '../types/vector.js'
import { localDateOfText } from './days.js'
import { type NativeType, typeName } from './type-info.js'

/** How values are made: the option `encoding` of a client. */
export interface Encoding {
  // biome-ignore lint/complexity/noBannedTypes: the other driver's type
  map?: Function | undefined
  // biome-ignore lint/complexity/noBannedTypes: the other driver's type
  set?: Function | undefined
  copyBuffer?: boolean | undefined
  useUndefinedAsUnset?: boolean | undefined
  useBigIntAsLong?: boolean | undefined
  useBigIntAsVarint?: boolean | undefined
}

/** Makes a value, which is not null. */
export type Decoder = (value: never) => unknown

/** A `bigint`: a number, or a bigint beyond 2^53. */
function long(value: number | bigint): Long {
  return typeof value === 'number' ? Long.fromNumber(value) : Long.fromBigInt(value)
}

const SIMPLE: { readonly [type: string]: Decoder } = {
  bigint: long,
  counter: long,
  varint: (value: number | bigint) => Integer.fromBigInt(BigInt(value)),
  decimal: ([digits, scale]: [bigint, number]) => new BigDecimal(Integer.fromBigInt(digits), scale),
  uuid: uuidOfText,
  timeuuid: timeUuidOfText,
  inet: inetOfText,
  date: localDateOfText,
  time: (value: bigint) => new LocalTime(Long.fromBigInt(value)),
  duration: ([months, days, nanoseconds]: [number, number, bigint]) =>
    new Duration(months, days, Long.fromBigInt(nanoseconds)),
  // A bigint is a time that no Date can have.
  timestamp: (value: Date | bigint) => (typeof value === 'bigint' ? new Date(Number.NaN) : value),
}

/** What makes the values of a type; `undefined` if they are right as they come. */
export function decoderOf(type: NativeType, encoding: Encoding): Decoder | undefined {
  if (typeof type === 'string') {
    const asLong = encoding.useBigIntAsLong && (type === 'bigint' || type === 'counter')
    if (asLong || (encoding.useBigIntAsVarint && type === 'varint')) return BigInt
    return SIMPLE[type]
  }
  switch (type[0]) {
    case 'list':
      return elements(decoderOf(type[1], encoding))
    case 'set':
      return setOf(elements(decoderOf(type[1], encoding)), encoding)
    case 'map':
      return mapOf(decoderOf(type[1], encoding), decoderOf(type[2], encoding), encoding)
    case 'tuple': {
      const decoders = type.slice(1).map((it) => decoderOf(it as NativeType, encoding))
      const decode = each(decoders)
      return (values: unknown[]) => Tuple.fromArray(decode(values))
    }
    case 'vector': {
      const [subtype, decode] = [typeName(type[1]), elements(decoderOf(type[1], encoding))]
      return (values: Float32Array | unknown[]) =>
        new Vector(decode === undefined ? values : (decode(values as never) as unknown[]), subtype)
    }
    case 'udt': {
      const make = makeFactory(type[3].map(([name]) => name))
      const decode = each(type[3].map(([, it]) => decoderOf(it, encoding)))
      return (values: unknown[]) => make(...decode(values))
    }
    default:
      return undefined
  }
}

/** Converts the elements of an array, in place: it belongs to nobody else yet. */
function elements(decode: Decoder | undefined): Decoder | undefined {
  if (decode === undefined) return undefined
  return (values: unknown[]) => {
    for (let at = 0; at < values.length; at++) {
      if (values[at] !== null) values[at] = decode(values[at] as never)
    }
    return values
  }
}

/** Converts values with a decoder each, in place. */
function each(decoders: readonly (Decoder | undefined)[]): (values: unknown[]) => unknown[] {
  return (values) => {
    for (let at = 0; at < values.length; at++) {
      const decode = decoders[at]
      // Those that were not sent are undefined.
      if (decode !== undefined && values[at] !== null && values[at] !== undefined) {
        values[at] = decode(values[at] as never)
      }
    }
    return values
  }
}

function setOf(decode: Decoder | undefined, encoding: Encoding): Decoder | undefined {
  const { set } = encoding
  if (!set) return decode
  return (values: unknown[]) =>
    Reflect.construct(set, [decode === undefined ? values : decode(values as never)])
}

interface MapLike {
  set(key: unknown, value: unknown): void
}

function mapOf(key: Decoder | undefined, value: Decoder | undefined, { map }: Encoding): Decoder {
  const converted = (decode: Decoder | undefined, it: unknown) =>
    decode === undefined || it === null ? it : decode(it as never)
  return (flat: unknown[]) => {
    const result: { [key: string]: unknown } | MapLike = map ? Reflect.construct(map, []) : {}
    for (let at = 0; at < flat.length; at += 2) {
      const [name, content] = [converted(key, flat[at]), converted(value, flat[at + 1])]
      if (map) (result as MapLike).set(name, content)
      else (result as { [key: string]: unknown })[String(name)] = content
    }
    return result
  }
}
