/**
 * The native part, `crates/spikewire-node`, as it was loaded, and what all of its functions have in
 * common. The functions for each database are next to their callers.
 */

import { load } from './library.js'

/** The number of a client or session. */
export type Handle = number
/** The number of a promise; see `slots.ts`. */
export type Slot = number

/** How Cargo compiled the native part. */
export interface Compiled {
  profile: string
  opt_level: string
  /** Flags from the environment and Cargo's configuration; empty: none. */
  rustflags: string
  debug_assertions: boolean
  /** The commit, with the suffix `-dirty` if files differed; empty if unknown. */
  built_from: string
}

/** What the native part has besides the functions for each database. */
export interface NativePart {
  /** The version of the native part. */
  readonly version: string
  readonly build: Compiled
  /**
   * Reads a table from Arrow IPC bytes, or from batches as `tables/arrow.ts` makes them. Returns its
   * number, the names of its columns, and the number of its rows.
   */
  tableOpen(source: Uint8Array | readonly unknown[]): [Handle, string[], number]
  /** Releases a resource that JavaScript no longer references. */
  release(resource: number): void
  /** Connecting, which nobody waits for any more, does not keep the process alive. */
  connectAbandon(connecting: number): void
}

/** The native part of this copy of the package. */
export const nativePart = load() as NativePart
