/** Context paths in wire format, in base64. */

import { Context, type ContextItem, toNativeContext } from './cdt.js'
import { ArgumentFailure } from './failures.js'
import { GeoJSON } from './geojson.js'
import { HyperLogLog } from './hyperloglog.js'

/** A step's bytes before its type: the mark of its kind, and the head of an array of two. */
const BEFORE_TYPE = 5
/** Arrays of fewer elements have a head of one byte. */
const SMALL = 16

/** The wire format of a path, in base64. */
export function contextToBase64(context: Context): string {
  const path = toNativeContext(context)
  if (path === undefined) throw new ArgumentFailure('a context must have a step')
  const count = 2 * path.length
  const head = count < SMALL ? Buffer.of(0x90 | count) : Buffer.of(0xdc, count >> 8, count & 0xff)
  const steps = path.map((step) => step.encoded.subarray(BEFORE_TYPE))
  return Buffer.concat([head, ...steps]).toString('base64')
}

/** The path in wire format. Filters are in wire format, too, in base64. */
export function contextFromBase64(text: string): Context {
  if (typeof text !== 'string') throw new ArgumentFailure('a serialized context is a string')
  const bytes = Buffer.from(text, 'base64')
  const reader = new Reader(bytes)
  const context = new Context()
  try {
    const count = reader.count()
    for (let at = 0; at < count; at += 2) context.items.push(step(reader))
  } catch (error) {
    if (error instanceof RangeError) throw new ArgumentFailure('not a serialized context')
    throw error
  }
  return context
}

const CHILDREN = 0x04

function step(reader: Reader): ContextItem {
  const type = reader.value() as number
  if ((type & 0xff) !== CHILDREN) return [type, reader.value()]
  const filter = reader.raw()
  const isEverything = filter.length === 1 && filter[0] === 0xc3
  return [type, isEverything ? undefined : filter.toString('base64')]
}

const GEOJSON = 23
const HLL = 18
const STRING = 3

/** Reads MessagePack in which strings start with the type of their particle. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  #uint(size: number): number {
    const value = this.#bytes.readUIntBE(this.#at, size)
    this.#at += size
    return value
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('bytes are missing')
    const part = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return part
  }

  /** The number of elements of an array. */
  count(): number {
    const head = this.#uint(1)
    if (head >= 0x90 && head < 0xa0) return head & 0x0f
    if (head === 0xdc || head === 0xdd) return this.#uint(head === 0xdc ? 2 : 4)
    throw new RangeError('not an array')
  }

  /** The bytes of a value. */
  raw(): Buffer {
    const start = this.#at
    this.value()
    return this.#bytes.subarray(start, this.#at)
  }

  value(): unknown {
    const head = this.#uint(1)
    if (head < 0x80) return head
    if (head >= 0xe0) return head - 0x100
    if (head < 0x90) return this.#map(head & 0x0f)
    if (head < 0xa0) return this.#list(head & 0x0f)
    if (head < 0xc0) return this.#particle(head & 0x1f)
    return this.#longer(head)
  }

  #longer(head: number): unknown {
    const size = 2 ** (head & 3)
    if (head === 0xc0) return null
    if (head === 0xc2 || head === 0xc3) return head === 0xc3
    if (head === 0xca) return this.#take(4).readFloatBE()
    if (head === 0xcb) return this.#take(8).readDoubleBE()
    if (head === 0xcf || head === 0xd3) return this.#long(head === 0xd3)
    if (head >= 0xcc && head < 0xcf) return this.#uint(size)
    if (head >= 0xd0 && head < 0xd3) return this.#take(size).readIntBE(0, size)
    if (head >= 0xc4 && head < 0xc7) return this.#particle(this.#uint(2 ** (head - 0xc4)))
    if (head >= 0xd9 && head < 0xdc) return this.#particle(this.#uint(2 ** (head - 0xd9)))
    if (head === 0xdc || head === 0xdd) return this.#list(this.#uint(head === 0xdc ? 2 : 4))
    if (head === 0xde || head === 0xdf) return this.#map(this.#uint(head === 0xde ? 2 : 4))
    throw new RangeError('an unknown type of value')
  }

  #long(signed: boolean): number | bigint {
    const part = this.#take(8)
    const value = signed ? part.readBigInt64BE() : part.readBigUInt64BE()
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }

  #particle(length: number): unknown {
    const part = this.#take(length)
    const [type] = part
    const content = part.subarray(1)
    if (type === STRING) return content.toString()
    if (type === GEOJSON) return new GeoJSON(content.toString())
    return type === HLL ? new HyperLogLog(Buffer.from(content)) : Buffer.from(content)
  }

  #list(count: number): unknown[] {
    return Array.from({ length: count }, () => this.value())
  }

  #map(count: number): object {
    const entries = Array.from({ length: count }, () => [this.#key(), this.value()] as const)
    return Object.fromEntries(entries.filter(([key]) => key !== ORDER))
  }

  /** A key; the order of a map is one, too. */
  #key(): string | typeof ORDER {
    const head = this.#bytes[this.#at]
    if (head === undefined) throw new RangeError('bytes are missing')
    if (head < 0xc7 || head > 0xc9) return String(this.value())
    this.#at++
    this.#take(this.#uint(2 ** (head - 0xc7)) + 1)
    return ORDER
  }
}

const ORDER = Symbol('order')
