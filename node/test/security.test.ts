/** Users and TLS with Aerospike clusters. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import {
  Client,
  type ClientOptions,
  ConnectionFailed,
  ServerError,
  type TlsOptions,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

const PASSWORD = 's3:c/r@e?t%'
const users = {
  app: { password: PASSWORD, roles: ['read-write', 'sindex-admin'] },
  reader: { password: 'r', roles: ['read'] },
}
const LOGIN = { user: 'app', password: PASSWORD }
let cluster: Cluster
let tls: TlsOptions

before(async () => {
  cluster = await Cluster.start({ nodes: 2, users, tls: true })
  tls = { ca: readFileSync(certificates(cluster).ca) }
})
after(() => cluster?.close())

function certificates(of: Cluster): { ca: string; certificate: string; key: string } {
  assert.ok(of.certificates)
  return of.certificates
}

/** Asserts that connecting fails, and that the message contains no secret. */
async function rejects(
  options: ClientOptions,
  kind: new (...args: never[]) => Error,
  message: RegExp,
  seeds = cluster.seeds,
): Promise<void> {
  await assert.rejects(Client.connect(seeds, { connectTimeout: 5000, ...options }), (error) => {
    assert.ok(error instanceof kind, String(error))
    assert.match(error.message, message)
    assert.doesNotMatch(error.message + (error.stack ?? ''), /hidden/)
    return true
  })
}

test('every kind of call works after a login over TLS', async () => {
  await using client = await Client.connect(cluster.seeds, { ...LOGIN, tls, timeout: 30_000 })
  const data = client.dataset<{ n: number; text?: string }>('test', 'secured')
  await data.put('a', { n: 1 })
  assert.equal((await data.get('a')).bins.n, 1)
  await Promise.all(Array.from({ length: 500 }, (_, n) => data.put(n, { n })))
  const text = 'x'.repeat(300_000)
  await data.put('large', { n: 2, text })
  assert.equal((await data.get('large')).bins.text, text)
  const records = await data.getMany(Array.from({ length: 500 }, (_, n) => n))
  assert.equal([...records].length, 500)
  let count = 0
  for await (const record of data.query()) count += record === null ? 0 : 1
  assert.equal(count, 502)
  await client.indexes.create('test', 'secured', 'n', 'numeric', { name: 'secured_n' })
  await client.indexes.drop('test', 'secured', 'secured_n')
  assert.match(await client.info('build'), /^\d+\.\d+/)
})

test('failed logins are rejected with a reason', async () => {
  const wrong = { user: 'app', password: 'hidden', tls }
  await rejects(wrong, ServerError, /the login of user "app" was refused/)
  await rejects({ ...wrong, user: 'nobody' }, ServerError, /user "nobody"/)
  await rejects({ ...LOGIN, tls: true }, ConnectionFailed, /no authority that the client trusts/)
  const named = { ...tls, servername: 'pomona.example' }
  await rejects({ ...LOGIN, tls: named }, ConnectionFailed, /pomona\.example/)
  await using client = await Client.connect(cluster.seeds, {
    ...LOGIN,
    tls: { ...named, verifyHostname: false },
  })
  assert.equal(client.nodes.length, 2)
})

test('certificates need not be verified, and files may be named', async () => {
  for (const own of [{ rejectUnauthorized: false }, { ca: certificates(cluster).ca }]) {
    await using client = await Client.connect(cluster.seeds, { ...LOGIN, tls: own })
    assert.equal(client.nodes.length, 2)
  }
})

test('roles limit what users may do', async () => {
  await using client = await Client.connect(cluster.seeds, { user: 'reader', password: 'r', tls })
  const data = client.dataset('test', 'roles')
  assert.equal(await data.exists('a'), false)
  await assert.rejects(data.put('a', { n: 1 }), (error) => {
    return error instanceof ServerError && error.code === 81 && !error.inDoubt
  })
})

test('client certificates log in', async () => {
  const strict = await Cluster.start({ users, tls: { clientCertificates: true } })
  try {
    const files = certificates(strict)
    const trusted = { ca: readFileSync(files.ca) }
    const identity = { cert: readFileSync(files.certificate), key: readFileSync(files.key) }
    const without = { ...LOGIN, tls: trusted }
    await rejects(without, ConnectionFailed, /certificate|reset|closed/, strict.seeds)
    const options = { ...LOGIN, tls: { ...trusted, ...identity } }
    await using client = await Client.connect(strict.seeds, options)
    assert.equal(client.isOpen, true)
  } finally {
    await strict.close()
  }
})

test('conflicting options are rejected before anything is sent', async () => {
  const nowhere = '127.0.0.1:1'
  const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  const mistakes: [unknown, RegExp][] = [
    [{ user: 'app' }, /user and password go together/],
    [{ password: 'hidden' }, /user and password go together/],
    [{ ...LOGIN, auth: 'ldap' }, /auth must be 'internal', 'external', .*, got "ldap"/],
    [{ ...LOGIN, auth: 'external' }, /needs the option tls/],
    [{ auth: 'internal' }, /user and password/],
    [{ auth: 'pki' }, /certificate/],
    [{ tls: 'yes' }, /tls must be boolean or an object, not string/],
    [{ tls: { cert: pem } }, /tls\.cert and tls\.key go together/],
    [{ tls: { ca: '/etc/ca.pem' } }, /tls\.ca must be the contents of a PEM file/],
    [{ user: 7, password: 'hidden' }, /user must be/],
  ]
  for (const [options, message] of mistakes) {
    await rejects(options as ClientOptions, Error, message, nowhere)
  }
})
