/** Operations, keys and values, all created before the clock starts. */

/** A bin's value in this workload. */
export type Value = number | bigint | string | Buffer
/** A record's bins. */
export type Bins = { [bin: string]: Value }
/** A key and the bins to write; `undefined` for a read. */
export type Operation = [key: number, bins: Bins | undefined]
/** An operation on many records in one call. */
export type BatchOperation = [keys: number[], bins: Bins[] | undefined]

/** One bin: `I` (an integer of at most `size` bytes), `F` (a float), `S` (text) or `B` (bytes). */
export interface BinSpec {
  kind: 'I' | 'F' | 'S' | 'B'
  size: number
}

/**
 * Sizes of the pool of records: the largest that fits into `POOL_BYTES`. `spikewire_lab/work/records.py`
 * has the same sizes and the reasons.
 */
const POOL_SIZES = [1021, 251, 61, 13]
const POOL_BYTES = 1 << 26
const STREAM_TOTAL = 1 << 18

/**
 * Parses bin specifications such as `I1` or `I8,S128,B1024`: the bins b0, b1, ... of every record.
 */
export function parseBins(text: string): BinSpec[] {
  return text.split(',').map((item) => {
    const match = /^([IFSB])(\d+)$/.exec(item.trim())
    const size = Number(match?.[2])
    const kind = match?.[1] as BinSpec['kind'] | undefined
    if (kind === undefined || size < 1) {
      throw new RangeError(
        `bins '${text}': '${item}' is not I<bytes>, F8, S<characters> or B<bytes>`,
      )
    }
    if (kind === 'I' && size > 8) {
      throw new RangeError(`bins '${text}': the size in '${item}' must be 1 to 8`)
    }
    if (kind === 'F' && size !== 8) {
      throw new RangeError(`bins '${text}': a float has 8 bytes, so '${item}' must be F8`)
    }
    return { kind, size }
  })
}

/** Parses `RU,75` (75 percent reads, the rest updates), `RU` (half and half) or `I`. */
export function parseWorkload(text: string): { readPercent: number } | 'insert' {
  if (text.trim() === 'I') return 'insert'
  const match = /^RU(?:,\s*(\d+(?:\.\d+)?))?$/.exec(text.trim())
  if (match === null) {
    throw new RangeError(`workload '${text}': only RU,<read percent> and I are measured here`)
  }
  const readPercent = match[1] === undefined ? 50 : Number(match[1])
  if (readPercent > 100) {
    throw new RangeError(`workload '${text}': the read percentage must be 0 to 100`)
  }
  return { readPercent }
}

/** A deterministic generator: xorshift with four words of 32 bits. */
export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(seed: number, stream = 0) {
    this.#a = (seed ^ 0x9e3779b9) >>> 0
    this.#b = (stream ^ 0x85ebca6b) >>> 0
    this.#c = 0xc2b2ae35
    this.#d = 0x27d4eb2f
    for (let round = 0; round < 16; round++) this.next()
  }

  /** 32 bits. */
  next(): number {
    let mixed = this.#d
    const first = this.#a
    this.#d = this.#c
    this.#c = this.#b
    this.#b = first
    mixed ^= mixed << 11
    mixed ^= mixed >>> 8
    this.#a = (mixed ^ first ^ (first >>> 19)) >>> 0
    return this.#a
  }

  /** From 0 up to, but not including, `bound`. */
  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound)
  }
}

/** SplitMix64. */
function mixed(state: bigint): bigint {
  let word = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n)
  word = BigInt.asUintN(64, (word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n)
  word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn)
  return word ^ (word >> 31n)
}

/** The value for 64 random bits; text and bytes repeat them. */
function makeValue(spec: BinSpec, word: bigint): Value {
  switch (spec.kind) {
    case 'I': {
      const value = word >> BigInt(65 - 8 * spec.size)
      return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
    }
    case 'F':
      // Never whole: JavaScript clients write whole numbers as integers.
      return (Number(word >> 12n) + 0.5) / 2 ** 52
    case 'S':
      return ''.padEnd(spec.size, word.toString(16).padStart(16, '0'))
    case 'B': {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64BE(word)
      return Buffer.alloc(spec.size, bytes)
    }
  }
}

/** All records; a key's record is at `key % length`. The same as in the lab's other workers. */
export function valuePool(bins: readonly BinSpec[], seed: number): Bins[] {
  const room = POOL_BYTES / bins.reduce((sum, spec) => sum + spec.size, 0)
  const size = POOL_SIZES.find((one) => one <= room) ?? (POOL_SIZES.at(-1) as number)
  const seeded = mixed(BigInt.asUintN(64, BigInt(seed)))
  const word = (record: number, at: number) =>
    mixed(seeded ^ ((BigInt(record) << 32n) | BigInt(at)))
  return Array.from({ length: size }, (_, record) =>
    Object.fromEntries(bins.map((spec, at) => [`b${at}`, makeValue(spec, word(record, at))])),
  )
}

/** The record stored under a key. */
export function recordOf(pool: readonly Bins[], key: number): Bins {
  return pool[key % pool.length] as Bins
}

/** Whether a record read back is the one expected. */
export function isRecord(expected: Bins, record: unknown): boolean {
  if (typeof record !== 'object' || record === null) return false
  const held = record as { [bin: string]: unknown }
  const names = Object.keys(expected)
  return (
    Object.keys(held).length === names.length &&
    names.every((name) => same(expected[name] as Value, held[name]))
  )
}

function same(expected: Value, value: unknown): boolean {
  if (Buffer.isBuffer(expected)) return value instanceof Uint8Array && expected.equals(value)
  if (typeof expected === 'bigint' || typeof value === 'bigint') {
    return Number.isInteger(value) || typeof value === 'bigint'
      ? BigInt(value as number | bigint) === BigInt(expected as number | bigint)
      : false
  }
  return value === expected
}

/** Whether a record could be any key's: its bins, types and sizes. */
export function matches(bins: readonly BinSpec[], record: unknown): boolean {
  if (typeof record !== 'object' || record === null) return false
  const held = record as { [bin: string]: unknown }
  return (
    Object.keys(held).length === bins.length && bins.every((spec, at) => fits(spec, held[`b${at}`]))
  )
}

function fits(spec: BinSpec, value: unknown): boolean {
  switch (spec.kind) {
    case 'I': {
      if (typeof value !== 'bigint' && !Number.isInteger(value)) return false
      const integer = BigInt(value as number | bigint)
      return integer >= 0n && integer < 1n << BigInt(8 * spec.size - 1)
    }
    case 'F':
      return typeof value === 'number' && value >= 0 && value < 1
    case 'S':
      return typeof value === 'string' && value.length === spec.size
    case 'B':
      return value instanceof Uint8Array && value.length === spec.size
  }
}

/** One worker's operations on uniformly drawn keys, to be repeated; the share of reads is exact. */
export function mixedStream(
  readPercent: number,
  pool: readonly Bins[],
  keys: number,
  seed: number,
  worker: number,
  workers: number,
): Operation[] {
  const random = new Random(seed, worker + 1)
  const length = Math.min(1 << 16, Math.max(1 << 10, Math.floor(STREAM_TOTAL / workers)))
  const reads = Math.round((length * readPercent) / 100)
  const operations: Operation[] = Array.from({ length }, (_, at) => {
    const key = random.below(keys)
    return [key, at < reads ? undefined : recordOf(pool, key)]
  })
  for (let at = length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const held = operations[at] as Operation
    operations[at] = operations[other] as Operation
    operations[other] = held
  }
  return operations
}

/** One worker's share of the inserts of every key. */
export function insertStream(
  pool: readonly Bins[],
  keys: number,
  worker: number,
  workers: number,
): Operation[] {
  const operations: Operation[] = []
  for (let key = worker; key < keys; key += workers) {
    operations.push([key, recordOf(pool, key)])
  }
  return operations
}

/**
 * One worker's batches of distinct uniformly drawn keys, to be repeated; writes if there is a pool.
 */
export function batchStream(
  pool: readonly Bins[] | undefined,
  keys: number,
  seed: number,
  worker: number,
  workers: number,
  rows: number,
): BatchOperation[] {
  const random = new Random(seed, worker + 1)
  const length = Math.min(1 << 12, Math.max(8, Math.floor(STREAM_TOTAL / (workers * rows))))
  return Array.from({ length }, () => {
    const drawn = new Set<number>()
    while (drawn.size < rows) drawn.add(random.below(keys))
    return [[...drawn], pool && Array.from(drawn, (key) => recordOf(pool, key))]
  })
}

/** Keys spread over the whole range, to check that a client reads what was written. */
export function spreadKeys(keys: number, most = 256): number[] {
  const step = Math.max(1, Math.floor(keys / most))
  return Array.from({ length: Math.ceil(keys / step) }, (_, at) => at * step)
}
