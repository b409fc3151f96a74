/** The drop-in for npm `cassandra-driver`: the same programs with both, on one Cassandra. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { Client as DropIn } from 'spikewire/compat/cassandra-driver'
import { AT, driver, sessionIn, withoutCassandra, withoutDriver } from './support/cassandra.js'

const skip = { skip: withoutCassandra || withoutDriver }

// biome-ignore lint/suspicious/noExplicitAny: the other driver has no types here
type Any = any

const KEYSPACE = 'compat_node'
const POINTS = { contactPoints: [AT.split(',')[0] as string], localDataCenter: 'dc1' }
const both: readonly [string, () => Any][] = [
  ['driver', () => driver()],
  ['drop-in', () => createRequire(import.meta.url)('spikewire/compat/cassandra-driver')],
]
const open: Any[] = []

/** A client of one of the two, in the tests' keyspace. */
async function clientOf(module: Any, options: object = {}): Promise<Any> {
  const client = new module.Client({ ...POINTS, keyspace: KEYSPACE, ...options })
  open.push(client)
  await client.connect()
  return client
}

after(() => Promise.all(open.map((client) => client.shutdown())))

/** A value that can be compared: its class and its text. */
function plain(value: Any): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(plain)
  if (Buffer.isBuffer(value)) return value.toString('hex')
  const { name } = value.constructor
  if (name === 'Object' || name === 'Row') {
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, plain(it)]))
  }
  if (value instanceof Map) return [name, ...[...value].map(plain)]
  if (value instanceof Set) return [name, ...[...value].map(plain)]
  if (name === 'Tuple' || name === 'Vector') return [name, ...[...value.elements].map(plain)]
  return [name, String(value), JSON.stringify(value)]
}

/** What a call ends with: its value, or its error's class and code. */
async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return plain(await call())
  } catch (error) {
    const { name, code } = error as { name: string; code?: number }
    return { name, code }
  }
}

/** Runs a program with both, each in an empty keyspace, and compares what it returns. */
async function compare(program: (module: Any) => Promise<unknown>): Promise<void> {
  const results: unknown[] = []
  for (const [, load] of both) {
    await (await sessionIn(KEYSPACE)).close()
    results.push(await program(load()))
  }
  assert.deepEqual(results[1], results[0], inspect(results, { depth: 9 }))
}

const TYPES = `CREATE TABLE every_type (
  id uuid PRIMARY KEY, a ascii, b bigint, bl blob, bo boolean, d decimal, db double, dt date,
  du duration, f float, i int, ip inet, l list<bigint>, m map<timeuuid, varint>, s set<text>,
  si smallint, t text, ti tinyint, tm time, tp tuple<int, bigint, text>, ts timestamp, tu timeuuid,
  u frozen<address>, v varint, ve vector<float, 3>, vt vector<text, 2>)`

function values({ types }: Any): Any[] {
  const uuid = (end: string) => types.Uuid.fromString(`00000000-0000-4000-8000-00000000000${end}`)
  const time = types.TimeUuid.fromDate(new Date(1_700_000_000_000), 7, 'abcdef', 'xy')
  return [
    ...[uuid('1'), 'ascii', types.Long.MIN_VALUE, Buffer.from([0, 255]), true],
    ...[types.BigDecimal.fromString('-12.50'), -0.5, types.LocalDate.fromString('-0044-03-15')],
    ...[
      types.Duration.fromString('-1y2mo3d4h5ns'),
      1.5,
      -7,
      types.InetAddress.fromString('fe80::1'),
    ],
    ...[
      [types.Long.fromString('9007199254740993'), 5],
      { [String(time)]: '123456789012345678901' },
    ],
    ...[['b', 'a'], 300, 'тест', -4, types.LocalTime.fromString('23:59:59.000000001')],
    ...[new types.Tuple(1, types.Long.fromNumber(2), null), new Date(-1), time],
    ...[{ street: 'x', zip: types.Long.ONE, ids: [uuid('2')] }, types.Integer.fromNumber(-129)],
    ...[new types.Vector([1, 2.5, -3]), new types.Vector(['p', 'q'], 'text')],
  ]
}

const COLUMNS =
  'id, a, b, bl, bo, d, db, dt, du, f, i, ip, l, m, s, si, t, ti, tm, tp, ts, tu, u, v, ve, vt'

for (const encoding of [{}, { map: Map, set: Set }, { useBigIntAsVarint: true }]) {
  test(`values of every type, with ${inspect(encoding)}`, skip, () =>
    compare(async (module) => {
      const client = await clientOf(module, { encoding })
      await client.execute('CREATE TYPE address (street text, zip bigint, ids set<uuid>)')
      await client.execute(TYPES)
      const params = values(module)
      if ('map' in encoding) {
        params[13] = new Map([[params[21], '7']])
        params[14] = new Set(['a'])
        params[22].ids = new Set(params[22].ids)
      }
      if ('useBigIntAsVarint' in encoding) {
        params[13] = { [String(params[21])]: 5n }
        params[23] = -129n
      }
      const marks = params.map(() => '?').join(', ')
      const insert = `INSERT INTO every_type (${COLUMNS}) VALUES (${marks})`
      await client.execute(insert, params, { prepare: true })
      await client.execute('INSERT INTO every_type (id) VALUES (?)', [module.types.Uuid.random()])
      const select = `SELECT ${COLUMNS} FROM every_type WHERE id = ?`
      const result = await client.execute(select, [params[0]], { prepare: true })
      const again = await client.execute(insert, result.first().values(), { prepare: true })
      const empty = await client.execute(
        `SELECT ${COLUMNS} FROM every_type WHERE a = 'none' ALLOW FILTERING`,
      )
      return [
        plain(result.rows),
        plain((await client.execute(select, [params[0]])).first()),
        result.columns.map((column: Any) => [column.name, column.type.code]),
        [result.rowLength, result.wasApplied(), result.pageState, again.rows, again.columns],
        [empty.first(), empty.rows.length, Object.keys(result.info).sort()],
      ]
    }),
  )
}

test('statements: order and names, callbacks, pages, streams, batches', skip, () =>
  compare(async (module) => {
    const client = await clientOf(module)
    await client.execute('CREATE TABLE items (part int, id int, name text, PRIMARY KEY (part, id))')
    const insert = 'INSERT INTO items (part, id, name) VALUES (?, ?, ?)'
    for (let id = 0; id < 25; id++) {
      await client.execute(insert, [1, id, `n${id}`], { prepare: true, isIdempotent: true })
    }
    await client.execute(
      'INSERT INTO items (part, id, name) VALUES (:p, :ID, :n)',
      {
        p: 2,
        id: 1,
        n: undefined,
      },
      { prepare: true },
    )
    const byCallback = await new Promise((resolve, reject) => {
      client.execute('SELECT * FROM items WHERE part = 2', (error: Error, result: Any) =>
        error ? reject(error) : resolve(plain(result.rows)),
      )
    })
    const query = 'SELECT id FROM items WHERE part = 1'
    const first = await client.execute(query, [], { fetchSize: 10 })
    const second = await client.execute(query, [], { fetchSize: 10, pageState: first.pageState })
    const all: number[] = []
    for await (const row of first) all.push(row.id)
    const each = (options: object) =>
      new Promise((resolve, reject) => {
        const rows: unknown[] = []
        client.eachRow(
          query,
          [],
          options,
          (n: number, row: Any) => rows.push([n, row.id]),
          (error: Error, result: Any) => {
            if (error) reject(error)
            else if (result.nextPage) result.nextPage()
            else resolve([rows, result.rowLength])
          },
        )
      })
    const streamed: number[] = []
    for await (const row of client.stream(query, [], { fetchSize: 4 })) streamed.push(row.id)
    await client.batch(
      [
        { query: insert, params: [3, 1, 'a'] },
        { query: 'DELETE FROM items WHERE part = ?', params: [2] },
      ],
      { prepare: true, logged: false, timestamp: 1e15 },
    )
    const conditional = await client.execute(`${insert} IF NOT EXISTS`, [3, 1, 'b'], {
      prepare: true,
    })
    const stamp = await client.execute('SELECT writetime(name) AS at FROM items WHERE part = 3')
    return [
      ...[byCallback, first.rowLength, second.rows.map((row: Any) => row.id), all, streamed],
      await each({ fetchSize: 7 }),
      await each({ fetchSize: 7, autoPage: true }),
      [conditional.wasApplied(), plain(conditional.first()), plain(stamp.first())],
    ]
  }),
)

test('errors have the same classes and codes', skip, () =>
  compare(async (module) => {
    const client = await clientOf(module)
    await client.execute('CREATE TABLE items (id int PRIMARY KEY, name text)')
    const run = (...args: unknown[]) => outcome(() => client.execute(...args))
    const bad = async (options: object) => {
      const other = new module.Client({ ...POINTS, ...options })
      const ended = await outcome(() => other.connect())
      await other.shutdown()
      return ended
    }
    const select = 'SELECT * FROM items WHERE id = ?'
    return [
      await run('SELEC'),
      await run('SELECT * FROM nothing'),
      await run('CREATE TABLE items (id int PRIMARY KEY)'),
      await run(select, [], { prepare: true }),
      await run(select, [1, 2], { prepare: true }),
      await run(select, { other: 1 }, { prepare: true }),
      await run(select, [{}], { prepare: true }),
      await run(select, ['x']),
      await run(select, [1], { executionProfile: 'none' }),
      await outcome(() => client.batch([])),
      await outcome(() => client.batch('x')),
      await bad({ contactPoints: ['127.0.0.9:1'] }),
      await bad({ keyspace: 'nothing' }),
      await outcome(async () => new module.Client({})),
      await outcome(async () => new module.Client({ ...POINTS, policies: { retry: {} } })),
    ]
  }),
)

test('a datacenter that no node is in', { skip: withoutCassandra }, async () => {
  // Not compared: the other driver's process does not end after it.
  const client = new DropIn({ ...POINTS, localDataCenter: 'nowhere' })
  await assert.rejects(client.connect(), (error: Any) => {
    assert.equal(error.name, 'NoHostAvailableError')
    const [inner] = Object.values(error.innerErrors) as Error[]
    assert.equal(inner?.name, 'ArgumentError')
    return true
  })
  await client.shutdown()
})

test('metadata, hosts, tokens and traces', skip, () =>
  compare(async (module) => {
    const client = await clientOf(module)
    await client.execute('CREATE TYPE address (street text, zip bigint)')
    await client.execute(
      `CREATE TABLE places (
      part text, at timestamp, id int, label text static, where frozen<address>, tags set<text>,
      PRIMARY KEY (part, at, id)) WITH CLUSTERING ORDER BY (at DESC, id ASC) AND comment = 'x'`.replace(
        'where',
        '"where"',
      ),
    )
    await client.execute('CREATE INDEX by_tag ON places (tags)')
    const table = await client.metadata.getTable(KEYSPACE, 'places')
    // What the other driver's classes have of emitters of events.
    const own = ['_events', '_eventsCount', '_maxListeners', 'loading', 'loaded']
    const about = JSON.parse(
      JSON.stringify(table, (name, value) => (own.includes(name) ? undefined : value)),
    )
    const [host] = client.hosts.values()
    const { keyspaces } = client.metadata
    const token = client.metadata.newToken(Buffer.from('abc'))
    const traced = await client.execute('SELECT * FROM places', [], { traceQuery: true })
    const trace = await client.metadata.getTrace(traced.info.traceId)
    return [
      about,
      (await client.metadata.getUdt(KEYSPACE, 'address')).fields,
      await client.metadata.getTable(KEYSPACE, 'none'),
      [keyspaces[KEYSPACE].strategy, keyspaces[KEYSPACE].strategyOptions],
      [host.address, host.datacenter, host.rack, host.isUp(), host.getCassandraVersion()],
      [host.tokens.length, client.hosts.keys(), client.getState().getConnectedHosts().length],
      [String(token), token.getType(), client.getReplicas(KEYSPACE, Buffer.from('abc')).length],
      client.metadata.getTokenRanges().size,
      [trace.requestType, plain(trace.coordinator), trace.events.length > 0],
      await client.metadata.checkSchemaAgreement(),
    ]
  }),
)

test('models', skip, () =>
  compare(async (module) => {
    const { Mapper, UnderscoreCqlToCamelCaseMappings, q } = module.mapping
    const client = await clientOf(module)
    await client.execute(`CREATE TABLE videos (
      user_id int, added_at timestamp, id int, title text, PRIMARY KEY (user_id, added_at, id))`)
    await client.execute('CREATE TABLE videos_by_id (id int PRIMARY KEY, user_id int, title text)')
    const mapper = new Mapper(client, {
      models: {
        Video: {
          tables: ['videos', 'videos_by_id'],
          mappings: new UnderscoreCqlToCamelCaseMappings(),
          columns: { title: { name: 'name', toModel: (it: string) => `<${it}>` } },
        },
      },
    })
    const videos = mapper.forModel('Video')
    const at = (day: number) => new Date(Date.UTC(2024, 0, day))
    for (const day of [1, 2, 3]) {
      await videos.insert({ userId: 1, addedAt: at(day), id: day, name: `v${day}` })
    }
    await videos.update({ userId: 1, addedAt: at(2), id: 2, name: 'two' })
    await videos.remove({ userId: 1, addedAt: at(3), id: 3 })
    await mapper.batch([
      videos.batching.insert({ userId: 2, addedAt: at(9), id: 9, name: 'nine' }),
      videos.batching.remove({ id: 1 }),
    ])
    const result = await videos.find({ userId: 1, addedAt: q.gte(at(1)) }, { limit: 5 })
    return [
      plain(result.toArray()),
      plain(await videos.get({ id: 2 })),
      await videos.get({ id: 77 }),
      plain((await videos.findAll({ fields: ['id', 'name'] })).toArray()),
      (await videos.insert({ id: 2, userId: 1 }, { ifNotExists: true })).wasApplied(),
      await outcome(() => videos.find({ name: 'x' })),
      await outcome(() => videos.insert({})),
    ]
  }),
)

test('policies of the program are asked', { skip: withoutCassandra }, async () => {
  const module = createRequire(import.meta.url)('spikewire/compat/cassandra-driver') as Any
  const { loadBalancing, retry } = module.policies
  const requests: string[] = []
  // Written as a function, as programs for the driver do.
  function Only(this: Any) {
    loadBalancing.LoadBalancingPolicy.call(this)
  }
  Object.setPrototypeOf(Only.prototype, loadBalancing.LoadBalancingPolicy.prototype)
  Only.prototype.newQueryPlan = function (keyspace: string, options: Any, callback: Any) {
    requests.push(
      `${options.getKeyspace() ?? keyspace} ${options.getRoutingKey()?.toString('hex')}`,
    )
    callback(null, this.hosts.values()[Symbol.iterator]())
  }
  class Lower extends (retry.RetryPolicy as new () => Any) {
    onUnavailable(info: Any, consistency: number, required: number, alive: number) {
      requests.push(`retry ${info.nbRetry}: ${consistency}, ${required}, ${alive}`)
      return info.nbRetry < 1
        ? this['retryResult'](undefined, true)
        : this['retryResult'](module.types.consistencies.one)
    }
  }
  await (await sessionIn(KEYSPACE)).close()
  const client = await clientOf(module, {
    policies: { loadBalancing: Reflect.construct(Only, []), retry: new Lower() },
  })
  await client.execute('CREATE TABLE items (id int PRIMARY KEY)')
  requests.length = 0
  const result = await client.execute(`SELECT * FROM ${KEYSPACE}.items WHERE id = ?`, [7], {
    prepare: true,
  })
  assert.deepEqual(requests, [`${KEYSPACE} 00000007`])
  assert.equal(result.info.queriedHost, POINTS.contactPoints[0])
  requests.length = 0
  const consistency = module.types.consistencies.three
  const retried = await client.execute('SELECT * FROM items', [], { consistency })
  assert.equal(retried.info.achievedConsistency, module.types.consistencies.one)
  assert.deepEqual(requests, [`${KEYSPACE} undefined`, 'retry 0: 3, 3, 1', 'retry 1: 3, 3, 1'])
  await assert.rejects(client.execute('SELECT * FROM nothing'), {
    name: 'ResponseError',
    code: 0x2200,
  })
  assert.ok(client instanceof DropIn)
})

test('a client keeps at most maxPrepared statements, and warns once', {
  skip: withoutCassandra,
}, async () => {
  await (await sessionIn(KEYSPACE)).close()
  const warnings: string[] = []
  const client = new DropIn({ ...POINTS, keyspace: KEYSPACE, maxPrepared: 2 })
  client.on('log', (level: string, _: string, message: string) => {
    if (level === 'warning') warnings.push(message)
  })
  await client.execute('CREATE TABLE items (id int PRIMARY KEY)')
  for (const limit of [1, 2, 3, 4, 1]) {
    const query = `SELECT * FROM items WHERE id = ? LIMIT ${limit}`
    assert.equal((await client.execute(query, [1])).rowLength, 0)
  }
  await client.shutdown()
  assert.equal(warnings.length, 1)
  assert.match(String(warnings[0]), /maxPrepared/)
  await assert.rejects(client.execute('SELECT * FROM items'), { name: 'NoHostAvailableError' })
})
