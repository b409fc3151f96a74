/** Building for other platforms says what is missing. */

import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PACKAGE, run, temporaryFolder } from './support/programs.js'

const native = (platform: string, path: string) =>
  run(process.execPath, [join(PACKAGE, 'scripts/native.mjs'), '--platform', platform], {
    cwd: PACKAGE,
    env: { PATH: path },
  })

test('what building for another platform needs is named', async (context) => {
  const folder = temporaryFolder(context)
  /** A program that prints a line. */
  const program = (name: string, line: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${line}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const system = `${folder}:/usr/bin:/bin`
  const cases: [string, RegExp, (() => void)?][] = [
    ['linux-riscv64-gnu', /unknown platform: linux-riscv64-gnu; there are: linux-x64-gnu, /],
    ['linux-arm64-musl', /rustc could not be run: Rust .* is needed/],
    [
      'linux-arm64-musl',
      /no standard library for aarch64-unknown-linux-musl: rustup target add aarch64-/,
      () => program('rustc', '/nowhere/lib'),
    ],
    [
      'linux-arm64-gnu',
      /cargo-zigbuild could not be run, .* make npm-packages PLATFORMS=linux-arm64-gnu, or pip/,
      () => program('rustc', folder),
    ],
    ['linux-arm64-gnu', /python-zig could not be run/, () => program('cargo-zigbuild', '1')],
  ]
  if (process.platform !== 'darwin') {
    cases.push(['darwin-arm64', /darwin-arm64 is built on macOS/])
  }
  for (const [platform, message, prepare] of cases) {
    prepare?.()
    const { code, stderr } = await native(platform, system)
    assert.equal(code, 1, platform)
    assert.match(stderr, message)
  }
})
