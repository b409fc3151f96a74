// Builds the native part of this checkout into native/spikewire.<platform>.node.
//
//   node scripts/native.mjs [--profile PROFILE] [--platform NAME]
//
// Without a platform, it is built for this one, with its own linker. With one, zig links it on Linux,
// also for this platform: then it runs with every glibc that Node.js itself runs with.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PLATFORMS } from './platforms.mjs'
import { ROOT } from './tools.mjs'

const { build } = createRequire(import.meta.url)('../dist/addon/cargo.js')
const { values } = parseArgs({
  options: { profile: { type: 'string' }, platform: { type: 'string' } },
})

/** The output of a program, or `undefined` if it cannot be run or fails. */
function answer(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** Checks what building for a platform needs; returns whether zig links. */
function prepared({ name, rust, os }) {
  if (os === 'darwin' && process.platform !== 'darwin') {
    throw new Error(`${name} is built on macOS: its system libraries are not to be had elsewhere`)
  }
  const libraries = answer('rustc', ['--print', 'target-libdir', '--target', rust])
  if (libraries === undefined)
    throw new Error('rustc could not be run: Rust 1.88 or later is needed')
  if (!existsSync(libraries)) {
    throw new Error(`Rust has no standard library for ${rust}: rustup target add ${rust}`)
  }
  if (os === 'darwin') return false
  for (const [program, ...args] of [
    ['cargo-zigbuild', '--version'],
    ['python-zig', 'version'],
  ]) {
    if (answer(program, args) !== undefined) continue
    throw new Error(
      `${program} could not be run, which links for ${name}: use make npm-packages PLATFORMS=${name}, ` +
        'or pip install -r requirements/cross.txt',
    )
  }
  return true
}

// The native part reports this commit in benchmark results.
process.env.SPIKEWIRE_COMMIT = execFileSync(join(ROOT, 'tools', 'commit.sh'), {
  encoding: 'utf8',
}).trim()
try {
  const target = PLATFORMS.find(({ name }) => name === values.platform)
  if (values.platform && !target) {
    const names = PLATFORMS.map(({ name }) => name).join(', ')
    throw new Error(`unknown platform: ${values.platform}; there are: ${names}`)
  }
  const zig = target !== undefined && prepared(target)
  const { profile } = values
  build({ workspace: ROOT, profile, target, zig, strip: profile === 'dist' })
} catch (error) {
  console.error(`native.mjs: ${error.message}`)
  process.exit(1)
}
