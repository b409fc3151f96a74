/** Streams of rows. */

import { Readable } from 'node:stream'

/** A stream of rows, in object mode: the result of `client.stream`. */
export class ResultStream extends Readable {
  /** Rows that have come and not been read. */
  buffer: unknown[] = []
  /** Whether the reader has enough for now. */
  paused = true
  #readNext: (() => void) | undefined

  override _read(): void {
    this.paused = false
    while (!this.paused && this.buffer.length > 0) this.paused = !this.push(this.buffer.shift())
    if (this.paused || this.buffer.length > 0) return
    const next = this.#readNext
    this.#readNext = undefined
    next?.()
  }

  /** Calls a function when the reader wants more than has come; `null`: none any more. */
  _valve(readNext: (() => void) | null): void {
    this.#readNext = undefined
    if (readNext === null) return
    if (this.paused || this.buffer.length > 0) this.#readNext = readNext
    else readNext()
  }

  /** Adds a row, or the end (`null`); returns the number of rows that wait. */
  add(chunk: unknown): number {
    const length = this.buffer.push(chunk)
    if (this.paused) this.read(0)
    else this._read()
    return length
  }
}
