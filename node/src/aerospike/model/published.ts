/** Calls as they are published to `spikewire:command`. */

import { publishCommand } from '../../bridge/channels.js'
import { spaceNames } from './key.js'
import type { Space } from './native.js'

/** Publishes a call when it has ended; `space` may throw, for a key that is none. */
export function publishCall<T>(
  promise: Promise<T>,
  operation: string,
  space: () => Space,
): Promise<T> {
  let names: { namespace: string | null; set: string | null } = { namespace: null, set: null }
  try {
    names = spaceNames(space())
  } catch {
    // The call's promise is rejected with this.
  }
  const { namespace, set } = names
  return publishCommand(promise, {
    system: 'aerospike',
    operation,
    namespace,
    set,
    statement: null,
  })
}
