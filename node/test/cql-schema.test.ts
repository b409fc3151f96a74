/**
 * Prepared statements whose schema changes, and sessions that close while a statement is being
 * prepared.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { connect, type Schema, type Session, SessionClosed } from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }
const KEYSPACE = 'node_schema'
let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn(KEYSPACE)
})

after(() => session?.close())

const INSERT = 'INSERT INTO changing (k, v) VALUES (?, ?)'

async function createAnew(by: Session, type: string): Promise<void> {
  await by.execute(`DROP TABLE IF EXISTS ${KEYSPACE}.changing`)
  await by.execute(`CREATE TABLE ${KEYSPACE}.changing (k int PRIMARY KEY, v ${type})`)
}

test('a value is not rejected because of types that a column had before', skip, async () => {
  const other = await connect(AT, { timeout: 60_000 })
  try {
    await createAnew(session, 'int')
    const prepared = await session.prepare(INSERT)
    const ways: Record<string, (value: string | number) => Promise<unknown>> = {
      text: (value) => session.execute(INSERT, [1, value]),
      names: (value) => session.execute(INSERT, { k: 1, v: value }),
      prepare: async (value) => session.execute(await session.prepare(INSERT), [1, value]),
      'prepared before': (value) => session.execute(prepared, [1, value]),
      batch: (value) => session.batch().add(INSERT, [1, value]).add(prepared, [2, value]).execute(),
      many: (value) => session.executeMany(prepared, [[2, value] as const, [1, value] as const]),
    }
    await ways['text']?.(1)
    let at = 0
    for (const [name, run] of Object.entries(ways)) {
      for (const by of [session, other]) {
        const value = at++ % 2 === 0 ? 'pear' : 0.5
        await createAnew(by, typeof value === 'string' ? 'text' : 'double')
        await run(value)
        const result = await session.execute('SELECT v FROM changing WHERE k = 1')
        assert.deepEqual(result.rows, [{ v: value }], name)
      }
    }
    await assert.rejects(session.execute(prepared, [1, true]), TypeError)
  } finally {
    await other.close()
  }
})

test('values that were bound before the types changed are not sent', skip, async () => {
  await createAnew(session, 'int')
  const prepared = await session.prepare(INSERT)
  const bound = prepared.bind([1, 1])
  await session.execute(`ALTER TABLE changing ADD w int`)
  await session.execute(bound)
  await session.batch().add(bound).execute()
  await createAnew(session, 'text')
  await assert.rejects(session.execute(bound), /bind them again/)
  await assert.rejects(session.batch().add(bound).execute(), /bind them again/)
})

test('values without a marker are rejected; names may differ in case', skip, async () => {
  await createAnew(session, 'int')
  const plain = 'INSERT INTO changing (k, v) VALUES (1, 1)'
  const prepared = await session.prepare(plain)
  for (const run of [
    () => session.execute(plain, [2]),
    () => session.execute(prepared, [2]),
    () => session.execute(plain, { k: 2 }),
    () => session.batch().add(plain, [2]).execute(),
    () => session.executeMany(prepared, [[2]]),
  ]) {
    await assert.rejects(run(), /takes no values/)
  }
  const find = 'SELECT v FROM changing WHERE k = :theKey'
  await session.execute(INSERT, [1, 5])
  for (const values of [{ theKey: 1 }, { thekey: 1 }]) {
    assert.deepEqual((await session.execute(find, values)).one(), { v: 5 })
  }
  await assert.rejects(session.execute(find, { theKey: 1, thekey: 1 }), /no parameter 'theKey'/)
  await assert.rejects(session.execute(find, { theKey: 1, THEKEY: 1 }), /both name/)
})

test('USE works with version 4 of the protocol', skip, async () => {
  await createAnew(session, 'int')
  const old = await connect(AT, { protocolVersion: 4, timeout: 60_000 })
  try {
    await old.execute(`USE ${KEYSPACE}`)
    assert.equal(old.keyspace, KEYSPACE)
    await Promise.all(Array.from({ length: 50 }, (_, k) => old.execute(INSERT, [k, k])))
    assert.equal((await old.execute('SELECT k FROM changing')).length, 50)
    await old.execute('USE system')
    await assert.rejects(old.execute('SELECT k FROM changing'))
    assert.equal((await old.execute('SELECT key FROM local')).length, 1)
  } finally {
    await old.close()
  }
})

const [PREPARE, EXECUTE, UNPREPARED] = [9, 10, 0x2500]

/**
 * A proxy that answers each EXECUTE with UNPREPARED once it was told to, and never passes on the
 * requests to prepare the statement again. For version 4, without compression.
 */
async function forgetful(
  test: TestContext,
): Promise<{ address: string; forget: () => Promise<unknown> }> {
  let forgets = false
  let held: () => void
  const isHeld = new Promise<void>((resolve) => {
    held = resolve
  })
  const sockets: Socket[] = []
  const [host, port] = (AT.split(',')[0] as string).split(':')
  const server = createServer((client) => {
    const node = connectTcp(Number(port), host)
    sockets.push(client, node)
    for (const socket of [client, node]) socket.on('error', () => undefined)
    node.pipe(client)
    let bytes = Buffer.alloc(0)
    client.on('data', (more) => {
      bytes = Buffer.concat([bytes, more])
      while (bytes.length >= 9 && bytes.length >= 9 + bytes.readInt32BE(5)) {
        const frame = bytes.subarray(0, 9 + bytes.readInt32BE(5))
        bytes = bytes.subarray(frame.length)
        if (forgets && frame[4] === EXECUTE) {
          const id = frame.subarray(9, 11 + frame.readUInt16BE(9))
          const head = Buffer.from([0x84, 0, frame[2] as number, frame[3] as number, 0, 0, 0, 0, 0])
          head.writeInt32BE(6 + id.length, 5)
          const error = Buffer.alloc(6)
          error.writeInt32BE(UNPREPARED)
          client.write(Buffer.concat([head, error, id]))
        } else if (forgets && frame[4] === PREPARE) {
          held()
        } else {
          node.write(frame)
        }
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const forget = (): Promise<unknown> => {
    forgets = true
    return isHeld
  }
  const { port: own } = server.address() as { port: number }
  return { address: `127.0.0.1:${own}`, forget }
}

/** The statements have a minute: if closing waited for the other session, they would time out. */
test('a session closes while another one prepares its statement', skip, async (t) => {
  await createAnew(session, 'int')
  const { address, forget } = await forgetful(t)
  const options = {
    protocolVersion: 4,
    compression: 'none',
    timeout: 60_000,
    connectionsPerNode: 1,
    addressMap: { [AT.split(',')[0] as string]: address },
    keyspace: KEYSPACE,
  } as const
  const [one, other] = [await connect(address, options), await connect(address, options)]
  const prepared = await one.prepare('SELECT v FROM changing WHERE k = ?')
  await one.execute(prepared, [1])
  await other.execute(prepared, [1])
  const forgotten = forget()
  const theirs = assert.rejects(other.execute(prepared, [1]), SessionClosed)
  await forgotten
  const ours = assert.rejects(one.execute(prepared, [1]), SessionClosed)
  // Answered after the statement was found to be forgotten.
  await one.execute('SELECT v FROM changing')
  await one.close()
  await ours
  await other.close()
  await theirs
})

test('the schema is known and follows changes', skip, async () => {
  const session = await sessionIn('node_schema_known')
  try {
    await session.execute('CREATE TYPE place (street text, zip int)')
    await session.execute(
      'CREATE TABLE orders (shop text, at int, name text static, places list<frozen<place>>, ' +
        "PRIMARY KEY (shop, at)) WITH CLUSTERING ORDER BY (at DESC) AND comment = 'of a day' " +
        'AND gc_grace_seconds = 77 AND bloom_filter_fp_chance = 0.25',
    )
    await session.execute(
      'CREATE FUNCTION plus (a int, b int) RETURNS NULL ON NULL INPUT RETURNS int ' +
        "LANGUAGE java AS 'return a + b;'",
    )
    await session.execute('CREATE AGGREGATE total (int) SFUNC plus STYPE int INITCOND 0')
    await session.execute('CREATE INDEX by_name ON orders (places)')
    const schema = await session.schema()
    const keyspace = schema.keyspaces.get('node_schema_known')
    assert.ok(keyspace)
    assert.deepEqual([keyspace.durableWrites, keyspace.isVirtual], [true, false])
    assert.match(String(keyspace.replication['class']), /SimpleStrategy/)
    assert.deepEqual(
      [...(keyspace.types.get('place') ?? [])],
      [
        ['street', 'text'],
        ['zip', 'int'],
      ],
    )
    const orders = keyspace.tables.get('orders')
    assert.ok(orders)
    assert.deepEqual([orders.partitionKey, orders.clustering], [['shop'], ['at']])
    assert.deepEqual(
      orders.columns.map(({ name, type, kind, descending }) => [name, type, kind, descending]),
      [
        ['shop', 'text', 'partition_key', false],
        ['at', 'int', 'clustering', true],
        ['name', 'text', 'static', false],
        ['places', 'list<frozen<place>>', 'regular', false],
      ],
    )
    assert.equal(orders.comment, 'of a day')
    const { comment, gc_grace_seconds, bloom_filter_fp_chance, compaction } = orders.options
    assert.deepEqual([comment, gc_grace_seconds, bloom_filter_fp_chance], ['of a day', 77, 0.25])
    assert.match((compaction as Record<string, string>)['class'] as string, /CompactionStrategy/)
    assert.deepEqual([orders.triggers.size, orders.extensions.size], [0, 0])
    assert.deepEqual(keyspace.functions.get('plus(int,int)'), {
      name: 'plus',
      argumentTypes: ['int', 'int'],
      argumentNames: ['a', 'b'],
      returnType: 'int',
      language: 'java',
      body: 'return a + b;',
      calledOnNullInput: false,
    })
    assert.deepEqual(keyspace.aggregates.get('total(int)'), {
      name: 'total',
      argumentTypes: ['int'],
      returnType: 'int',
      stateFunction: 'plus',
      stateType: 'int',
      finalFunction: null,
      initialCondition: '0',
    })
    assert.deepEqual(orders.indexes.get('by_name')?.options, { target: 'values(places)' })
    assert.equal(schema.keyspaces.get('system_views')?.isVirtual, true)
    await session.execute('ALTER TABLE orders ADD price decimal')
    const changed = await new Promise<Schema>((resolve, reject) =>
      session.schema((error, value) => (error ? reject(error) : resolve(value as Schema))),
    )
    const columns = changed.keyspaces.get('node_schema_known')?.tables.get('orders')?.columns
    assert.equal(columns?.at(-1)?.name, 'price')
  } finally {
    await session.close()
  }
  assert.throws(() => session.schema(), { name: 'SessionClosed' })
})

test('listeners hear of schema changes, by whichever session', skip, async (t) => {
  const session = await sessionIn('node_schema_events')
  const other = await connect(AT, { timeout: 60_000 })
  // Listeners do not keep the process alive.
  const alive = setInterval(() => {}, 60_000)
  t.after(() => {
    clearInterval(alive)
    return Promise.all([session.close(), other.close()])
  })
  for (const changer of [session, other]) {
    const event = new Promise((resolve) => {
      const end = session.onEvent((heard) => {
        if (heard.type !== 'schemaChanged') return
        end()
        resolve(heard)
      })
    })
    await changer.execute('DROP TABLE IF EXISTS node_schema_events.items')
    await changer.execute('CREATE TABLE node_schema_events.items (id int PRIMARY KEY)')
    assert.deepEqual(await event, { type: 'schemaChanged', node: null })
  }
})
