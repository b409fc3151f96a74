/** Other ways than a promise by itself: callbacks, and calls that are given up. */

import type { Slot } from './native.js'
import { onAbort } from './signals.js'
import { abandon } from './slots.js'

/** Told how a call has ended; never before the call has returned. */
export type Callback<T> = (error: Error | null, value?: T) => void

/** Hands the outcome of a call to a callback, whose own errors are uncaught exceptions. */
export function handOver<T>(promise: Promise<T>, callback: Callback<T>): undefined {
  promise.then(
    (value) => process.nextTick(callback, null, value),
    (error) => process.nextTick(callback, error),
  )
  return undefined
}

/** Gives a call up when its signal is aborted. What was sent may be carried out all the same. */
export function withSignal<T>(
  promise: Promise<T>,
  slot: Slot,
  signal: AbortSignal,
  givenUp?: () => void,
): void {
  const over = onAbort(signal, () => {
    abandon(slot, signal.reason)
    givenUp?.()
  })
  promise.then(over, over)
}

/** Gives connecting up when its signal is aborted: what is connected in spite of that is closed. */
export function closedWhenAborted<T extends { close(): Promise<void> }>(
  connected: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = onAbort(signal, () => {
      reject(signal.reason)
      connected.then(
        (client) => client.close(),
        () => undefined,
      )
    })
    connected.then(resolve, reject).finally(over)
  })
}
