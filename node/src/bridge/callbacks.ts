/** Callbacks and abort signals. */

import { nativePart, type Slot } from '../addon/native.js'
import { onAbort } from './signals.js'
import { abandon, holderOf } from './slots.js'

/** Called with the outcome of a call, never before the call has returned. */
export type Callback<T> = (error: Error | null, value?: T) => void

/**
 * Checks a callback before anything is sent. `null` is no callback, like `undefined`.
 *
 * @throws TypeError for anything else that is not a function: no call could report it later
 */
export function checkCallback(callback: unknown): void {
  if (callback === undefined || callback === null || typeof callback === 'function') return
  const kind = typeof callback === 'object' ? 'an object' : typeof callback
  throw new TypeError(`callback must be a function, not ${kind}: leave it out to get a promise`)
}

/**
 * The promise of a call; with a callback, `undefined`, and the callback gets its outcome. The
 * callback's own exceptions are uncaught exceptions.
 */
export function outcome<T>(
  promise: Promise<T>,
  callback: Callback<T> | null | undefined,
): Promise<T> | undefined {
  if (callback === undefined || callback === null) return promise
  promise.then(
    (value) => process.nextTick(callback, null, value),
    (error) => process.nextTick(callback, error),
  )
  return undefined
}

/**
 * Rejects a call when its signal is aborted, and calls `onGiveUp`. A request already sent may still
 * be executed.
 */
export function withSignal<T>(
  promise: Promise<T>,
  slot: Slot,
  signal: AbortSignal,
  onGiveUp: () => void,
): void {
  const holder = holderOf(slot)
  const over = onAbort(signal, () => {
    if (abandon(slot, holder, signal.reason)) onGiveUp()
  })
  promise.then(over, over)
}

/**
 * Cancels connecting when the signal is aborted; a client that gets connected nevertheless is
 * closed. `connecting` is its number, which is released.
 */
export function closedWhenAborted<T extends { close(): Promise<void> }>(
  connected: Promise<T>,
  connecting: number | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (connecting === undefined) return connected
  const release = () => nativePart.release(connecting)
  connected.then(release, release)
  if (signal === undefined) return connected
  return new Promise((resolve, reject) => {
    const over = onAbort(signal, () => {
      nativePart.connectAbandon(connecting)
      reject(signal.reason)
      connected.then(
        (client) => client.close(),
        () => undefined,
      )
    })
    connected.then(resolve, reject).finally(over)
  })
}
