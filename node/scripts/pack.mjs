// Makes the npm packages: one for each platform whose native part is in native/, and the main one.
//
//  node scripts/pack.mjs [--out FOLDER] [--platforms 'NAME NAME ...']      default: packages/
//
// A platform package contains only the native part, with the notices of the code that is linked into it,
// and a list of that code (sbom.cdx.json). The main package lists the platform packages as optional
// dependencies, of which npm installs the matching one. For other platforms it contains the Rust
// sources. With --platforms those packages are made, no others, and the native part of each has to be
// there. The packages of a release are packed in one place, from the native parts of all machines.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
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
import { HERE, python, ROOT } from './tools.mjs'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(HERE, 'packages') },
    platforms: { type: 'string', default: '' },
  },
})
const out = resolve(values.out)
const wanted = values.platforms.split(' ').filter((name) => name !== '')
const unknown = wanted.find((name) => !PLATFORMS.some((platform) => platform.name === name))
if (unknown !== undefined) fail(`unknown platform: ${unknown}`)
mkdirSync(out, { recursive: true })
const { nativeFile } = createRequire(import.meta.url)('../dist/addon/library.js')
const ours = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))

function fail(reason) {
  console.error(`pack.mjs: ${reason}`)
  process.exit(1)
}

/** A program in tools/release, written in Python. */
function release(program, ...args) {
  python(join(ROOT, 'tools', 'release', program), ...args)
}

// The same for each platform: what is linked into one of them at least.
const notices = join(out, 'THIRD-PARTY-NOTICES.txt')
release('notices.py', '--for', 'node', '--output', notices)

/** Creates a package's folder, with the files that every package has. */
function stage(manifest) {
  const folder = join(out, manifest.name.replace('/', '-').replace('@', ''))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(notices, join(folder, 'THIRD-PARTY-NOTICES.txt'))
  return folder
}

/** What the manifest of a platform package has in common with that of the main one. */
const { author, repository, homepage, bugs, publishConfig } = ours
const published = { author, repository, homepage, bugs, publishConfig }

const readme = (name) =>
  `The native part of the package \`spikewire\` for ${name}. Install that one: npm chooses the native part by
itself. \`THIRD-PARTY-NOTICES.txt\` has the licences of the code that is linked
into it, and \`sbom.cdx.json\` lists that code.
`

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

// Packages of an earlier run are not of this release.
for (const name of readdirSync(out).filter((name) => name.endsWith('.tgz'))) rmSync(join(out, name))

const packed = []
for (const { name, rust, os, cpu, libc } of PLATFORMS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const file = nativeFile(name)
  if (!existsSync(file)) {
    if (wanted.length > 0) fail(`${name}: there is no native part: ${file}`)
    console.log(`@spikewire/${name}: not packed: its native part is not in native/`)
    continue
  }
  const main = `spikewire.${name}.node`
  const folder = stage({
    name: `@spikewire/${name}`,
    version: ours.version,
    description: `The native part of spikewire for ${name}`,
    license: ours.license,
    ...published,
    engines: ours.engines,
    os: [os],
    cpu: [cpu],
    ...(libc ? { libc: [libc] } : {}),
    type: 'commonjs',
    main,
    files: [main, 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'],
  })
  cpSync(file, join(folder, main))
  writeFileSync(join(folder, 'README.md'), `# @spikewire/${name}\n\n${readme(name)}`)
  const sbom = ['--crate', 'spikewire-node', '--target', rust, '--name', `@spikewire/${name}`]
  release('sbom.py', ...sbom, '--output', join(folder, 'sbom.cdx.json'))
  pack(folder)
  packed.push(name)
}

const { devDependencies, overrides, allowScripts, scripts, ...manifest } = ours
const folder = stage({
  ...manifest,
  files: [...manifest.files, 'rust', 'THIRD-PARTY-NOTICES.txt'],
  scripts: { install: 'node dist/install.js' },
  optionalDependencies: Object.fromEntries(
    packed.map((name) => [`@spikewire/${name}`, ours.version]),
  ),
})
cpSync(join(HERE, 'README.md'), join(folder, 'README.md'))
cpSync(join(HERE, 'dist'), join(folder, 'dist'), { recursive: true })
copyRustSources(join(folder, 'rust'))
pack(folder)
