/** Statements as they are published to `spikewire:command`. */

import { publishCommand } from '../bridge/channels.js'
import { Bound, Prepared } from './prepared.js'

/** Publishes a call when it has ended; the statement of a batch is `null`. */
export function publishStatement<T>(
  promise: Promise<T>,
  operation: string,
  statement: unknown,
): Promise<T> {
  const known = statement instanceof Bound ? statement.prepared : statement
  const text = known instanceof Prepared ? known.text : known
  return publishCommand(promise, {
    system: 'cassandra',
    operation,
    namespace: null,
    set: null,
    statement: typeof text === 'string' ? text : null,
  })
}
