/** How the native part was built. */

import { nativePart } from './native.js'

/** How the native part was built: what determines speed and no version number says. */
export interface Build {
  /** The commit, with the suffix `-dirty` if files differed; `undefined` if unknown. */
  readonly commit: string | undefined
  /** The Cargo profile; that of released packages is `dist`. */
  readonly profile: string
  readonly optLevel: string
  /** Flags from the environment and Cargo's configuration; empty: none. */
  readonly rustflags: string
  readonly debugAssertions: boolean
}

/** For reports of measurements and of errors. */
export const build: Build = Object.freeze({
  commit: nativePart.build.built_from || undefined,
  profile: nativePart.build.profile,
  optLevel: nativePart.build.opt_level,
  rustflags: nativePart.build.rustflags,
  debugAssertions: nativePart.build.debug_assertions,
})
