/** Many records in one call: order, missing records, errors of rows, several sets. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import {
  type Batch,
  Client,
  type Dataset,
  exp,
  Key,
  op,
  Read,
  RecordExists,
  type UserKey,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Row = { n?: number; s?: string; [bin: string]: unknown }

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

function fresh(): Dataset<Row> {
  return client.dataset<Row>('test', `many${sets++}`)
}

const NUMBERS = Array.from({ length: 300 }, (_, n) => n)

async function filled(): Promise<Dataset<Row>> {
  const data = fresh()
  const written = await data.putMany(NUMBERS.map((n) => [n, { n, s: String(n) }]))
  assert.equal(written.raiseForErrors().found, NUMBERS.length)
  return data
}

const binsOf = (batch: Batch<Row>) => [...batch].map((record) => record && { ...record.bins })

test('records are in input order, with missing and repeated ones', async () => {
  const data = await filled()
  const keys = [5, 999, 5, 0, 'none', data.key(299)]
  const results = await data.getMany(keys)
  const record = (n: number) => ({ n, s: String(n) })
  assert.deepEqual(binsOf(results), [record(5), null, record(5), record(0), null, record(299)])
  assert.deepEqual([...results.codes], [0, 2, 0, 0, 2, 0])
  assert.deepEqual([results.length, results.found, results.errors.size], [6, 4, 0])
  assert.deepEqual(
    results.keys.map(({ key }) => key),
    [5, 999, 5, 0, 'none', 299],
  )
  assert.deepEqual(results[0]?.key.key, 5)
  assert.equal(results[5]?.key.set, data.set)
  assert.equal(results[0], results[0])
  assert.equal(results.at(-1), results[5])
  assert.equal(results.at(6), undefined)
  assert.equal(results[6], undefined)
  assert.equal(inspect(results), 'Batch(6 rows, 4 found, 0 failed)')
})

test('keys may be of every type', async () => {
  const data = fresh()
  const text =
    'a longer text than fits a block of the hash, with ümlauts, of some hundred characters'
  const keys: UserKey[] = [0, -1, 2 ** 53 - 1, 2n ** 63n - 1n, '', 'ß', text, Buffer.from([0, 255])]
  await data.putMany(keys.map((key, n) => [key, { n }]))
  const one = await Promise.all(keys.map((key) => data.get(key)))
  const many = await data.getMany(keys)
  assert.deepEqual(
    one.map(({ bins }) => bins.n),
    keys.map((_, n) => n),
  )
  assert.deepEqual(
    [...many].map((record) => record?.bins.n),
    keys.map((_, n) => n),
  )
  const digests = keys.map((key) => Key.fromDigest('test', data.set, data.key(key).digest))
  assert.equal((await data.getMany(digests)).found, keys.length)
  assert.equal((await client.getMany(digests)).found, keys.length)
  // -0 is the key 0.
  assert.equal((await data.getMany([-0]))[0]?.bins.n, 0)
})

test('lists of only numbers, strings or ASCII keys are encoded', async () => {
  const lists: UserKey[][] = [
    [0, -5, 2 ** 40, 17],
    ['a', '', 'bc', 'a longer one', 'a'],
    ['a', 'é', 'bc', '😀', ''],
    ['ёж', '\0', '\ufffd', 'z'.repeat(3000)],
  ]
  for (const keys of lists) {
    const data = fresh()
    await Promise.all(keys.map((key) => data.put(key, { s: String(key) })))
    const results = await data.getMany(keys)
    assert.deepEqual(
      [...results].map((record) => record?.bins.s),
      keys.map(String),
    )
    assert.deepEqual(
      [...results].map((record) => record?.key.key),
      keys,
    )
    const again = fresh()
    await again.putMany(keys.map((key, n) => [key, { n }]))
    const last = (key: UserKey) => keys.lastIndexOf(key)
    for (const key of keys) assert.equal((await again.get(key)).bins.n, last(key))
  }
})

test('bins may be selected, or none', async () => {
  const data = await filled()
  assert.deepEqual(binsOf(await data.getMany([1, 2], { bins: ['s'] })), [{ s: '1' }, { s: '2' }])
  assert.deepEqual(binsOf(await data.getMany([1, 2], { bins: ['zz'] })), [{}, {}])
  const results = await data.getMany([1, 777], { bins: [] })
  assert.deepEqual([results[0]?.bins, results[0]?.generation, results[1]], [{}, 1, null])
  const there = await data.existsMany([0, 1000])
  assert.deepEqual(
    [...there].map((record) => record !== null),
    [true, false],
  )
})

test('records of different shapes are returned with generation and time to live', async () => {
  const data = fresh()
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`b${n}`, n]))
  const bins: Row[] = [
    { n: 1 },
    { s: 'a' },
    { s: 'b' },
    { n: 2, s: 'c' },
    { s: 'd', n: 3 },
    wide,
    { n: 4 },
    { ['__proto__']: 5 },
    { l: [1, { m: 2 }], b: Buffer.from('x') },
  ]
  await data.putMany(
    bins.map((some, key) => [key, some]),
    { ttl: 1000 },
  )
  await data.put(3, { n: 2 }, { ttl: 'never' })
  const results = await data.getMany(bins.map((_, key) => key))
  const one = await Promise.all(bins.map((_, key) => data.get(key)))
  for (const [row, record] of one.entries()) {
    assert.deepEqual(results[row]?.bins, record.bins)
    assert.equal(results[row]?.generation, row === 3 ? 2 : 1)
  }
  assert.deepEqual(Object.keys(results[7]?.bins ?? {}), ['__proto__'])
  const ttls = [...results].map((record) => record?.ttl)
  assert.equal(ttls[3], null)
  assert.ok(ttls.every((ttl, row) => row === 3 || (Number(ttl) > 900 && Number(ttl) <= 1000)))
})

test('keys may be any iterable, or none', async () => {
  const data = await filled()
  function* three() {
    yield* [0, 1, 2]
  }
  assert.equal((await data.getMany(three())).found, 3)
  assert.equal((await data.getMany(new Set([1, 2]))).found, 2)
  assert.equal((await data.getMany(new Map([[1, 'a']]).keys())).found, 1)
  assert.equal((await data.getMany(Int32Array.of(1, 2))).found, 2)
  assert.equal((await data.getMany([])).length, 0)
  assert.deepEqual([...(await data.putMany({}))], [])
  assert.equal((await data.getMany([7]))[0]?.bins.n, 7)
  assert.deepEqual([...(await data.getMany([7777])).codes], [2])
})

test('lists of bin names beyond the cache are decoded', async () => {
  const data = fresh()
  const numbers = Array.from({ length: 1500 }, (_, n) => n)
  await data.putMany(numbers.map((n) => [n, { [`bin${n}`]: n, n }]))
  for (let time = 0; time < 2; time++) {
    const results = await data.getMany(numbers)
    assert.deepEqual(
      binsOf(results),
      numbers.map((n) => ({ [`bin${n}`]: n, n })),
    )
  }
  const read = await data.operateMany([1498, 1499], [op.get('n'), op.get('bin1499')])
  assert.deepEqual(
    [...read].map((record) => record?.results),
    [
      [1498, null],
      [1499, 1499],
    ],
  )
})

test('arrays changed during the call do not change it', async () => {
  const data = await filled()
  const keys = [1, 2, 3]
  const promise = data.getMany(keys)
  keys[0] = 200
  keys.length = 1
  const results = await promise
  assert.deepEqual(
    [...results].map((record) => [record?.key.key, record?.bins.n]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
})

test('toMap returns the existing records', async () => {
  const data = await filled()
  const results = (await data.getMany([3, 1, 3, 888])).toMap()
  assert.deepEqual(
    [...results].map(([key, record]) => [key, record.bins.n]),
    [
      [3, 3],
      [1, 1],
    ],
  )
  const { digest } = data.key(5)
  const known = await data.getMany([Key.fromDigest('test', data.set, digest)])
  assert.deepEqual([...known.toMap().keys()], [digest.toString('hex')])
})

test('ten thousand rows and concurrent batches succeed', async () => {
  const data = await filled()
  const results = await data.getMany(Array.from({ length: 10_000 }, (_, n) => n))
  assert.equal(results.found, NUMBERS.length)
  const sum = [...results].reduce((all, record) => all + (record?.bins.n ?? 0), 0)
  assert.equal(sum, (299 * 300) / 2)
  const batches = await Promise.all(
    Array.from({ length: 250 }, (_, from) => data.getMany(NUMBERS.slice(from, from + 50))),
  )
  for (const [from, batch] of batches.entries()) {
    assert.deepEqual(
      [...batch].map((record) => record?.bins.n),
      NUMBERS.slice(from, from + 50),
    )
  }
})

test('keys may be of several sets', async () => {
  const [a, b] = [fresh(), fresh()]
  await a.put(1, { s: 'a' })
  await b.put(1, { s: 'b' })
  const keys = [a.key(1), b.key(1), new Key('test', null, 1), a.key(2), a.key(1)]
  const results = await client.getMany(keys)
  assert.deepEqual(
    [...results].map((record) => record?.bins ?? null),
    [{ s: 'a' }, { s: 'b' }, null, null, { s: 'a' }],
  )
  assert.deepEqual(results.keys.map(String), keys.map(String))
  assert.deepEqual([results[1]?.key.set, results[4]?.key.set], [b.set, a.set])
  const gone = await client.deleteMany(keys.slice(0, 3))
  assert.deepEqual([...gone.codes], [0, 0, 2])
})

test('every key of a client must be a whole one', async () => {
  const whole = fresh().key(4)
  for (const key of [5, 'a', 5n, Buffer.from('a')]) {
    for (const [row, keys] of [[key], [whole, key], [whole, whole, key]].entries()) {
      for (const call of [
        () => client.getMany(wrong(keys)),
        () => client.existsMany(wrong(keys)),
        () => client.deleteMany(wrong(keys)),
        () => client.operateMany(wrong(keys), [op.add('n', 1)]),
        () => client.applyMany(wrong(keys), 'module', 'name'),
        () => client.putMany(wrong(keys.map((key) => [key, { n: 1 }]))),
        () => client.batch(keys.map((key) => new Read(key))),
        () => client.getColumns(wrong(keys)),
      ]) {
        const message = new RegExp(`^row ${row}: a client's verbs take a Key, not `)
        await assert.rejects(call(), (error: Error) => message.test(error.message))
      }
    }
  }
})

test('records may be a Map, pairs, an object or an async iterable', async () => {
  const data = fresh()
  const pairs: [UserKey, Row][] = [
    ['c', { n: 3 }],
    [4, { n: 4, l: [1] }],
  ]
  async function* slowly(): AsyncGenerator<[UserKey, Row]> {
    for (const n of [5, 6]) yield [n, { n }]
  }
  const map = new Map<UserKey, Row>([
    ['a', { n: 1 }],
    [Buffer.from('b'), { n: 2 }],
  ])
  assert.equal((await data.putMany(map)).found, 2)
  assert.equal((await data.putMany(pairs)).found, 2)
  assert.equal((await data.putMany(slowly())).found, 2)
  assert.equal((await data.putMany({ d: { n: 7 }, 8: { n: 8 } })).found, 2)
  assert.equal((await data.putMany([['m', wrong(new Map([['n', 9]]))]])).found, 1)
  const results = await data.getMany(['a', Buffer.from('b'), 'c', 4, 5, 6, 'd', '8', 'm'])
  assert.deepEqual(binsOf(results), [
    ...[{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4, l: [1] }, { n: 5 }, { n: 6 }],
    ...[{ n: 7 }, { n: 8 }, { n: 9 }],
  ])
})

test('failed rows do not affect the others', async () => {
  const data = fresh()
  await data.put('old', { n: 1 })
  const written = await data.putMany(
    [
      ['old', { n: 2 }],
      ['new', { n: 3 }],
    ],
    { exists: 'create' },
  )
  assert.deepEqual([...written.codes], [5, 0])
  assert.deepEqual([...written.errors.keys()], [0])
  const error = written.errors.get(0)
  assert.ok(error instanceof RecordExists)
  assert.deepEqual([error.key?.key, error.attempts, error.inDoubt], ['old', 1, false])
  assert.match(String(error.node), /:/)
  assert.equal(written[1]?.generation, 1)
  assert.equal(written[1]?.key.key, 'new')
  assert.throws(() => written[0], RecordExists)
  assert.throws(() => [...written], RecordExists)
  assert.throws(() => written.toMap(), RecordExists)
  assert.throws(() => written.raiseForErrors(), RecordExists)
  assert.equal(inspect(written), 'Batch(2 rows, 1 found, 1 failed)')
  assert.deepEqual((await data.get('old')).bins, { n: 1 })
})

test('options set time to live, generation, stored keys and filters', async () => {
  const data = fresh()
  await data.putMany(
    [1, 2].map((n) => [n, { n }]),
    { ttl: 1000, sendKey: true },
  )
  const stored = await data.getMany([1, 2], { where: exp.key('int').gt(1) })
  assert.deepEqual([...stored.codes], [27, 0])
  assert.equal(stored[0], null)
  await data.put(2, { n: 3 })
  const again = await data.putMany(
    [1, 2].map((n) => [n, { n: 9 }]),
    { generation: 1 },
  )
  assert.deepEqual([...again.codes], [0, 3])
  assert.deepEqual([...(await data.deleteMany([1, 2], { where: '$.n > 8' })).codes], [0, 27])
})

test('many records are deleted and operated on', async () => {
  const data = await filled()
  const gone = await data.deleteMany([1, 2, 5000])
  assert.deepEqual(
    [...gone].map((record) => record !== null),
    [true, true, false],
  )
  assert.equal((await data.getMany([0, 1, 2])).found, 1)
  const added = await data.operateMany([3, 4], [op.add('n', 10), op.get('n'), op.touch()])
  assert.deepEqual(
    [...added].map((record) => record?.results),
    [
      [null, 13, null],
      [null, 14, null],
    ],
  )
  assert.deepEqual(binsOf(await data.operateMany([3, 4], [op.get('n')])), [{ n: 13 }, { n: 14 }])
  const missing = await data.operateMany([4000, 3], [op.touch()])
  assert.deepEqual([missing[0], missing[1]?.generation, missing[1]?.key.key], [null, 3, 3])
})

test('operations of one call run on every record', async () => {
  const data = fresh()
  const keys = Array.from({ length: 50 }, (_, at) => at)
  await data.putMany(new Map(keys.map((at) => [at, { l: [at], m: { a: at } }])))
  const steps = [
    op.list.append('l', 9),
    op.list.get('l', 0),
    op.map.getByKey('m', 'a'),
    op.read('n', '$.l.type()'),
  ]
  const batch = await data.operateMany(keys, steps)
  assert.deepEqual(
    [...batch].map((record) => record?.results),
    keys.map((at) => [2, at, at, 20]),
  )
})
