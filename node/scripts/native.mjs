// Builds the native part with cargo, into native/spikewire.<platform>.node.
//
//   node scripts/native.mjs [--profile PROFILE] [--target RUST-TARGET --name PLATFORM]

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { HERE, ROOT } from './tools.mjs'

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'release' },
    target: { type: 'string' },
    name: { type: 'string' },
  },
})
const name = values.name ?? createRequire(import.meta.url)(join(HERE, 'dist/loading.js')).platform()

const cargo = ['build', '--package', 'spikewire-node', '--profile', values.profile, '--locked']
if (values.target) cargo.push('--target', values.target)
const built = spawnSync('cargo', [...cargo, '--message-format', 'json-render-diagnostics'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (built.error) {
  console.error(`native.mjs: cargo does not run: ${built.error.message}`)
  process.exit(1)
}
if (built.status !== 0) process.exit(built.status ?? 1)
const library = built.stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
  .filter((message) => message.reason === 'compiler-artifact')
  .filter((message) => message.target.name === 'spikewire_node')
  .flatMap((message) => message.filenames)
  .find((file) => /\.(so|dylib)$/.test(file))
if (library === undefined) {
  console.error('native.mjs: cargo built no library')
  process.exit(1)
}

// Renamed into place: a program that has the old file loaded keeps it.
const place = join(HERE, 'native', `spikewire.${name}.node`)
mkdirSync(join(HERE, 'native'), { recursive: true })
copyFileSync(library, `${place}.new`)
renameSync(`${place}.new`, place)
