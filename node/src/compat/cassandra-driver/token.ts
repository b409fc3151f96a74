/** Tokens, and ranges of them. */

import { createHash } from 'node:crypto'
import { type DataType, dataTypes } from './types/constants.js'
import { Integer } from './types/integer.js'
import { Long } from './types/long.js'

/** A value of a token: ordered as the ring is. */
type TokenValue = Long | Integer | Buffer

/** Where a partition is on the ring. */
export abstract class Token {
  protected readonly value: TokenValue

  constructor(value: TokenValue) {
    this.value = value
  }

  abstract getType(): DataType

  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  getValue(): any {
    return this.value
  }

  /** -1, 0 or 1. */
  compare(other: Token): number {
    return (this.value as Long).compare(other.value as Long)
  }

  equals(other: Token): boolean {
    return this.compare(other) === 0
  }

  toString(): string {
    return String(this.value)
  }

  inspect(): string {
    return `${this.constructor.name} { ${this} }`
  }
}

export class Murmur3Token extends Token {
  getType(): DataType {
    return dataTypes.getByName('bigint')
  }
}

export class RandomToken extends Token {
  getType(): DataType {
    return dataTypes.getByName('varint')
  }
}

export class ByteOrderedToken extends Token {
  getType(): DataType {
    return dataTypes.getByName('blob')
  }

  override compare(other: Token): number {
    return Buffer.compare(this.value as Buffer, other.getValue() as Buffer)
  }

  override toString(): string {
    return (this.value as Buffer).toString('hex').toUpperCase()
  }
}

/** What makes the tokens of a partitioner. */
export abstract class Tokenizer {
  abstract hash(key: Buffer): Token
  abstract parse(text: string): Token
  abstract minToken(): Token
  /** The tokens between the parts of a range that is split into so many. */
  abstract split(start: Token, end: Token, parts: number): Token[]

  stringify(token: Token): string {
    return token.toString()
  }
}

/** A ring of integers: its last one, and by how much those beyond it are too large. */
interface IntegerRing {
  readonly last: bigint
  readonly length: bigint
}

/** The points that split a range; the first parts are longer by one if it does not divide evenly. */
function splitRing(start: bigint, range: bigint, ring: IntegerRing, parts: number): bigint[] {
  const [each, longer] = [range / BigInt(parts), range % BigInt(parts)]
  const points: bigint[] = []
  let point = start
  for (let part = 1n; part < BigInt(parts); part++) {
    point += each + (part <= longer ? 1n : 0n)
    if (point > ring.last) point -= ring.length
    points.push(point)
  }
  return points
}

/** Splits between two tokens that are integers; from the least to itself is the whole ring. */
function splitIntegers(
  [start, end, least]: [bigint, bigint, bigint],
  ring: IntegerRing,
  parts: number,
): bigint[] {
  const range = (start === end && start === least ? ring.last : end) - start
  return splitRing(start, range < 0n ? range + ring.length : range, ring, parts)
}

const asLong = (hash: bigint): bigint => BigInt.asUintN(64, hash)
const rotated = (word: bigint, bits: bigint): bigint =>
  asLong((word << bits) | (word >> (64n - bits)))
const [C1, C2] = [0x87c37b91114253d5n, 0x4cf5ad432745937fn]

function mixed(hash: bigint): bigint {
  let mix = hash
  mix = asLong((mix ^ (mix >> 33n)) * 0xff51afd7ed558ccdn)
  mix = asLong((mix ^ (mix >> 33n)) * 0xc4ceb9fe1a85ec53n)
  return mix ^ (mix >> 33n)
}

/** The Murmur3 hash of a key as Cassandra has it: its last bytes count as signed. */
export function murmur3(key: Buffer): Long {
  let [one, two] = [0n, 0n]
  const whole = key.length - (key.length % 16)
  for (let at = 0; at < whole; at += 16) {
    const first = asLong(rotated(asLong(key.readBigUInt64LE(at) * C1), 31n) * C2)
    const second = asLong(rotated(asLong(key.readBigUInt64LE(at + 8) * C2), 33n) * C1)
    one = asLong((rotated(one ^ first, 27n) + two) * 5n + 0x52dce729n)
    two = asLong((rotated(two ^ second, 31n) + one) * 5n + 0x38495ab5n)
  }
  let [first, second] = [0n, 0n]
  for (let at = key.length - 1; at >= whole; at--) {
    const byte = asLong(BigInt(key.readInt8(at)))
    const place = at - whole
    if (place >= 8) second ^= asLong(byte << BigInt(8 * (place - 8)))
    else first ^= asLong(byte << BigInt(8 * place))
  }
  two ^= asLong(rotated(asLong(second * C2), 33n) * C1)
  one ^= asLong(rotated(asLong(first * C1), 31n) * C2)
  const length = BigInt(key.length)
  one ^= length
  two ^= length
  one = asLong(one + two)
  two = asLong(two + one)
  const hash = BigInt.asIntN(64, mixed(one) + mixed(two))
  const least = -0x8000_0000_0000_0000n
  return Long.fromBigInt(hash === least ? 0x7fff_ffff_ffff_ffffn : hash)
}

export class Murmur3Tokenizer extends Tokenizer {
  hash(key: Buffer): Token {
    return new Murmur3Token(murmur3(key))
  }

  parse(text: string): Token {
    return new Murmur3Token(Long.fromString(text))
  }

  minToken(): Token {
    return new Murmur3Token(Long.MIN_VALUE)
  }

  split(start: Token, end: Token, parts: number): Token[] {
    const ends = [start, end, this.minToken()].map((token) => token.getValue().toBigInt())
    const ring = { last: (1n << 63n) - 1n, length: (1n << 64n) - 1n }
    const points = splitIntegers(ends as [bigint, bigint, bigint], ring, parts)
    return points.map((point) => new Murmur3Token(Long.fromBigInt(point)))
  }
}

export class RandomTokenizer extends Tokenizer {
  hash(key: Buffer): Token {
    return new RandomToken(Integer.fromBuffer(createHash('md5').update(key).digest()).abs())
  }

  parse(text: string): Token {
    return new RandomToken(Integer.fromString(text))
  }

  minToken(): Token {
    return new RandomToken(Integer.fromInt(-1))
  }

  split(start: Token, end: Token, parts: number): Token[] {
    const ends = [start, end, this.minToken()].map((token) => token.getValue().toBigInt())
    const ring = { last: 1n << 127n, length: (1n << 127n) + 1n }
    const points = splitIntegers(ends as [bigint, bigint, bigint], ring, parts)
    return points.map((point) => new RandomToken(Integer.fromBigInt(point)))
  }
}

export class ByteOrderedTokenizer extends Tokenizer {
  hash(key: Buffer): Token {
    return new ByteOrderedToken(key)
  }

  parse(text: string): Token {
    return new ByteOrderedToken(Buffer.from(text, 'hex'))
  }

  minToken(): Token {
    return new ByteOrderedToken(Buffer.alloc(0))
  }

  split(start: Token, end: Token, parts: number): Token[] {
    if (start.equals(end) && start.equals(this.minToken())) {
      throw new Error('the whole ring cannot be split with the ByteOrderedPartitioner')
    }
    const [from, to] = [start.getValue() as Buffer, end.getValue() as Buffer]
    const number = (bytes: Buffer, width: number) => {
      const padded = Buffer.concat([bytes, Buffer.alloc(width - bytes.length)])
      return BigInt(`0x${padded.toString('hex') || '0'}`)
    }
    // As wide as the longer one, and up to four bytes more if there are fewer tokens than parts.
    const shortest = Math.max(from.length, to.length)
    for (let width = shortest; ; width++) {
      const length = 1n << BigInt(8 * width)
      const first = number(from, width)
      const range = number(to, width) - first + (start.compare(end) < 0 ? 0n : length)
      if (range < BigInt(parts) && width < shortest + 4) continue
      const points = splitRing(first, range, { last: length - 1n, length }, parts)
      return points.map((point) => {
        const hex = point.toString(16).padStart(2 * width, '0')
        return new ByteOrderedToken(Buffer.from(hex, 'hex'))
      })
    }
  }
}

/** The tokens after `start`, up to and including `end`. */
export class TokenRange {
  readonly start: Token
  readonly end: Token
  readonly #tokenizer: Tokenizer

  constructor(start: Token, end: Token, tokenizer: Tokenizer) {
    this.start = start
    this.end = end
    this.#tokenizer = tokenizer
  }

  #range(start: Token, end: Token): TokenRange {
    return new TokenRange(start, end, this.#tokenizer)
  }

  /** The range in so many parts of about the same size. */
  splitEvenly(numberOfSplits: number): TokenRange[] {
    if (numberOfSplits < 1) {
      throw new Error(`numberOfSplits must be at least 1, not ${numberOfSplits}`)
    }
    if (this.isEmpty()) throw new Error(`the range ${this} is empty: it has no parts`)
    const points = this.#tokenizer.split(this.start, this.end, numberOfSplits)
    const starts = [this.start, ...points]
    return starts.map((start, at) => this.#range(start, points[at] ?? this.end))
  }

  isEmpty(): boolean {
    return this.start.equals(this.end) && !this.start.equals(this.#tokenizer.minToken())
  }

  isWrappedAround(): boolean {
    return this.start.compare(this.end) > 0 && !this.end.equals(this.#tokenizer.minToken())
  }

  /** Itself, or the two ranges that it consists of if it goes beyond the end of the ring. */
  unwrap(): TokenRange[] {
    if (!this.isWrappedAround()) return [this]
    const least = this.#tokenizer.minToken()
    return [this.#range(this.start, least), this.#range(least, this.end)]
  }

  contains(token: Token): boolean {
    if (this.isEmpty()) return false
    const least = this.#tokenizer.minToken()
    const isAfterStart = token.compare(this.start) > 0
    if (this.end.equals(least)) {
      return this.start.equals(least) || token.equals(least) || isAfterStart
    }
    const isBeforeEnd = token.compare(this.end) <= 0
    return this.isWrappedAround() ? isAfterStart || isBeforeEnd : isAfterStart && isBeforeEnd
  }

  equals(other: unknown): boolean {
    return other === this || (other instanceof TokenRange && this.compare(other) === 0)
  }

  compare(other: TokenRange): number {
    return this.start.compare(other.start) || this.end.compare(other.end)
  }

  toString(): string {
    return `]${this.start}, ${this.end}]`
  }
}

/** What makes the tokens of a cluster, by the class of its partitioner. */
export function tokenizerOf(partitioner: string): Tokenizer {
  if (partitioner.endsWith('RandomPartitioner')) return new RandomTokenizer()
  if (partitioner.endsWith('ByteOrderedPartitioner')) return new ByteOrderedTokenizer()
  return new Murmur3Tokenizer()
}
