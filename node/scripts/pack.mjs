// Makes the npm packages: one for each platform whose native part is in native/, and the main one.
//
//  node scripts/pack.mjs [--out FOLDER]      default: packages/
//
// A platform package contains only the native part. The main package lists all of them as optional
// dependencies, of which npm installs the matching one. For other platforms it contains the Rust
// sources.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PLATFORMS } from './platforms.mjs'
import { copyRustSources } from './rust_sources.mjs'
import { HERE, ROOT } from './tools.mjs'

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(HERE, 'packages') } },
})
const out = resolve(values.out)
const { nativeFile } = createRequire(import.meta.url)('../dist/addon/library.js')
const ours = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))

/** Creates a package's folder, with the files that every package has. */
function stage(manifest) {
  const folder = join(out, manifest.name.replace('/', '-').replace('@', ''))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  return folder
}

/** Packs a folder and prints the resulting sizes. */
function pack(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out, folder]
  const [{ filename, unpackedSize }] = Object.values(
    JSON.parse(
      execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ),
  )
  const packed = statSync(join(out, filename)).size
  console.log(`${filename}: ${packed} bytes, ${unpackedSize} unpacked`)
}

for (const { name, os, cpu, libc } of PLATFORMS) {
  const file = nativeFile(name)
  if (!existsSync(file)) {
    console.log(`@spikewire/${name}: not packed: its native part is not in native/`)
    continue
  }
  const main = `spikewire.${name}.node`
  const folder = stage({
    name: `@spikewire/${name}`,
    version: ours.version,
    description: `The native part of spikewire for ${name}`,
    license: ours.license,
    engines: ours.engines,
    os: [os],
    cpu: [cpu],
    ...(libc ? { libc: [libc] } : {}),
    main,
    files: [main],
  })
  cpSync(file, join(folder, main))
  pack(folder)
}

const { devDependencies, overrides, allowScripts, scripts, ...manifest } = ours
const folder = stage({
  ...manifest,
  files: [...manifest.files, 'rust'],
  scripts: { install: 'node dist/install.js' },
  optionalDependencies: Object.fromEntries(
    PLATFORMS.map(({ name }) => [`@spikewire/${name}`, ours.version]),
  ),
})
cpSync(join(HERE, 'README.md'), join(folder, 'README.md'))
cpSync(join(HERE, 'dist'), join(folder, 'dist'), { recursive: true })
copyRustSources(join(folder, 'rust'))
pack(folder)
