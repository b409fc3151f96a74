/** The npm packages install in an empty folder and work in both module systems. */

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { output, PACKAGE, run, temporaryFolder } from './support/programs.js'

const PROGRAM = `
const cluster = await Cluster.start({ nodes: 1 })
const client = await Client.connect(cluster.seeds)
await client.dataset('test', 'packed').put('a', { n: 1 })
const { bins } = await client.dataset('test', 'packed').get('a')
await client.close()
await cluster.close()
console.log(JSON.stringify(bins))
`
const ESM = `
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'
${PROGRAM}`
const CJS = `
const { Client } = require('spikewire')
const { Cluster } = require('spikewire/testing')
;(async () => {${PROGRAM}})()`

const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd })

test('the packed package is installed elsewhere and works', async (test) => {
  const folder = temporaryFolder(test)
  const packages = join(folder, 'packages')
  await output(process.execPath, [join(PACKAGE, 'scripts/pack.mjs'), '--out', packages])
  const { platform } = createRequire(join(PACKAGE, 'package.json'))('./dist/addon/library.js')
  // There may be some for other platforms.
  const tarballs = readdirSync(packages).filter(
    (name) => name.startsWith(`spikewire-${platform()}-`) || /^spikewire-\d.*tgz$/.test(name),
  )
  assert.equal(tarballs.length, 2, 'this platform, and the main package')

  await test.test('the packed sources are a complete workspace', async () => {
    const rust = join(packages, 'spikewire', 'rust')
    const args = ['metadata', '--offline', '--locked', '--format-version', '1']
    const { code, stderr } = await run('cargo', args, { cwd: rust })
    assert.equal(code, 0, stderr)
  })

  await test.test('the main package names the platform packages that were packed', async () => {
    const folders = readdirSync(packages).filter((name) =>
      existsSync(join(packages, name, 'LICENSE')),
    )
    assert.ok(folders.length >= 2)
    const manifests = folders.map((name) =>
      JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')),
    )
    const main = manifests.find(({ name }) => name === 'spikewire')
    const others = manifests.filter(({ name }) => name !== 'spikewire').map(({ name }) => name)
    assert.deepEqual(Object.keys(main.optionalDependencies).sort(), others.sort())
    for (const [at, { name, publishConfig }] of manifests.entries()) {
      const files = readdirSync(join(packages, folders[at] ?? ''))
      assert.ok(files.includes('THIRD-PARTY-NOTICES.txt'), name)
      assert.equal(files.includes('sbom.cdx.json'), name !== 'spikewire', name)
      assert.deepEqual(publishConfig, { access: 'public', provenance: true }, name)
    }
  })

  const program = join(folder, 'program')
  mkdirSync(program)
  writeFileSync(join(program, 'package.json'), '{ "private": true }')
  const install = ['install', '--offline', ...tarballs.map((name) => join(packages, name))]
  const installed = await npm(install, program)
  assert.equal(installed.code, 0, installed.stderr)

  for (const [name, text] of [
    ['program.mjs', ESM],
    ['program.cjs', CJS],
  ] as const) {
    await test.test(name, async () => {
      writeFileSync(join(program, name), text)
      assert.equal(await output(process.execPath, [name], { cwd: program }), '{"n":1}\n')
    })
  }

  await test.test('npx spikewire runs the command', async () => {
    const { code, stdout, stderr } = await npm(['exec', 'spikewire', '--', '--help'], program)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /usage: spikewire/)
  })
})

test('packing fails for a platform whose native part is missing or unknown', async (test) => {
  const out = temporaryFolder(test)
  for (const [name, reason] of [
    ['darwin-mips', /unknown platform: darwin-mips/],
    ['darwin-x64', /darwin-x64: there is no native part/],
  ] as const) {
    const args = [join(PACKAGE, 'scripts/pack.mjs'), '--out', out, '--platforms', name]
    const { code, stderr } = await run(process.execPath, args)
    assert.equal(code, 1)
    assert.match(stderr, reason)
    assert.deepEqual(
      readdirSync(out).filter((file) => file.endsWith('.tgz')),
      [],
    )
  }
})

test('without a package for the platform and without cargo, the reason is given', async (test) => {
  const folder = temporaryFolder(test)
  const packages = join(folder, 'packages')
  await output(process.execPath, [join(PACKAGE, 'scripts/pack.mjs'), '--out', packages])
  const main = join(packages, 'spikewire')

  const required = await run(process.execPath, ['-e', `require(${JSON.stringify(main)})`])
  assert.equal(required.code, 1)
  assert.match(required.stderr, /there is no native part for .*npx spikewire build/)

  const install = join(main, 'dist/install.js')
  const built = await run(process.execPath, [install], { env: { PATH: folder } })
  assert.equal(built.code, 1)
  assert.match(built.stderr, /built from source/)
  assert.match(built.stderr, /cargo could not be run .* needs Rust/)
})
