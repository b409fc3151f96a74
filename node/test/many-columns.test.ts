/** Many records as columns, one row per key: typed arrays and Arrow. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import {
  Client,
  type Columns,
  type Dataset,
  Double,
  type GetColumnsOptions,
  Key,
  NamespaceNotFound,
  Timeout,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let data: Dataset

const NUMBERS = Array.from({ length: 200 }, (_, n) => n)

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  data = client.dataset('test', 'columns')
  const bins = (n: number) => ({
    n,
    half: new Double(n / 2),
    text: `text ${n} é`,
    ...(n % 3 === 0 && { third: n }),
  })
  const records = NUMBERS.map((n) => [n, bins(n)] as const)
  const written = await data.putMany(records, { ttl: 1000 })
  written.raiseForErrors()
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

const KEYS = [5, 'none', 3, 199, 3]

test('one row per key, in input order, null if there is no record', async () => {
  const table = await data.getColumns(KEYS)
  assert.equal(table.length, 5)
  assert.deepEqual([...table.names].sort(), ['half', 'n', 'text', 'third'])
  assert.deepEqual(table.get('n')?.toArray(), [5n, null, 3n, 199n, 3n])
  assert.deepEqual(table.get('half')?.toArray(), [2.5, null, 1.5, 99.5, 1.5])
  assert.deepEqual(table.get('third')?.toArray(), [null, null, 3n, null, 3n])
  assert.deepEqual(table.get('text')?.get(3), 'text 199 é')
  assert.deepEqual([...(table.get('n')?.valid ?? [])], [1, 0, 1, 1, 1])
})

test('a schema may have columns of keys, generations and seconds to live', async () => {
  const schema = { id: 'int32', n: 'float64', gen: 'uint16', left: 'int32' } as const
  const options = { schema, key: 'id', generation: 'gen', ttl: 'left' }
  const table = await data.getColumns([7, 8, 999], options)
  assert.deepEqual(table.names, ['id', 'n', 'gen', 'left'])
  assert.deepEqual(table.get('id')?.values, Int32Array.of(7, 8, 999))
  assert.deepEqual(table.get('n')?.values, Float64Array.of(7, 8, 0))
  assert.deepEqual(table.get('gen')?.toArray(), [1, 1, null])
  const left = table.get('left')?.toArray().slice(0, 2) ?? []
  assert.ok(left.every((seconds) => Number(seconds) > 900 && Number(seconds) <= 1000))
  const some = await data.getColumns([7, 999], { bins: ['n'], key: 'id' })
  assert.deepEqual(some.names.sort(), ['id', 'n'])
  assert.deepEqual(some.get('id')?.toArray(), [7n, 999n])
})

test('keys may be text, bytes and digests', async () => {
  const text = await data.getColumns(['a', 'ß'], { bins: [], key: 'id' })
  assert.deepEqual(text.get('id')?.toArray(), ['a', 'ß'])
  const bytes = await data.getColumns([Buffer.from([1, 2])], { bins: [], key: 'id' })
  assert.deepEqual(bytes.get('id')?.toArray(), [Buffer.from([1, 2])])
  const known = Key.fromDigest('test', 'columns', data.key(9).digest)
  const digest = await client.getColumns([known, data.key(8)], { bins: ['n'], key: 'id' })
  assert.deepEqual(digest.get('id')?.toArray(), [null, 8n])
  assert.deepEqual(digest.get('n')?.toArray(), [9n, 8n])
})

test('Arrow streams, filters and callbacks work', async () => {
  const where = '$.n >= 100'
  const table = tableFromIPC(await data.getArrow(NUMBERS, { bins: ['n', 'text'], where }))
  assert.equal(table.numRows, NUMBERS.length)
  const n = table.getChild('n')
  for (const row of NUMBERS) assert.equal(n?.get(row), row < 100 ? null : BigInt(row))
  const received = await new Promise<Columns>((resolve, reject) => {
    data.getColumns([1], { bins: ['n'] }, (error, columns) =>
      columns === undefined ? reject(error) : resolve(columns),
    )
  })
  assert.deepEqual(received.get('n')?.toArray(), [1n])
  assert.equal((await data.getColumns([])).length, 0)
})

test('values that do not fit are named', async () => {
  await data.put('odd', { n: 'text' })
  await assert.rejects(
    data.getColumns([1, 'odd'], { schema: { n: 'int64' } }),
    /^TypeError: row 1 of the table, "n": /,
  )
  await assert.rejects(
    data.getColumns([1, 199], { schema: { n: 'int8' } }),
    /^RangeError: row 1 of the table, "n": /,
  )
  await assert.rejects(data.getColumns([1, 'odd']), /^TypeError: row 1 of the table, "n": /)
  await assert.rejects(
    data.getColumns([1, 'a'], { bins: [], key: 'id' }),
    /row 1 of the table, "id": /,
  )
})

const BAD: [options: GetColumnsOptions, message: RegExp][] = [
  [{ schema: wrong({ a: 'int7' }) }, /^RangeError: schema: "a" must be/],
  [{ schema: wrong(5) }, /^TypeError: schema must be an object/],
  [{ schema: { a: 'int8' }, key: 'id' }, /^RangeError: key: the schema has no field "id"/],
  [{ key: 'id', ttl: 'id' }, /^RangeError: key, generation and ttl must be different/],
  [{ errors: wrong('x') }, /^RangeError: errors must be 'raise' or 'mask'/],
  [wrong({ rows: 5 }), /^TypeError: unknown option rows/],
]

test('invalid options are rejected', async () => {
  for (const [options, message] of BAD) {
    await assert.rejects(data.getColumns([1], options), message)
    await assert.rejects(data.getArrow([1], options), message)
  }
  await assert.rejects(data.getColumns([1, 1.5]), /^RangeError: row 1: a key must be/)
})

test('rows that fail: their error, or nulls', async () => {
  const keys = [data.key(1), new Key('nowhere', 's', 2), data.key(3)]
  await assert.rejects(client.getColumns(keys, { bins: ['n'] }), (error: NamespaceNotFound) => {
    assert.ok(error instanceof NamespaceNotFound)
    assert.deepEqual([error.key?.namespace, error.key?.key], ['nowhere', 2])
    return true
  })
  const masked = await client.getColumns(keys, { bins: ['n'], errors: 'mask' })
  assert.deepEqual(masked.get('n')?.toArray(), [1n, null, 3n])
  await cluster.inject(0, { dropReply: 1 })
  try {
    await assert.rejects(data.getColumns(NUMBERS, { timeout: 2000, replica: 'master' }), Timeout)
    const some = await data.getColumns(NUMBERS, {
      timeout: 2000,
      replica: 'master',
      errors: 'mask',
    })
    const column = some.get('n')?.toArray() ?? []
    assert.ok(column.includes(null) && column.some((value) => value !== null))
  } finally {
    await cluster.clearFaults(0)
  }
})
