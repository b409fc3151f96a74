/** Finds the native part and loads it: a package for this platform, or one that was built here. */

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What runs this program. Bun and Deno have Node-API, but no libuv of their own loop. */
export const runtime: 'node' | 'bun' | 'deno' =
  'bun' in process.versions ? 'bun' : 'deno' in process.versions ? 'deno' : 'node'

/** Whether this Linux runs on musl: what `ldd` says of itself, else what the program was built with. */
function onMusl(): boolean {
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl')
  } catch {
    const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } }
    return report?.header !== undefined && report.header.glibcVersionRuntime === undefined
  }
}

/** The platform as packages are named after it: `linux-x64-gnu`, `darwin-arm64`. */
export function platform(): string {
  const libc = process.platform === 'linux' ? (onMusl() ? '-musl' : '-gnu') : ''
  return `${process.platform}-${process.arch}${libc}`
}

/** Where a native part is that was built here. */
export function nativeFile(name: string): string {
  return join(__dirname, '..', 'native', `spikewire.${name}.node`)
}

/** The file of the native part for this platform, if there is one. */
export function locate(): string | undefined {
  const forced = process.env['SPIKEWIRE_NATIVE']
  if (forced) return forced
  const name = platform()
  const built = nativeFile(name)
  if (existsSync(built)) return built
  try {
    return createRequire(__filename).resolve(`@spikewire/${name}`)
  } catch {
    return undefined
  }
}

/**
 * Loads the native part, anew for each copy of this module.
 *
 * `require` would hand every copy the same exports: a test runner that evaluates this package once
 * for each test file would mix up promises of one file with those of another.
 */
export function load(): unknown {
  const file = locate()
  if (file === undefined) {
    throw new Error(
      `spikewire: there is no native part for ${platform()}: the package @spikewire/${platform()} is ` +
        'not installed (was it left out by --omit=optional?) and nothing was built here. ' +
        '`npx spikewire build` builds it, with Rust and a C compiler.',
    )
  }
  const module = { exports: {} }
  try {
    process.dlopen(module, file)
  } catch (cause) {
    throw new Error(`spikewire: ${file} does not load: ${(cause as Error).message}`, { cause })
  }
  const { version } = createRequire(__filename)('../package.json') as { version: string }
  const found = (module.exports as { version?: string }).version
  if (found !== version) {
    throw new Error(
      `spikewire: ${file} is of version ${found}, and this package of ${version}: install both anew`,
    )
  }
  return module.exports
}
