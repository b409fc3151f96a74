/**
 * TLS, client certificates and logins of `spikewire/cql`, on a real node that requires all of them.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import {
  AuthenticationFailed,
  type Authenticator,
  ConnectionFailed,
  connect,
  type Login,
  type SessionOptions,
  type TlsOptions,
} from 'spikewire/cql'
import { withoutPython } from './cases.js'
import { withoutCassandra } from './support/cassandra.js'
import { type ClusterFacts, startCluster } from './support/cassandra-helper.js'

const skip = { skip: withoutCassandra || withoutPython }
const READ = 'SELECT release_version FROM system.local'
let facts: ClusterFacts
let unavailable: string | undefined
let stop: () => Promise<void> = async () => undefined

before(async () => {
  if (skip.skip) return
  const started = await startCluster({ password: true, tls: true, client_certificates: true })
  if ('unavailable' in started) unavailable = started.unavailable
  else ({ facts, stop } = started)
})

after(() => stop())

/** A test on this node. */
function onNode(name: string, work: (tls: TlsOptions) => Promise<void>): void {
  test(name, skip, async (context: TestContext) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const { ca, certificate, key } = facts.certificates as NonNullable<typeof facts.certificates>
    await work({ ca: readFileSync(ca), cert: readFileSync(certificate), key: readFileSync(key) })
  })
}

/** Connects and executes a statement. */
async function connected(tls: TlsOptions | boolean, others: SessionOptions = {}): Promise<void> {
  const [user, password] = facts.credentials ?? []
  const options = { user, password, tls, timeout: 60_000, connectTimeout: 20_000, ...others }
  const session = await connect(facts.addresses, options)
  try {
    assert.equal((await session.execute(READ)).length, 1)
  } finally {
    await session.close()
  }
}

onNode('both versions, with bytes or text', async (tls) => {
  for (const protocolVersion of [4, 5] as const) await connected(tls, { protocolVersion })
  const { ca, cert, key } = tls
  await connected({ ca: [String(ca)], cert: String(cert), key: String(key) })
  await connected({ ...tls, rejectUnauthorized: true, systemCa: true })
})

onNode('the certificate must be for the node', async (tls) => {
  const servername = 'pomona.example'
  await assert.rejects(connected({ ...tls, servername }), (error: Error) => {
    assert.ok(error instanceof ConnectionFailed)
    assert.match(error.message, /pomona\.example/)
    return true
  })
  await connected({ ...tls, servername: 'localhost' })
  await connected({ ...tls, servername, verifyHostname: false })
})

onNode('who is not trusted, and who shows nothing', async (tls) => {
  const foreign: TlsOptions = { cert: tls.cert, key: tls.key, systemCa: true }
  const invalid: [TlsOptions, RegExp][] = [
    [foreign, /certificate/i],
    // The connection reset may overtake the TLS alert with the reason.
    [{ ca: tls.ca }, /certificate|reset/i],
  ]
  for (const [wrong, message] of invalid) {
    await assert.rejects(connected(wrong), (error: Error) => {
      assert.ok(error instanceof ConnectionFailed, String(error))
      assert.match(error.message, message)
      return true
    })
  }
  await assert.rejects(connected(false, { connectTimeout: 3000 }), ConnectionFailed)
})

onNode('without verification, and files by their paths', async () => {
  const { certificate, key } = facts.certificates as NonNullable<typeof facts.certificates>
  await connected({ rejectUnauthorized: false, cert: certificate, key })
  const { ca } = facts.certificates as NonNullable<typeof facts.certificates>
  await connected({ ca: [ca], cert: certificate, key })
})

onNode('passwords', async (tls) => {
  await assert.rejects(connected(tls, { password: 'wrong' }), AuthenticationFailed)
  const nobody = { user: undefined, password: undefined }
  await assert.rejects(connected(tls, nobody), AuthenticationFailed)
})

test('invalid TLS options are rejected before anything is sent', async () => {
  const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  const invalid: [unknown, string, RegExp][] = [
    ['yes', 'TypeError', /tls must be boolean or an object, not string/],
    [[], 'TypeError', /tls must be boolean or an object, not/],
    [
      { certificate: pem },
      'TypeError',
      /unknown entry certificate of tls; there are: ca, cert, crl/,
    ],
    [{ cert: pem }, 'RangeError', /tls\.cert and tls\.key go together/],
    [{ key: pem }, 'RangeError', /tls\.cert and tls\.key go together/],
    [
      { ca: '/etc/ca.pem' },
      'RangeError',
      /tls\.ca must be the contents of a PEM file, or the path of one: this text is neither/,
    ],
    [
      { ca: 7 },
      'TypeError',
      /tls\.ca must be a string or a Buffer in PEM format, or the path of a file, not number/,
    ],
    [{ ca: [] }, 'RangeError', /tls\.ca must not be empty/],
    [{ ca: pem }, 'RangeError', /authority/],
    [{ ca: Buffer.from('nothing') }, 'RangeError', /no certificate in PEM format/],
    [{ systemCa: false }, 'RangeError', /no authority is trusted/],
    [{ servername: 'not a name' }, 'RangeError', /"not a name" is not a valid server name/],
    [{ verifyHostname: 0 }, 'TypeError', /tls\.verifyHostname must be boolean, not number/],
    [{ rejectUnauthorized: 0 }, 'TypeError', /tls\.rejectUnauthorized must be boolean, not number/],
  ]
  for (const [tls, name, message] of invalid) {
    await assert.rejects(connect('127.0.0.1:1', { tls: tls as TlsOptions }), { name, message })
  }
})

onNode('an authenticator of the program logs in, whether it has to wait or not', async (tls) => {
  const [user, password] = facts.credentials as [string, string]
  const token = Buffer.from(`\0${user}\0${password}`)
  for (const waits of [false, true]) {
    const calls: unknown[] = []
    const login: Login = {
      answer(challenge) {
        calls.push(challenge)
        return waits ? new Promise((resolve) => setTimeout(resolve, 5, token)) : token
      },
      succeeded(last) {
        calls.push(last)
      },
    }
    const begun: string[] = []
    const authenticator: Authenticator = {
      begin(className, node) {
        begun.push(className, node)
        return waits ? Promise.resolve(login) : login
      },
    }
    await connected(tls, { user: undefined, password: undefined, authenticator })
    const name = 'org.apache.cassandra.auth.PasswordAuthenticator'
    assert.deepEqual(begun.slice(0, 2), [name, facts.addresses[0]])
    assert.deepEqual(calls.slice(0, 2), [null, null], 'no challenge, and no last message')
    assert.equal(calls.length, begun.length, 'each login has ended')
  }
})

onNode('an authenticator that fails ends the login with its reason', async (tls) => {
  const none = { user: undefined, password: undefined, tls }
  const refused = (authenticator: unknown) =>
    connect(facts.addresses, { ...none, authenticator: authenticator as Authenticator })
  const begin = () => {
    throw new RangeError('no ticket')
  }
  await assert.rejects(refused({ begin }), { name: 'ConnectionFailed', message: /no ticket/ })
  await assert.rejects(refused({ begin: () => Promise.reject(new Error('too late')) }), /too late/)
  await assert.rejects(refused({ begin: () => 5 }), /must return an object with a method answer/)
  await assert.rejects(refused({ begin: () => ({ answer: () => 'x' }) }), /return a Uint8Array/)
  await assert.rejects(refused({}), { name: 'TypeError', message: /method begin/ })
  const silent = { begin: () => new Promise(() => undefined) }
  const connectTimeout = 300
  const waited = connect(facts.addresses, {
    ...none,
    authenticator: silent as never,
    connectTimeout,
  })
  await assert.rejects(waited, /did not answer within 0.3 s/)
  const both = { ...none, user: 'a', password: 'b', authenticator: { begin } }
  await assert.rejects(connect(facts.addresses, both), /authenticator takes the place of user/)
})
