/** The global event loop of the other client, which Spikewire does not need, and its queue. */

import { AerospikeError } from './error.js'
import type { CommandQueuePolicyOptions } from './policies.js'
import { transactionPool } from './transaction-pool.js'

let clients = 0
let wasConnected = false
let wasReleased = false

/** Marks that a client connects. */
export function clientConnected(): void {
  if (wasReleased) {
    throw new AerospikeError(
      'The event loop was released: call Client#close() with releaseEventLoop set to false',
    )
  }
  wasConnected = true
  clients++
}

/** Marks that a client was closed. */
export function clientClosed(
  wasOpen: boolean,
  releases: boolean,
  destroysTransactions: boolean,
): void {
  if (wasOpen && clients > 0) clients--
  if (clients > 0) return
  if (destroysTransactions) transactionPool.removeAllTransactions()
  if (releases) releaseEventLoop()
}

/** Ends the use of this module: no more clients can be connected. Clients are closed as before. */
export function releaseEventLoop(): void {
  wasReleased = true
}

/**
 * Limits of the command queue, to be set before the first client connects. They have no effect: nodes
 * get as many commands as they answer in time, and the others wait.
 */
export function setupGlobalCommandQueue(_policy: CommandQueuePolicyOptions): void {
  if (wasConnected) {
    throw new AerospikeError(
      'Command queue has already been initialized! Set its policy before a client connects.',
    )
  }
}
