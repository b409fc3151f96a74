/**
 * Values behind a Proxy, as frameworks with reactive state hand them out: stored as what they stand
 * for, or refused with a reason; never silently as something else. Memory that threads share.
 */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client,
  type Dataset,
  Double,
  exp,
  GeoJSON,
  HyperLogLog,
  Key,
  type Operation,
  op,
} from 'spikewire'
import type { CqlInput, Session } from 'spikewire/cql'
import { Cluster } from 'spikewire/testing'
import { sessionIn, withoutCassandra } from './support/cassandra.js'

let cluster: Cluster
let client: Client
let data: Dataset

before(async () => {
  cluster = await Cluster.start()
  client = await Client.connect(cluster.seeds, { timeout: 30_000, maps: 'map' })
  data = client.dataset('test', 'proxies')
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** A Proxy that passes everything on; methods of the object itself do not work on it. */
const bare = <T extends object>(target: T): T => new Proxy(target, {})

/** A Proxy whose methods work, and whose objects inside are such proxies again. */
function reactive<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object)
      if (typeof value === 'function') return value.bind(object)
      return typeof value === 'object' && value !== null ? reactive(value) : value
    },
  })
}

class Odd {
  field = 1
}

const STORED: [name: string, value: unknown, stored: unknown][] = [
  ['an array', bare([1, [2]]), [1, [2]]],
  ['an empty array', bare([]), []],
  ['a Proxy of a Proxy', bare(bare([1])), [1]],
  ['an object', bare({ a: 1, b: { c: 2 } }), { a: 1, b: { c: 2 } }],
  ['an object without a prototype', bare(Object.assign(Object.create(null), { a: 1 })), { a: 1 }],
  ['a Map', reactive(new Map([[1, 'one']])), new Map([[1, 'one']])],
  ['a Double', bare(new Double(3)), 3],
  ['a GeoJSON', bare(GeoJSON.point(1, 2)), GeoJSON.point(1, 2)],
  ['what is nested', { l: [bare([1]), bare({ m: bare([2]) })] }, { l: [[1], { m: [2] }] }],
  ['nested proxies', reactive({ l: [[1], { m: [2] }] }), { l: [[1], { m: [2] }] }],
]

const INVALID: [name: string, value: unknown, pattern: RegExp][] = [
  ['a Map', bare(new Map()), /cannot read a Proxy of Map: pass the Map itself/],
  ['a Set', bare(new Set([1])), /cannot read a Proxy of Set: pass the Set itself/],
  ['a Set that works', reactive(new Set([1])), /cannot store a value of type Set/],
  ['a Date', bare(new Date()), /cannot read a Proxy of Date: pass the Date itself/],
  ['a Buffer', bare(Buffer.from('ab')), /cannot read a Proxy of Buffer: pass the Buffer itself/],
  ['an ArrayBuffer', bare(new ArrayBuffer(2)), /cannot read a Proxy of ArrayBuffer/],
  ['a typed array', bare(new Float64Array(2)), /cannot read a Proxy of Float64Array/],
  ['an instance', bare(new Odd()), /cannot read a Proxy of Odd/],
  ['a HyperLogLog', reactive(new HyperLogLog(Buffer.alloc(2))), /HyperLogLog/],
]

test('proxies are accepted in bins, arguments and filters', async () => {
  for (const [name, value, stored] of STORED) {
    const plain = stored instanceof Map || stored instanceof GeoJSON ? stored : asMaps(stored)
    await data.put('k', { b: value as never })
    assert.deepEqual((await data.get('k')).bins['b'], plain, name)
    await data.operate('k', [op.put('b', [value as never])])
    assert.deepEqual((await data.get('k')).bins['b'], [plain], name)
    if (Array.isArray(value)) {
      const equals = exp.bin('b').eq([value as never])
      assert.equal(await data.exists('k', { where: equals }), true, name)
    }
  }
  const lists = [op.list.appendItems('l', bare([1, 2])), op.map.putItems('m', bare({ a: 1 }))]
  await data.operate('lists', lists)
  assert.deepEqual((await data.get('lists')).bins, { l: [1, 2], m: new Map([['a', 1]]) })
})

test('an unreadable value is rejected with its place', async () => {
  const places: [string, (value: never) => Promise<unknown>][] = [
    ['bin "b": ', (value) => data.put('k', { b: value })],
    ['bin "b"\\[0\\]: ', (value) => data.put('k', { b: [value] })],
    ['bin "b"\\["a"\\]: ', (value) => data.put('k', { b: new Map([['a', value]]) })],
    ['bin "b": ', async (value) => data.operate('k', [op.put('b', value) as Operation])],
  ]
  for (const [name, value, pattern] of INVALID) {
    for (const [place, call] of places) {
      const fails = async () => call(value as never)
      const message = new RegExp(`${place}.*${pattern.source}`)
      await assert.rejects(fails, { name: 'TypeError', message }, `${name} at ${place}`)
    }
  }
  const revoked = Proxy.revocable([1], {})
  revoked.revoke()
  await assert.rejects(data.put('k', { b: revoked.proxy }), TypeError)
})

test('proxies are accepted as keys, map keys, bins and lists of arguments', async () => {
  const key = bare(Buffer.from('k'))
  const notKey = /a key must be a number, bigint, string or Buffer, not a Proxy of Buffer/
  await assert.rejects(data.get(key), { message: notKey })
  const map = new Map([[bare(Buffer.from('k')), 1]])
  await assert.rejects(data.put('k', { m: map as never }), { message: /not a Proxy of Buffer/ })
  await data.put('bins', bare({ a: 1 }))
  assert.deepEqual((await data.get('bins')).bins, { a: 1 })
  await assert.rejects(data.put('bins', bare([1]) as never), /not an array/)
  assert.equal((await data.getMany(bare(['bins', 'bins'])))[1]?.bins['a'], 1)
  const whole = bare(new Key('test', 'proxies', 'bins'))
  assert.equal((await client.get(whole)).bins['a'], 1)
  assert.equal(whole.digest.length, 20)
  await assert.rejects(data.operate('bins', bare([op.add('a', 1)])), /not a Proxy of Array/)
})

test('memory shared by threads is copied', async () => {
  const shared = new SharedArrayBuffer(4)
  const bytes = new Uint8Array(shared, 1, 2)
  bytes.set([7, 8])
  await data.put('shared', { b: bytes, l: [bytes] })
  const { bins } = await data.get('shared')
  assert.deepEqual(bins, { b: Buffer.from([7, 8]), l: [Buffer.from([7, 8])] })
  await assert.rejects(data.put('shared', { b: shared as never }), /SharedArrayBuffer/)
})

/** A value as it is read with `maps: 'map'`. */
function asMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMaps)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([name, inner]) => [name, asMaps(inner)]))
}

test('proxies are accepted as parameters of CQL statements', {
  skip: withoutCassandra,
}, async () => {
  const session: Session = await sessionIn('proxies')
  try {
    await session.execute('CREATE TYPE pair (a int, b text)')
    await session.execute(
      'CREATE TABLE t (k int PRIMARY KEY, l list<int>, s set<int>, m map<text, int>, ' +
        'u frozen<pair>, t frozen<tuple<int, text>>, v vector<float, 2>, d timestamp, b blob)',
    )
    const insert = (column: string, value: CqlInput, wrap: <T extends object>(of: T) => T) => {
      const parameters: CqlInput[] = wrap([1, value])
      return session.execute(`INSERT INTO t (k, ${column}) VALUES (?, ?)`, parameters)
    }
    const read = async (column: string) =>
      (await session.execute(`SELECT ${column} FROM t WHERE k = 1`)).first()?.[column]
    const stored: [column: string, value: object, expected: unknown][] = [
      ['l', [1, 2], [1, 2]],
      ['s', new Set([1, 2]), new Set([1, 2])],
      ['s', [2, 1], new Set([1, 2])],
      ['m', { a: 1 }, { a: 1 }],
      ['m', new Map([['a', 2]]), { a: 2 }],
      ['u', { a: 1, b: 'x' }, { a: 1, b: 'x' }],
      ['t', [1, 'x'], [1, 'x']],
      ['v', [0.5, 1], new Float32Array([0.5, 1])],
    ]
    for (const [column, value, expected] of stored) {
      await insert(column, reactive(value) as CqlInput, bare)
      assert.deepEqual(await read(column), expected, column)
    }
    const invalid: [column: string, value: object, pattern: RegExp][] = [
      ['s', new Set([1]), /cannot read a Proxy of Set/],
      ['m', new Map(), /cannot read a Proxy of Map/],
      ['m', bare([1]), /a Proxy of Array|Array/],
      ['u', bare([1]), /a Proxy of Array|Array/],
      ['d', new Date(), /a Proxy of Date/],
      ['b', Buffer.from('b'), /a Proxy of Buffer/],
    ]
    for (const [column, value, pattern] of invalid) {
      await assert.rejects(insert(column, bare(value) as CqlInput, bare), pattern, column)
    }
    const many = bare(Array.from({ length: 20 }, (_, at) => at))
    const marks = many.map(() => '?').join(', ')
    const rows = await session.execute(`SELECT k FROM t WHERE k IN (${marks})`, many as CqlInput[])
    assert.deepEqual([...rows], [{ k: 1 }])
    const shared = new Float32Array(new SharedArrayBuffer(8))
    shared.set([0.25, 2])
    await insert('v', shared, bare)
    assert.deepEqual(await read('v'), new Float32Array([0.25, 2]))
  } finally {
    await session.close()
  }
})
