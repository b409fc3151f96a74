/** Classes for user-defined types, and traces, on a real Cassandra. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, Rows, type Session, SessionClosed, Timeout } from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }
let session: Session

class Address {
  static created = 0
  street: string
  zip: number | null

  constructor(street: string, zip: number) {
    Address.created++
    this.street = street
    this.zip = zip
  }

  label(): string {
    return `${this.zip} ${this.street}`
  }
}

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_types')
  await session.execute('CREATE TYPE address (street text, zip int)')
  await session.execute('CREATE TYPE "Line" (a frozen<address>, b frozen<address>)')
  await session.execute(
    'CREATE TABLE people (name text PRIMARY KEY, home frozen<address>, line frozen<"Line">, ' +
      'more map<text, frozen<list<frozen<address>>>>)',
  )
})

after(() => session?.close())

test('plain objects and instances of any class are values', skip, async () => {
  const insert = 'INSERT INTO people (name, home, more) VALUES (?, ?, ?)'
  await session.execute(insert, ['plain', { street: 'Elm' }, {}])
  await session.execute(insert, ['class', new Address('Oak', 12), null])
  const result = await session.execute('SELECT home FROM people WHERE name = ?', ['class'])
  assert.deepEqual(result.one(), { home: { street: 'Oak', zip: 12 } })
  const wrong = { street: 'Elm', city: 'Bonn' }
  await assert.rejects(session.execute(insert, ['wrong', wrong, null]), /home.*city/)
})

test('values are returned as instances of a registered class', skip, async () => {
  const own = await connect(AT, { keyspace: 'node_types' })
  const oak = new Address('Oak', 12)
  const created = Address.created
  const insert = 'INSERT INTO people (name, home, line, more) VALUES (?, ?, ?, ?)'
  await own.execute(insert, ['ann', oak, { a: oak }, { all: [oak, oak] }])
  const select = "SELECT home, line, more FROM people WHERE name = 'ann'"
  type Row = { home: Address; line: { a: Address; b: null }; more: { all: Address[] } }
  const plain = (await own.execute<Row>(select)).one()
  assert.equal(plain?.home instanceof Address, false)

  own.registerType('Node_Types.Address', Address)
  const row = (await own.execute<Row>(select)).one()
  assert.ok(row?.home instanceof Address)
  assert.equal(row.home.label(), '12 Oak')
  assert.deepEqual(row.home, oak)
  assert.deepEqual(
    [row.more.all[1]?.label(), row.line.a.label(), row.line.b],
    ['12 Oak', '12 Oak', null],
  )
  assert.equal(Address.created, created)
  // A value that was read can be written again.
  await own.execute('UPDATE people SET home = ? WHERE name = ?', [row.home, 'bob'])

  // Fields added later, other classes, nested types.
  await own.execute('ALTER TYPE address ADD city text')
  const grown = (await own.execute<{ home: Address & { city: null } }>(select)).one()
  assert.deepEqual([grown?.home.label(), grown?.home.city], ['12 Oak', null])
  class Other extends Address {
    override label(): string {
      return 'other'
    }
  }
  class Line {}
  own.registerType('address', Other)
  own.registerType('"Line"', Line)
  const other = (await own.execute<Row>(select)).one()
  assert.deepEqual([other?.home.label(), other?.line instanceof Line], ['other', true])
  // Sessions do not share registered types.
  assert.equal((await session.execute<Row>(select)).one()?.home instanceof Address, false)

  assert.throws(() => own.registerType('a.b.c', Address), {
    name: 'RangeError',
    message: /a type is named as in "shop.address", not "a.b.c"/,
  })
  assert.throws(() => own.registerType(7 as never, Address), TypeError)
  assert.throws(() => own.registerType('address', (() => ({})) as never), {
    name: 'TypeError',
    message: /type must be a class, not/,
  })
  await own.close()
  assert.throws(() => own.registerType('address', Address), SessionClosed)
})

test('traces are read after a traced statement', skip, async () => {
  const traced = await session.execute('SELECT * FROM people WHERE name = ?', ['ann'], {
    tracing: true,
  })
  assert.equal(traced.tracingIds.length, 1)
  const trace = await session.trace(traced)
  assert.equal(trace.id, traced.tracingIds[0])
  assert.equal(trace.request, 'Execute CQL3 prepared query')
  assert.equal(trace.coordinator, AT.split(':')[0])
  assert.deepEqual(trace.nodes, [trace.coordinator])
  assert.match(trace.parameters['query'] ?? '', /^SELECT \* FROM people/)
  assert.ok(trace.duration > 0 && trace.startedAt instanceof Date && trace.client !== null)
  assert.ok(trace.events.length > 1)
  for (const { activity, source, id } of trace.events) {
    assert.deepEqual([typeof activity, source, id.length], ['string', trace.coordinator, 36])
  }

  const maps = await connect(AT, { maps: 'map', integers: 'bigint' })
  assert.deepEqual(await maps.trace(trace.id), trace)
  await maps.close()

  const none = '50554d6e-29bb-11e5-b345-feff819cdc9f'
  await assert.rejects(session.trace(none, { timeout: 30 }), (error: Error) => {
    assert.ok(error instanceof Timeout)
    assert.match(error.message, /50554d6e.* is not complete after 30 ms/)
    return true
  })
  const untraced = await session.execute('SELECT * FROM people')
  assert.ok(untraced instanceof Rows)
  await assert.rejects(session.trace(untraced), /execute the statement with tracing: true/)
  await assert.rejects(session.trace(7 as never), TypeError)
  await assert.rejects(session.trace(none, { wait: 5 } as never), /unknown option wait/)
  const signal = AbortSignal.timeout(50)
  await assert.rejects(session.trace(none, { signal }), { name: 'TimeoutError' })
  const called = new Promise((resolve) => session.trace(trace.id, (_, result) => resolve(result)))
  assert.deepEqual(await called, trace)
})
