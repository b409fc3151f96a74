/** Both module systems get the same package. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

for (const name of ['spikewire', 'spikewire/testing']) {
  test(`import and require of ${name} give the same things`, async () => {
    const imported: Record<string, unknown> = await import(name)
    const { __esModule, ...required } = createRequire(import.meta.url)(name)
    assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort())
    for (const [key, value] of Object.entries(required)) assert.equal(imported[key], value)
  })
}
