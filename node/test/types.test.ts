/** The public types; those that must be rejected are in `support/typed.ts`. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PACKAGE } from './support/programs.js'

test('public types have no any', () => {
  const folder = join(PACKAGE, 'dist')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const typed = files.filter((name) => /\.d\.m?ts$/.test(name))
  assert.ok(typed.includes('index.d.ts'))
  // A drop-in's types are those of the other package, which are as open.
  const own = typed.filter((name) => !name.startsWith('compat/'))
  const failures = own.filter((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
    return /\bany\b/.test(code)
  })
  assert.deepEqual(failures, [])
})
