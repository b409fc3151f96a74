/** Queries as columns: typed arrays and Arrow. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import { Client, type ColumnOptions, type Dataset, Double, op, QueryClosed } from 'spikewire'
import { Cluster } from 'spikewire/testing'

const COUNT = 5000

let cluster: Cluster
let client: Client
let rows: Dataset

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
  rows = client.dataset('test', 'columns')
  const one = (n: number) =>
    rows.put(
      n,
      {
        n,
        half: new Double(n / 2),
        text: `text ${n} é`,
        bytes: Buffer.from([n % 256, 1]),
        flag: n % 2 === 0,
        list: [n, n + 1],
        map: { a: n },
        ...(n % 3 === 0 && { third: n }),
      },
      { sendKey: true, ttl: n % 2 ? 1000 : 'never' },
    )
  await Promise.all(Array.from({ length: COUNT }, (_, n) => one(n)))
})

after(async () => {
  await client?.close()
  await cluster?.close()
})

test('types of columns are inferred without a schema', async () => {
  const seen = new Set<number>()
  for await (const table of rows.query().columns({ rows: 2000, key: 'id', ttl: 'left' })) {
    assert.ok(table.length <= 2000)
    assert.deepEqual([...table.names].sort(), [
      'bytes',
      'flag',
      'half',
      'id',
      'left',
      'list',
      'map',
      'n',
      'text',
      'third',
    ])
    const column = (name: string) => {
      const column = table.get(name)
      assert.ok(column, name)
      assert.equal(column.length, table.length)
      return column
    }
    const numbers = column('n')
    assert.equal(numbers.type, 'int64')
    assert.ok(numbers.values instanceof BigInt64Array)
    assert.equal(numbers.valid, null)
    assert.ok(column('half').values instanceof Float64Array)
    assert.ok(column('text').values instanceof Uint8Array)
    assert.ok(column('third').valid instanceof Uint8Array)
    for (let row = 0; row < table.length; row++) {
      const n: number = Number(numbers.values[row])
      assert.ok(!seen.has(n))
      seen.add(n)
      assert.equal(column('half').get(row), n / 2)
      assert.equal(column('text').get(row), `text ${n} é`)
      assert.deepEqual(column('bytes').get(row), Buffer.from([n % 256, 1]))
      assert.equal(column('flag').get(row), n % 2 === 0)
      assert.equal(column('third').get(row), n % 3 === 0 ? BigInt(n) : null)
      assert.deepEqual(column('list').get(row), [BigInt(n), BigInt(n + 1)])
      assert.deepEqual(column('map').get(row), new Map([['a', BigInt(n)]]))
      assert.equal(column('id').get(row), BigInt(n))
      const left = column('left').get(row)
      assert.ok(n % 2 ? typeof left === 'number' && left > 900 : left === null, `${n}: ${left}`)
    }
    assert.equal(column('n').get(table.length), undefined)
    assert.deepEqual(column('n').toArray(), [...column('n')])
  }
  assert.equal(seen.size, COUNT)
})

test('a schema decides the types of columns', async () => {
  let total = 0
  let count = 0
  const schema = { n: 'int32', half: 'float32', none: 'utf8', list: 'list<float64>' } as const
  for await (const table of rows.query().columns({ schema, generation: undefined })) {
    assert.deepEqual(table.names, ['n', 'half', 'none', 'list'])
    const [n, half, none, list] = table.columns
    assert.ok(n?.values instanceof Int32Array && half?.values instanceof Float32Array)
    assert.ok(list?.items[0]?.values instanceof Float64Array)
    for (const number of n.values) total += number
    count += table.length
    assert.ok(none?.toArray().every((value) => value === null))
  }
  assert.equal(count, COUNT)
  assert.equal(total, (COUNT * (COUNT - 1)) / 2)
})

test('Arrow streams are read by apache-arrow', async () => {
  const seen = new Set<number>()
  for await (const stream of rows.query().arrow({ rows: 3000, generation: 'generation' })) {
    const table = tableFromIPC(stream)
    for (const row of table) {
      const { n, text, half, generation, third, list } = row.toJSON()
      assert.equal(text, `text ${n} é`)
      assert.equal(half, Number(n) / 2)
      assert.equal(generation, 1)
      assert.equal(third, Number(n) % 3 === 0 ? n : null)
      assert.deepEqual([...list], [n, n + 1n])
      seen.add(Number(n))
    }
  }
  assert.equal(seen.size, COUNT)
})

test('a value that does not fit its column is an error with row and column', async () => {
  await rows.put('other', { n: 'a string' })
  try {
    const query = rows.query()
    await assert.rejects(async () => {
      for await (const _ of query.columns({ schema: { n: 'int64' } }));
    }, /^TypeError: row \d+ of the table, "n": /)
    let left = 0
    for await (const _ of rows.query({ resume: query.cursor })) left++
    // The records of the failed table are returned again.
    assert.ok(left > 0 && left <= COUNT + 1)
  } finally {
    await rows.delete('other')
  }
})

test('a cursor resumes behind a table', async () => {
  const query = rows.query()
  let first = 0
  for await (const table of query.columns({ rows: 1000 })) {
    first = table.length
    break
  }
  let rest = 0
  for await (const table of rows.query({ resume: query.cursor }).columns()) rest += table.length
  assert.equal(first + rest, COUNT)
  await assert.rejects(query.next(), QueryClosed)
})

test('invalid options are rejected', async () => {
  const bad: [object, RegExp][] = [
    [{ shema: {} }, /unknown option shema/],
    [{ schema: { n: 'integer' } }, /schema: "n" must be bool, int8/],
    [{ schema: { n: 7 } }, /schema: "n"/],
    [{ schema: 'n' }, /schema must be an object/],
    [{ rows: 0 }, /rows must be from 1/],
    [{ key: 'x', ttl: 'x' }, /"x" twice/],
    [{ schema: { n: 'int64' }, key: 'id' }, /schema has no field "id"/],
  ]
  for (const [options, message] of bad) {
    const tables = rows.query().columns(options as ColumnOptions)
    await assert.rejects(tables.next(), message, JSON.stringify(options))
  }
  const query = rows.query()
  await query.next()
  await assert.rejects(query.columns().next(), /record by record/)
  const results = rows.query({ operations: [op.get('n')] })
  await assert.rejects(results.columns().next(), /results of operations/)
})

test('many records by their keys become columns', async () => {
  const keys = [7, 'nobody', 8]
  const table = await rows.getColumns(keys, { generation: 'generation' })
  assert.equal(table.length, 3)
  assert.deepEqual(table.get('n')?.toArray(), [7n, null, 8n])
  assert.deepEqual(table.get('text')?.toArray(), ['text 7 é', null, 'text 8 é'])
  assert.deepEqual(table.get('generation')?.toArray(), [1, null, 1])
  const schema = { half: 'float64', none: 'int32' } as const
  const some = await rows.getColumns(keys, { schema })
  assert.deepEqual(some.names, ['half', 'none'])
  assert.deepEqual(some.get('half')?.values, new Float64Array([3.5, 0, 4]))
  assert.deepEqual(some.get('half')?.valid, new Uint8Array([1, 0, 1]))
  assert.deepEqual(some.get('none')?.toArray(), [null, null, null])
  const filtered = await rows.getColumns(keys, { where: '$.n == 8', bins: ['n'] })
  assert.deepEqual(filtered.get('n')?.toArray(), [null, null, 8n])
  const arrow = tableFromIPC(await rows.getArrow(keys, { bins: ['n'] }))
  assert.deepEqual([...(arrow.getChild('n') ?? [])], [7n, null, 8n])
  const empty = await rows.getColumns([])
  assert.deepEqual([empty.length, empty.names], [0, []])

  await assert.rejects(rows.getColumns([1, {} as never]), /row 1/)
  await assert.rejects(rows.getColumns(keys, { schema: { text: 'int64' } }), /row 0.*"text"/)
  await assert.rejects(rows.getColumns(keys, { schema: { n: 'many' as never } }), /"n" must be/)
  await cluster.inject(0, { error: 1, code: 4 })
  try {
    await assert.rejects(rows.getColumns(Array(50).keys()), { code: 4 })
  } finally {
    await cluster.clearFaults(0)
  }
})
