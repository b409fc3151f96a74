/** Finds and loads the native part: from this platform's package, or one built here. */

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The folder of the package, seen from `dist/addon`. */
export const PACKAGE = join(__dirname, '../..')

/**
 * Whether this Linux uses musl: according to `ldd`, or else to the libc the runtime was built with.
 */
function onMusl(): boolean {
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl')
  } catch {
    const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } }
    return report?.header !== undefined && report.header.glibcVersionRuntime === undefined
  }
}

/** The platform, as in package names: `linux-x64-gnu`, `darwin-arm64`. */
export function platform(): string {
  const libc = process.platform === 'linux' ? (onMusl() ? '-musl' : '-gnu') : ''
  return `${process.platform}-${process.arch}${libc}`
}

/** The path of a native part built here. */
export function nativeFile(name: string): string {
  return join(PACKAGE, 'native', `spikewire.${name}.node`)
}

/** The path of the native part for this platform, if there is one. */
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
 * Loads the native part, separately for each copy of this module.
 *
 * With `require`, all copies would share the same exports, and a test runner that evaluates this
 * package once per test file would mix up the promises of different files.
 */
export function load(): unknown {
  const file = locate()
  if (file === undefined) {
    throw new Error(
      `spikewire: there is no native part for ${platform()}: the package @spikewire/${platform()} is ` +
        'not installed (was it left out by --omit=optional?), and none was built here. ' +
        '`npx spikewire build` builds it, with Rust and a C++ compiler.',
    )
  }
  const module = { exports: {} }
  try {
    process.dlopen(module, file)
  } catch (cause) {
    throw new Error(`spikewire: ${file} could not be loaded: ${(cause as Error).message}`, {
      cause,
    })
  }
  const { version } = createRequire(__filename)(join(PACKAGE, 'package.json')) as {
    version: string
  }
  const actual = (module.exports as { version?: string }).version
  if (actual !== version) {
    throw new Error(
      `spikewire: ${file} has version ${actual}, but this package has ${version}: reinstall both`,
    )
  }
  return module.exports
}
