/** Programs that tests run: where things are, and what came of a run. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

/** The folder of the npm package; compiled tests are in `build/test/support` below it. */
export const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url))
/** The repository. */
export const REPOSITORY = join(PACKAGE, '..')

/** What came of a program. */
export interface Ran {
  code: number | null
  signal: string | null
  stdout: string
  stderr: string
}

/** How a program is run. */
export interface RunOptions {
  cwd?: string
  env?: Record<string, string | undefined>
  /** Milliseconds after which it is killed. Default: five minutes. */
  timeout?: number
}

/** Runs a program to its end, while this process goes on: its embedded cluster may have to answer. */
export function run(program: string, args: string[], options: RunOptions = {}): Promise<Ran> {
  const env = { ...process.env, ...options.env }
  // A test runner that finds this believes that it is a part of the one that runs us.
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

/** The same for a program that has to end well and say nothing on stderr. Returns what it prints. */
export async function output(
  program: string,
  args: string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, signal, stdout, stderr } = await run(program, args, options)
  assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' }, stdout)
  return stdout
}

/** An empty folder outside of the repository, removed after the test. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spikewire-test-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The major version of this Node.js. */
export const NODE_MAJOR = Number.parseInt(process.versions.node, 10)
