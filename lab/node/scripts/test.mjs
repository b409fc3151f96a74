// Compiles the sources and the tests, and runs the tests.
//
//  node scripts/test.mjs [PART-OF-A-FILE'S-NAME]...

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, HERE, tool } from './tools.mjs'

const BUILT = join(HERE, 'build')

if (attempt(process.execPath, ['scripts/build.mjs']) !== 0) process.exit(1)
rmSync(BUILT, { recursive: true, force: true })
tool('tsc', ['--project', 'test'])
const names = process.argv.slice(2)
const chosen = readdirSync(BUILT)
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .map((file) => join(BUILT, file))
if (chosen.length === 0) {
  console.error(`test.mjs: no test file has ${names.join(' or ')} in its name`)
  process.exit(1)
}
const settings = ['--enable-source-maps', '--test', '--test-concurrency=4', '--test-timeout=300000']
process.exit(attempt(process.execPath, [...settings, ...chosen]))
