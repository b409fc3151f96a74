// Copies what `cargo build --package spikewire-node` needs: the crates without their tests, and a
// lock file.

import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ROOT } from './tools.mjs'

const cargo = (cwd, ...args) =>
  execFileSync('cargo', [...args, '--quiet'], { cwd, encoding: 'utf8', maxBuffer: 1 << 28 })

/**
 * The folders of a crate and of the workspace crates it depends on, apart from dev-dependencies.
 */
function crates(name) {
  const { packages } = JSON.parse(cargo(ROOT, 'metadata', '--no-deps', '--format-version', '1'))
  const folders = new Map()
  const left = [name]
  while (left.length > 0) {
    const next = left.pop()
    const crate = packages.find((one) => one.name === next)
    if (!crate || folders.has(crate.name)) continue
    folders.set(crate.name, dirname(crate.manifest_path))
    left.push(...crate.dependencies.filter(({ kind }) => kind !== 'dev').map((one) => one.name))
  }
  return [...folders.values()]
}

/** What the package leaves out of a crate; the licence is in the package's own folder. */
const LEFT_OUT = ['tests', 'benches', 'examples', 'Cargo.toml', 'LICENSE']

/** A manifest without the sections for tests, benchmarks and examples. */
function withoutTests(manifest) {
  const sections = manifest.split(/^(?=\[)/m)
  const dropped = /^\[.*\bdev-dependencies\]|^\[\[(test|bench|example)\]\]/
  return sections.filter((section) => !dropped.test(section)).join('')
}

/** Copies the sources into a folder, which becomes a Cargo workspace. */
export function copyRustSources(folder) {
  const folders = crates('spikewire-node')
  for (const crate of folders) {
    const left = LEFT_OUT.map((name) => join(crate, name))
    const place = join(folder, 'crates', basename(crate))
    cpSync(crate, place, { recursive: true, filter: (path) => !left.includes(path) })
    const manifest = readFileSync(join(crate, 'Cargo.toml'), 'utf8')
    writeFileSync(join(place, 'Cargo.toml'), withoutTests(manifest))
  }
  const workspace = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8')
    .replace(/^members = .*$/m, 'members = ["crates/*"]')
    .replace(/^(default-members|exclude) = .*\n/gm, '')
  writeFileSync(join(folder, 'Cargo.toml'), workspace)
  cpSync(join(ROOT, 'Cargo.lock'), join(folder, 'Cargo.lock'))
  // Cargo removes what is no longer needed from the lock file and changes nothing else.
  cargo(folder, 'metadata', '--offline', '--format-version', '1')
}
