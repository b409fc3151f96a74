/** What is done with the records of a scan: nothing, write them to a file, or be slow. */

import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const CONSUMERS = ['no-op', 'file', 'sleep'] as const

/** Milliseconds for which a sleeping consumer lets everything fill up, after its first record. */
const FIRST_PAUSE = 500
/** It goes on to sleep this long, so many times, once in so many records. Then it only takes. */
const PAUSE = 5
const PAUSES = 100
const PAUSED_ROWS = 500

/** When to sleep, and for how long: bounded in all, however many records there are. */
export class Drowsy {
  #next = 1
  #left = PAUSES

  /** Milliseconds to sleep now that so many records came; 0: go on. */
  due(count: number): number {
    if (count < this.#next) return 0
    if (this.#next === 1) {
      this.#next = 1 + PAUSED_ROWS
      return FIRST_PAUSE
    }
    this.#next = this.#left-- > 0 ? this.#next + PAUSED_ROWS : Number.POSITIVE_INFINITY
    return this.#left >= 0 ? PAUSE : 0
  }

  /** Sleeps if it is time to. */
  static async sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds)
  }
}

/** What a stream into a file holds at most, unless it is written to all the same. */
const BUFFER = 1 << 18

/** A record as a program might store it: one line. */
export function line(bins: object): string {
  const values = Object.values(bins).map((value) =>
    Buffer.isBuffer(value) ? value.toString('base64') : String(value),
  )
  return `${values.join(' ')}\n`
}

/** A stream into a file that is gone when it is closed. */
export class Paper {
  readonly #folder = mkdtempSync(join(tmpdir(), 'spikewire-bench-'))
  readonly stream: WriteStream = createWriteStream(join(this.#folder, 'records'), {
    highWaterMark: BUFFER,
  })

  async close(): Promise<void> {
    try {
      if (!this.stream.destroyed) {
        this.stream.end()
        await once(this.stream, 'close')
      }
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }
}
