/** UUIDs. They keep their text, which is what results have; bytes are uuid of it when asked for. */

import { randomBytes, randomUUID } from 'node:crypto'
import { inspect } from 'node:util'

/** Called with an error, or a value. */
export type ValueCallback<T> = (error: Error | null, value?: T) => void

const TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Text of 16 bytes. */
function textOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  const at = (from: number, to: number) => hex.slice(from, to)
  return `${at(0, 8)}-${at(8, 12)}-${at(12, 16)}-${at(16, 20)}-${at(20, 32)}`
}

/** A `uuid` of any version. */
export class Uuid {
  /** The UUID as text. */
  protected readonly text: string

  /**
   * @param value - 16 bytes
   * @throws Error if they are not 16
   */
  constructor(value: Buffer)
  constructor(value: Buffer | string) {
    if (typeof value !== 'string' && value?.length !== 16) {
      throw new Error('a buffer of 16 bytes is required for a UUID')
    }
    this.text = typeof value === 'string' ? value : textOf(value)
  }

  /** @throws Error for other text */
  static fromString(value: string): Uuid {
    return new (Uuid as unknown as new (text: string) => Uuid)(checked(value))
  }

  /** A random UUID (version 4). */
  static random(): Uuid
  static random(callback: ValueCallback<Uuid>): void
  static random(callback?: ValueCallback<Uuid>): Uuid | undefined {
    if (callback === undefined) return Uuid.fromString(randomUUID())
    process.nextTick(() => callback(null, Uuid.fromString(randomUUID())))
    return undefined
  }

  /** The 16 bytes. */
  get buffer(): Buffer {
    return Buffer.from(this.text.replaceAll('-', ''), 'hex')
  }

  getBuffer(): Buffer {
    return this.buffer
  }

  equals(other: Uuid | unknown): boolean {
    return other instanceof Uuid && other.text === this.text
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }

  inspect(): string {
    return `${this.constructor.name}: ${this.text}`
  }

  [inspect.custom](): string {
    return this.inspect()
  }
}

function checked(value: unknown): string {
  if (typeof value === 'string' && TEXT.test(value)) return value.toLowerCase()
  throw new Error('a UUID is text of 36 characters, such as 00000000-0000-0000-0000-000000000000')
}

/** Milliseconds from the start of the Gregorian calendar, 1582-10-15, to 1970. */
const GREGORIAN = 12_219_292_800_000
/** Ticks of 100 ns per millisecond. */
const TICKS = 10_000

let ticksOfDates = 0
let ticksOfNow = 0
let lastNow = 0

/** The time of a UUID: milliseconds since 1970, and ticks. */
function timeOf(date: unknown, ticks: unknown): [number, number] {
  let time = date instanceof Date ? date.getTime() : Number.NaN
  let counted = ticks
  if (Number.isNaN(time)) {
    time = Date.now()
    ticksOfNow++
    if (ticksOfNow > TICKS || time > lastNow) {
      ticksOfNow = 0
      lastNow = time
    }
    counted = ticksOfNow
  }
  if (typeof counted !== 'number' || counted >= TICKS) {
    ticksOfDates = (ticksOfDates + 1) % TICKS
    counted = ticksOfDates
  }
  return [time, counted as number]
}

/** An identifier of so many bytes, random if there is none. */
function identifier(what: string, value: unknown, length: number): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'ascii') : value
  if (!Buffer.isBuffer(bytes)) return randomBytes(length)
  if (bytes.length !== length) throw new Error(`${what} must have ${length} bytes`)
  return bytes
}

function timeBytes(date: unknown, ticks: unknown, node: unknown, clock: unknown): Buffer {
  const [time, counted] = timeOf(date, ticks)
  const nodeBytes = identifier('Node identifier', node, 6)
  const clockBytes = identifier('Clock identifier', clock, 2)
  const all = BigInt(time + GREGORIAN) * BigInt(TICKS) + BigInt(counted)
  const bytes = Buffer.allocUnsafe(16)
  bytes.writeUInt32BE(Number(all & 0xffff_ffffn), 0)
  bytes.writeUInt16BE(Number((all >> 32n) & 0xffffn), 4)
  bytes.writeUInt16BE(Number((all >> 48n) & 0x0fffn) | 0x1000, 6)
  clockBytes.copy(bytes, 8)
  nodeBytes.copy(bytes, 10)
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes
}

/** A `timeuuid`: a UUID of version 1. */
export class TimeUuid extends Uuid {
  /**
   * @param value - its time, default now; or its 16 bytes
   * @param ticks - the 100 ns within the millisecond, default: counted
   * @param nodeId - 6 bytes, default random
   * @param clockId - 2 bytes, default random
   */
  constructor(
    value?: Date | Buffer | null,
    ticks?: number | null,
    nodeId?: string | Buffer | null,
    clockId?: string | Buffer | null,
  ) {
    if (typeof value === 'string') {
      super(value as unknown as Buffer)
      return
    }
    if (Buffer.isBuffer(value)) {
      if (value.length !== 16) throw new Error('a buffer of 16 bytes is required for a UUID')
      super(value)
      return
    }
    super(timeBytes(value, ticks, nodeId, clockId))
  }

  static override fromString(value: string): TimeUuid {
    return new TimeUuid(checked(value) as unknown as Buffer)
  }

  static fromDate(
    date: Date | null | undefined,
    ticks?: number | null,
    nodeId?: string | Buffer | null,
    clockId?: string | Buffer | null,
  ): TimeUuid
  static fromDate(date: Date | null | undefined, callback: ValueCallback<TimeUuid>): void
  static fromDate(
    date: Date | null | undefined,
    ticks: number | null | undefined,
    callback: ValueCallback<TimeUuid>,
  ): void
  static fromDate(
    date: Date | null | undefined,
    ticks: number | null | undefined,
    nodeId: string | Buffer | null | undefined,
    callback: ValueCallback<TimeUuid>,
  ): void
  static fromDate(
    date: Date | null | undefined,
    ticks: number | null | undefined,
    nodeId: string | Buffer | null | undefined,
    clockId: string | Buffer | null | undefined,
    callback: ValueCallback<TimeUuid>,
  ): void
  static fromDate(date: unknown, ...rest: unknown[]): TimeUuid | undefined {
    const at = rest.findIndex((argument) => typeof argument === 'function')
    const parts = at < 0 ? rest : rest.slice(0, at)
    const make = () =>
      new TimeUuid(date as Date, parts[0] as number, parts[1] as Buffer, parts[2] as Buffer)
    if (at < 0) return make()
    const callback = rest[at] as ValueCallback<TimeUuid>
    process.nextTick(() => {
      let uuid: TimeUuid
      try {
        uuid = make()
      } catch (error) {
        callback(error as Error)
        return
      }
      callback(null, uuid)
    })
    return undefined
  }

  /** A UUID of now. */
  static now(nodeId?: string | Buffer | null, clockId?: string | Buffer | null): TimeUuid
  static now(callback: ValueCallback<TimeUuid>): void
  static now(nodeId: string | Buffer | null, callback: ValueCallback<TimeUuid>): void
  static now(
    nodeId: string | Buffer | null,
    clockId: string | Buffer | null,
    callback: ValueCallback<TimeUuid>,
  ): void
  static now(...rest: unknown[]): TimeUuid | undefined {
    const from = TimeUuid.fromDate as (...all: unknown[]) => TimeUuid | undefined
    const at = rest.findIndex((argument) => typeof argument === 'function')
    if (at < 0) return from(null, null, ...rest)
    return from(null, null, ...rest.slice(0, at), rest[at])
  }

  /** The lowest UUID of a time, for ranges. */
  static min(date: Date, ticks?: number): TimeUuid {
    return new TimeUuid(date, ticks, Buffer.alloc(6, 0x80), Buffer.alloc(2, 0x80))
  }

  /** The highest UUID of a time, for ranges. */
  static max(date: Date, ticks?: number): TimeUuid {
    return new TimeUuid(date, ticks, Buffer.alloc(6, 0x7f), Buffer.alloc(2, 0x7f))
  }

  /** Its time, and the ticks of 100 ns within the millisecond. */
  getDatePrecision(): { date: Date; ticks: number } {
    const [low, middle, high] = this.text.split('-') as [string, string, string]
    const all = BigInt(`0x${high.slice(1)}${middle}${low}`)
    const ticks = Number(all % BigInt(TICKS))
    return { date: new Date(Number(all / BigInt(TICKS)) - GREGORIAN), ticks }
  }

  getDate(): Date {
    return this.getDatePrecision().date
  }

  getNodeId(): Buffer {
    return this.buffer.subarray(10)
  }

  getClockId(): Buffer {
    return this.buffer.subarray(8, 10)
  }

  getNodeIdString(): string {
    return this.getNodeId().toString('ascii')
  }
}

/** @internal A UUID of text that a server sent. */
export const uuidOfText = (text: string): Uuid => new Uuid(text as unknown as Buffer)
/** @internal */
export const timeUuidOfText = (text: string): TimeUuid => new TimeUuid(text as unknown as Buffer)
