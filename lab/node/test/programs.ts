/** Running programs from tests: paths, and results of a run; whether there is npm `aerospike`. */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

/** The folder of this project; compiled tests are in `build` below it. */
export const LAB = fileURLToPath(new URL('../', import.meta.url))
/** Requires modules of the benchmark. */
export const inner = createRequire(join(LAB, 'dist/'))

/** The result of a program. */
export interface Ran {
  code: number | null
  signal: string | null
  stdout: string
  stderr: string
}

/** Options for running a program. */
export interface RunOptions {
  cwd?: string
  env?: Record<string, string | undefined>
  /** Time limit in milliseconds, after which it is killed. Default: five minutes. */
  timeout?: number
}

/**
 * Runs a program to its end without blocking this process, whose embedded cluster may have to
 * answer it.
 */
export function run(program: string, args: string[], options: RunOptions = {}): Promise<Ran> {
  const env = { ...process.env, ...options.env }
  // With this variable, a test runner would take itself for a child of the one running us.
  delete env['NODE_TEST_CONTEXT']
  const child = spawn(program, args, {
    cwd: options.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeout ?? 300_000,
    killSignal: 'SIGKILL',
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, ...texts }))
  })
}

/** An empty folder outside the repository, removed after the test. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spikewire-test-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Why npm `aerospike` is unavailable; `false` if it is available. */
export const withoutAerospike: string | false = (() => {
  const peers = join(LAB, '../../node/peers')
  try {
    inner(inner.resolve('aerospike', { paths: [peers] }))
    return false
  } catch (error) {
    return `npm aerospike does not load here: ${(error as Error).message.split('\n')[0]}`
  }
})()
