// Tries packed packages as their users do: installs the main one and this platform's in an empty folder, without
// a network, and runs a program there, as a module and with `require`.
//
//  node scripts/try_packages.mjs [FOLDER]      default: packages/
//
// It uses nothing of the checkout, so that it also runs where nothing is built.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAM = `
const cluster = await Cluster.start({ nodes: 3 })
const client = await Client.connect(cluster.seeds)
const users = client.dataset('test', 'users')
await users.putMany(new Map([['alice', { age: 28 }], ['bob', { age: 40 }]]))
const older = await users.operate('alice', [op.add('age', 1), op.get('age')])
let seen = 0
for await (const { bins } of users.query({ where: '$.age > 28' })) seen += bins.age
await client.close()
await cluster.close()
console.log(older.bins.age, seen)
`
const ESM = `import { Client, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'
${PROGRAM}`
const CJS = `const { Client, op } = require('spikewire')
const { Cluster } = require('spikewire/testing')
;(async () => {${PROGRAM}})()`

const packages = resolve(process.argv[2] ?? fileURLToPath(new URL('../packages', import.meta.url)))
const tarballs = readdirSync(packages).filter((name) => name.endsWith('.tgz'))
const main = tarballs.find((name) => /^spikewire-\d/.test(name))
if (main === undefined) {
  console.error(`try_packages.mjs: there is no main package in ${packages}`)
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'spikewire-try-'))
const run = (program, ...args) =>
  execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
const install = (...names) => {
  const files = names.map((name) => join(packages, name))
  run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...files)
}
try {
  writeFileSync(join(folder, 'package.json'), '{ "name": "program", "private": true }')
  install(main)
  // The main package says what this platform is called.
  const library = join(folder, 'node_modules/spikewire/dist/addon/library.js')
  const { platform } = createRequire(import.meta.url)(library)
  const native = tarballs.find((name) => name.startsWith(`spikewire-${platform()}-`))
  if (native === undefined) throw new Error(`no package for ${platform()} in ${packages}`)
  install(main, native)
  for (const [name, text] of [
    ['program.mjs', ESM],
    ['program.cjs', CJS],
  ]) {
    writeFileSync(join(folder, name), text)
    const printed = run(process.execPath, name).trim()
    if (printed !== '29 69') throw new Error(`${name} printed ${printed}, not 29 69`)
  }
  const { version } = JSON.parse(
    readFileSync(join(folder, 'node_modules/spikewire/package.json'), 'utf8'),
  )
  console.log(`spikewire ${version} works: ${platform()}, Node.js ${process.versions.node}`)
} catch (error) {
  console.error(`try_packages.mjs: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
