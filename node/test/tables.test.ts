/** Tables as records: Arrow, typed arrays, columns and objects. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as arrow from 'apache-arrow'
import { Client, type Dataset, type PutTableOptions, type Tables } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { z } from 'zod'

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000, doubles: 'double' })
})

after(async () => {
  await client.close()
  await cluster.close()
})

// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value
type Row = { [bin: string]: unknown }
const fresh = (): Dataset<Row> => client.dataset<Row>('test', `tables${sets++}`)

/** What a table is stored as. */
async function stored(
  records: Tables,
  keys: (number | string)[],
  options: Partial<PutTableOptions> = {},
): Promise<(Row | null)[]> {
  const data = fresh()
  const batch = await data.putMany(records, { key: 'id', ...options })
  batch.raiseForErrors()
  const read = await data.getMany(keys)
  return [...read].map((record) => record && JSON.parse(JSON.stringify(record.bins)))
}

const PEOPLE = {
  id: Int32Array.of(1, 2, 3),
  name: ['Alice', 'Bob', 'Cärol'],
  age: [28, null, 51],
}
const EXPECTED = [{ name: 'Alice', age: 28 }, { name: 'Bob' }, { name: 'Cärol', age: 51 }]

function people(): arrow.Table {
  return arrow
    .tableFromArrays({ id: PEOPLE.id, name: PEOPLE.name })
    .assign(new arrow.Table({ age: arrow.vectorFromArray(PEOPLE.age, new arrow.Int16()) }))
}

test('tables of all kinds are written alike', async () => {
  const table = people()
  const [batch] = table.batches
  assert.ok(batch !== undefined)
  const rows = PEOPLE.name.map((name, at) => ({ id: at + 1, name, age: PEOPLE.age[at] }))
  const kinds: { [name: string]: Tables } = {
    table,
    batch,
    stream: arrow.tableToIPC(table, 'stream'),
    file: arrow.tableToIPC(table, 'file'),
    columns: PEOPLE,
    'typed arrays and text': { id: PEOPLE.id, name: PEOPLE.name, age: Uint8Array.of(28, 0, 51) },
    objects: rows,
    iterable: new Set(rows),
    'async iterable': (async function* () {
      yield* rows
    })(),
    tables: [table.slice(0, 1), table.slice(1)],
    'async tables': (async function* () {
      yield table.slice(0, 2)
      yield arrow.tableToIPC(table.slice(2))
    })(),
  }
  for (const [name, records] of Object.entries(kinds)) {
    const expected = name.startsWith('typed')
      ? EXPECTED.map((row) => ({ age: 0, ...row }))
      : EXPECTED
    assert.deepEqual(await stored(records, [1, 2, 3]), expected, name)
  }
})

test('the result is a batch with keys', async () => {
  const data = fresh()
  const batch = await data.putMany(people(), { key: 'id' })
  assert.equal(batch.length, 3)
  assert.deepEqual(
    batch.keys.map(({ key, set }) => [key, set]),
    [1, 2, 3].map((n) => [n, data.set]),
  )
  assert.ok(batch.keys[0]?.digest.equals(data.key(1).digest))
  assert.equal(batch.found, 3)
})

test('columns are selected and renamed, and nulls remove bins', async () => {
  assert.deepEqual(await stored(people(), [1, 2], { bins: ['name'] }), [
    { name: 'Alice' },
    { name: 'Bob' },
  ])
  assert.deepEqual(await stored(people(), [1], { bins: { age: 'years' }, nulls: 'remove' }), [
    { years: 28 },
  ])
  assert.deepEqual(await stored([{ id: 1, a: 1, b: 2 }], [1], { bins: { b: 'c' } }), [{ c: 2 }])
  for (const table of [people(), PEOPLE]) {
    const data = fresh()
    await data.putMany([[2, { age: 7, name: 'x' }]])
    await data.putMany(table, { key: 'id', nulls: 'skip' })
    assert.equal((await data.get(2)).bins['age'], 7)
    await data.putMany(table, { key: 'id', nulls: 'remove' })
    assert.deepEqual({ ...(await data.get(2)).bins }, { name: 'Bob' })
  }
  assert.deepEqual(await stored(people(), ['Alice'], { key: 'name', bins: ['id'] }), [{ id: 1 }])
})

test('types are stored as Python stores them', async () => {
  const item = (type: arrow.DataType) => new arrow.Field('item', type, true)
  const columns: [string, arrow.Vector, unknown][] = [
    ['i8', arrow.vectorFromArray([-5], new arrow.Int8()), -5],
    ['u64', arrow.vectorFromArray([5n], new arrow.Uint64()), 5],
    ['f32', arrow.vectorFromArray([1.5], new arrow.Float32()), 1.5],
    ['flag', arrow.vectorFromArray([true], new arrow.Bool()), true],
    ['text', arrow.vectorFromArray(['ä'], new arrow.Utf8()), 'ä'],
    [
      'word',
      arrow.vectorFromArray(['w'], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
      'w',
    ],
    ['day', arrow.vectorFromArray([new Date('1970-01-03')], new arrow.DateDay()), 2],
    ['at', arrow.vectorFromArray([new Date(1234)], new arrow.TimestampMillisecond()), 1234],
    [
      'list',
      arrow.vectorFromArray([[1, null, 3]], new arrow.List(item(new arrow.Int32()))),
      [1, null, 3],
    ],
    [
      'pair',
      arrow.vectorFromArray([[1, 2]], new arrow.FixedSizeList(2, item(new arrow.Int32()))),
      [1, 2],
    ],
    [
      'struct',
      arrow.vectorFromArray(
        [{ a: 1, b: 'x' }],
        new arrow.Struct([
          new arrow.Field('a', new arrow.Int32(), true),
          new arrow.Field('b', new arrow.Utf8(), true),
        ]),
      ),
      { a: 1, b: 'x' },
    ],
    [
      'bytes',
      arrow.vectorFromArray([Buffer.from('ab')], new arrow.Binary()),
      { type: 'Buffer', data: [97, 98] },
    ],
  ]
  const vectors = Object.fromEntries(columns.map(([name, vector]) => [name, vector]))
  const table = new arrow.Table({ id: arrow.vectorFromArray([1], new arrow.Int32()), ...vectors })
  const expected = Object.fromEntries(columns.map(([name, , value]) => [name, value]))
  assert.deepEqual(await stored(table, [1]), [expected])
  assert.deepEqual(await stored(arrow.tableToIPC(table), [1]), [expected])
})

test('slices of a table have their own rows', async () => {
  const count = 100
  const numbers = Array.from({ length: count }, (_, n) => n)
  const table = new arrow.Table({
    id: arrow.vectorFromArray(numbers, new arrow.Int32()),
    flag: arrow.vectorFromArray(
      numbers.map((n) => (n % 7 === 0 ? null : n % 3 === 0)),
      new arrow.Bool(),
    ),
    text: arrow.vectorFromArray(
      numbers.map((n) => (n % 5 === 0 ? null : `t${n}`)),
      new arrow.Utf8(),
    ),
    n: arrow.vectorFromArray(numbers, new arrow.Float64()),
    list: arrow.vectorFromArray(
      numbers.map((n) => Array.from({ length: n % 4 }, (_, at) => n + at)),
      new arrow.List(new arrow.Field('item', new arrow.Int32(), true)),
    ),
  })
  const part = table.slice(13, 57)
  const rows = await stored(part, numbers)
  for (const n of numbers) {
    if (n < 13 || n >= 57) {
      assert.equal(rows[n], null)
      continue
    }
    const list = Array.from({ length: n % 4 }, (_, at) => n + at)
    const row: Row = { n, list }
    if (n % 7 !== 0) row['flag'] = n % 3 === 0
    if (n % 5 !== 0) row['text'] = `t${n}`
    assert.deepEqual(rows[n], row)
  }
})

test('floats of a column stay floats, however whole', async () => {
  for (const records of [
    { id: [1], f: Float64Array.of(2) },
    { id: [1], f: Float64Array.of(2), mixed: [[1]] },
    new arrow.Table({
      id: arrow.makeVector(Int32Array.of(1)),
      f: arrow.makeVector(Float64Array.of(2)),
    }),
  ]) {
    const data = fresh()
    await data.putMany(records, { key: 'id' })
    assert.equal(String((await data.get(1)).bins['f']), '2')
    assert.equal((await data.get(1)).bins['f']?.constructor.name, 'Double')
  }
})

test('many rows go in windows', async () => {
  const data = fresh()
  const count = 40_000
  const id = Int32Array.from({ length: count }, (_, n) => n)
  const batch = await data.putMany({ id, n: id }, { key: 'id' })
  assert.deepEqual([batch.length, batch.found, batch.errors.size], [count, count, 0])
  assert.equal(batch.keys[count - 1]?.key, count - 1)
  assert.equal((await data.get(33_333)).bins['n'], 33_333)
  const created = await data.putMany({ id, n: id }, { key: 'id', exists: 'create' })
  assert.equal(created.errors.size, count)
  assert.equal(created.errors.get(20_000)?.key?.key, 20_000)
  assert.throws(() => created[39_999], /exists/)
})

test('values that cannot be written name row and column, and nothing is sent', async () => {
  const data = fresh()
  const put = (records: unknown, options: object = {}) =>
    data.putMany(wrong(records), wrong({ key: 'id', ...options }))
  await assert.rejects(put({ id: [1, 2], n: BigUint64Array.of(1n, 2n ** 63n) }), RangeError)
  const numbers = { id: Int32Array.of(1, 2), n: BigUint64Array.of(1n, 2n ** 63n) }
  await assert.rejects(put(numbers), {
    message: 'row 1, column "n": the integer 9223372036854775808 does not fit 64 bits signed',
  })
  assert.equal(await data.exists(1), false)
  await assert.rejects(
    put(new arrow.Table({ id: arrow.vectorFromArray([1.5]), n: arrow.vectorFromArray([1]) })),
    {
      message: 'row 0, column "id": a key must be an integer, text or bytes',
    },
  )
  const empty = { id: Int32Array.of(1), n: [null] as (string | null)[] }
  for (const records of [
    empty,
    { ...empty, m: [undefined, 5].slice(0, 1) },
    [{ id: 1, n: null }],
  ]) {
    await assert.rejects(put(records), /row 0: every bin is null, so there is nothing to write/)
  }
  await assert.rejects(put({ id: ['a', null], n: [1, 2] }), /row 1: a key must not be null/)
  await assert.rejects(put([{ n: 1 }]), /row 0: there is no key "id"/)
  await assert.rejects(
    put({ id: [1, 2], n: [1] }),
    /columns differ in length: id has 2 rows, n has 1/,
  )
  for (const records of [people(), PEOPLE]) {
    await assert.rejects(
      put(records, { key: 'key' }),
      /there is no column "key"; there are: id, name/,
    )
    await assert.rejects(put(records, { bins: ['x'] }), /there is no column "x"/)
    await assert.rejects(put(records, { bins: [] }), /bins must not be empty/)
    await assert.rejects(
      put(records, { bins: { name: 'x', age: 'x' } }),
      /two columns go to the bin "x"/,
    )
    await assert.rejects(put(records, { bins: { name: 'averylongnameofabin' } }), RangeError)
    await assert.rejects(put(records, { nulls: 'drop' }), /nulls must be 'skip'/)
    await assert.rejects(put(records, { kye: 'id' }), /unknown option kye/)
    await assert.rejects(
      put(records, { key: undefined, bins: ['name'] }),
      /key must name the column/,
    )
  }
  await assert.rejects(data.putMany(wrong(people())), /key must name the column of keys/)
  await assert.rejects(
    put(Buffer.from('nonsense, not Arrow')),
    /not readable as an Arrow IPC stream/,
  )
  await assert.rejects(put(5), /records must be a table, columns, or an iterable/)
  await assert.rejects(put([5]), /row 0: records must be objects or tables, not number/)
  const decimals = arrow.vectorFromArray(
    [Uint32Array.of(1, 0, 0, 0)],
    new arrow.Decimal(2, 10, 128),
  )
  await assert.rejects(
    put(new arrow.Table({ id: arrow.makeVector(Int32Array.of(1)), d: decimals })),
    /column "d": cannot store type Decimal128/,
  )
  assert.equal(await data.exists(1), false)
})

test('tables go to datasets, without a schema unless they are objects', async () => {
  await assert.rejects(
    client.within(client.transaction()).putMany(people(), { key: 'id' }),
    TypeError,
  )
  const schema = z.object({ name: z.string(), age: z.number().optional() })
  const typed = client.dataset('test', `tables${sets++}`, { schema })
  await assert.rejects(typed.putMany(people(), { key: 'id' }), /a dataset without a schema/)
  await typed.putMany([{ id: 1, name: 'A' }], { key: 'id' })
  await assert.rejects(typed.putMany([{ id: 1, name: 5 }], { key: 'id' }), /row 0: .*bin 'name'/)
})

test('callbacks and signals', async () => {
  const data = fresh()
  const count = await new Promise((resolve) => {
    data.putMany(people(), { key: 'id' }, (_, batch) => resolve(batch?.found))
  })
  assert.equal(count, 3)
  const signal = AbortSignal.abort(new Error('no'))
  await assert.rejects(data.putMany(people(), { key: 'id', signal }), /^Error: no$/)
})

test('damaged Arrow bytes are errors, or other values', async () => {
  const data = fresh()
  const table = arrow.tableFromArrays({
    id: Int32Array.from({ length: 20 }, (_, n) => n),
    text: Array.from({ length: 20 }, (_, n) => `t${n % 3}`),
  })
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (const form of ['stream', 'file'] as const) {
    const bytes = arrow.tableToIPC(table, form)
    for (let round = 0; round < 500; round++) {
      const damaged = Buffer.from(bytes)
      for (let n = random(3); n >= 0; n--) damaged[random(damaged.length)] = random(256)
      const part = round % 4 === 0 ? damaged.subarray(0, random(damaged.length)) : damaged
      const outcome: unknown = await data.putMany(part, { key: 'id' }).catch((error) => error)
      if (!(outcome instanceof Error)) continue
      assert.ok(outcome instanceof RangeError || outcome instanceof TypeError, String(outcome))
      assert.doesNotMatch(outcome.message, /internal error/)
    }
  }
})
