/** `concurrent` of a session: statements of any kind, a limited number of them in flight. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { InvalidRequest, type Session } from 'spikewire/cql'
import { sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = withoutCassandra
let session: Session

before(async () => {
  if (skip) return
  session = await sessionIn('node_concurrent')
  await session.execute('CREATE TABLE t (id int PRIMARY KEY, n int)')
})

after(() => session?.close())

const NUMBERS = Array.from({ length: 300 }, (_, n) => n)
const INSERT = 'INSERT INTO t (id, n) VALUES (?, ?)'
const SELECT = 'SELECT n FROM t WHERE id = ?'

test('results are in input order', { skip }, async () => {
  let written = 0
  for await (const _ of session.concurrent(NUMBERS, (n) => session.execute(INSERT, [n, n * 2]))) {
    written++
  }
  assert.equal(written, 300)
  const read: number[] = []
  const select = await session.prepare(SELECT)
  const rows = session.concurrent(NUMBERS, (n) => session.execute<{ n: number }>(select, [n]), {
    limit: 32,
  })
  for await (const [row] of rows) read.push(row?.n as number)
  assert.deepEqual(
    read,
    NUMBERS.map((n) => n * 2),
  )
})

test('errors take their places, and statements may differ', { skip }, async () => {
  const calls = [
    () => session.execute(SELECT, [1]),
    () => session.execute('SELECT nothing FROM t'),
    () => session.batch().add(INSERT, [1, 7]).execute(),
  ]
  const results: unknown[] = []
  for await (const result of session.concurrent<unknown>(calls, { errors: 'return' })) {
    results.push(result)
  }
  assert.equal(results.length, 3)
  assert.ok(results[1] instanceof InvalidRequest)
  await assert.rejects(async () => {
    for await (const _ of session.concurrent<unknown>(calls)) {
    }
  }, InvalidRequest)
})
