/** How the native part of our client was compiled, in the lab's format. */

/** The fields of the lab's results. */
export interface BuildInfo {
  profile: string
  opt_level: string
  rustflags: string
  debug_assertions: boolean
  built_from: string
}

/** Loads the package, hence only after measuring. */
export async function buildInfo(): Promise<BuildInfo> {
  const { build } = await import('spikewire')
  return {
    profile: build.profile,
    opt_level: build.optLevel,
    rustflags: build.rustflags,
    debug_assertions: build.debugAssertions,
    built_from: build.commit ?? '',
  }
}
