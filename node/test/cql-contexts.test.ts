/** Async contexts, callbacks, aborted statements and returned memory with Cassandra. */

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import vm from 'node:vm'
import { connect, type Query, type Row, type Session } from 'spikewire/cql'
import { withoutPython } from './cases.js'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'
import { proxied } from './support/cassandra-helper.js'
import { PACKAGE } from './support/programs.js'

const skip = { skip: withoutCassandra }
const skipProxy = { skip: withoutCassandra || withoutPython }
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

test('an aborted statement lets the process end', skipProxy, async (context: TestContext) => {
  const proxy = await proxied(context)
  const text = `
    import { connect } from 'spikewire/cql'
    const options = { keyspace: 'node_contexts', timeout: 60_000 }
    const session = await connect(${JSON.stringify(proxy.address)}, options)
    const read = await session.prepare('SELECT * FROM items WHERE id = ?')
    console.log('connected')
    // Until the node answers no more.
    for (let answers = true; answers; )
      await session.execute(read, [1], { timeout: 300 }).catch(() => { answers = false })
    const controller = new AbortController()
    const { signal } = controller
    const calls = [
      session.execute(read, [1], { signal }),
      session.execute('SELECT name FROM items WHERE id = ?', [1], { signal }),
      session.batch().add(read, [1]).execute({ signal }),
    ].map((call) => call.catch((error) => error.name))
    setImmediate(() => controller.abort())
    console.log(new Set(await Promise.all(calls)))`
  const args = ['--input-type=module', '-e', text]
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: PACKAGE,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, 'connected')
  await proxy.inject('replies', { hold: true })
  assert.equal((await lines.next()).value, "Set(1) { 'AbortError' }")
  assert.deepEqual(await ended, [0, null])
  assert.ok(performance.now() - began < 40_000)
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
