/** Routing keys: the bytes of a partition key, for policies of programs. */

import { BigDecimal } from '../types/big-decimal.js'
import { InetAddress } from '../types/inet-address.js'
import { Integer } from '../types/integer.js'
import { LocalDate } from '../types/local-date.js'
import { LocalTime } from '../types/local-time.js'
import { Long } from '../types/long.js'
import { Uuid } from '../types/uuid.js'
import type { NativeType } from './type-info.js'

/** Bytes of an integer. */
function int(bits: 8 | 16 | 32) {
  return (value: unknown) => {
    const bytes = Buffer.allocUnsafe(bits / 8)
    bytes.writeIntBE(Number(value), 0, bits / 8)
    return bytes
  }
}

function long(value: unknown): Buffer {
  return Long.toBuffer(Long.fromValue(value as Long))
}

function float(value: unknown, bytes: 4 | 8): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  if (bytes === 4) buffer.writeFloatBE(Number(value))
  else buffer.writeDoubleBE(Number(value))
  return buffer
}

function date(value: unknown): LocalDate {
  if (value instanceof Date) return LocalDate.fromDate(value)
  return typeof value === 'string' ? LocalDate.fromString(value) : (value as LocalDate)
}

function timestamp(value: unknown): Buffer {
  if (Long.isLong(value)) return Long.toBuffer(value)
  return long(typeof value === 'number' ? value : new Date(value as Date).getTime())
}

const uuid = (value: unknown) => Uuid.fromString(String(value)).getBuffer()
const text = (value: unknown) => Buffer.from(String(value))

const WRITERS: { readonly [type: string]: (value: unknown) => Buffer } = {
  ascii: text,
  bigint: long,
  boolean: (value) => Buffer.from([value ? 1 : 0]),
  date: (value) => date(value).toBuffer(),
  decimal: (value) => BigDecimal.toBuffer(BigDecimal.fromString(String(value))),
  double: (value) => float(value, 8),
  float: (value) => float(value, 4),
  inet: (value) => InetAddress.fromString(String(value)).getBuffer(),
  int: int(32),
  smallint: int(16),
  text,
  time: (value) => LocalTime.fromString(String(value)).toBuffer(),
  timestamp,
  timeuuid: uuid,
  tinyint: int(8),
  uuid,
  varint: (value) => Integer.toBuffer(Integer.fromString(String(value))),
}

/** Several parts of a key as one: each with its length before, and a zero behind. */
export function composite(parts: readonly Buffer[]): Buffer {
  if (parts.length === 1) return parts[0] as Buffer
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.allocUnsafe(2)
      length.writeUInt16BE(part.length)
      return [length, part, Buffer.alloc(1)]
    }),
  )
}

/** The routing key of values; `undefined` if their types have none here, or they do not fit. */
export function routingKey(
  types: readonly NativeType[],
  values: readonly unknown[],
): Buffer | undefined {
  if (types.length === 0) return undefined
  try {
    return composite(
      types.map((type, at) => {
        const value = values[at]
        if (Buffer.isBuffer(value)) return value
        if (value === null || value === undefined) throw new TypeError('no value')
        return (WRITERS[String(type)] as (value: unknown) => Buffer)(value)
      }),
    )
  } catch {
    // The statement's own values say what is wrong with them.
    return undefined
  }
}
