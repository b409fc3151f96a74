// Other versions of Node, and Bun and Deno, from the registry: for the smoke program and, on those
// that use the other driver, for some of the tests.
//
// Each is a package that contains only the program. They are installed into .runtimes/ once; a
// runtime that the registry does not offer for this platform is skipped, with the reason.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HERE } from './tools.mjs'

const { platform, arch } = process
const oven = arch === 'arm64' ? 'aarch64' : arch
const deno = platform === 'linux' ? `${platform}-${arch}-glibc` : `${platform}-${arch}`

const node = (version) => ({
  title: `Node ${version}`,
  spec: `node-${platform}-${arch}@${version}`,
  path: `node-${platform}-${arch}/bin/node`,
  args: [],
})
const RUNTIMES = [
  node('18.20.8'),
  node('20.20.2'),
  node('22.23.3'),
  node('24.21.0'),
  {
    title: 'Bun 1.4.5',
    spec: `@oven/bun-${platform}-${oven}@1.4.5`,
    path: `@oven/bun-${platform}-${oven}/bin/bun`,
    args: [],
    tests: ['test', '--timeout=300000'],
  },
  {
    title: 'Deno 2.9.6',
    spec: `@deno/${deno}@2.9.6`,
    path: `@deno/${deno}/deno`,
    args: ['run', '--allow-all'],
    tests: ['test', '--allow-all', '--no-check'],
  },
]

/** Installs what is missing. Yields how to call each program, or why it is unavailable. */
export function* runtimes() {
  for (const { title, spec, path, args, tests } of RUNTIMES) {
    const folder = join(HERE, '.runtimes', title.toLowerCase().replace(' ', '-'))
    const program = join(folder, 'node_modules', path)
    if (!existsSync(program)) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
      const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error']
      const done = spawnSync('npm', ['install', ...flags, spec], { cwd: folder, encoding: 'utf8' })
      if (done.status !== 0 || !existsSync(program)) {
        const why = `${done.error?.message ?? done.stderr}`.trim().split('\n').filter(Boolean)
        yield { title, reason: `not installed: ${why.slice(-1)[0] ?? 'no such program in it'}` }
        continue
      }
    }
    const version = spawnSync(program, ['--version'], { encoding: 'utf8' })
    if (version.status === 0) yield { title, program, args, tests }
    else
      yield { title, reason: `it does not run here: ${version.error?.message ?? version.stderr}` }
  }
}
