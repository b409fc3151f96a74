// What the scripts of this folder share.

import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package, and the repository around it. */
export const HERE = dirname(dirname(fileURLToPath(import.meta.url)))
export const ROOT = dirname(HERE)

/** Runs a program and waits; what it prints goes where ours goes. Returns its exit code. */
export function attempt(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: HERE, stdio: 'inherit', ...options })
  if (done.error) throw done.error
  return done.status ?? 1
}

/** The same, and ends this program when that one fails. */
export function run(program, args, options = {}) {
  const code = attempt(program, args, options)
  if (code !== 0) process.exit(code)
}

/** Runs a program of `node_modules/.bin`. */
export function bin(name, args, options = {}) {
  run(join(HERE, 'node_modules', '.bin', name), args, options)
}
