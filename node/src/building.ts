/** Builds the native part with cargo, where no package has it. */

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nativeFile, platform } from './loading.js'

/** The Rust sources that come with the package. A checkout has none: it is the sources. */
export const SOURCES = join(__dirname, '..', 'rust')

/** What is built, and where. */
export interface BuildOptions {
  /** The Cargo workspace with the crate `spikewire-node`. */
  workspace: string
  /** A profile of that workspace. Default: `release`. */
  profile?: string | undefined
  /** The platform to build for, as Rust and as packages name it. Default: this one. */
  target?: { rust: string; name: string } | undefined
  /** Without symbols, as it is shipped. Everything is compiled anew when that changes. */
  strip?: boolean | undefined
}

/** One line of what cargo says in JSON. */
interface CargoMessage {
  reason: string
  target?: { name: string }
  filenames?: string[]
}

/** Builds the native part and puts it where it is looked for. Returns that file's name. */
export function build({ workspace, profile, target, strip }: BuildOptions): string {
  if (!existsSync(join(workspace, 'Cargo.toml'))) {
    throw new Error(`there are no Rust sources in ${workspace}`)
  }
  const args = ['build', '--package', 'spikewire-node', '--profile', profile ?? 'release']
  args.push('--locked', '--message-format', 'json-render-diagnostics')
  if (target) args.push('--target', target.rust)
  if (strip) args.push('--config', `profile.${profile ?? 'release'}.strip = "symbols"`)
  const name = target?.name ?? platform()
  const env = { ...process.env }
  // Rust links statically for musl unless told otherwise, and a library to load must not be static.
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
      `cargo does not run (${built.error.message}): building from source needs Rust 1.88 or later ` +
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

  // Renamed into place: a program that has the old file loaded keeps it.
  const place = nativeFile(name)
  mkdirSync(dirname(place), { recursive: true })
  copyFileSync(library, `${place}.new`)
  renameSync(`${place}.new`, place)
  return place
}

const CRATE = 'spikewire_node'

/** Builds the sources in this package, and clears away what only the compiler needed. */
export function buildFromPackage(): string {
  try {
    return build({ workspace: SOURCES, strip: true })
  } finally {
    rmSync(join(SOURCES, 'target'), { recursive: true, force: true })
  }
}
