// Shared by the scripts in this folder. Compilers and linters are those of the npm package in node/.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this project, and the npm package that it measures. */
export const HERE = dirname(dirname(fileURLToPath(import.meta.url)))
const CLIENT = join(HERE, '../../node')

/** Runs a program with inherited stdio and returns its exit code. */
export function attempt(program, args) {
  const done = spawnSync(program, args, { cwd: HERE, stdio: 'inherit' })
  if (done.error) throw done.error
  return done.status ?? 1
}

/** Runs a tool of the package; exits with its exit code if that is not 0. */
export function tool(name, args) {
  const code = attempt(join(CLIENT, 'node_modules/.bin', name), args)
  if (code !== 0) process.exit(code)
}

/** Lets the lab import the package as other programs do: by its name, and what it exports. */
export function link() {
  const modules = join(HERE, 'node_modules')
  mkdirSync(modules, { recursive: true })
  rmSync(join(modules, 'spikewire'), { recursive: true, force: true })
  symlinkSync(CLIENT, join(modules, 'spikewire'), 'dir')
}
