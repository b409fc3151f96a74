/**
 * Every CQL type, in both directions; npm `cassandra-driver` reads what this client wrote and vice
 * versa.
 */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type CqlInput, Decimal, Duration, EMPTY, type Session, Time } from 'spikewire/cql'
import {
  connectDriver,
  driver,
  sessionIn,
  withoutCassandra,
  withoutDriver,
} from './support/cassandra.js'

const skip = { skip: withoutCassandra }
const UUID = '123e4567-e89b-42d3-a456-426614174000'
const TIMEUUID = '50554d6e-29bb-11e5-b345-feff819cdc9f'

/** Columns with their types, and values that are returned as they were written. */
const VALUES: [column: string, type: string, ...values: CqlInput[]][] = [
  ['a_boolean', 'boolean', true, false],
  ['a_tinyint', 'tinyint', -128, 127],
  ['a_smallint', 'smallint', -32768, 32767],
  ['an_int', 'int', -2147483648, 2147483647, 0],
  ['a_bigint', 'bigint', 2 ** 53 - 1, -(2n ** 63n), 2n ** 63n - 1n, 7],
  ['a_varint', 'varint', 0, -1, 128, -129, 2n ** 64n, -(2n ** 64n), 2n ** 200n + 1n, -(2n ** 127n)],
  ['a_float', 'float', 0.5, -0, Number.POSITIVE_INFINITY, Number.NaN],
  ['a_double', 'double', 0.1, 5e-324, -0, Number.NaN],
  ['a_text', 'text', '', 'Grüße 🎈', 'x'.repeat(5000), '\0'],
  ['an_ascii', 'ascii', 'plain'],
  ['a_blob', 'blob', Buffer.from([0, 255, 10]), Buffer.alloc(0)],
  ['a_uuid', 'uuid', UUID],
  ['a_timeuuid', 'timeuuid', TIMEUUID],
  ['an_inet', 'inet', '127.0.0.1', '::1', '2001:db8::ff00:42:8329'],
  ['a_date', 'date', '1970-01-01', '2024-02-29', '1969-12-31', '0000-01-01', '-000001-12-31'],
  ['a_far_date', 'date', '+5881580-07-11', '-5877641-06-23'],
  ['a_time', 'time', new Time(0n), Time.from('23:59:59.999999999')],
  ['a_timestamp', 'timestamp', new Date(0), new Date(-1), new Date(8.64e15)],
  ['a_far_timestamp', 'timestamp', 2n ** 63n - 1n],
  [
    'a_duration',
    'duration',
    new Duration(),
    new Duration(1, 2, 3n),
    new Duration(-1, -2, -(2n ** 63n)),
  ],
  ['a_decimal', 'decimal', Decimal.from('-12.50'), new Decimal(2n ** 100n, -3), new Decimal(0n, 5)],
  ['a_list', 'list<int>', [3, 1, 2]],
  ['a_set', 'set<text>', new Set(['a', 'b'])],
  ['a_map', 'map<text, int>', { a: 1, __proto__x: 2 }],
  ['a_map_of_ints', 'map<int, text>', new Map([[1, 'one']])],
  ['a_map_of_uuids', 'map<uuid, int>', { [UUID]: 1 }],
  ['a_tuple', 'tuple<int, text, boolean>', [1, null, true]],
  ['a_vector', 'vector<float, 3>', Float32Array.of(0.5, -1, 2)],
  ['a_vector_of_ints', 'vector<int, 2>', [1, 2]],
  ['a_vector_of_texts', 'vector<text, 2>', ['a', 'bc']],
  ['a_place', 'frozen<place>', { street: 'Main', number: null, tags: new Set(['x']) }],
  [
    'nested',
    'map<text, frozen<list<frozen<tuple<int, place>>>>>',
    {
      a: [[1, { street: null, number: 7, tags: null }]],
    },
  ],
  ['many_places', 'list<frozen<place>>', [{ street: 'A', number: 1, tags: null }]],
]

let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_values')
  await session.execute('CREATE TYPE place (street text, number int, tags frozen<set<text>>)')
  const columns = VALUES.map(([name, type]) => `${name} ${type}`).join(', ')
  await session.execute(`CREATE TABLE everything (id int PRIMARY KEY, ${columns})`)
})

after(() => session?.close())

test('values are returned as they were written', skip, async () => {
  for (const [column, type, ...values] of VALUES) {
    const insert = await session.prepare(`INSERT INTO everything (id, ${column}) VALUES (1, ?)`)
    const select = await session.prepare(`SELECT ${column} FROM everything WHERE id = 1`)
    for (const value of [...values, null]) {
      await session.execute(insert, [value])
      const result = await session.execute(select)
      assert.deepEqual(result.one(), { [column]: value }, `${type}: ${String(value)}`)
      if (!type.includes('frozen')) assert.equal(result.columns[0]?.type, type)
    }
  }
})

test('a row holds all types', skip, async () => {
  const names = VALUES.map(([name]) => name)
  const row: { [name: string]: CqlInput } = { id: 2 }
  for (const [name, , value] of VALUES) row[name] = value as CqlInput
  const markers = Object.keys(row).map((name) => `:${name}`)
  await session.execute(
    `INSERT INTO everything (${Object.keys(row).join(', ')}) VALUES (${markers.join(', ')})`,
    row,
  )
  const result = await session.execute(
    `SELECT id, ${names.join(', ')} FROM everything WHERE id = 2`,
  )
  assert.deepEqual(result.one(), row)
  assert.deepEqual(Object.keys(result.one() ?? {}), ['id', ...names])
})

test('values are accepted in other forms', skip, async () => {
  const pairs: [column: string, input: CqlInput, read: unknown][] = [
    ['a_bigint', 7n, 7],
    ['a_varint', 2n ** 53n, 2n ** 53n],
    ['a_decimal', 5, new Decimal(5n)],
    ['a_timestamp', 1234, new Date(1234)],
    ['a_uuid', UUID.toUpperCase(), UUID],
    ['an_inet', '0:0:0:0:0:0:0:1', '::1'],
    ['a_blob', Uint8Array.of(1, 2), Buffer.from([1, 2])],
    ['a_blob', Uint8Array.of(1, 2).buffer, Buffer.from([1, 2])],
    ['a_set', ['b', 'a', 'a'], new Set(['a', 'b'])],
    ['a_map', new Map([['k', 1]]), { k: 1 }],
    ['a_vector', [1, 2, 3], Float32Array.of(1, 2, 3)],
    ['a_vector', Float64Array.of(1, 2, 3), Float32Array.of(1, 2, 3)],
    ['a_vector_of_ints', Int16Array.of(1, 2), [1, 2]],
    ['a_place', { number: 5 }, { street: null, number: 5, tags: null }],
    ['a_tuple', [1], [1, null, null]],
    ['an_int', EMPTY, EMPTY],
  ]
  for (const [column, input, read] of pairs) {
    await session.execute(`INSERT INTO everything (id, ${column}) VALUES (3, ?)`, [input])
    const result = await session.execute(`SELECT ${column} FROM everything WHERE id = 3`)
    assert.deepEqual(result.one(), { [column]: read }, column)
  }
})

test('values that do not fit are rejected', skip, async () => {
  const invalidValues: [column: string, value: unknown, kind: string, message: RegExp][] = [
    ['a_boolean', 1, 'TypeError', /a_boolean: boolean takes true or false, not 1/],
    ['a_tinyint', 128, 'RangeError', /a_tinyint: tinyint takes -128 to 127, not 128/],
    ['a_bigint', 2n ** 63n, 'RangeError', /a_bigint: bigint takes -9223372036854775808 to/],
    ['a_bigint', 2 ** 53, 'RangeError', /use a bigint/],
    ['a_varint', 0.5, 'TypeError', /a_varint: varint takes an integer, not 0.5/],
    [
      'a_float',
      1e300,
      'RangeError',
      /a_float: float cannot hold 1e300|a_float: float cannot hold 1/,
    ],
    ['a_text', Buffer.from('x'), 'TypeError', /a_text: text takes text, not Buffer/],
    ['an_ascii', 'ü', 'RangeError', /an_ascii: ascii takes characters up to U\+007F/],
    ['a_blob', 'text', 'TypeError', /a_blob: blob takes bytes, not "text" \(string\)/],
    ['a_uuid', 'no', 'RangeError', /a_uuid: uuid: "no" is no UUID/],
    ['a_timeuuid', UUID, 'RangeError', /a_timeuuid: timeuuid: a UUID of version 1 is needed/],
    ['an_inet', '127.0.0.256', 'RangeError', /an_inet: inet: "127.0.0.256" is no IP address/],
    ['a_date', '2023-02-29', 'RangeError', /a_date: date: "2023-02-29" is no day/],
    ['a_date', '+9999999-01-01', 'RangeError', /a_date: date takes days that are at most/],
    ['a_date', new Date(0), 'TypeError', /a_date: date takes a date, not Date/],
    ['a_time', '12:00', 'TypeError', /a_time: time takes a time of day, not "12:00"/],
    ['a_timestamp', new Date(Number.NaN), 'RangeError', /a_timestamp: timestamp: an invalid Date/],
    ['a_duration', '1d', 'TypeError', /a_duration: duration takes a duration, not "1d"/],
    ['a_decimal', 0.1, 'TypeError', /a_decimal: decimal takes a decimal number, not 0.1/],
    ['a_list', [1, 'x'], 'TypeError', /a_list\[1\]: int takes an integer, not "x"/],
    ['a_list', [1, null], 'RangeError', /a_list\[1\]: a collection cannot contain null/],
    ['a_list', new Set([1]), 'TypeError', /a_list: list<int> takes a list, not Set/],
    ['a_set', 'ab', 'TypeError', /a_set: set<text> takes a set, not "ab"/],
    ['a_map', [['a', 1]], 'TypeError', /a_map: map<text, int> takes a map, not Array/],
    ['a_map', { a: 'x' }, 'TypeError', /a_map\["a".*\]: int takes an integer, not "x"/],
    ['a_map_of_ints', { 1: 'x' }, 'TypeError', /int takes an integer, not "1" \(string\)/],
    ['a_tuple', [1, 'a', true, 4], 'RangeError', /a_tuple: .*takes 3 elements, not 4/],
    ['a_vector', [1, 2], 'RangeError', /a_vector: vector<float, 3> takes 3 elements, not 2/],
    ['a_place', { streets: 'x' }, 'RangeError', /a_place: .*has no field "streets"/],
    ['a_place', { number: 'x' }, 'TypeError', /a_place\.number: int takes an integer, not "x"/],
    ['a_place', ['Main'], 'TypeError', /a_place: .*takes fields by their names, not Array/],
    ['a_text', EMPTY, 'RangeError', /a_text: text cannot be empty here/],
    ['an_int', Symbol('x'), 'TypeError', /an_int: int takes an integer, not symbol/],
    ['an_int', () => 1, 'TypeError', /an_int: int takes an integer, not function/],
  ]
  for (const [column, value, name, message] of invalidValues) {
    const text = `INSERT INTO everything (id, ${column}) VALUES (4, ?)`
    await assert.rejects(session.execute(text, [value as CqlInput]), { name, message }, column)
  }
  assert.equal((await session.execute('SELECT id FROM everything WHERE id = 4')).length, 0)
})

test('the options integers and maps change how values are returned', skip, async () => {
  const own = await sessionIn('node_values_other', { integers: 'bigint', maps: 'map' })
  try {
    await own.execute('CREATE TABLE t (id int PRIMARY KEY, b bigint, v varint, m map<text, int>)')
    await own.execute('INSERT INTO t (id, b, v, m) VALUES (?, ?, ?, ?)', [1, 2, 3, { a: 4 }])
    const result = await own.execute('SELECT * FROM t')
    assert.deepEqual(result.one(), { id: 1, b: 2n, m: new Map([['a', 4]]), v: 3n })
  } finally {
    await own.close()
  }
})

test('value classes parse, print and compare', () => {
  assert.equal(String(Decimal.from('1.50')), '1.50')
  assert.equal(String(Decimal.from('-.5e-3')), '-0.0005')
  assert.equal(String(new Decimal(15n, -3)), '1.5E+4')
  assert.equal(String(new Decimal(1n, 20)), '1E-20')
  for (const text of ['0', '-0.001', '12345678901234567890.123', '1E+30', '1.5E-200']) {
    assert.ok(Decimal.from(String(Decimal.from(text))).equals(Decimal.from(text)), text)
  }
  assert.equal(Decimal.from('2.5').toNumber(), 2.5)
  for (const text of ['', '.', '1.2.3', 'x', '1e', ' 1']) {
    assert.throws(() => Decimal.from(text), RangeError, text)
  }
  assert.throws(() => new Decimal(1 as never), TypeError)
  assert.throws(() => new Decimal(1n, 0.5), RangeError)
  const time = Time.from('13:30:54.234')
  assert.deepEqual(
    [time.hour, time.minute, time.second, time.nanosecond],
    [13, 30, 54, 234_000_000],
  )
  assert.equal(JSON.stringify(time), '"13:30:54.234000000"')
  assert.throws(() => Time.from('24:00:00'), RangeError)
  assert.throws(() => new Time(-1n), RangeError)
  assert.equal(String(new Duration(1, -0, 5)), '1mo5ns')
  assert.throws(() => new Duration(1, -1), /same sign/)
  assert.throws(() => new Duration(0, 0, 2n ** 63n), RangeError)
})

const both = { skip: withoutCassandra || withoutDriver }

test("npm cassandra-driver and this client read each other's values", both, async () => {
  const { types } = driver()
  const peer = await connectDriver('node_values')
  /** Converts a value of this package to the other client's class, if it has one. */
  const theirs = (column: string, value: unknown): unknown => {
    const [, type] = VALUES.find(([name]) => name === column) as [string, string]
    if (type === 'uuid') return types.Uuid.fromString(value)
    if (type === 'timeuuid') return types.TimeUuid.fromString(value)
    if (type === 'inet') return types.InetAddress.fromString(value)
    if (type === 'date') return types.LocalDate.fromString(value)
    if (type === 'bigint' || type === 'varint') return BigInt(value as number)
    if (value instanceof Time) return types.LocalTime.fromString(String(value))
    if (value instanceof Duration) {
      const { months, days, nanoseconds } = value
      return new types.Duration(months, days, types.Long.fromString(String(nanoseconds)))
    }
    if (value instanceof Decimal) {
      return new types.BigDecimal(types.Integer.fromString(String(value.unscaled)), value.scale)
    }
    if (type.startsWith('tuple')) return types.Tuple.fromArray(value as unknown[])
    if (type === 'map<text, int>') return new Map(Object.entries(value as object))
    return value
  }
  // Columns whose values the other client cannot represent exactly are left out.
  const left = ['a_far_date', 'a_far_timestamp', 'a_float', 'nested', 'a_map_of_uuids']
  const vectors = VALUES.filter(([, type]) => type.startsWith('vector')).map(([name]) => name)
  try {
    let compared = 0
    for (const [column, , ...values] of VALUES) {
      if (left.includes(column) || vectors.includes(column)) continue
      for (const value of values) {
        if (value === '0000-01-01' || value === '-000001-12-31' || value === '') continue
        const insert = `INSERT INTO everything (id, ${column}) VALUES (5, ?)`
        const select = `SELECT ${column} FROM everything WHERE id = 5`
        await session.execute(insert, [value])
        const read = (await peer.execute(select, [], { prepare: true })).first()[column]
        const expected = theirs(column, value)
        const isTheirs = typeof expected === 'object' && 'equals' in (expected as object)
        if (isTheirs && !Buffer.isBuffer(expected)) {
          assert.ok(read.equals(expected), `${column}: ${read}, not ${expected}`)
        } else assert.deepEqual(plain(read), plain(expected), column)
        const other = (text: string) => text.replace('(5,', '(6,').replace('= 5', '= 6')
        await peer.execute(other(insert), [expected], { prepare: true })
        const back = (await session.execute(other(select))).one() as { [name: string]: unknown }
        assert.deepEqual(back[column], value, column)
        compared++
      }
    }
    assert.ok(compared > 40)
  } finally {
    await peer.shutdown()
  }
  /** Plain objects instead of the other client's class for user-defined types. */
  function plain(value: unknown): unknown {
    if (value === null || typeof value !== 'object' || value instanceof Date) return value
    if (Buffer.isBuffer(value) || value instanceof Map || value instanceof Set) return value
    if (Array.isArray(value)) return value.map(plain)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
  }
})
