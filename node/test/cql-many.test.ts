/** `executeMany` on a real Cassandra. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CqlError,
  connect,
  InvalidRequest,
  Late,
  type ManyOptions,
  type ManyRows,
  type Parameters,
  type Prepared,
  Rows,
  type Session,
  SessionClosed,
} from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }
let session: Session
let insert: Prepared
let select: Prepared

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_many')
  await session.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
  insert = await session.prepare('INSERT INTO items (id, name) VALUES (?, ?)')
  select = await session.prepare('SELECT name FROM items WHERE id = ?')
})

after(() => session?.close())

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Rows to insert; `consumed` counts them, and `left` is set when the iterator is ended. */
class Counted {
  consumed = 0
  left = false

  async *later(count?: number): AsyncGenerator<Parameters, void> {
    for (const row of this.rows(count)) {
      if (this.consumed % 100 === 0) await sleep(1)
      yield row
    }
  }

  *rows(count = Number.POSITIVE_INFINITY): Generator<Parameters, void> {
    try {
      while (this.consumed < count) {
        const id = this.consumed++
        yield [id, `name ${id}`]
      }
    } finally {
      this.left = true
    }
  }
}

test('results are in the order of the rows, from any kind of iterable', skip, async () => {
  assert.equal(
    await session.executeMany(insert, new Counted().rows(1000), { results: false }),
    1000,
  )
  assert.equal(await session.executeMany(insert, new Counted().later(500), { results: false }), 500)
  for (const concurrency of [1, 7, 5000]) {
    const rows = new Set(numbers(300).map((id) => [id]))
    const pages = await session.executeMany<{ name: string }>(select, rows, { concurrency })
    assert.deepEqual(
      pages.map((rows) => rows.one()?.name),
      numbers(300).map((id) => `name ${id}`),
    )
  }
  const text = 'SELECT name FROM items WHERE id = :id'
  const [first, none] = await session.executeMany(text, [{ id: 1 }, { id: -1 }])
  assert.deepEqual([first?.one(), none?.one()], [{ name: 'name 1' }, undefined])
  assert.deepEqual(await session.executeMany(select, []), [])
  const called = await new Promise((resolve) => {
    session.executeMany(select, [[1]], { results: false }, (_, count) => resolve(count))
  })
  assert.equal(called, 1)
})

test('rows are consumed as others end', skip, async () => {
  // From an endless source, only as many rows are consumed as may be in flight.
  const endless = new Counted()
  const abort = new AbortController()
  const settings = { concurrency: 50, results: false, signal: abort.signal } as const
  const call = session.executeMany(insert, endless.rows(), settings)
  assert.ok(endless.consumed <= 50, `${endless.consumed}`)
  await sleep(50)
  abort.abort(new Error('given up'))
  await assert.rejects(call, /^Error: given up$/)
  await sleep(50)
  const { consumed } = endless
  await sleep(50)
  assert.deepEqual([endless.consumed, endless.left], [consumed, true])
})

test('the first error ends the call and names the row', skip, async () => {
  const rows = function* (counted: Counted): Generator<Parameters> {
    for (const row of counted.rows()) yield counted.consumed === 300 ? ['x', 'bad'] : row
  }
  const counted = new Counted()
  await assert.rejects(session.executeMany(insert, rows(counted)), (error: TypeError) => {
    assert.deepEqual([error.name, 'row' in error && error.row], ['TypeError', 299])
    assert.match(error.message, /id: int takes an integer, not "x"/)
    return true
  })
  // While a node is asked whether the column's type has changed, further rows are read.
  assert.ok(counted.consumed >= 300 && counted.consumed < 1000, `${counted.consumed}`)
  assert.equal(counted.left, true)

  const wrong = { consistency: 'serial' } as const
  const invalid = session.executeMany(insert, new Counted().rows(5), wrong)
  await assert.rejects(invalid, (error: CqlError) => {
    assert.ok(error instanceof InvalidRequest)
    assert.ok(error.row !== undefined && error.row < 5)
    return true
  })

  const outcomes = await session.executeMany(
    insert,
    [[1, 'a'], ['x', 'b'], [3, 'c'], [4, 5] as never],
    {
      errors: 'return',
    },
  )
  assert.deepEqual(
    outcomes.map((outcome) => (outcome instanceof Rows ? 'well' : outcome.name)),
    ['well', 'TypeError', 'well', 'TypeError'],
  )
  assert.deepEqual(
    outcomes.map((outcome) => 'row' in outcome && outcome.row),
    [false, 1, false, 3],
  )
})

test('iterators that fail, and iterators that hang', skip, async () => {
  const broken = function* (): Generator<Parameters> {
    yield [1, 'a']
    throw new Error('no more')
  }
  await assert.rejects(session.executeMany(insert, broken()), /^Error: no more$/)
  // An error does not wait for the next row.
  async function* hanging(): AsyncGenerator<Parameters> {
    yield ['x', 'a']
    await new Promise(() => undefined)
  }
  await assert.rejects(session.executeMany(insert, hanging()), /id: int takes an integer/)
  const abort = new AbortController()
  async function* silent(): AsyncGenerator<Parameters> {
    await new Promise(() => undefined)
  }
  const call = session.executeMany(insert, silent(), { signal: abort.signal })
  setTimeout(() => abort.abort(new Error('given up')), 20)
  await assert.rejects(call, /given up/)
})

test('closing the session ends the call, however errors are handled', skip, async () => {
  const own = await connect(AT, { keyspace: 'node_many' })
  const counted = new Counted()
  const running = own.executeMany(insert, counted.later(), { errors: 'return' })
  const failed = assert.rejects(running, SessionClosed)
  await sleep(30)
  await own.close()
  await failed
  assert.equal(counted.left, true)
  await assert.rejects(own.executeMany(insert, []), SessionClosed)
})

test('invalid arguments are rejected before any row is consumed', skip, async () => {
  const invalid: [ManyRows, object, RegExp][] = [
    [7 as never, {}, /rows must be an iterable of parameters, not number/],
    [[], { concurrency: 0 }, /concurrency must be from 1 to 30000, got 0/],
    [[], { concurrency: '5' }, /concurrency must be a number, not string/],
    [[], { errors: 'ignore' }, /errors must be "raise" or "return", got "ignore"/],
    [[], { errors: 'return', results: false }, /errors "return" returns errors among the results/],
    [[], { concurrency: 1.5 }, /concurrency must be from 1 to 30000, got 1\.5/],
    [[], { concurrency: -1 }, /concurrency must be from 1 to 30000, got -1/],
    [[], { results: 1 }, /results must be boolean, not number/],
    [[], { pagingState: Buffer.alloc(1) }, /unknown option pagingState/],
    [[], { signal: AbortSignal.abort(new Error('no')) }, /^Error: no$/],
  ]
  for (const [rows, options, message] of invalid) {
    await assert.rejects(session.executeMany(insert, rows, options as ManyOptions), message)
  }
  await assert.rejects(session.executeMany(7 as never, []), /a statement must be a string/)
  await assert.rejects(
    session.executeMany(insert, [[1]]),
    /the statement takes 2 values \(id, name\)/,
  )
  assert.ok(new CqlError('').row === undefined)
})

test('with a deadline, rows without a result by then are late', skip, async () => {
  const rows = numbers(2000).map((id) => [id])
  const all = await session.executeMany<{ name: string }>(select, rows, { deadline: 60_000 })
  assert.equal(all.length, rows.length)
  assert.ok(all.every((result) => result instanceof Rows))
  const some = await session.executeMany(select, rows, { deadline: 1, concurrency: 1 })
  assert.equal(some.length, rows.length)
  assert.ok(some.includes(Late.row))
  assert.ok(some.every((result) => result instanceof Rows || result === Late.row))
  assert.equal(Object.prototype.toString.call(Late.row), '[object Late]')
  for (const [options, words] of [
    [{ deadline: 0 }, /deadline must be at least/],
    [{ deadline: 5, results: false }, /deadline.*results/],
  ] as const) {
    await assert.rejects(session.executeMany(select, rows, options as ManyOptions), words)
  }
})
