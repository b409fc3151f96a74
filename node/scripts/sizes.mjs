// Prints the installed size of this package (from packages/) and of npm aerospike.
//
//  node scripts/pack.mjs && node scripts/sizes.mjs

import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HERE } from './tools.mjs'

/** The total size of a file or folder, in bytes. */
function bytes(path) {
  const state = lstatSync(path)
  if (!state.isDirectory()) return state.size
  return readdirSync(path).reduce((sum, name) => sum + bytes(join(path, name)), 0)
}

const mebibytes = (count) => `${(count / 2 ** 20).toFixed(1)} MiB`

const temporary = mkdtempSync(join(tmpdir(), 'spikewire-sizes-'))

/** Installs packages into an empty folder and prints its size. */
function measure(title, own, packages) {
  const folder = join(temporary, own)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // Install scripts must run: npm aerospike's removes the files of other platforms.
  const flags = ['--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: folder, stdio: 'inherit' })
  const modules = join(folder, 'node_modules')
  const count = Object.keys(
    JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages,
  ).length
  console.log(
    `${title}: ${mebibytes(bytes(modules))} in ${count} packages, ` +
      `${mebibytes(bytes(join(modules, own)))} in the package ${own} itself`,
  )
}

try {
  const packed = readdirSync(join(HERE, 'packages')).filter((name) => name.endsWith('.tgz'))
  const peer = JSON.parse(readFileSync(join(HERE, 'peers/package.json'), 'utf8')).dependencies
  measure(
    'spikewire',
    'spikewire',
    packed.map((name) => join(HERE, 'packages', name)),
  )
  measure(`npm aerospike ${peer.aerospike}`, 'aerospike', [`aerospike@${peer.aerospike}`])
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
