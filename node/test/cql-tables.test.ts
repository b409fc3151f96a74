/** Tables as parameters of statements, and results as Arrow tables. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as arrow from 'apache-arrow'
import { Late, type ManyRows, type Session } from 'spikewire/cql'
import { sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }

let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_tables')
  await session.execute(
    'CREATE TABLE node_tables.t (k int, id int, name text, n bigint, f double, flag boolean, ' +
      'at timestamp, day date, l list<int>, price decimal, PRIMARY KEY (k, id))',
  )
})

after(() => session?.close())

// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value
let keys = 0

const moment = new Date('2026-01-02T03:04:05.678Z')

function table(k: number, count: number): arrow.Table {
  const numbers = Array.from({ length: count }, (_, n) => n)
  return new arrow.Table({
    k: arrow.vectorFromArray(
      numbers.map(() => k),
      new arrow.Int32(),
    ),
    id: arrow.vectorFromArray(numbers, new arrow.Int32()),
    name: arrow.vectorFromArray(
      numbers.map((n) => (n % 3 === 0 ? null : `n${n}`)),
      new arrow.Utf8(),
    ),
    n: arrow.vectorFromArray(numbers.map(BigInt), new arrow.Int64()),
    f: arrow.vectorFromArray(
      numbers.map((n) => n / 2),
      new arrow.Float64(),
    ),
    flag: arrow.vectorFromArray(
      numbers.map((n) => n % 2 === 0),
      new arrow.Bool(),
    ),
    at: arrow.vectorFromArray(
      numbers.map(() => moment),
      new arrow.TimestampMillisecond(),
    ),
    day: arrow.vectorFromArray(
      numbers.map(() => moment),
      new arrow.DateDay(),
    ),
    l: arrow.vectorFromArray(
      numbers.map((n) => [n, n + 1]),
      new arrow.List(new arrow.Field('item', new arrow.Int32(), true)),
    ),
  })
}

const INSERT =
  'INSERT INTO node_tables.t (k, id, name, n, f, flag, at, day, l) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'

test('an Arrow table has the parameters of a statement', skip, async () => {
  for (const form of ['table', 'batch', 'bytes'] as const) {
    const k = keys++
    const whole = table(k, 50)
    const rows: ManyRows =
      form === 'table'
        ? whole
        : form === 'batch'
          ? wrong(whole.batches[0])
          : arrow.tableToIPC(whole)
    const results = await session.executeMany(INSERT, rows)
    assert.equal(results.length, 50)
    const read = await session.execute('SELECT * FROM node_tables.t WHERE k = ?', [k])
    assert.equal(read.length, 50)
    const row = read.rows[7]
    assert.deepEqual(
      { ...row },
      {
        ...{ k, id: 7, name: 'n7', n: 7, f: 3.5, flag: false },
        ...{ at: moment, day: '2026-01-02', l: [7, 8], price: null },
      },
    )
    assert.equal(read.rows[6]?.['name'], null)
  }
})

test('typed arrays and columns have the parameters of a statement', skip, async () => {
  const k = keys++
  const columns = {
    id: Int32Array.of(1, 2),
    k: Int32Array.of(k, k),
    name: ['a', null],
    f: Float64Array.of(1, 2.5),
  }
  const insert = 'INSERT INTO node_tables.t (k, id, name, f) VALUES (?, ?, ?, ?)'
  assert.equal(await session.executeMany(insert, columns, { results: false }), 2)
  const read = async () =>
    (await session.execute('SELECT id, name, f, l FROM node_tables.t WHERE k = ?', [k])).rows
  assert.deepEqual(
    (await read()).map((row) => [row['name'], row['f']]),
    [
      ['a', 1],
      [null, 2.5],
    ],
  )
  // Values of any type are bound one by one.
  const prepared = await session.prepare('UPDATE node_tables.t SET l = ? WHERE k = ? AND id = ?')
  await session.executeMany(prepared, { l: [[1, 2], [3]], k: columns.k, id: columns.id })
  assert.deepEqual(
    (await read()).map((row) => row['l']),
    [[1, 2], [3]],
  )
})

test('columns match parameters by name, and values are checked', skip, async () => {
  const k = keys++
  const insert = 'INSERT INTO node_tables.t (k, id, n) VALUES (?, ?, ?)'
  const columns = { k: Int32Array.of(k), id: Int32Array.of(1), n: Int32Array.of(5) }
  const { n: _, ...fewer } = columns
  await assert.rejects(session.executeMany(insert, fewer), {
    name: 'RangeError',
    message: 'there is no column for parameter "n"; there are: k, id',
  })
  await assert.rejects(session.executeMany(insert, { ...columns, x: columns.n }), {
    message: 'no parameter "x", which is a column of the table; there are: k, id, n',
  })
  const unfit = { ...columns, k: Int32Array.of(k, k), id: Int32Array.of(1, 2), n: ['a', 'b'] }
  await assert.rejects(session.executeMany(insert, unfit), (error: Error & { row?: number }) => {
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /row 0 of the table: .*n/)
    assert.equal(error.row, 0)
    return true
  })
  const results = await session.executeMany(insert, unfit, { errors: 'return' })
  assert.ok(results.every((error) => error instanceof TypeError))
  assert.equal((await session.execute('SELECT id FROM node_tables.t WHERE k = ?', [k])).length, 0)
  await assert.rejects(
    session.executeMany(insert, { ...columns, n: Int32Array.of(1, 2) }),
    RangeError,
  )
  await assert.rejects(session.executeMany(insert, Buffer.from('nonsense')), /Arrow IPC stream/)
  const signal = AbortSignal.abort(new Error('no'))
  await assert.rejects(session.executeMany(insert, columns, { signal }), /^Error: no$/)
  const late = await session.executeMany(insert, columns, { deadline: 20_000 })
  assert.ok(!(late[0] instanceof Late))
})

test('a table can be read with a statement for each row', skip, async () => {
  const k = keys++
  await session.executeMany(INSERT, table(k, 3))
  const select = 'SELECT name FROM node_tables.t WHERE k = ? AND id = ?'
  const read = await session.executeMany(select, {
    k: Int32Array.of(k, k),
    id: Int32Array.of(2, 1),
  })
  assert.deepEqual(
    read.map((rows) => rows.one()?.['name']),
    ['n2', 'n1'],
  )
})

test('results are Arrow tables', skip, async () => {
  const k = keys++
  await session.executeMany(INSERT, table(k, 25))
  const select = 'SELECT id, name, n, f, flag, at, l FROM node_tables.t WHERE k = ?'
  const all = arrow.tableFromIPC(await session.executeArrow(select, [k]))
  assert.equal(all.numRows, 25)
  assert.deepEqual(
    all.schema.fields.map(({ name, type }) => `${name}: ${type}`),
    [
      ...['id: Int32', 'name: Utf8', 'n: Int64', 'f: Float64', 'flag: Bool'],
      ...['at: Timestamp<MILLISECOND, UTC>', 'l: List<Int32>'],
    ],
  )
  const row = all.get(7)?.toJSON()
  assert.deepEqual(
    [row?.['id'], row?.['name'], row?.['n'], row?.['flag'], Number(row?.['at'])],
    [7, 'n7', 7n, false, moment.getTime()],
  )
  assert.equal(all.get(6)?.['name'], null)
  const sizes: number[] = []
  const query = session.query(select, [k], { pageSize: 10 })
  for await (const page of query.arrow()) sizes.push(arrow.tableFromIPC(page).numRows)
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    25,
  )
  assert.ok(sizes.length > 1, String(sizes))
  const prepared = await session.prepare(select)
  const bound = await session.executeArrow(prepared.bind([k]))
  assert.equal(arrow.tableFromIPC(bound).numRows, 25)
  // What was read can be written.
  const copy = keys++
  await session.executeMany(
    'INSERT INTO node_tables.t (k, id, name) VALUES (?, ?, ?)',
    await session.executeArrow(`SELECT k, id, name FROM node_tables.t WHERE k = ${k}`),
  )
  assert.equal((await session.execute(`SELECT id FROM node_tables.t WHERE k = ${copy}`)).length, 0)
  const none = arrow.tableFromIPC(await session.executeArrow(select, [-1]))
  assert.equal(none.numRows, 0)
  assert.equal(arrow.tableFromIPC(await session.executeArrow('USE system')).numCols, 0)
})

test('a query whose rows were taken has no tables', skip, async () => {
  const k = keys++
  await session.executeMany(INSERT, table(k, 5))
  const query = session.query('SELECT id FROM node_tables.t WHERE k = ?', [k])
  await query.next()
  await assert.rejects(query.arrow().next(), /taken one by one/)
  query.close()
  const called = await new Promise<Buffer | undefined>((resolve) => {
    session.executeArrow('SELECT id FROM node_tables.t WHERE k = ?', [k], (_, bytes) =>
      resolve(bytes),
    )
  })
  assert.equal(arrow.tableFromIPC(called as Buffer).numRows, 5)
})
