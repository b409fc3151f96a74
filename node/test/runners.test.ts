/** The package in test runners, which load it repeatedly in separate contexts. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { NODE_MAJOR, PACKAGE, run } from './support/programs.js'

const RUNNERS = join(PACKAGE, 'test', 'runners')
const bin = (name: string) => join(PACKAGE, 'node_modules', '.bin', name)

/** Runs a test runner on its two files, with extra arguments. */
async function passes(program: string, args: string[]): Promise<void> {
  const { code, signal, stdout, stderr } = await run(bin(program), args)
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, `${stdout}\n${stderr}`)
  // Both print their counts at the end: jest on stderr, vitest on stdout.
  assert.match(`${stdout}${stderr}`, /(Test Suites:|Test Files) +2 passed/)
}

test('jest runs both files in one process', async () => {
  const rootDir = join(RUNNERS, 'jest')
  const config = { rootDir, testMatch: ['**/*.spec.cjs'], testEnvironment: 'node', transform: {} }
  await passes('jest', ['--runInBand', '--colors=false', '--config', JSON.stringify(config)])
})

const old = NODE_MAJOR < 20 && 'Vite needs Node.js 20'
for (const pool of ['forks', 'threads', 'vmThreads']) {
  test(`vitest with the pool ${pool}`, { skip: old }, async () => {
    await passes('vitest', ['run', '--no-color', '--root', join(RUNNERS, 'vitest'), '--pool', pool])
  })
}
