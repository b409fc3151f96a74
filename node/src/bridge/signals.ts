/**
 * Abort signals shared by many calls: each signal has one listener, however many calls wait for it.
 */

interface Watched {
  /** Called when the signal is aborted. */
  waiting: Set<() => void>
  listener: () => void
}

/** Node.js warns of a leak if a signal has more than ten listeners. */
const watched = new WeakMap<AbortSignal, Watched>()

/** Calls `abort` once when the signal is aborted. Returns a function that undoes this. */
export function onAbort(signal: AbortSignal, abort: () => void): () => void {
  let found = watched.get(signal)
  if (found === undefined) {
    const waiting = new Set<() => void>()
    const listener = () => {
      watched.delete(signal)
      for (const one of waiting) one()
    }
    found = { waiting, listener }
    watched.set(signal, found)
    signal.addEventListener('abort', listener, { once: true })
  }
  const { waiting, listener } = found
  waiting.add(abort)
  return () => {
    if (!waiting.delete(abort) || waiting.size > 0 || watched.get(signal)?.waiting !== waiting)
      return
    watched.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}
