/** Reports the results of each second to the lab, which shows them in `series/lines.py`. */

import { performance } from 'node:perf_hooks'
import type { Source } from './series.js'

const MARK = 'spikewire-bench '
/** Leading bits of a latency that are reported. */
const BITS = 7
/** Delay after the end of a second, so that calls that have just ended are counted (ms). */
const LATE = 50

/** What one process did in a second of its window. */
export interface Second {
  second: number
  part: number
  operations: number
  errors: number
  timeouts: number
  rss: number
  /** Nanoseconds, rounded down to `BITS` bits, and how often each occurred. */
  samples: [number, number][]
}

/** Reports every full second from `began` on. */
export class Lines {
  readonly #sources: readonly Source[]
  readonly #began: number
  readonly #part: number
  readonly #rows: number
  readonly #print: (text: string) => void
  #reported = [0, 0, 0]
  #second = 1
  #timer: NodeJS.Timeout | undefined

  constructor(
    sources: readonly Source[],
    began: number,
    part: number,
    rows: number,
    print: (text: string) => void = (text) => void process.stderr.write(text),
  ) {
    this.#sources = sources
    this.#began = began
    this.#part = part
    this.#rows = rows
    this.#print = print
    this.#wait()
  }

  get #due(): number {
    return this.#began + this.#second * 1000
  }

  #wait(): void {
    this.#timer = setTimeout(
      () => {
        this.#report()
        this.#wait()
      },
      this.#due + LATE - performance.now(),
    )
  }

  /** Ends reporting when the window closes. */
  end(): void {
    clearTimeout(this.#timer)
    while (performance.now() >= this.#due) this.#report()
  }

  #report(): void {
    this.#print(`${MARK}${JSON.stringify(this.of(this.#second++))}\n`)
  }

  /** Calls that could not be counted in their second count towards the next. */
  of(second: number): Second {
    const end = this.#began + second * 1000
    const known = [0, 0, 0]
    const counted = new Map<number, number>()
    for (const source of this.#sources) {
      source.counts(end).forEach((count, at) => {
        known[at] = (known[at] as number) + count
      })
      for (const nanoseconds of Array.from(source.latencies(end - 1000, end) ?? [])) {
        const value = rounded(Math.abs(nanoseconds))
        counted.set(value, (counted.get(value) ?? 0) + 1)
      }
    }
    const [tried, errors, timeouts] = known.map(
      (count, at) => count - (this.#reported[at] as number),
    )
    this.#reported = known
    return {
      second,
      part: this.#part,
      operations: Math.max(0, (tried as number) - (errors as number)) * this.#rows,
      errors: errors as number,
      timeouts: timeouts as number,
      rss: process.memoryUsage.rss(),
      samples: [...counted].sort(([one], [other]) => one - other),
    }
  }
}

function rounded(nanoseconds: number): number {
  const whole = Math.round(nanoseconds)
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, whole))) + 1 - BITS)
  return Math.floor(whole / step) * step
}
