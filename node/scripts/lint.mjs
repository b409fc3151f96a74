// Checks formatting, lints and types, including the types as users of the package see them.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt, bin, HERE, run } from './tools.mjs'

const colours = process.stdout.isTTY ? [] : ['--colors=off']
bin('biome', ['check', '--error-on-warnings', ...colours, '.'])
run(process.execPath, ['scripts/build.mjs'])
bin('tsc', ['--project', 'test', '--noEmit'])

const folder = mkdtempSync(join(tmpdir(), 'spikewire-pack-'))
try {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder])
  const packed = join(folder, readdirSync(folder)[0])
  bin('publint', ['run', '--strict', packed])
  const attw = join(HERE, 'node_modules', '.bin', 'attw')
  process.exitCode = attempt(attw, [packed, '--no-color', '--no-emoji'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
