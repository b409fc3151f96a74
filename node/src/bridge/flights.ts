/** A limited number of calls in flight, whose inputs are read as their results are consumed. */

import { type Input, inputOf } from './input.js'
import { onAbort } from './signals.js'

/** How many calls are in flight, and in which order they are handed out. */
export interface FlightPlan {
  /** The maximum number of calls in flight, from 1, including those not handed out yet. */
  readonly limit: number
  /** The number below which more are started, several at a time. */
  readonly keep: number
  /** Hand out calls in the order of their inputs; otherwise as they end. */
  readonly ordered: boolean
  /** Items per call. */
  readonly window: number
  /** Rejects the next request, without waiting for calls in flight. */
  readonly signal?: AbortSignal | undefined
}

/** A call that has ended. */
export interface Flight<R> {
  /** The number of its first item. */
  readonly from: number
  /** Its result, unless it failed. */
  value: R | undefined
  failure: { error: unknown } | undefined
  isDone: boolean
}

/** Calls in flight. */
export class Flights<T, R> {
  readonly #plan: FlightPlan
  readonly #start: (items: T[], from: number) => PromiseLike<R>
  readonly #input: Input<T>
  /** In order: the calls that were started. Otherwise: those that have ended. */
  readonly #line: Flight<R>[] = []
  #count = 0
  #inFlight = 0
  #items = 0
  #isFilling = true
  #wake: (() => void) | undefined
  #unwatch: (() => void) | undefined

  constructor(
    items: Iterable<T> | AsyncIterable<T>,
    plan: FlightPlan,
    start: (items: T[], from: number) => PromiseLike<R>,
  ) {
    this.#plan = plan
    this.#start = start
    const { signal } = plan
    signal?.throwIfAborted()
    this.#input = inputOf(items, plan.window, () => this.#resume())
    if (signal !== undefined) this.#unwatch = onAbort(signal, () => this.#resume())
  }

  /**
   * Starts calls, and returns the next one that has ended: `null` if there are no more, `undefined`
   * if there will be one after `news`. Does not wait by itself, because a promise per call would cost
   * more than the rest.
   */
  next(): Flight<R> | null | undefined {
    const { limit, keep, signal } = this.#plan
    signal?.throwIfAborted()
    while (this.#isFilling && !this.#input.isOver) {
      const some = this.#input.take()
      if (some.length === 0) break
      this.#begin(some)
      if (this.#count >= limit) this.#isFilling = false
    }
    const ended = this.#line[0]
    if (ended?.isDone) {
      this.#line.shift()
      if (--this.#count <= keep) this.#isFilling = true
      return ended
    }
    return this.#count === 0 && this.#input.isOver ? null : undefined
  }

  /** Resolves when a call has ended, the input has more, or the signal is aborted. */
  news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** The error with which the input ended. */
  get failure(): { error: unknown } | undefined {
    return this.#input.failure
  }

  /** Reads no more items; the iteration ends with this error. */
  endInput(error: unknown): void {
    void this.#input.leave({ error })
  }

  /** Ends the input, and waits until no call is in flight, unless the signal was aborted. */
  async end(): Promise<void> {
    const left = this.#input.leave()
    if (!this.#plan.signal?.aborted) {
      await left
      while (this.#inFlight > 0 && !this.#plan.signal?.aborted) await this.news()
    }
    this.#unwatch?.()
  }

  #begin(items: T[]): void {
    const flight: Flight<R> = {
      from: this.#items,
      value: undefined,
      failure: undefined,
      isDone: false,
    }
    this.#items += items.length
    this.#count++
    this.#inFlight++
    if (this.#plan.ordered) this.#line.push(flight)
    // A handler for both, so that no rejection is unhandled, however the iteration ends.
    this.#start(items, flight.from).then(
      (value) => {
        flight.value = value
        this.#land(flight)
      },
      (error) => {
        flight.failure = { error }
        this.#land(flight)
      },
    )
  }

  #land(flight: Flight<R>): void {
    flight.isDone = true
    this.#inFlight--
    if (!this.#plan.ordered) this.#line.push(flight)
    this.#resume()
  }

  #resume(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
