// Shared by the scripts in this folder.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package, and the repository around it. */
export const HERE = dirname(dirname(fileURLToPath(import.meta.url)))
export const ROOT = dirname(HERE)

/** Runs a program with inherited stdio and returns its exit code. */
export function attempt(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: HERE, stdio: 'inherit', ...options })
  if (done.error) throw done.error
  return done.status ?? 1
}

/** Runs a program beside others; resolves to its exit code and all that it printed. */
export function output(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: HERE, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code: code ?? 1, text: Buffer.concat(chunks).toString() }),
    )
  })
}

/** Runs a program and exits with its exit code if that is not 0. */
export function run(program, args, options = {}) {
  const code = attempt(program, args, options)
  if (code !== 0) process.exit(code)
}

/** Runs a program in Python, and exits with its exit code if that is not 0. */
export function python(...args) {
  const name = execFileSync(join(ROOT, 'tools', 'python.sh'), { encoding: 'utf8' }).trim()
  run(name, args, { cwd: ROOT })
}

/** Runs a program of `node_modules/.bin`. */
export function bin(name, args, options = {}) {
  run(join(HERE, 'node_modules', '.bin', name), args, options)
}
