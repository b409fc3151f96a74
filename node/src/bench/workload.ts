/** Operations, keys and values, all made before the clock starts. */

/** A bin's value in this workload. */
export type Value = number | bigint | string | Buffer
/** A record's bins. */
export type Bins = { [bin: string]: Value }
/** A key and what is written there; `undefined` for a read. */
export type Operation = [key: number, bins: Bins | undefined]
/** The same for many records in one call. */
export type BatchOperation = [keys: number[], bins: Bins[] | undefined]

/** One bin: `I` (an integer of at most so many bytes), `F` (a float), `S` (text) or `B` (bytes). */
export interface BinSpec {
  kind: 'I' | 'F' | 'S' | 'B'
  size: number
}

const POOL = 1024
const STREAM_TOTAL = 1 << 18

/** `I1` or `I8,S128,B1024`: the bins b0, b1, ... of every record. */
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

/** `RU,75` (reads of that percentage, updates for the rest), `RU` (half and half) or `I`. */
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

/** The same numbers for the same seed: xorshift with 32 bits of state per word. */
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

function makeValue(spec: BinSpec, random: Random): Value {
  switch (spec.kind) {
    case 'I': {
      const bits = (BigInt(random.next()) << 32n) | BigInt(random.next())
      const value = BigInt.asUintN(8 * spec.size - 1, bits)
      return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
    }
    case 'F':
      // Never whole: clients in JavaScript write whole numbers as integers.
      return (random.next() + 0.5) / 2 ** 32
    case 'S':
      return String.fromCharCode(...Array.from({ length: spec.size }, () => 97 + random.below(26)))
    case 'B':
      return Buffer.from(Array.from({ length: spec.size }, () => random.below(256)))
  }
}

/** The records that writes choose from. */
export function valuePool(bins: readonly BinSpec[], seed: number): Bins[] {
  const random = new Random(seed)
  return Array.from({ length: POOL }, () =>
    Object.fromEntries(bins.map((spec, at) => [`b${at}`, makeValue(spec, random)])),
  )
}

/** Whether a record read back has the bins, types and sizes that this workload writes. */
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

/** One worker's operations over uniform keys, to be repeated; the share of reads is exact. */
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
  const operations: Operation[] = Array.from({ length }, (_, at) => [
    random.below(keys),
    at < reads ? undefined : pool[random.below(pool.length)],
  ])
  for (let at = length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const held = operations[at] as Operation
    operations[at] = operations[other] as Operation
    operations[other] = held
  }
  return operations
}

/** One worker's share of writing every key once. */
export function insertStream(
  pool: readonly Bins[],
  keys: number,
  worker: number,
  workers: number,
): Operation[] {
  const operations: Operation[] = []
  for (let key = worker; key < keys; key += workers) {
    operations.push([key, pool[key % pool.length]])
  }
  return operations
}

/** One worker's batches of distinct uniform keys, to be repeated; with a pool they are writes. */
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
    return [
      [...drawn],
      pool && Array.from({ length: rows }, () => pool[random.below(pool.length)] as Bins),
    ]
  })
}

/** Keys spread over the whole range, for the check that a client sees what was written. */
export function spreadKeys(keys: number, most = 256): number[] {
  const step = Math.max(1, Math.floor(keys / most))
  return Array.from({ length: Math.ceil(keys / step) }, (_, at) => at * step)
}
