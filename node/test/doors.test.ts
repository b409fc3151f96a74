/** The doors between the folders of the sources, `doors.json`: each rejects what it should. */

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { PACKAGE, run } from './support/programs.js'

/** The folders below `src`, and `src` itself. */
function folders(folder = join(PACKAGE, 'src')): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  const below = entries.filter((entry) => entry.isDirectory())
  return [
    ...(entries.length > below.length ? [relative(PACKAGE, folder)] : []),
    ...below.flatMap(({ name }) => folders(join(folder, name))),
  ]
}

const FORBIDDEN = [
  // Everything but the command line itself, which is on top.
  ...folders()
    .filter((folder) => folder !== 'src/cli')
    .map((folder) => [folder, 'src/cli/main.js'] as const),
  ['src/cql', 'src/aerospike/model/key.js'],
  ['src/cql', 'src/index.js'],
  ['src/aerospike', 'src/cql/rows.js'],
  ['src/aerospike/model', 'src/aerospike/operation/ctx.js'],
  ['src/aerospike/operation', 'src/aerospike/op/index.js'],
  ['src/aerospike/batch', 'src/aerospike/query/query.js'],
  ['src/aerospike/batch', 'src/aerospike/builder/streams.js'],
  ['src/aerospike/builder', 'src/aerospike/client.js'],
  ['src/aerospike/profiles', 'src/aerospike/dataset.js'],
  ['src/opening', 'src/options/check.js'],
  ['src/testing', 'src/aerospike/client.js'],
  ['src/statistics', 'src/aerospike/client.js'],
  ['src/metrics', 'src/bridge/connection.js'],
  ['src/otel', 'src/aerospike/client.js'],
  ['src/stores', 'src/cql/session.js'],
  ['src/compat/aerospike', 'src/cql/rows.js'],
  ['src/compat/aerospike/exp', 'src/bridge/slots.js'],
  ['src/bridge', 'src/options/check.js'],
  ['src/compat/cassandra-driver', 'src/aerospike/client.js'],
  ['src/compat/cassandra-driver/mapping', 'src/aerospike/client.js'],
  ['test', 'src/index.js'],
] as const

test('each door rejects an import, and says which door it is', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'spikewire-doors-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const settings = { root: true, extends: [join(PACKAGE, 'doors.json')] }
  writeFileSync(join(root, 'biome.json'), JSON.stringify(settings))
  const files = FORBIDDEN.map(([folder, target], at) => {
    const file = join(folder, `forbidden${at}.ts`)
    const path = relative(folder, target)
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), `import '${path.startsWith('.') ? path : `./${path}`}'\n`)
    return file
  })
  const biome = join(PACKAGE, 'node_modules/.bin/biome')
  const args = ['lint', '--reporter=github', '--max-diagnostics=200', '.']
  const { code, stdout } = await run(biome, args, { cwd: root })
  assert.equal(code, 1)
  const doors = stdout.split('\n').filter((line) => line.includes('Door: '))
  const open = files.filter((file) => !doors.some((line) => line.includes(`/${file},`)))
  assert.deepEqual(open, [])
})
