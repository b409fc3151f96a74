/** Types of the native functions for opening, exported by `crates/spikewire-node/src/opening.rs`. */

import { type NativePart, nativePart } from '../addon/native.js'

/** The settings of a client: seeds and path with their sources; options with theirs. */
export type OpeningParts = [
  seeds: string,
  seedsSource: string,
  path: string | null,
  pathSource: string | null,
  names: string[],
  values: unknown[],
  sources: string[],
]

interface OpeningNative extends NativePart {
  /**
   * The settings of a client. Variables are names and texts in turn; names of options are the
   * engine's. `whole`: also checks all that opening would check.
   */
  openingRead(
    database: 'aerospike' | 'cassandra',
    url: string | undefined,
    variables: string[],
    names: string[],
    values: unknown[],
    whole: boolean,
  ): OpeningParts
}

export const native = nativePart as OpeningNative
