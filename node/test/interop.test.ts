/** Three clients on one data set: copies made by one are read unchanged by another. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type BinValue, Client, Double, GeoJSON } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { PYTHON, withoutPython } from './cases.js'
import { aerospike, connectAerospike, withoutAerospike } from './support/aerospike.js'
import { output, PACKAGE } from './support/programs.js'

const COUNT = 300
const SCRIPT = join(PACKAGE, 'test', 'python_copies.py')

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { doubles: 'double', timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Generates deterministic random values. */
class Generator {
  #state: number
  /** Whether to generate only values that npm `aerospike` can distinguish. */
  readonly #common: boolean

  constructor(seed: number, common: boolean) {
    this.#state = seed + 1
    this.#common = common
  }

  /** A whole number below a bound. */
  below(bound: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (this.#state >> 8) % bound
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T
  }

  integer(): number | bigint {
    const edge = this.one([0, 7, 8, 15, 16, 31, 32, 52, 53, 62, 63])
    const near = (1n << BigInt(edge)) + BigInt(this.below(3) - 1)
    const signed = this.below(2) === 0 ? near : -near
    const whole = BigInt.asIntN(64, signed)
    return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
  }

  float(): number | Double {
    const candidate = this.one([
      0.1,
      -1.5,
      1e-310,
      5e-324,
      1.5e300,
      Number.NaN,
      1 / 3,
      Number.POSITIVE_INFINITY,
    ])
    if (this.#common) return Number.isInteger(candidate) ? 0.5 : candidate
    const whole = new Double(this.one([0, 3, -4, 2 ** 60, 2 ** 70]))
    return this.below(2) === 0 ? this.whole(candidate) : whole
  }

  /** Whole floats are `Double`s, as this client returns them. */
  whole(float: number): number | Double {
    return Number.isInteger(float) ? new Double(float) : float
  }

  text(): string {
    const parts = [
      '',
      'a',
      'ä',
      '€',
      '😀',
      '\u{10ffff}',
      '\n',
      '"',
      '\\',
      '\ufffd',
      'x'.repeat(300),
    ]
    return Array.from({ length: this.below(4) }, () => this.one(parts)).join('')
  }

  bytes(): Buffer {
    return Buffer.from(Array.from({ length: this.one([0, 1, 31, 32, 256]) }, () => this.below(256)))
  }

  value(depth: number): BinValue {
    const leaf: (() => BinValue)[] = [
      () => this.integer(),
      () => this.float(),
      () => this.text(),
      () => this.below(2) === 0,
      () => this.bytes(),
    ]
    if (!this.#common) leaf.push(() => GeoJSON.point(this.below(180), this.below(90)))
    if (depth === 0) return this.one(leaf)()
    const nested: (() => BinValue)[] = [() => this.list(depth - 1), () => this.object(depth - 1)]
    if (!this.#common) nested.push(() => this.map(depth - 1))
    return this.one([...leaf, ...nested, ...nested])()
  }

  item(depth: number): BinValue {
    return this.below(8) === 0 ? null : this.value(depth)
  }

  list(depth: number): BinValue[] {
    return Array.from({ length: this.one([0, 1, 5, 20]) }, () => this.item(depth))
  }

  object(depth: number): { [key: string]: BinValue } {
    const entries = Array.from({ length: this.one([0, 1, 5, 20]) }, (_, at) => [
      `${at}${this.text()}`,
      this.item(depth),
    ])
    return Object.fromEntries(entries)
  }

  /** A map that cannot be an object, because it has an integer key. */
  map(depth: number): Map<BinValue, BinValue> {
    const map = new Map<BinValue, BinValue>([[this.below(1000), this.item(depth)]])
    for (let at = this.below(6); at > 0; at--) {
      const key = this.one([`k${at}`, BigInt(at) << 56n, -at, Buffer.from([at])])
      map.set(key, this.item(depth))
    }
    return map
  }
}

/** The records of a set: a value in a bin, and a list and a map that nest it. */
const records = (common: boolean) =>
  Array.from({ length: COUNT }, (_, seed) => {
    const generator = new Generator(seed, common)
    return {
      one: generator.value(3),
      list: generator.list(2),
      map: common ? generator.object(2) : generator.map(2),
    }
  })

async function fill(set: string, common: boolean) {
  const dataset = client.dataset('test', set)
  const all = records(common)
  const written = await dataset.putMany(
    all.map((bins, number) => [number, bins as { [bin: string]: BinValue }] as const),
    { ttl: 100_000 },
  )
  written.raiseForErrors()
  return all
}

async function sameIn(set: string, expected: readonly object[]) {
  const dataset = client.dataset('test', set)
  const actual = await Promise.all(expected.map((_, number) => dataset.get(number)))
  for (const [number, { bins, ttl }] of actual.entries()) {
    assert.deepEqual(bins, expected[number], `record ${number} of ${set}`)
    assert.ok(ttl !== null && ttl > 90_000 && ttl <= 100_000)
  }
}

/** Lets npm `aerospike` read every record and write it into another set. */
async function copyByAerospike(source: string, target: string): Promise<void> {
  const { Key } = aerospike()
  const peer = await connectAerospike(cluster.addresses[0] as string)
  try {
    for (let number = 0; number < COUNT; number++) {
      const { bins, ttl } = await peer.get(new Key('test', source, number))
      await peer.put(new Key('test', target, number), bins, { ttl })
    }
  } finally {
    await peer.close()
  }
}

const copyByPython = (source: string, target: string) =>
  output(PYTHON, [SCRIPT, cluster.seeds, source, target, `${COUNT}`])

test('written values are read unchanged', async () => {
  await sameIn('own', await fill('own', false))
})

test('the Python client copies every value', { skip: withoutPython }, async () => {
  const expected = await fill('frompython', false)
  await copyByPython('frompython', 'bypython')
  await sameIn('bypython', expected)
})

test('npm aerospike copies every value that it can distinguish', {
  skip: withoutAerospike,
}, async () => {
  const expected = await fill('fromnpm', true)
  await copyByAerospike('fromnpm', 'bynpm')
  await sameIn('bynpm', expected)
})

test("each client copies the other's copies", {
  skip: withoutPython || withoutAerospike,
}, async () => {
  const expected = await fill('first', true)
  await copyByPython('first', 'second')
  await copyByAerospike('second', 'third')
  await copyByPython('third', 'fourth')
  await sameIn('fourth', expected)
})

test('two clients increment one counter', { skip: withoutAerospike }, async () => {
  const peer = await connectAerospike(cluster.addresses[0] as string)
  const { Key, operations } = aerospike()
  const counters = client.dataset<{ n: number }>('test', 'counters')
  const theirs = new Key('test', 'counters', 'all')
  try {
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        if (n % 2 === 0) await counters.add('all', { n: 1 })
        else await peer.operate(theirs, [operations.incr('n', 1)])
      }),
    )
    assert.equal((await counters.get('all')).bins.n, 100)
    const { bins, gen } = await peer.get(theirs)
    assert.deepEqual([bins.n, gen], [100, 100])
    assert.equal((await counters.get('all')).generation, 100)
  } finally {
    await peer.close()
  }
})
