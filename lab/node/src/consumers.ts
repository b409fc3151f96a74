/** Consumers of a scan's records: do nothing, write to a file, or sleep. */

import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const CONSUMERS = ['no-op', 'file', 'sleep'] as const

/** How long a sleeping consumer pauses after its first record, so that all buffers fill up (ms). */
const FIRST_PAUSE = 500
/** After that it pauses this long (ms), this many times, once per this many records. */
const PAUSE = 5
const PAUSES = 100
const PAUSED_ROWS = 500

/** Decides when to sleep and for how long. The total is bounded, whatever the number of records. */
export class SlowConsumer {
  #next = 1
  #left = PAUSES

  /** Milliseconds to sleep after this many records; 0: do not sleep. */
  due(count: number): number {
    if (count < this.#next) return 0
    if (this.#next === 1) {
      this.#next = 1 + PAUSED_ROWS
      return FIRST_PAUSE
    }
    this.#next = this.#left-- > 0 ? this.#next + PAUSED_ROWS : Number.POSITIVE_INFINITY
    return this.#left >= 0 ? PAUSE : 0
  }

  static async sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds)
  }
}

/** The high-water mark of the file stream. */
const BUFFER = 1 << 18

/** A record as one line of text, as a program might store it. */
export function line(bins: object): string {
  const values = Object.values(bins).map((value) =>
    Buffer.isBuffer(value) ? value.toString('base64') : String(value),
  )
  return `${values.join(' ')}\n`
}

/** A stream to a temporary file, which is deleted when it is closed. */
export class FileConsumer {
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
