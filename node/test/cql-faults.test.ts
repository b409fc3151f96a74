/**
 * Sessions with failing connections: a proxy in front of a real node, and servers that are not
 * nodes.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConnectionFailed,
  CqlError,
  connect,
  type ExecuteOptions,
  NodeUnavailable,
  ProtocolError,
  type Rows,
  type Session,
  type SessionOptions,
  Timeout,
} from 'spikewire/cql'
import { withoutPython } from './cases.js'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'
import { type CqlProxy, type Faults, proxied } from './support/cassandra-helper.js'
import { PACKAGE, run } from './support/programs.js'

const skip = { skip: withoutCassandra || withoutPython }
const KEYSPACE = 'node_faults'
const READ = 'SELECT name FROM items WHERE id = 1'
const WRITE = "UPDATE items SET name = 'pear' WHERE id = 1"
/** Selects rows of 20,000 bytes, in pages of 10. */
const WIDE = 'SELECT n, text FROM wide WHERE part = 1'
const [WIDE_ROWS, WIDE_PAGE, WIDE_BYTES] = [400, 10, 20_000]
let maker: Session

before(async () => {
  if (withoutCassandra) return
  maker = await sessionIn(KEYSPACE)
  await maker.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
  await maker.execute(WRITE)
  await maker.execute('CREATE TABLE wide (part int, n int, text text, PRIMARY KEY (part, n))')
  const rows = Array.from({ length: WIDE_ROWS }, (_, n) => [n, `${n}`.padEnd(WIDE_BYTES, 'x')])
  await maker.executeMany('INSERT INTO wide (part, n, text) VALUES (1, ?, ?)', rows)
})

after(() => maker?.close())

/** A session through a proxy; both are closed after the test. */
async function through(
  test: TestContext,
  options: SessionOptions = {},
): Promise<{ proxy: CqlProxy; session: Session }> {
  const proxy = await proxied(test)
  const session = await connect(proxy.address, { keyspace: KEYSPACE, timeout: 30_000, ...options })
  test.after(() => session.close())
  // The session is connected from here on.
  assert.deepEqual((await session.execute(READ)).one(), { name: 'pear' })
  return { proxy, session }
}

/** The error with which a call fails, which must be one of the package. */
async function failure(call: Promise<unknown>): Promise<CqlError> {
  const error = await call.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof CqlError, String(error))
  return error
}

/**
 * Injects one fault during a statement; returns its rows or its error. The fault may also hit the
 * session's own requests to the node, in which case the statement is repeated.
 */
async function strike(
  session: Session,
  proxy: CqlProxy,
  text: string,
  faults: Faults,
  options: ExecuteOptions = {},
): Promise<Rows | CqlError> {
  for (let n = 0; n < 20; n++) {
    await proxy.inject('replies', { times: 1, ...faults })
    try {
      const rows = await session.execute(text, null, options)
      if (rows.attempts > 1) return rows
    } catch (error) {
      assert.ok(error instanceof CqlError, String(error))
      return error
    }
  }
  return assert.fail('the fault never struck')
}

/** Waits until a read works again. */
async function recovers(session: Session): Promise<void> {
  for (const ends = performance.now() + 60_000; performance.now() < ends; await sleep(20)) {
    const result = await session.execute(READ).catch((error: unknown) => error)
    if (!(result instanceof CqlError)) return
  }
  assert.fail('it does not recover')
}

for (const protocolVersion of [5, 4] as const) {
  test(`a connection is cut in the middle of a reply: v${protocolVersion}`, skip, async (test) => {
    const { proxy, session } = await through(test, { protocolVersion })
    for (const cut of [0, 1, 8]) {
      const read = await strike(session, proxy, READ, { cut })
      assert.equal(read.attempts, 2)
      const error = await strike(session, proxy, WRITE, { cut })
      assert.ok(error instanceof ConnectionFailed, String(error))
      assert.deepEqual([error.inDoubt, error.attempts, error.node], [true, 1, proxy.address])
      const again = await strike(session, proxy, WRITE, { cut }, { idempotent: true })
      assert.equal(again.attempts, 2)
    }
    await session.execute(READ)
  })
}

test('every attempt is reported', skip, async (test) => {
  const { proxy, session } = await through(test)
  await proxy.inject('replies', { cut: 5 })
  const error = await failure(session.execute(READ, null, { maxRetries: 2 }))
  assert.ok(error instanceof ConnectionFailed, String(error))
  assert.equal(error.attempts, 3)
  assert.deepEqual(
    error.failedAttempts.map(({ node, reason }) => [node, reason.length > 0]),
    Array.from({ length: 3 }, () => [proxy.address, true]),
  )
})

test('changed bytes are detected', skip, async (test) => {
  const { proxy, session } = await through(test, { protocolVersion: 5 })
  const error = await strike(session, proxy, WRITE, { corrupt: [9, 0x10] })
  assert.ok(error instanceof ConnectionFailed || error instanceof ProtocolError, String(error))
  assert.match(error.message, /invalid bytes/)
  assert.equal(error.inDoubt, true)
  await session.execute(READ)
})

test('late and lost replies time out', skip, async (test) => {
  const { proxy, session } = await through(test)
  for (const faults of [{ delay: 10 }, { swallow: true }]) {
    await proxy.inject('replies', faults)
    const [read, write] = await Promise.all([
      failure(session.execute(READ, null, { timeout: 1000 })),
      failure(session.execute(WRITE, null, { timeout: 1000 })),
    ])
    for (const error of [read, write])
      assert.ok(error instanceof Timeout || error instanceof ConnectionFailed, `${read}, ${write}`)
    assert.equal(read.inDoubt, false)
  }
  await proxy.clear()
  await proxy.cut()
  await recovers(session)
})

test('a slow network delays replies and loses nothing', skip, async (test) => {
  const { proxy, session } = await through(test)
  await proxy.inject('replies', { drip: [3, 0.001] })
  await proxy.inject('requests', { drip: [5, 0.001] })
  const result = await session.execute(READ)
  assert.deepEqual([result.one(), result.attempts], [{ name: 'pear' }, 1])
})

test('a session reconnects when the node is back', skip, async (test) => {
  const { proxy, session } = await through(test)
  const down = async (): Promise<void> => {
    await proxy.refuse('port')
    await proxy.cut()
  }
  await down()
  const error = await failure(session.execute(WRITE, null, { timeout: 5000 }))
  assert.ok(error instanceof ConnectionFailed || error instanceof NodeUnavailable, String(error))
  assert.equal(error.inDoubt, false)
  await proxy.clear()
  await recovers(session)

  // Queries, streams and executeMany fail promptly with their own errors.
  await proxy.inject('replies', { cut: 100_000 })
  const query = session.query(WIDE, null, { pageSize: WIDE_ROWS, maxRetries: 0 })
  assert.ok((await failure(query.next())) instanceof ConnectionFailed)
  const stream = session.query(WIDE, null, { pageSize: WIDE_ROWS, maxRetries: 0 }).stream()
  assert.ok((await failure(stream.toArray())) instanceof ConnectionFailed)
  await proxy.inject('replies', { cut: 0 })
  const rows = Array.from({ length: 100 }, (_, n) => [1000 + n, 'many'])
  const insert = 'INSERT INTO items (id, name) VALUES (?, ?)'
  await proxy.clear()
  const prepared = await session.prepare(insert)
  await proxy.inject('replies', { cut: 0 })
  const first = await failure(session.executeMany(prepared, rows))
  assert.ok(first instanceof ConnectionFailed && first.row !== undefined, String(first))
  const all = await session.executeMany(prepared, rows, { errors: 'return', maxRetries: 0 })
  assert.ok(all.every((one, row) => one instanceof CqlError && one.row === row))
  await proxy.clear()
  await recovers(session)
})

test('rows are sent only as they are consumed', skip, async (test) => {
  const { proxy, session } = await through(test)
  const page = WIDE_PAGE * WIDE_BYTES
  const received = async (): Promise<number> => (await proxy.stats())['replies'] as number
  for (const how of ['iterate', 'pages', 'pipe'] as const) {
    const before = await received()
    const query = session.query<{ n: number }>(WIDE, null, { pageSize: WIDE_PAGE })
    let count = 0
    let pause = async (): Promise<void> => {
      await sleep(300)
      const bytes = (await received()) - before
      // The page being read, the next one, and the stream's buffer.
      assert.ok(bytes > page && bytes < 5 * page, `${how}: ${bytes} bytes for ${count} rows`)
      pause = async () => undefined
    }
    const take = async (rows: readonly { n: number }[]): Promise<void> => {
      for (const { n } of rows) assert.equal(n, count++)
      if (count >= WIDE_PAGE) await pause()
    }
    if (how === 'iterate') for await (const row of query) await take([row])
    else if (how === 'pages') for await (const { rows } of query.pages()) await take(rows)
    else {
      const write = (row: { n: number }, _: string, done: (error?: Error) => void): void => {
        take([row]).then(() => done(), done)
      }
      await pipeline(query.stream(), new Writable({ objectMode: true, highWaterMark: 1, write }))
    }
    assert.equal(count, WIDE_ROWS)
  }
})

/** Starts a server that is not a node, until the end of the test; returns its address. */
async function listening(test: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return typeof address === 'object' ? `127.0.0.1:${address?.port}` : ''
}

const FOREIGN: { [what: string]: (socket: Socket) => void } = {
  'speaks HTTP': (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
  'greets before it is asked': (socket) => socket.write('220 mail.example ESMTP ready\r\n'),
  'hangs up': (socket) => socket.end(),
  'says nothing': () => undefined,
}

for (const [what, serve] of Object.entries(FOREIGN)) {
  test(`a contact point ${what}`, async (test) => {
    const address = await listening(test, serve)
    const error = await failure(connect(address, { connectTimeout: 1000 }))
    assert.ok(error instanceof ConnectionFailed, String(error))
    assert.match(error.message, new RegExp(`no contact point leads to a node: ${address}: `))
    if (withoutCassandra) return
    // The other contact points are used.
    const session = await connect([address, ...AT.split(',')], { connectTimeout: 5000 })
    assert.equal((await session.execute('SELECT key FROM system.local')).length, 1)
    await session.close()
  })
}

test('a contact point that rejects connections is named', skip, async (test) => {
  const proxy = await proxied(test)
  for (const how of ['close', 'silent', 'port'] as const) {
    await proxy.refuse(how)
    const error = await failure(connect(proxy.address, { connectTimeout: 1000 }))
    assert.ok(error instanceof ConnectionFailed, String(error))
    assert.ok(error.message.includes(proxy.address), error.message)
  }
})

test('a process with failed calls ends by itself', skip, async (test) => {
  const proxy = await proxied(test)
  const program = `
    import { connect } from 'spikewire/cql'
    const session = await connect('${proxy.address}', { keyspace: '${KEYSPACE}', timeout: 300 })
    const read = () => session.execute("${READ}").then(() => 'well', (error) => error.name)
    while ((await read()) !== 'Timeout') await new Promise((resolve) => setTimeout(resolve, 20))
    const query = session.query('${WIDE}', null, { pageSize: 1 })
    const rows = Array.from({ length: 500 }, (_, n) => [n])
    const many = session.executeMany('SELECT name FROM items WHERE id = ?', rows)
    const ended = await Promise.allSettled([read(), query.next(), many, connect('127.0.0.1:1')])
    console.log(ended.map(({ value, reason }) => value ?? reason.name).join(' '))
    void read()
    // Nothing is closed, and a call is in flight.
  `
  // Inside the package, so that it can import the package by name.
  const file = join(PACKAGE, 'build', `failed-calls-${process.pid}.mjs`)
  writeFileSync(file, program)
  test.after(() => rmSync(file))
  const args = 'Deno' in globalThis ? ['run', '--allow-all', file] : [file]
  const running = run(process.execPath, args, { timeout: 60_000 })
  // The session has two connections once it reads.
  while (((await proxy.stats())['connections'] as number) < 2) await sleep(20)
  await proxy.inject('replies', { swallow: true })
  const { code, stdout, stderr } = await running
  assert.deepEqual([code, stdout], [0, 'Timeout Timeout Timeout ConnectionFailed\n'], stderr)
})
