/**
 * Users and TLS of `spikewire-bench`: the clients' configuration, rejected flags, and secrets that
 * are never saved.
 */

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inner, temporaryFolder } from './programs.js'

const PASSWORD = 'not to be seen'
const LOGIN = { user: 'app', password: PASSWORD, auth: 'internal' }

interface Access {
  user: string
  password: string
  auth: string
  tls?: { ca: string; certificate: string; key: string; names: string[] }
}

const access = inner('./access.js') as {
  seedTexts(seeds: [string, number][], access?: Access): string[]
  spikewireOptions(access?: Access): object
  aerospikeConfig(seeds: [string, number][], access: Access | undefined, modes: object): object
  withoutSecrets(commandLine: string[]): string[]
  withoutPassword(answer: object, access?: Access): object
}
const { parseFlags } = inner('./flags.js') as {
  parseFlags(args: string[]): { access?: Access; hosts?: [string, number][] }
}

test('clients are given a user, files and TLS names', (t) => {
  const folder = temporaryFolder(t)
  const file = (name: string) => {
    writeFileSync(join(folder, name), name)
    return join(folder, name)
  }
  const [ca, certificate, key] = [file('ca'), file('cert'), file('key')]
  const options = ['-H', 'a:db:1,[::1]:2', '--user', 'app', '--password', PASSWORD]
  const files = ['--tls-ca', ca, '--tls-certificate', certificate, '--tls-key', key]
  const flags = parseFlags([...options, ...files, '--tls-name', 'usual'])
  const seeds = flags.hosts as [string, number][]
  const tls = { ca, certificate, key, names: ['db', 'usual'] }
  assert.deepEqual(flags.access, { ...LOGIN, tls })
  assert.deepEqual(access.seedTexts(seeds, flags.access), ['a:db:1', '[::1]:usual:2'])
  assert.deepEqual(access.spikewireOptions(flags.access), {
    ...LOGIN,
    tls: { ca: 'ca', cert: 'cert', key: 'key' },
  })
  const modes = { INTERNAL: 7 }
  assert.deepEqual(access.aerospikeConfig(seeds, flags.access, modes), {
    hosts: [
      { addr: 'a', port: 1, tlsname: 'db' },
      { addr: '::1', port: 2, tlsname: 'usual' },
    ],
    user: 'app',
    password: PASSWORD,
    authMode: 7,
    tls: { enable: true, cafile: ca, certfile: certificate, keyfile: key },
  })
  assert.deepEqual(access.spikewireOptions(), {})
  assert.deepEqual(access.aerospikeConfig([['a', 1]], undefined, modes), {
    hosts: [{ addr: 'a', port: 1 }],
  })
  assert.equal(parseFlags([]).access, undefined)
})

test('command lines and messages of clients hide the password', () => {
  const line = ['bench', '--password', PASSWORD, '-d', '1', `--password=${PASSWORD}`]
  const redacted = ['bench', '--password', '***', '-d', '1', '--password=***']
  assert.deepEqual(access.withoutSecrets(line), redacted)
  const failed = { failed: `no user app/${PASSWORD}`, operations: 1 }
  assert.deepEqual(access.withoutPassword(failed, LOGIN), {
    failed: 'no user app/***',
    operations: 1,
  })
  assert.equal(access.withoutPassword(failed), failed)
})

for (const [flags, reason] of [
  ['--user app', '--user app needs --password, or the variable'],
  ['--password p', '--password needs --user'],
  ['--user a --password p --auth nis', "--auth: 'nis' is none of internal"],
  ['--user a --password p --auth external', 'it needs --tls'],
  ['--auth pki', '--auth pki needs --tls-certificate'],
  ['--tls-ca /nowhere', '--tls-ca /nowhere: no such file'],
  ['--tls-name db', '--tls-name is for a cluster given by -H'],
  ['-H a:db', '-H has the TLS name db: it needs --tls'],
] as const) {
  test(`invalid flags are rejected: ${flags}`, () => {
    assert.throws(
      () => parseFlags(flags.split(' ')),
      (error: Error) => error.message.includes(reason),
    )
  })
}
