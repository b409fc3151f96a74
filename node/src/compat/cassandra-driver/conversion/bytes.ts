/** Values of parameters that programs have as bytes already. */

import { EMPTY } from '../../../cql/values.js'
import { BigDecimal } from '../types/big-decimal.js'
import { Duration } from '../types/duration.js'
import { InetAddress } from '../types/inet-address.js'
import { Integer } from '../types/integer.js'
import { LocalDate } from '../types/local-date.js'
import { LocalTime } from '../types/local-time.js'
import { Long } from '../types/long.js'
import { Uuid } from '../types/uuid.js'

const READERS: { readonly [type: string]: (bytes: Buffer) => unknown } = {
  bigint: Long.fromBuffer,
  boolean: (bytes) => bytes.readUInt8(0) !== 0,
  counter: Long.fromBuffer,
  date: LocalDate.fromBuffer,
  decimal: BigDecimal.fromBuffer,
  double: (bytes) => bytes.readDoubleBE(0),
  duration: Duration.fromBuffer,
  float: (bytes) => bytes.readFloatBE(0),
  inet: (bytes) => new InetAddress(bytes),
  int: (bytes) => bytes.readInt32BE(0),
  smallint: (bytes) => bytes.readInt16BE(0),
  time: LocalTime.fromBuffer,
  timestamp: Long.fromBuffer,
  timeuuid: (bytes) => new Uuid(bytes),
  tinyint: (bytes) => bytes.readInt8(0),
  uuid: (bytes) => new Uuid(bytes),
  varint: Integer.fromBuffer,
}

/**
 * The value of a simple type that is these bytes.
 *
 * @throws TypeError if they are no value of the type
 */
export function valueOfBytes(type: string, bytes: Buffer): unknown {
  if (type === 'text' || type === 'ascii') return bytes.toString('utf8')
  if (bytes.length === 0) return EMPTY
  try {
    return READERS[type]?.(bytes) ?? bytes
  } catch (error) {
    throw new TypeError(`${bytes.length} bytes are no ${type}: ${(error as Error).message}`)
  }
}
