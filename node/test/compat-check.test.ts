/** `spikewire compat check`. */

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PACKAGE } from './support/programs.js'

const MAIN = join(PACKAGE, 'dist/cli/main.js')

interface Finding {
  peer: string
  name: string
  verdict: string
  line: number
}

/** The findings about files. */
function checked(t: TestContext, files: { [name: string]: string }): Finding[] {
  const folder = mkdtempSync(join(tmpdir(), 'spikewire-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const { stdout } = spawnSync(process.execPath, [MAIN, 'compat', 'check', '--json', folder])
  return (JSON.parse(stdout.toString()) as { findings: Finding[] }).findings
}

const briefly = (findings: Finding[]) =>
  findings.map(({ name, verdict, line }) => `${line} ${name} ${verdict}`)

test('imports of all kinds, members, objects and options', (t) => {
  const program = `
    const cassandra = require('cassandra-driver')
    const { types, auth: { DseGssapiAuthProvider } } = require("cassandra-driver");
    // cassandra.geometry.Point in a comment, 'cassandra.geometry' in text
    const text = 'cassandra.geometry.Point' + \`\${cassandra.version} geometry\` + /cassandra.geometry/
    const client = new cassandra.Client({
      contactPoints: ['a'], socketOptions: { readTimeout: 5 }, graphOptions: {}, other: { refreshSchemaDelay: 1 },
    })
    class Service {
      constructor() { this.client = new cassandra.Client(options) }
      run() { return this.client.executeGraph('g.V()') }
    }
    await client.execute('SELECT', [types.Long.ONE], { prepare: true, hints: ['int'] })
    client?.eachRow(q, [], { fetchSize: 1, keyspace: 'a' }, () => {})
    new cassandra.geometry.Point(1, 2)
  `
  assert.deepEqual(briefly(checked(t, { 'a.js': program })), [
    '3 types same',
    '3 auth.DseGssapiAuthProvider missing',
    '5 version same',
    '6 Client same',
    '7 socketOptions(readTimeout) differs',
    '7 Client(graphOptions) missing',
    '10 Client same',
    '11 Client.executeGraph missing',
    '13 Client.execute same',
    '13 execute(prepare) differs',
    '13 execute(hints) differs',
    '13 types.Long.ONE differs',
    '14 Client.eachRow same',
    '14 execute(keyspace) differs',
    '15 geometry.Point missing',
  ])
})

test('modules in TypeScript, and npm aerospike', (t) => {
  const findings = checked(t, {
    'a.ts': `import Aerospike, { type Client as Db, Key } from 'aerospike'
import * as cql from 'cassandra-driver'
const client = await Aerospike.connect({ hosts: 'a', log: {}, tls: { cipherSuite: 'x' } })
const stats = client.stats()
const policy = new Aerospike.ReadPolicy({ totalTimeout: 5, connectTimeout: 3 })
const mapper = new cql.mapping.Mapper(db)
mapper.forModel('A').get({ id: 1 })`,
    'b.txt': `require('aerospike')`,
    'c.mjs': `import { thing } from './aerospike.js'`,
  })
  assert.deepEqual(briefly(findings.filter(({ peer }) => peer === 'aerospike')), [
    '1 Client same',
    '1 Key same',
    '3 connect same',
    '3 Client(log) differs',
    '3 tls(cipherSuite) missing',
    '4 Client.stats differs',
    '5 ReadPolicy same',
    '5 ReadPolicy(connectTimeout) differs',
  ])
  assert.deepEqual(briefly(findings.filter(({ peer }) => peer === 'cassandra-driver')), [
    '6 mapping.Mapper same',
    '7 mapping.Mapper.forModel same',
  ])
})

test('as text, with the exit code', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'spikewire-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.js'), "const { Client } = require('cassandra-driver')\n")
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [MAIN, 'compat', ...args]).toString()
  assert.equal(
    run('check', folder),
    '1 file: 1 names, 1 the same, 0 different, 0 missing.\n' +
      "To move, replace the import of 'cassandra-driver' by 'spikewire/compat/cassandra-driver'.\n",
  )
  assert.match(run('check', '--all', join(folder, 'a.js')), /^same +cassandra-driver Client\n/)
  writeFileSync(join(folder, 'a.js'), "require('cassandra-driver').geometry.Point\n")
  const { status, stdout } = spawnSync(process.execPath, [MAIN, 'compat', 'check', folder])
  assert.equal(status, 1)
  assert.match(stdout.toString(), /^missing cassandra-driver geometry\.Point: it is a feature/)
  const faulty = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, 'compat', ...args]).status
  assert.deepEqual(
    [faulty(), faulty('check'), faulty('check', '/nowhere'), faulty('x')],
    [2, 2, 2, 2],
  )
})
