/** Both module systems get the same package. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

/** Names that runtimes add to CommonJS modules. */
const MARKS = ['__esModule', 'module.exports']

for (const name of [
  'spikewire',
  'spikewire/cql',
  'spikewire/testing',
  'spikewire/keyv',
  'spikewire/express-session',
]) {
  test(`import and require of ${name} give the same things`, async () => {
    const imported: Record<string, unknown> = await import(name)
    const required: Record<string, unknown> = createRequire(import.meta.url)(name)
    const names = Object.keys(imported).filter((key) => !MARKS.includes(key))
    assert.deepEqual(names.sort(), Object.keys(required).sort())
    assert.equal(names.includes('makeError'), false, 'what is internal is not exported')
    for (const [key, value] of Object.entries(required)) assert.equal(imported[key], value)
  })
}
