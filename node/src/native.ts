/** The native part: what `crates/spikewire-node` exports. */

import { load } from './loading.js'

/** Functions of the native part, arguments by position. Bad input makes them throw. */
export interface Native {
  /** The version of the native part. */
  version(): string
}

/** The native part of this copy of the package. */
export const native = load() as Native
