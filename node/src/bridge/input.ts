/** Iterables of calls or keys, read as results are consumed. */

import { types } from 'node:util'

/** Items that are read as they are needed. */
export interface Input<T> {
  /** Whether everything has been taken. */
  readonly isOver: boolean
  /** The error with which the iterable ended, after the items that were taken. */
  readonly failure: { error: unknown } | undefined
  /** The next items, at most a window; none if there are none yet, or no more. */
  take(): T[]
  /** Takes no more, and ends the iterable unless it has ended. */
  leave(failure?: { error: unknown }): Promise<void>
}

/** Whether this is an iterable that is not text or bytes, asynchronous or not. */
export function isIterable(items: unknown): items is Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof items !== 'object' || items === null || types.isUint8Array(items)) return false
  return isAsyncIterable(items) || typeof Reflect.get(items, Symbol.iterator) === 'function'
}

/** Whether this is an asynchronous iterable. */
export function isAsyncIterable(items: unknown): items is AsyncIterable<unknown> {
  if (typeof items !== 'object' || items === null) return false
  return typeof Reflect.get(items, Symbol.asyncIterator) === 'function'
}

/** Reads an iterable in windows of this size. `wake` is called when an asynchronous one has more. */
export function inputOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
  window: number,
  wake: () => void,
): Input<T> {
  if (isAsyncIterable(items)) {
    return new AsyncInput(items[Symbol.asyncIterator]() as AsyncIterator<T>, window, wake)
  }
  return new SyncInput((items as Iterable<T>)[Symbol.iterator](), window)
}

class SyncInput<T> implements Input<T> {
  readonly #items: Iterator<T>
  readonly #window: number
  isOver = false
  failure: { error: unknown } | undefined

  constructor(items: Iterator<T>, window: number) {
    this.#items = items
    this.#window = window
  }

  take(): T[] {
    const some: T[] = []
    if (this.isOver) return some
    try {
      while (some.length < this.#window) {
        const { done, value } = this.#items.next()
        if (done) {
          this.isOver = true
          break
        }
        some.push(value)
      }
    } catch (error) {
      // The items before an error are kept.
      this.isOver = true
      this.failure = { error }
    }
    return some
  }

  async leave(failure?: { error: unknown }): Promise<void> {
    this.failure ??= failure
    if (this.isOver) return
    this.isOver = true
    try {
      this.#items.return?.()
    } catch {
      // What ended the reading takes precedence.
    }
  }
}

class AsyncInput<T> implements Input<T> {
  readonly #items: AsyncIterator<T>
  readonly #window: number
  readonly #wake: () => void
  #ready: T[] = []
  #isReading = false
  #hasEnded = false
  #willWake = false
  failure: { error: unknown } | undefined

  constructor(items: AsyncIterator<T>, window: number, wake: () => void) {
    this.#items = items
    this.#window = window
    this.#wake = wake
  }

  get isOver(): boolean {
    return this.#hasEnded && this.#ready.length === 0
  }

  take(): T[] {
    const some = this.#ready
    this.#ready = []
    this.#read()
    return some
  }

  #read(): void {
    if (this.#hasEnded || this.#isReading) return
    this.#isReading = true
    let next: Promise<IteratorResult<T>>
    try {
      next = Promise.resolve(this.#items.next())
    } catch (error) {
      next = Promise.reject(error)
    }
    next.then(
      ({ done, value }) => {
        this.#isReading = false
        // What comes after the reading was ended belongs to nobody.
        if (this.#hasEnded) return
        if (done) {
          this.#hasEnded = true
          this.#wake()
          return
        }
        this.#ready.push(value)
        if (this.#ready.length < this.#window) {
          this.#read()
          this.#wakeSoon()
        } else this.#wake()
      },
      (error) => {
        this.#isReading = false
        if (this.#hasEnded) return
        this.#hasEnded = true
        this.failure = { error }
        this.#wake()
      },
    )
  }

  /** Lets the iterable go on as long as nothing has to be awaited, so that windows become full. */
  #wakeSoon(): void {
    if (this.#willWake) return
    this.#willWake = true
    setImmediate(() => {
      this.#willWake = false
      if (this.#ready.length > 0) this.#wake()
    })
  }

  async leave(failure?: { error: unknown }): Promise<void> {
    this.failure ??= failure
    this.#ready = []
    if (this.#hasEnded) return
    this.#hasEnded = true
    try {
      const left = this.#items.return?.()
      // An item that the iterable is still producing is not waited for.
      if (this.#isReading) left?.then(undefined, ignore)
      else await left
    } catch {
      // What ended the reading takes precedence.
    }
  }
}

function ignore(): void {}
