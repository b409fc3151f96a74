/**
 * A smoke test of `spikewire/cql` on the node at SPIKEWIRE_CASSANDRA_AT, as a plain program that is
 * run on each version of Node.js, Bun and Deno.
 *
 * The program must end by itself: unclosed objects must not keep a runtime alive.
 */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import {
  connect,
  Decimal,
  Duration,
  InvalidRequest,
  Prepared,
  Session,
  SessionClosed,
  SyntaxException,
  Time,
  UNSET,
} from 'spikewire/cql'

const AT = process.env['SPIKEWIRE_CASSANDRA_AT'] as string
const OPTIONS = { timeout: 60_000, connectTimeout: 20_000 }

/** Creates a keyspace for this program. */
async function keyspace(): Promise<string> {
  const name = `smoke_${process.pid}_${Date.now().toString(36)}`
  const session = await connect(AT, OPTIONS)
  await session.execute(
    `CREATE KEYSPACE ${name} WITH replication = ` +
      "{'class': 'SimpleStrategy', 'replication_factor': 1}",
  )
  await session.close()
  return name
}

/** Values of every kind, in both directions. */
async function values(session: Session): Promise<void> {
  await session.execute(
    'CREATE TABLE sorts (id int PRIMARY KEY, big bigint, huge varint, exact decimal, real double, ' +
      'words text, bytes blob, yes boolean, id2 uuid, at timestamp, day date, hour time, ' +
      'span duration, list list<int>, bag set<text>, counts map<text, int>, pair tuple<int, text>, ' +
      'near vector<float, 2>, host inet)',
  )
  const row = {
    id: 1,
    big: 2n ** 62n,
    huge: 3n ** 99n,
    exact: Decimal.from('12.50'),
    real: 0.1,
    words: 'Grüße 🎈',
    bytes: Buffer.from([0, 255]),
    yes: true,
    id2: '123e4567-e89b-12d3-a456-426614174000',
    at: new Date('2024-02-29T12:00:00.123Z'),
    day: '2024-02-29',
    hour: Time.from('13:30:54.000000001'),
    span: new Duration(1, 2, 3n),
    list: [1, 2],
    bag: new Set(['a', 'b']),
    counts: { a: 1 },
    pair: [1, 'one'],
    near: new Float32Array([0.5, 1]),
    host: '127.0.0.1',
  }
  const names = Object.keys(row)
  const marks = names.map((name) => `:${name}`)
  await session.execute(`INSERT INTO sorts (${names}) VALUES (${marks})`, row)
  assert.deepEqual((await session.execute(`SELECT ${names} FROM sorts`)).one(), row)
}

/** Statements of every kind, and errors. */
async function statements(session: Session): Promise<void> {
  const insert = await session.prepare('INSERT INTO items (id, name) VALUES (?, ?)')
  assert.ok(insert instanceof Prepared)
  const many = Array.from({ length: 1000 }, (_, n) => n)
  await Promise.all(many.map((n) => session.execute(insert, [n, `name ${n}`])))
  assert.equal(
    await session.executeMany(
      insert,
      many.map((n) => [n, UNSET]),
      { results: false },
    ),
    1000,
  )
  const select = await session.prepare('SELECT name FROM items WHERE id = ?')
  const result = await Promise.all(many.map((n) => session.execute(select, [n])))
  assert.deepEqual(
    result.map((rows) => rows.one()?.['name']),
    many.map((n) => `name ${n}`),
  )
  await session
    .batch('unlogged')
    .add(insert, [1, 'one'])
    .add(insert, { id: 2, name: 'two' })
    .execute()
  const again = 'INSERT INTO items (id, name) VALUES (1, ?) IF NOT EXISTS'
  assert.equal((await session.execute(again, ['other'])).applied, false)

  await assert.rejects(session.execute('SELEC'), SyntaxException)
  await assert.rejects(session.execute('SELECT * FROM nothing'), InvalidRequest)
  await assert.rejects(session.execute(insert, ['x', 'y']), /id: int takes an integer, not "x"/)
  const signal = AbortSignal.abort()
  await assert.rejects(session.execute(select, [1], { signal }), { name: 'AbortError' })
  const called = new Promise((resolve) =>
    session.execute(select, [1], (_, rows) => resolve(rows?.one())),
  )
  assert.deepEqual(await called, { name: 'one' })
}

/** Rows page by page. */
async function queries(session: Session): Promise<void> {
  const text = 'SELECT id FROM items'
  let seen = 0
  for await (const { id } of session.query<{ id: number }>(text, null, { pageSize: 90 })) {
    seen += typeof id === 'number' ? 1 : 0
  }
  assert.equal(seen, 1000)
  let streamed = 0
  for await (const _ of session.query(text, null, { pageSize: 64 }).stream()) streamed++
  assert.equal(streamed, 1000)
  for await (const _ of session.query(text, null, { pageSize: 10 })) break
  const first = await session.page(text, null, { pageSize: 400 })
  const rest = await session.execute(text, null, { pagingState: first.pagingState as Buffer })
  assert.equal(first.length + rest.length, 1000)
}

/** Classes and traces. */
async function types(session: Session): Promise<void> {
  class Address {
    constructor(readonly street: string) {}
  }
  await session.execute('CREATE TYPE address (street text)')
  await session.execute('CREATE TABLE people (name text PRIMARY KEY, home frozen<address>)')
  session.registerType('address', Address)
  const home = new Address('Oak')
  await session.execute('INSERT INTO people (name, home) VALUES (?, ?)', ['Ann', home])
  const result = await session.execute('SELECT home FROM people', null, { tracing: true })
  assert.deepEqual(result.one(), { home })
  assert.ok((await session.trace(result)).events.length > 0)
}

/** In a worker thread: the same with its own session, which it leaves open. */
async function inWorker(keyspace: string): Promise<void> {
  const session = await connect(AT, { ...OPTIONS, keyspace })
  await queries(session)
}

async function main(): Promise<void> {
  assert.equal(createRequire(import.meta.url)('spikewire/cql').Session, Session)
  const name = await keyspace()
  const session = await connect(AT, { ...OPTIONS, keyspace: name })
  await session.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
  await values(session)
  await statements(session)
  await queries(session)
  await types(session)
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: name })
  const code = await new Promise((resolve, reject) => {
    worker.on('exit', resolve)
    worker.on('error', reject)
  })
  assert.equal(code, 0)
  await session.execute(`DROP KEYSPACE ${name}`)
  await session.close()
  await assert.rejects(session.execute('SELECT * FROM system.local'), SessionClosed)
  // A session that is never closed.
  const open = await connect(AT, OPTIONS)
  assert.equal((await open.execute('SELECT key FROM system.local')).length, 1)
  console.log('smoke: all is well')
}

await (isMainThread ? main() : inWorker(workerData))
