/** The types of values, and what else the other driver has in `types`. */

import { DriverError } from '../errors.js'
import { BigDecimal } from './big-decimal.js'
import { letStaticsConstruct } from './constructible.js'
import { Duration } from './duration.js'
import { InetAddress } from './inet-address.js'
import { LocalDate } from './local-date.js'
import { LocalTime } from './local-time.js'
import { Long } from './long.js'
import { TimeUuid, Uuid } from './uuid.js'

export { DriverError } from '../errors.js'
export { ResultSet } from '../result-set.js'
export { BigDecimal } from './big-decimal.js'
export {
  consistencies,
  consistencyToString,
  type DataType,
  dataTypes,
  distance,
  getDataTypeNameByCode,
  protocolEvents,
  protocolVersion,
  responseErrorCodes,
  unset,
} from './constants.js'
export { Duration } from './duration.js'
export { InetAddress } from './inet-address.js'
export { Integer } from './integer.js'
export { LocalDate } from './local-date.js'
export { LocalTime } from './local-time.js'
export { Long } from './long.js'
export { ResultStream } from './result-stream.js'
export { Row } from './row.js'
export { Tuple } from './tuple.js'
export { TimeUuid, Uuid } from './uuid.js'
export { Vector } from './vector.js'

// Not of those that are made for each value of a row.
for (const type of [BigDecimal, Duration, InetAddress, LocalDate, LocalTime, TimeUuid, Uuid]) {
  letStaticsConstruct(type)
}

/** What `timeuuid()` and `uuid()` take. */
export interface UuidOptions {
  msecs?: number | Date
  nsecs?: number
  node?: number[]
  clockseq?: number
  random?: number[]
}

function intoText(uuid: Uuid, buffer: Buffer | undefined, offset: number): Buffer | string {
  if (!Buffer.isBuffer(buffer)) return uuid.toString()
  uuid.getBuffer().copy(buffer, offset)
  return buffer
}

/** A time UUID as text, or written to a buffer. */
export function timeuuid(
  options?: UuidOptions | null,
  buffer?: Buffer,
  offset = 0,
): string | Buffer {
  const { msecs, nsecs, node, clockseq } = options ?? {}
  const date = typeof msecs === 'number' ? new Date(msecs) : msecs
  const clock = typeof clockseq === 'number' ? Buffer.from([clockseq >> 8, clockseq & 0xff]) : null
  const uuid = new TimeUuid(date ?? null, nsecs ?? null, node ? Buffer.from(node) : null, clock)
  return intoText(uuid, buffer, offset)
}

/** A random UUID as text, or written to a buffer. */
export function uuid(options?: UuidOptions | null, buffer?: Buffer, offset = 0): string | Buffer {
  const { random } = options ?? {}
  return intoText(random ? new Uuid(Buffer.from(random)) : Uuid.random(), buffer, offset)
}

let ticks = 0

/**
 * A timestamp in microseconds.
 *
 * @param date - default: now
 * @param microseconds - those within the millisecond, default: counted
 */
export function generateTimestamp(date?: Date | null, microseconds?: number | null): Long {
  let within = microseconds
  if (typeof within !== 'number' || within < 0 || within >= 1000) {
    if (ticks > 999) ticks = 0
    within = ticks++
  }
  return Long.fromNumber((date ?? new Date()).getTime() * 1000 + within)
}

/** The maximum time of an operation has passed. */
export class TimeoutError extends DriverError {
  override info = 'The maximum time of an operation has passed.'
}
