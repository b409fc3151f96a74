/**
 * Abort signals shared by many calls: each signal has one listener, however many calls wait for it.
 */

interface Entry {
  /** Called when the signal is aborted. */
  waiting: Set<() => void>
  listener: () => void
}

/** Node.js warns of a leak if a signal has more than ten listeners. */
const entries = new WeakMap<AbortSignal, Entry>()

/** Calls `abort` once when the signal is aborted. Returns a function that undoes this. */
export function onAbort(signal: AbortSignal, abort: () => void): () => void {
  let entry = entries.get(signal)
  if (entry === undefined) {
    const waiting = new Set<() => void>()
    const listener = () => {
      entries.delete(signal)
      for (const one of waiting) one()
    }
    entry = { waiting, listener }
    entries.set(signal, entry)
    signal.addEventListener('abort', listener, { once: true })
  }
  const { waiting, listener } = entry
  waiting.add(abort)
  return () => {
    if (!waiting.delete(abort) || waiting.size > 0 || entries.get(signal)?.waiting !== waiting)
      return
    entries.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

/** A promise that is also rejected when the signal is aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const over = onAbort(signal, () => reject(signal.reason))
    promise.finally(over).then(resolve, reject)
    if (signal.aborted) reject(signal.reason)
  })
}
