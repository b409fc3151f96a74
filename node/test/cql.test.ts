/** Sessions of `spikewire/cql` and their verbs, on a real Cassandra. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import {
  AlreadyExists,
  Bound,
  ConnectionFailed,
  CqlError,
  connect,
  InvalidRequest,
  Prepared,
  type Session,
  SessionClosed,
  type SessionOptions,
  SyntaxException,
  UNSET,
} from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }
let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_verbs')
  await session.execute('CREATE TABLE items (id int PRIMARY KEY, name text, price double)')
})

after(() => session?.close())

test('text and prepared statements take values in order and by name', skip, async () => {
  const insert = await session.prepare('INSERT INTO items (id, name, price) VALUES (?, ?, ?)')
  assert.ok(insert instanceof Prepared)
  assert.deepEqual(insert.parameters, [
    { name: 'id', type: 'int' },
    { name: 'name', type: 'text' },
    { name: 'price', type: 'double' },
  ])
  assert.deepEqual(insert.partitionKey, [0])
  await session.execute(insert, [1, 'pear', 0.5])
  await session.execute(insert, { price: 2, name: 'plum', id: 2 })
  await session.execute('INSERT INTO items (id, name, price) VALUES (?, ?, ?)', [3, "o'fig", null])
  await session.execute("INSERT INTO items (id, name) VALUES (4, '?')")

  const result = await session.execute('SELECT id, name, price FROM items WHERE id IN ?', [
    [1, 2, 3, 4],
  ])
  assert.deepEqual(result.rows, [
    { id: 1, name: 'pear', price: 0.5 },
    { id: 2, name: 'plum', price: 2 },
    { id: 3, name: "o'fig", price: null },
    { id: 4, name: '?', price: null },
  ])
  assert.deepEqual([...result], result.rows)
  assert.deepEqual(
    result.columns.map(({ name, type, keyspace, table }) => [name, type, keyspace, table]),
    [
      ['id', 'int', 'node_verbs', 'items'],
      ['name', 'text', 'node_verbs', 'items'],
      ['price', 'double', 'node_verbs', 'items'],
    ],
  )
  assert.deepEqual([result.length, result.pagingState, result.node], [4, null, AT.split(',')[0]])

  const named = 'SELECT name FROM items WHERE id = :which'
  assert.deepEqual((await session.execute(named, { which: 2 })).one(), { name: 'plum' })
  assert.equal((await session.execute(named, { which: 99 })).one(), undefined)
  assert.throws(() => result.one(), /4 rows where one was expected/)
  assert.deepEqual(result.first(), result.rows[0])
})

test(
  'many statements run concurrently, and unset parameters leave columns unchanged',
  skip,
  async () => {
    const insert = await session.prepare('INSERT INTO items (id, name, price) VALUES (?, ?, ?)')
    const many = Array.from({ length: 2000 }, (_, n) => 1000 + n)
    await Promise.all(many.map((n) => session.execute(insert, [n, `name ${n}`, n / 4])))
    await session.execute(insert, [1000, UNSET, null])
    const select = await session.prepare('SELECT name, price FROM items WHERE id = ?')
    const result = await Promise.all(many.map((n) => session.execute(select, [n])))
    assert.deepEqual(result[0]?.one(), { name: 'name 1000', price: null })
    for (const [at, rows] of result.entries()) {
      if (at > 0) {
        assert.deepEqual(rows.one(), { name: `name ${many[at]}`, price: (many[at] as number) / 4 })
      }
    }
  },
)

test('results of conditions report whether they were applied', skip, async () => {
  const text = 'INSERT INTO items (id, name) VALUES (?, ?) IF NOT EXISTS'
  const first = await session.execute(text, [50, 'first'])
  assert.equal(first.applied, true)
  const second = await session.execute<{ name: string }>(text, [50, 'second'])
  assert.deepEqual([second.applied, second.first()?.name], [false, 'first'])
  assert.equal((await session.execute('SELECT id FROM items WHERE id = 50')).applied, null)
})

test('batches take prepared statements and text', skip, async () => {
  const insert = await session.prepare('INSERT INTO items (id, name) VALUES (?, ?)')
  const batch = session
    .batch('unlogged')
    .add(insert, [60, 'a'])
    .add('INSERT INTO items (id, name) VALUES (?, ?)', { id: 61, name: 'b' })
    .add("INSERT INTO items (id, name) VALUES (62, 'c')")
  assert.equal(batch.length, 3)
  await batch.execute({ consistency: 'quorum' })
  const result = await session.execute('SELECT name FROM items WHERE id IN (60, 61, 62)')
  assert.deepEqual(result.rows, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])

  await assert.rejects(session.batch().add(insert, [1, 2]).execute(), {
    name: 'TypeError',
    message: /statement 0: name: text takes text, not 2/,
  })
  await assert.rejects(session.batch().execute(), /a batch without statements/)
  assert.throws(() => session.batch('best' as never), /logged, unlogged, counter/)

  await session.execute('CREATE TABLE hits (id int PRIMARY KEY, n counter)')
  const count = await session.prepare('UPDATE hits SET n = n + ? WHERE id = ?')
  await session.batch('counter').add(count, [2, 1]).add(count, [3n, 1]).execute()
  assert.deepEqual((await session.execute('SELECT n FROM hits')).one(), { n: 5 })
})

test('bound statements are executed and reused', skip, async () => {
  const insert = await session.prepare('INSERT INTO items (id, name, price) VALUES (?, ?, ?)')
  const price = [0.5]
  const bound = insert.bind([80_001, 'bound', price[0] as number])
  price[0] = 1
  assert.ok(bound instanceof Bound)
  assert.equal(bound.prepared, insert)
  assert.equal(inspect(bound), `Bound('${insert.text}')`)
  await session.execute(bound)
  const select = await session.prepare('SELECT name, price FROM items WHERE id = :id')
  const one = select.bind({ id: 80_001 })
  for (let n = 0; n < 2; n++) {
    assert.deepEqual((await session.execute(one)).rows, [{ name: 'bound', price: 0.5 }])
  }
  assert.equal((await session.page(one, null, { pageSize: 1 })).length, 1)
  for await (const row of session.query(one)) assert.equal(row['name'], 'bound')
  const all = (await session.prepare('SELECT id FROM items')).bind()
  const result = await session.execute(all, null, { pageSize: 300 })
  assert.ok(result.length > 1000 && result.attempts > 3)
  await session
    .batch()
    .add(insert.bind([80_002, 'two', 2]))
    .add('UPDATE items SET price = ? WHERE id = ?', [3, 80_001])
    .add(insert.bind({ id: 80_003, name: 'three', price: UNSET }))
    .execute()
  const written = await session.execute(
    'SELECT name, price FROM items WHERE id IN (80001, 80002, 80003)',
  )
  assert.deepEqual(written.rows, [
    { name: 'bound', price: 3 },
    { name: 'two', price: 2 },
    { name: 'three', price: null },
  ])

  assert.throws(() => insert.bind([1.5, 'x', 1]), {
    name: 'TypeError',
    message: /id: int takes an integer, not 1.5/,
  })
  assert.throws(() => insert.bind([1]), /the statement takes 3 values \(id, name, price\), not 1/)
  assert.throws(() => insert.bind({ id: 1 }), /no value for parameter 'name'/)
  const twice = /a bound statement has its values already/
  await assert.rejects(session.execute(one, [1]), twice)
  assert.throws(() => session.batch().add(bound, [1]), twice)
  const many = /executeMany takes a prepared statement, not a bound one/
  await assert.rejects(session.executeMany(one as never, []), many)
})

test('errors from the server have their kind and message', skip, async () => {
  await assert.rejects(session.execute('SELEC 1'), (error: CqlError) => {
    assert.ok(error instanceof SyntaxException && error instanceof CqlError)
    assert.deepEqual([error.code, error.name, error.inDoubt], [0x2000, 'SyntaxException', false])
    assert.match(error.message, /no viable alternative.*code 0x2000, node /)
    return true
  })
  await assert.rejects(session.execute('SELECT * FROM nothing_here'), InvalidRequest)
  await assert.rejects(
    session.execute('SELECT * FROM nothing_here WHERE id = ?', [1]),
    InvalidRequest,
  )
  await assert.rejects(session.execute('SELECT * FROM items WHERE id = ?'), InvalidRequest)
  await assert.rejects(
    session.execute('CREATE TABLE items (id int PRIMARY KEY)'),
    (error: AlreadyExists) => {
      assert.ok(error instanceof AlreadyExists)
      assert.deepEqual([error.keyspace, error.table], ['node_verbs', 'items'])
      return true
    },
  )
})

test('invalid arguments are rejected before anything is sent', skip, async () => {
  const insert = await session.prepare('INSERT INTO items (id, name, price) VALUES (?, ?, ?)')
  const invalid: [unknown, string, RegExp][] = [
    [[1], 'RangeError', /takes 3 values \(id, name, price\), not 1/],
    [['x', 'y', 1], 'TypeError', /id: int takes an integer, not "x" \(string\)/],
    [[1.5, 'y', 1], 'TypeError', /id: int takes an integer, not 1.5/],
    [[2 ** 40, 'y', 1], 'RangeError', /id: int takes -2147483648 to 2147483647, not 1099511627776/],
    [[2 ** 60, 'y', 1], 'RangeError', /id: int: 1152921504606847000 is not exact.*bigint/],
    [[undefined, 'y', 1], 'TypeError', /id: int takes an integer, not undefined/],
    [[1, 2, 1], 'TypeError', /name: text takes text, not 2/],
    [[1, '\ud800', 1], 'RangeError', /name: text: .*lone surrogate/],
    [[1, 'y', '1'], 'TypeError', /price: double takes a number, not "1"/],
    [[1, 'y', 1n], 'TypeError', /price: double takes a number, not 1n/],
    [{ id: 1, name: 'y' }, 'RangeError', /no value for parameter 'price'/],
    [
      { id: 1, name: 'y', price: 1, more: 2 },
      'RangeError',
      /no parameter 'more'; there are: id, name/,
    ],
    ['text', 'TypeError', /parameters must be an array or an object, not string/],
  ]
  for (const [values, name, message] of invalid) {
    await assert.rejects(session.execute(insert, values as never), { name, message })
  }
  await assert.rejects(
    session.execute(7 as never),
    /a statement must be a string, a Prepared or a Bound, not number/,
  )
  await assert.rejects(session.execute(insert, [1, 'y', 1], { page: 1 } as never), {
    name: 'TypeError',
    message: /unknown option page; there are: consistency/,
  })
  for (const [options, message] of [
    [{ consistency: 'most' }, /consistency must be 'any', 'one', /],
    [{ pageSize: 0 }, /pageSize/],
    [{ timeout: -1 }, /timeout/],
    [{ node: '10.0.0.1:1' }, /node "10.0.0.1:1" is not known; there are: /],
    [{ serialConsistency: 'quorum' }, /serial/],
    [{ speculativeDelay: 0.5 }, /speculativeDelay must be at least 0.001 s, got 0.0005 s/],
    [{ speculativeDelay: 'x' }, /speculativeDelay must be a time, or a percentile/],
    [{ speculativeAttempts: 0 }, /speculativeAttempts must be from 1 to 32, got 0/],
  ] as const) {
    await assert.rejects(session.execute(insert, [1, 'y', 1], options as never), { message })
  }
})

test('prepared statements outlive a change of their table', skip, async () => {
  await session.execute('CREATE TABLE changing (id int PRIMARY KEY, a text)')
  const insert = await session.prepare('INSERT INTO changing (id, a) VALUES (?, ?)')
  const select = await session.prepare('SELECT * FROM changing WHERE id = ?')
  await session.execute(insert, [1, 'a'])
  assert.deepEqual((await session.execute(select, [1])).one(), { id: 1, a: 'a' })
  const altered = await session.execute('ALTER TABLE changing ADD b int')
  assert.equal(altered.schemaAgreed, true)
  assert.deepEqual((await session.execute(select, [1])).one(), { id: 1, a: 'a', b: null })
  await session.execute(insert, [2, 'b'])
  assert.deepEqual((await session.execute(select, [2])).one(), { id: 2, a: 'b', b: null })
})

test('USE changes the keyspace of cached texts', skip, async () => {
  const own = await sessionIn('node_use')
  try {
    await own.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
    await own.execute('INSERT INTO items (id, name) VALUES (?, ?)', [1, 'here'])
    await session.execute('INSERT INTO items (id, name) VALUES (?, ?)', [1, 'there'])
    const select = 'SELECT name FROM items WHERE id = ?'
    assert.deepEqual((await own.execute(select, [1])).one(), { name: 'here' })
    assert.equal(own.keyspace, 'node_use')
    await own.execute('USE node_verbs')
    assert.equal(own.keyspace, 'node_verbs')
    assert.deepEqual((await own.execute(select, [1])).one(), { name: 'there' })
    const back = await own.execute(select, [1], { keyspace: 'node_use' })
    assert.deepEqual(back.one(), { name: 'here' })
  } finally {
    await own.close()
  }
})

test('callbacks, signals and time limits work', skip, async () => {
  const result = await new Promise((resolve, reject) => {
    session.execute('SELECT id FROM items WHERE id = ?', [1], (error, rows) =>
      error ? reject(error) : resolve(rows?.length),
    )
  })
  assert.equal(result, 1)
  const error = await new Promise((resolve) => {
    session.prepare('SELEC', (error) => resolve(error))
  })
  assert.ok(error instanceof SyntaxException)
  await assert.rejects(
    session.execute('SELECT * FROM items', null, { signal: AbortSignal.abort() }),
    { name: 'AbortError' },
  )
  const abort = new AbortController()
  const running = session.execute('SELECT * FROM items', null, { signal: abort.signal })
  abort.abort(new Error('given up'))
  await assert.rejects(running, /given up/)
})

test('invalid options and contact points of a session are rejected', skip, async () => {
  for (const [points, options, message] of [
    ['http://here', {}, /^the URL must begin with cassandra:/],
    ['here:port', {}, /is not a valid host/],
    [[], {}, /no contact point/],
    [AT, { pageSize: 'x' }, /pageSize must be a whole number/],
    [AT, { colour: 1 }, /unknown session option "colour"; there are: adaptiveLimits, addressMap/],
    [AT, { user: 'me' }, /user and password go together/],
    [AT, { compression: 'zip' }, /compression must be 'none' or 'lz4'/],
    [AT, { connectionsPerNode: 0 }, /^connectionsPerNode must be from 1 to 1024, got 0$/],
    [AT, { pipelineDepth: 40_000 }, /^pipelineDepth must be from 1 to 32767, got 40000$/],
    [AT, { idleTimeout: 50 }, /^idleTimeout must be at least 0.1 s, got 0.05 s$/],
    [AT, { connectTimeout: 0 }, /^connectTimeout must be at least 0.001 s/],
    [
      AT,
      { serialConsistency: 'quorum' },
      /^serialConsistency must be 'serial' or 'local_serial', got "quorum"/,
    ],
    [AT, { keyspace: '' }, /^keyspace must not be empty$/],
    [AT, { speculativeDelay: 0 }, /^speculativeDelay must be at least 0.001 s, got 0 s$/],
    [AT, { speculativeAttempts: 33 }, /^speculativeAttempts must be from 1 to 32, got 33$/],
    [AT, { reconnect: 100 }, /^reconnect must be an array of two spans/],
    [AT, { reconnect: [100] }, /^reconnect must be an array of two spans/],
    [AT, { reconnect: [100, '1'] }, /^reconnect must be milliseconds as a number, not string$/],
    [AT, { reconnect: [0, 100] }, /^reconnect must be at least 0.001 s, got 0 s$/],
    [AT, { reconnect: [100, 50] }, /^reconnect: the longest pause must not be below/],
    [AT, { shardAwarePort: 1 }, /^shardAwarePort must be boolean, not number$/],
    [AT, { signal: AbortSignal.abort(new Error('no')) }, /^no$/],
  ] as const) {
    await assert.rejects(connect(points as string, options as SessionOptions), { message })
  }
  await assert.rejects(connect('127.0.0.1:1', { connectTimeout: 500 }), (error: CqlError) => {
    assert.ok(error instanceof ConnectionFailed)
    assert.match(error.message, /127\.0\.0\.1:1/)
    return true
  })
  for (const options of [{ protocolVersion: 4 }, { compression: 'lz4' }] as const) {
    const other = await connect(AT, { keyspace: 'node_verbs', ...options })
    assert.equal((await other.execute('SELECT id FROM items WHERE id = ?', [1])).length, 1)
    assert.equal(other.protocolVersion, 'protocolVersion' in options ? 4 : 5)
    await other.close()
  }
  const [node] = session.nodes
  assert.deepEqual([node?.address, node?.isUp], [AT.split(',')[0], true])
  assert.match(node?.release ?? '', /^\d+\./)
})

test('a closed session rejects calls and fails those in flight', skip, async () => {
  const own = await connect(AT, { keyspace: 'node_verbs' })
  // One row: the server goes on with what was in flight, and must not be busy with it for long.
  // So many that a server cannot have answered all of them by the time that they are sent.
  const select = await own.prepare('SELECT * FROM items WHERE id = 1')
  // Some may be answered before the session is closed: runtimes without libuv read in a thread.
  const running = Promise.allSettled(Array.from({ length: 5000 }, () => own.execute(select)))
  const closing = own.close()
  const failed = (await running).filter((one) => one.status === 'rejected')
  assert.ok(failed.length > 0)
  for (const { reason } of failed) assert.ok(reason instanceof SessionClosed, String(reason))
  await closing
  await own.close()
  assert.equal(own.isOpen, false)
  await assert.rejects(own.execute(select), SessionClosed)
  await assert.rejects(own.execute('SELECT * FROM items WHERE id = ?', [1]), SessionClosed)
  assert.throws(() => own.nodes, SessionClosed)
  assert.throws(() => own.query('SELECT * FROM items'), SessionClosed)
  // A prepared statement works in any session on the same cluster.
  assert.ok((await session.execute(select)).length > 0)
})

test('worker threads have their own sessions', skip, async () => {
  const text = `
    const { parentPort } = require('node:worker_threads')
    const { connect } = require('spikewire/cql')
    connect(${JSON.stringify(AT)}, { keyspace: 'node_verbs' }).then(async (session) => {
      const insert = await session.prepare('INSERT INTO items (id, name) VALUES (?, ?)')
      const many = Array.from({ length: 200 }, (_, n) => 70000 + n)
      await Promise.all(many.map((n) => session.execute(insert, [n, 'worker'])))
      parentPort.postMessage('written')
      const pump = async () => { for (;;) await session.execute(insert, [70000, 'again']) }
      for (let n = 0; n < 8; n++) pump()
    })`
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(text, { eval: true })
    await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    await worker.terminate()
  }
  const result = await session.execute('SELECT name FROM items WHERE id = ?', [70199])
  assert.deepEqual(result.one(), { name: 'worker' })
})
