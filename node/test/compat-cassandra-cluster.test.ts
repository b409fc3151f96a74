/**
 * The drop-in for npm `cassandra-driver` with several nodes, TLS, and secure connect bundles: on real
 * nodes.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { auth, Client, type ClientOptions, policies } from 'spikewire/compat/cassandra-driver'
import { withoutPython } from './cases.js'
import { AT, withoutCassandra } from './support/cassandra.js'
import { type ClusterFacts, managed, startCluster } from './support/cassandra-helper.js'

const skip = { skip: withoutCassandra || withoutPython }
const QUERY = 'SELECT host_id, release_version FROM system.local'
const patient = { socketOptions: { readTimeout: 60_000, connectTimeout: 20_000 } }

/** A cluster of its own until the end of a test; `undefined` if there is none. */
async function cluster(t: TestContext, options: object): Promise<ClusterFacts | undefined> {
  const started = await startCluster(options)
  if ('unavailable' in started) {
    t.skip(started.unavailable)
    return undefined
  }
  t.after(() => started.stop())
  return started.facts
}

/** A client until the end of a test. */
function clientOf(t: TestContext, options: ClientOptions): Client {
  const client = new Client({ localDataCenter: 'dc1', ...patient, ...options })
  t.after(() => client.shutdown())
  return client
}

test('two nodes', skip, async (t) => {
  const facts = await cluster(t, { nodes: 2 })
  if (facts === undefined) return
  const [first] = facts.addresses as [string]
  const addresses = [...facts.addresses].sort()
  const { RoundRobinPolicy, AllowListPolicy } = policies.loadBalancing
  const all = clientOf(t, {
    contactPoints: [first],
    policies: { loadBalancing: new RoundRobinPolicy() },
  })
  await all.connect()
  assert.deepEqual(all.hosts.keys().sort(), addresses)
  const ids = new Set(all.hosts.values().map((host) => String(host.hostId)))
  assert.equal(ids.size, 2)
  const state = all.getState()
  assert.equal(state.getConnectedHosts().length, 2)
  for (const host of state.getConnectedHosts()) assert.equal(state.getOpenConnections(host), 1)
  const nodes = new Set<string>()
  for (let n = 0; n < 4; n++) nodes.add((await all.execute(QUERY)).info.queriedHost)
  assert.deepEqual([...nodes].sort(), addresses)
  // One that is chosen for a statement, and those of a list.
  for (const host of all.hosts.values()) {
    const result = await all.execute(QUERY, [], { host })
    assert.equal(String(result.first()?.['host_id']), String(host.hostId))
  }
  const some = clientOf(t, {
    contactPoints: [first],
    policies: { loadBalancing: new AllowListPolicy(new RoundRobinPolicy(), [first]) },
  })
  for (let n = 0; n < 4; n++) assert.equal((await some.execute(QUERY)).info.queriedHost, first)
  assert.deepEqual(
    some
      .getState()
      .getConnectedHosts()
      .map(({ address }) => address),
    [first],
  )
  // Replicas: each node has all of a keyspace with two, and one of a keyspace with one.
  for (const factor of [1, 2]) {
    await all.execute(
      `CREATE KEYSPACE k${factor} WITH replication = ` +
        `{'class': 'SimpleStrategy', 'replication_factor': ${factor}}`,
    )
    assert.equal(all.getReplicas(`k${factor}`, Buffer.from([0, 0, 0, 1]))?.length, factor)
  }
  assert.equal(await all.metadata.checkSchemaAgreement(), true)
})

test('encryption, client certificates and passwords', skip, async (t) => {
  const facts = await cluster(t, { password: true, tls: true, client_certificates: true })
  if (facts === undefined) return
  const { certificates, credentials, addresses } = facts
  const { ca, certificate, key } = certificates as NonNullable<typeof certificates>
  const [username, password] = credentials as [string, string]
  const files = { ca: [readFileSync(ca)], cert: readFileSync(certificate), key: readFileSync(key) }
  const logins: ClientOptions[] = [
    { credentials: { username, password } },
    { authProvider: new auth.PlainTextAuthProvider(username, password) },
  ]
  for (const login of logins) {
    const sslOptions = { ...files, rejectUnauthorized: true }
    const client = clientOf(t, { contactPoints: addresses, ...login, sslOptions })
    assert.equal((await client.execute(QUERY)).rowLength, 1)
    await client.shutdown()
  }
  const login = { contactPoints: addresses, credentials: { username, password } }
  // Not verified, as the driver's default is; and those that the node does not accept.
  const { ca: _, ...own } = files
  const careless = clientOf(t, { ...login, sslOptions: { ...own, rejectUnauthorized: false } })
  assert.equal((await careless.execute(QUERY)).rowLength, 1)
  for (const sslOptions of [own, { ca: files.ca }, { ...files, servername: 'pomona.example' }]) {
    const refused = clientOf(t, { ...login, sslOptions })
    await assert.rejects(refused.connect(), { name: 'NoHostAvailableError' })
  }
  const wrong = { contactPoints: addresses, sslOptions: files }
  for (const credentials of [undefined, { username, password: 'wrong' }]) {
    const client = clientOf(t, credentials === undefined ? wrong : { ...wrong, credentials })
    await assert.rejects(client.connect(), (error: Error & { innerErrors: object }) => {
      assert.equal(error.name, 'NoHostAvailableError')
      const [inner] = Object.values(error.innerErrors) as Error[]
      assert.equal(inner?.name, 'AuthenticationError')
      return true
    })
  }
})

test('secure connect bundles', skip, async (t) => {
  const [node] = AT.split(',') as [string]
  const direct = clientOf(t, { contactPoints: [node] })
  const id = String((await direct.execute(QUERY)).first()?.['host_id'])
  const started = await managed(t, { [id]: node })
  if ('unavailable' in started) return t.skip(started.unavailable)
  const { bundle } = started
  for (const secureConnectBundle of [
    bundle,
    String(pathToFileURL(bundle)),
    pathToFileURL(bundle),
  ]) {
    const client = new Client({ ...patient, cloud: { secureConnectBundle } })
    t.after(() => client.shutdown())
    assert.equal(String((await client.execute(QUERY)).first()?.['host_id']), id)
    assert.deepEqual(client.hosts.keys(), [node])
    assert.equal(client.options.localDataCenter, 'dc1')
    const [host] = client.hosts.values()
    assert.equal(client.getState().getOpenConnections(host as NonNullable<typeof host>), 1)
    await client.shutdown()
  }
  assert.deepEqual([...new Set(await started.names())], [id])
  const none = new Client({ ...patient, cloud: { secureConnectBundle: `${bundle}.none` } })
  await assert.rejects(none.connect(), /cannot be read/)
  await none.shutdown()
})
