/** Clients and sessions by URL, environment variables and options; what they would be opened with. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { Client, ConnectionFailed, opening } from 'spikewire'
import {
  ConnectionFailed as CqlFailed,
  connect,
  opening as ofSessions,
  Session,
} from 'spikewire/cql'
import { Cluster } from 'spikewire/testing'
import { AT, withoutCassandra } from './support/cassandra.js'
import { REPOSITORY } from './support/programs.js'

interface Case {
  url?: string
  variables?: { [name: string]: string }
  seeds?: string
  namespace?: string | null
  options?: { [name: string]: unknown }
  sources?: { [name: string]: string }
  error?: string
}

const CASES = JSON.parse(readFileSync(join(REPOSITORY, 'tests/opening_cases.json'), 'utf8')) as {
  aerospike: Case[]
  cassandra: Case[]
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())

/** A value of a case, in the units of Node.js. */
function value(of: unknown): unknown {
  if (Array.isArray(of)) return of.map(value)
  if (typeof of === 'object' && of !== null && 'seconds' in of) {
    return Math.round((of.seconds as number) * 1e6) / 1e3
  }
  return of
}

function message(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    assert.ok(error instanceof TypeError || error instanceof RangeError)
    return error.message
  }
  assert.fail('it did not throw')
}

let cluster: Cluster
before(async () => {
  cluster = await Cluster.start()
})
after(() => cluster.close())

/** Runs with variables of the process. */
async function within(variables: { [name: string]: string }, call: () => Promise<unknown>) {
  const former = { ...process.env }
  Object.assign(process.env, variables)
  try {
    await call()
  } finally {
    for (const name of Object.keys(variables)) {
      if (former[name] === undefined) delete process.env[name]
      else process.env[name] = former[name]
    }
  }
}

for (const [database, read] of [
  ['aerospike', opening.read],
  ['cassandra', ofSessions.read],
] as const) {
  test(`URLs and variables mean what they do in Python: ${database}`, () => {
    for (const it of CASES[database]) {
      const call = () => read(it.url, { environment: it.variables ?? {} })
      if (it.error !== undefined) {
        const text = message(call)
        assert.ok(text.startsWith(it.error), `${text}\n${it.error}`)
        continue
      }
      const settings = call()
      if (it.seeds !== undefined) assert.equal(settings.seeds, it.seeds)
      if (it.namespace !== undefined) assert.equal(settings.namespace, it.namespace)
      const options = Object.entries(it.options ?? {}).map(([name, of]) => [camel(name), value(of)])
      assert.deepEqual({ ...settings.options }, Object.fromEntries(options))
      for (const [name, source] of Object.entries(it.sources ?? {})) {
        assert.equal(settings.sources[camel(name)], source)
      }
    }
  })
}

test('options take precedence, and explain says where each comes from', () => {
  const environment = {
    SPIKEWIRE_AEROSPIKE_MAX_RETRIES: '5',
    SPIKEWIRE_AEROSPIKE_TIMEOUT: '9',
    SPIKEWIRE_AEROSPIKE_PASSWORD: 'hidden',
    SPIKEWIRE_AEROSPIKE_SUBMIT_LIMIT: 'of Python',
    SPIKEWIRE_AEROSPIKE_INTEGERS: 'bigint',
  }
  const url = 'aerospike://app@db1:3000,db2/test?timeout=250ms&send_key=true'
  const settings = opening.read(url, { replica: 'any', sendKey: false, environment })
  assert.deepEqual(settings.explain().split('\n'), [
    'seeds = db1:3000,db2  (the URL)',
    'namespace = test  (the URL)',
    "integers = 'bigint'  (the variable SPIKEWIRE_AEROSPIKE_INTEGERS)",
    'maxRetries = 5  (the variable SPIKEWIRE_AEROSPIKE_MAX_RETRIES)',
    "password = '***'  (the variable SPIKEWIRE_AEROSPIKE_PASSWORD)",
    "replica = 'any'  (an argument)",
    'sendKey = false  (an argument)',
    'timeout = 250  (the URL)',
    "user = 'app'  (the URL)",
  ])
  assert.ok(!inspect(settings).includes('hidden'))
  assert.equal(String(settings), settings.explain())
  assert.match(
    message(() => opening.read('aerospike://h?integers=all', { environment })),
    /^the URL, option integers: it must be 'auto' or 'bigint'/,
  )
  assert.match(
    message(() => opening.read('aerospike://h?submit_limit=1', { environment: {} })),
    /there is no option 'submit_limit'/,
  )
})

test('a keyspace is an option, wherever it comes from', () => {
  const explained = (url: string, options = {}) =>
    ofSessions
      .read(url, { environment: {}, ...options })
      .explain()
      .split('\n')
  assert.deepEqual(explained('cassandra://db1/shop'), [
    'seeds = db1  (the URL)',
    "keyspace = 'shop'  (the URL)",
  ])
  assert.deepEqual(explained('cassandra://db1', { keyspace: 'shop' }), [
    'seeds = db1  (the URL)',
    "keyspace = 'shop'  (an argument)",
  ])
})

test('entries of tls come from all sources, under the names of tls.connect', () => {
  const environment = { SPIKEWIRE_AEROSPIKE_TLS_SERVER_NAME: 'db' }
  const url = 'aerospikes://db1?tls_verify_hostname=no&tls_private_key_password=none'
  const read = (text: string, options = {}) => opening.read(text, { environment, ...options })
  // A password without a key is an error of the whole.
  assert.deepEqual(
    { ...(read(url).options.tls as object) },
    {
      servername: 'db',
      verifyHostname: false,
      passphrase: null,
    },
  )
  assert.equal(
    read(url).sources['tls'],
    'the variable SPIKEWIRE_AEROSPIKE_TLS_SERVER_NAME, the URL',
  )
  assert.equal(read('aerospike://db1?tls=false').options.tls, false)
  assert.match(read(url).explain(), /passphrase: '\*\*\*'/)
})

test('arguments are checked, too', () => {
  const read = (options: object) =>
    message(() => opening.read('aerospike://h', { environment: {}, ...options }))
  assert.match(read({ timeout: 'soon' }), /^timeout must be milliseconds as a number/)
  assert.match(read({ speed: 1 }), /^unknown client option speed/)
  assert.match(read({ user: 'a' }), /^user and password go together/)
  assert.match(
    message(() => ofSessions.read('cassandra://h', { speed: 1 } as object)),
    /unknown session option "speed"/,
  )
  assert.match(
    message(() => ofSessions.read('cassandra://h', { pageSize: 0 })),
    /^pageSize must be/,
  )
  assert.equal(
    message(() => opening.read(1 as never)),
    'the URL must be a string, not number',
  )
})

test('a client by URL', async () => {
  const client = await Client.connect(`aerospike://${cluster.seeds}/test?timeout=5s&send_key=1`)
  assert.equal(client.namespace, 'test')
  const users = client.dataset(undefined, 'opened')
  assert.equal(users.namespace, 'test')
  await users.put('alice', { age: 28 })
  assert.equal((await users.get('alice')).bins['age'], 28)
  const timeout = users.explain('get').get('timeout')
  assert.deepEqual(timeout, { option: 'timeout', value: 5000, source: 'the client' })
  await client.close()
  const plain = await Client.connect(cluster.seeds)
  assert.equal(plain.namespace, null)
  assert.throws(() => plain.dataset(), /dataset\(\) needs a namespace/)
  await plain.close()
  const byUrl = await Client.fromUrl(`aerospike://${cluster.seeds}/test`, { maxRetries: 1 })
  assert.equal(byUrl.explain('get').get('maxRetries')?.value, 1)
  await byUrl.close()
  await assert.rejects(Client.fromUrl(cluster.seeds), /^RangeError: the URL must begin with/)
  await assert.rejects(Client.fromUrl(5 as never), /the URL must be a string, not number/)
})

test('a client by variables', () =>
  within(
    {
      SPIKEWIRE_AEROSPIKE_URL: `aerospike://${cluster.seeds}/test?timeout=7`,
      SPIKEWIRE_AEROSPIKE_CONNECT_TIMEOUT: '20',
    },
    async () => {
      const clients = [
        await Client.connect(),
        await Client.connect({ sendKey: true }),
        await Client.fromUrl(),
        await new Promise<Client>((resolve, reject) => {
          Client.connect((error, client) => (error ? reject(error) : resolve(client as Client)))
        }),
        await new Promise<Client>((resolve, reject) => {
          Client.connect({ maxRetries: 3 }, (error, client) =>
            error ? reject(error) : resolve(client as Client),
          )
        }),
      ]
      for (const client of clients) {
        assert.equal(client.namespace, 'test')
        assert.equal(client.explain('get').get('timeout')?.value, 7000)
        await client.close()
      }
      const own = await Client.connect({ timeout: 9000 })
      assert.equal(own.explain('get').get('timeout')?.value, 9000)
      await own.close()
      // With seeds, variables do not matter.
      const seeds = await Client.connect(cluster.seeds)
      assert.equal(seeds.namespace, null)
      assert.equal(seeds.explain('get').get('timeout')?.source, 'the default')
      await seeds.close()
    },
  ))

test('an error says where the seeds came from', () =>
  within({ SPIKEWIRE_AEROSPIKE_URL: 'aerospike://127.0.0.1:1' }, async () => {
    const failure = async (opened: Promise<unknown>) => {
      const error = await opened.then(
        () => assert.fail(),
        (error: Error) => error,
      )
      assert.ok(error instanceof ConnectionFailed)
      return error.message
    }
    const options = { connectTimeout: 200 }
    const origin = /; the seeds are those of the variable SPIKEWIRE_AEROSPIKE_URL$/
    assert.match(await failure(Client.connect(options)), origin)
    assert.match(
      await failure(Client.connect('aerospike://127.0.0.1:1', options)),
      /; the seeds are those of the URL$/,
    )
    assert.doesNotMatch(await failure(Client.connect('127.0.0.1:1', options)), /the seeds are/)
    process.env['SPIKEWIRE_AEROSPIKE_TIMEOUT'] = 'soon'
    await assert.rejects(
      Client.connect(),
      /^RangeError: the variable SPIKEWIRE_AEROSPIKE_TIMEOUT: /,
    )
    delete process.env['SPIKEWIRE_AEROSPIKE_TIMEOUT']
    await assert.rejects(Client.connect(null as never as string), /seeds must be a string/)
  }))

test('a session says where its contact points came from, and no password', async () => {
  const url = 'cassandra://app:hidden@127.0.0.1:1/ks?connect_timeout=100ms'
  for (const opened of [() => connect(url), () => Session.fromUrl(url)]) {
    await assert.rejects(opened, (error: Error) => {
      assert.ok(error instanceof CqlFailed)
      assert.match(error.message, /127\.0\.0\.1:1 .*; the seeds are those of the URL/)
      return !error.message.includes('hidden')
    })
  }
  await assert.rejects(
    connect('cassandra://h?page_size=0'),
    /^RangeError: the URL, option page_size/,
  )
  await assert.rejects(Session.fromUrl('h'), /^RangeError: the URL must begin with cassandra:/)
  await within({ SPIKEWIRE_CQL_URL: 'cassandra://127.0.0.1:1' }, async () => {
    await assert.rejects(connect({ connectTimeout: 100 }), /the variable SPIKEWIRE_CQL_URL/)
  })
})

test('a session by URL and by variables', { skip: withoutCassandra }, async () => {
  const url = `cassandra://${AT}/system?consistency=local_one`
  const session = await connect(url)
  assert.equal(session.keyspace, 'system')
  assert.equal((await session.execute('SELECT key FROM local')).rows.length, 1)
  await session.close()
  await within({ SPIKEWIRE_CQL_URL: url }, async () => {
    const session = await connect()
    assert.equal(session.keyspace, 'system')
    await session.close()
  })
})
