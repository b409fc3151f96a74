/** Secure connect bundles: a managed cluster is found by an archive; see `tests/cql/managed.py`. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect, type SessionOptions } from 'spikewire/cql'
import { withoutPython } from './cases.js'
import { AT, withoutCassandra } from './support/cassandra.js'
import { type ManagedCluster, managed } from './support/cassandra-helper.js'

const skip = { skip: withoutCassandra || withoutPython }
const NODE = AT.split(',')[0] as string
const patient = { timeout: 60_000, connectTimeout: 20_000 }

/** The tests' node behind a proxy, with its id. */
async function behind(t: TestContext): Promise<[ManagedCluster, string] | undefined> {
  const direct = await connect(AT, patient)
  const row = (await direct.execute('SELECT host_id FROM system.local')).one()
  await direct.close()
  const id = String(row?.['host_id'])
  const started = await managed(t, { [id]: NODE })
  if (!('unavailable' in started)) return [started, id]
  t.skip(started.unavailable)
  return undefined
}

test('a session finds the nodes by an archive', skip, async (t) => {
  const [cluster, id] = (await behind(t)) ?? []
  if (cluster === undefined) return
  const session = await connect([], { secureConnectBundle: cluster.bundle, ...patient })
  try {
    assert.equal((await session.execute('SELECT release_version FROM system.local')).length, 1)
    // Nodes have the addresses that they advertise, not that of the proxy.
    assert.deepEqual(
      session.nodes.map(({ address }) => address),
      [NODE],
    )
  } finally {
    await session.close()
  }
  assert.deepEqual([...new Set(await cluster.names())], [id])
})

test('faulty archives are refused with a reason', skip, async (t) => {
  const [cluster] = (await behind(t)) ?? []
  if (cluster === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'faulty.zip')
  const refused = (why: RegExp, options: SessionOptions = {}) =>
    assert.rejects(connect([], { secureConnectBundle: path, ...patient, ...options }), why)
  await refused(/secureConnectBundle .*faulty\.zip: it cannot be read/)
  writeFileSync(path, 'no archive')
  await refused(/it is no zip archive/)
  for (const name of ['config.json', 'ca.crt', 'cert', 'key']) {
    await cluster.write(path, { [name]: null })
    await refused(new RegExp(`its entry ${name.replace('.', '\\.')} cannot be read`))
  }
  for (const [config, why] of [
    ['{', /its config\.json is no JSON/],
    ['{}', /its config\.json lacks host or port/],
  ] as const) {
    await cluster.write(path, { 'config.json': config })
    await refused(why)
  }
  await cluster.write(path, { 'ca.crt': 'none' })
  await refused(/certificate/)
  await cluster.write(path, { 'config.json': '{"host": "127.0.0.1", "port": 1}' })
  await refused(/the metadata service 127\.0\.0\.1:1 of the bundle/)
})

test('an archive and what it has exclude each other', skip, async (t) => {
  const [cluster] = (await behind(t)) ?? []
  if (cluster === undefined) return
  const { bundle } = cluster
  const refused = (points: string[], options: SessionOptions, message: RegExp) =>
    assert.rejects(connect(points, { secureConnectBundle: bundle, ...options }), {
      name: 'RangeError',
      message,
    })
  await refused(['127.0.0.1'], {}, /has the contact points: give none besides/)
  await refused([], { tls: true }, /leave tls out/)
  await assert.rejects(connect([]), { name: 'RangeError', message: /no contact point given/ })
})
