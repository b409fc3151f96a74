/** The stage of calls that ends in JavaScript. */

import { native } from './native.js'

/**
 * Called by the native part right before it settles a promise, for a share of the calls and only
 * while stages are timed: the task that waits for the promise runs right after this one's microtask.
 */
export function handOver(handOver: number): void {
  queueMicrotask(() => native.handedOver(handOver))
}
