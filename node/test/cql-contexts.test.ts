/** Async contexts, callbacks, aborted statements and returned memory with Cassandra. */

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import vm from 'node:vm'
import { connect, type Query, type Row, type Session } from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'
import { output, PACKAGE } from './support/programs.js'

const skip = { skip: withoutCassandra }
let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_contexts')
  await session.execute('CREATE TABLE items (id int PRIMARY KEY, name text, data blob)')
  const insert = await session.prepare('INSERT INTO items (id, name, data) VALUES (?, ?, ?)')
  for (let id = 0; id < 20; id++) await session.execute(insert, [id, `n${id}`, Buffer.alloc(9, id)])
})

after(() => session?.close())

test('callbacks, events, questions and iteration keep the async context', skip, async () => {
  const storage = new AsyncLocalStorage<string>()
  const stored: (string | undefined)[] = []
  const note = () => stored.push(storage.getStore())
  await storage.run('caller', async () => {
    await session.execute('SELECT * FROM items WHERE id = 1')
    note()
    await session.execute('SELECT nothing FROM items').catch(note)
    await new Promise<void>((resolve) => {
      session.execute('SELECT * FROM items WHERE id = ?', [1], () => {
        note()
        resolve()
      })
    })
    const query: Query<Row> = session.query('SELECT * FROM items', [], { pageSize: 3 })
    await new Promise<void>((resolve) => {
      query.next((_error, step) => {
        note()
        assert.equal(step?.done, false)
        resolve()
      })
    })
    for await (const _ of query) note()
    const stream = session.query('SELECT * FROM items', [], { pageSize: 3 }).stream()
    stream.on('data', note)
    await new Promise((resolve) => stream.on('end', resolve))
    note()
    await session.batch().add('INSERT INTO items (id) VALUES (99)').execute()
    note()
    await session.schema()
    note()
    const addressTranslator = async (address: string) => {
      note()
      return address
    }
    const own = await connect(AT, { addressTranslator })
    note()
    await new Promise<void>((resolve) => {
      own.close(() => {
        note()
        resolve()
      })
    })
  })
  assert.ok(stored.length >= 48, String(stored.length))
  assert.deepEqual(new Set(stored), new Set(['caller']))
})

test('an aborted statement lets the process end', skip, async () => {
  // Paused, the node accepts what is sent and answers nothing: a table that takes long to read is enough.
  const text = `
    import { connect } from 'spikewire/cql'
    const session = await connect(${JSON.stringify(AT)}, { keyspace: 'node_contexts', timeout: 60_000 })
    const controller = new AbortController()
    const { signal } = controller
    const calls = Array.from({ length: 50 }, () =>
      session.execute('SELECT * FROM items', [], { signal }).catch((error) => error.name))
    controller.abort()
    console.log(new Set(await Promise.all(calls)))
    const others = await session.execute('SELECT * FROM items WHERE id = 1')
    console.log(others.length)`
  const args = ['--input-type=module', '-e', text]
  const printed = await output(process.execPath, args, { cwd: PACKAGE, timeout: 50_000 })
  assert.equal(printed, "Set(1) { 'AbortError' }\n1\n")
})

test('values of another realm are values, and results are memory of their own', skip, async () => {
  const foreign = <T>(expression: string) => vm.runInNewContext(`(${expression})`) as T
  const insert = 'INSERT INTO items (id, name, data) VALUES (?, ?, ?)'
  await session.execute(insert, foreign('[50, "fifty", new Uint8Array([5, 0])]'))
  await session.execute(
    insert,
    foreign('{ id: 51, name: "named", data: new Uint8Array(4).buffer }'),
  )
  const read = 'SELECT data FROM items WHERE id = ?'
  const one = (await session.execute(read, [50])).one()?.['data'] as Buffer
  assert.deepEqual(one, Buffer.from([5, 0]))
  one.fill(9)
  assert.deepEqual((await session.execute(read, [50])).one()?.['data'], Buffer.from([5, 0]))
})

test('sessions, results, queries and batches say what they are', skip, async () => {
  assert.match(inspect(session), /^Session\(.*; keyspace node_contexts\)$/)
  const rows = await session.execute('SELECT name FROM items WHERE id = 3')
  assert.equal(inspect(rows), "Rows(1 rows) [ { name: 'n3' } ]")
  const query = session.query('SELECT id FROM items', [], { pageSize: 3 })
  assert.equal(inspect(query), 'Query(0 rows ready)')
  await query.next()
  assert.equal(inspect(query), 'Query(2 rows ready)')
  query.close()
  assert.equal(inspect(query), 'Query(closed)')
  assert.equal(inspect(session.batch()), 'Batch(logged, 0 statements)')
})
