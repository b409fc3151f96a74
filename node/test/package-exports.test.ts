/** Both module systems get the same package. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

/** Names that runtimes add to CommonJS modules, or that are the module itself. */
const MARKS = ['__esModule', 'module.exports', 'default']

for (const name of [
  'spikewire',
  'spikewire/cql',
  'spikewire/testing',
  'spikewire/keyv',
  'spikewire/express-session',
  'spikewire/compat/aerospike',
  'spikewire/compat/cassandra-driver',
]) {
  test(`import and require of ${name} give the same things`, async () => {
    const imported: Record<string, unknown> = await import(name)
    const required: Record<string, unknown> = createRequire(import.meta.url)(name)
    const names = Object.keys(imported).filter((key) => !MARKS.includes(key))
    const own = Object.keys(required).filter((key) => !MARKS.includes(key))
    assert.deepEqual(names.sort(), own.sort())
    assert.equal(names.includes('makeError'), false, 'what is internal is not exported')
    for (const key of own) assert.equal(imported[key], required[key])
  })
}
