/** Builds the native part with cargo, for platforms that no package covers. */

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nativeFile, PACKAGE, platform } from './library.js'

/** The Rust sources included in the package; a checkout has no such folder. */
export const SOURCES = join(PACKAGE, 'rust')

/** Options of a build. */
export interface BuildOptions {
  /** The Cargo workspace with the crate `spikewire-node`. */
  workspace: string
  /** The Cargo profile. Default: `release`. */
  profile?: string | undefined
  /** The platform to build for, by its Rust and package names. Default: this one. */
  target?: { rust: string; name: string } | undefined
  /** Links with zig (`cargo zigbuild`), for other platforms and older versions of glibc. */
  zig?: boolean | undefined
  /** Strip symbols, as in published packages. Changing this recompiles everything. */
  strip?: boolean | undefined
}

/** One line of cargo's JSON output. */
interface CargoMessage {
  reason: string
  target?: { name: string }
  filenames?: string[]
}

/** Builds the native part and moves it to where it is loaded from. Returns the path. */
export function build({ workspace, profile, target, zig, strip }: BuildOptions): string {
  if (!existsSync(join(workspace, 'Cargo.toml'))) {
    throw new Error(`there are no Rust sources in ${workspace}`)
  }
  const args = [zig ? 'zigbuild' : 'build', '--profile', profile ?? 'release']
  args.push(
    '--package',
    'spikewire-node',
    '--locked',
    '--message-format',
    'json-render-diagnostics',
  )
  // Node.js itself needs glibc 2.28.
  if (target) args.push('--target', zig ? target.rust.replace(/-gnu$/, '-gnu.2.28') : target.rust)
  if (strip) args.push('--config', `profile.${profile ?? 'release'}.strip = "symbols"`)
  const name = target?.name ?? platform()
  const env = { ...process.env }
  // Rust links musl statically by default, but a loadable library must not be static.
  if (name.endsWith('-musl')) {
    env['RUSTFLAGS'] = `${env['RUSTFLAGS'] ?? ''} -C target-feature=-crt-static`.trim()
  }
  const built = spawnSync('cargo', args, {
    cwd: workspace,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (built.error) {
    throw new Error(
      `cargo could not be run (${built.error.message}): building from source needs Rust 1.88 or later ` +
        'and a C compiler',
    )
  }
  if (built.status !== 0) throw new Error(`cargo failed, its exit code was ${built.status}`)
  const library = built.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as CargoMessage)
    .filter(({ reason, target }) => reason === 'compiler-artifact' && target?.name === CRATE)
    .flatMap(({ filenames }) => filenames ?? [])
    .find((file) => /\.(so|dylib)$/.test(file))
  if (library === undefined) throw new Error('cargo built no library')

  // Renamed into place, so that a program that has the old file loaded keeps it.
  const place = nativeFile(name)
  mkdirSync(dirname(place), { recursive: true })
  copyFileSync(library, `${place}.new`)
  renameSync(`${place}.new`, place)
  return place
}

const CRATE = 'spikewire_node'

/** Builds the sources in this package, then deletes the compiler's intermediate files. */
export function buildFromPackage(): string {
  try {
    return build({ workspace: SOURCES, strip: true })
  } finally {
    rmSync(join(SOURCES, 'target'), { recursive: true, force: true })
  }
}
