/** `spikewire top`: live command statistics of a running program, in the terminal. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type Description, read, UsageError } from './arguments.js'
import { address, type Scrape, ScrapeError, scrape } from './top/scrape.js'
import { problem, type Surface, screen } from './top/screen.js'
import { between, type View } from './top/view.js'

const TOP: Description = {
  name: 'top',
  rest: 'URL',
  text:
    'Reads the metrics that a program serves for Prometheus (startMetricsServer, requestListener ' +
    'or a registry; programs in Python as well) repeatedly, and shows the changes: commands per ' +
    'second, latencies, errors, by operation and by node. All clients of the program are summed. ' +
    'HOST:PORT stands for http://HOST:PORT/metrics. Ctrl-C ends it. Example: spikewire top ' +
    'localhost:8000',
  options: {
    interval: { value: 'SECONDS', short: 'i', default: '2', help: 'time between reads' },
    once: { help: 'show one interval, then exit' },
    json: { help: 'print one JSON object per line and interval; times in seconds' },
  },
}

/** The shortest time limit of a read, in milliseconds. */
const LIMIT = 5_000

/** Runs the command. */
export async function run(args: string[]): Promise<number> {
  const flags = read(TOP, args)
  if (flags === undefined) return 0
  const [text, ...more] = flags.rest
  if (text === undefined || more.length > 0) {
    throw new UsageError(`one URL is needed, got ${flags.rest.length}`)
  }
  const interval = milliseconds(flags.text('interval'))
  const [once, asJson] = ['once', 'json'].map((name) => flags.list(name).length > 0)
  const url = address(text)
  const ends = new AbortController()
  const end = (): void => ends.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    await watch(url, interval, once === true, asJson === true, ends.signal)
  } catch (error) {
    // The normal way to end it.
    if (!ends.signal.aborted) throw error
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
  return 0
}

function milliseconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() === '' || Number.isNaN(seconds)) {
    throw new UsageError(`--interval must be a number of seconds, got ${JSON.stringify(text)}`)
  }
  if (seconds < 0.05 || seconds > 3600) {
    throw new UsageError(`--interval must be from 0.05 to 3600, got ${text}`)
  }
  return seconds * 1000
}

async function watch(
  url: string,
  interval: number,
  once: boolean,
  asJson: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { stdout } = process
  const intervals = { url, interval, once, signal }
  if (asJson) {
    await each(intervals, (view) => stdout.write(`${JSON.stringify(view)}\n`))
    return
  }
  if (once || !stdout.isTTY) {
    await each(intervals, (view) => stdout.write(`${screen(url, view, surface()).join('\n')}\n`))
    return
  }
  const draw = (lines: string[]): void => {
    const fitting = lines.slice(0, Math.max((stdout.rows ?? 24) - 1, 1))
    stdout.write(`\x1b[H${fitting.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`)
  }
  // The alternate screen, without a cursor.
  stdout.write('\x1b[?1049h\x1b[?25l')
  try {
    draw(problem(url, '...', surface()))
    await each(
      intervals,
      (view) => draw(screen(url, view, surface())),
      (error) => draw(problem(url, error.message, surface())),
    )
  } finally {
    stdout.write('\x1b[?25h\x1b[?1049l')
  }
}

/** A file or a pipe has no width of its own: nothing is cut there. */
function surface(): Surface {
  const { isTTY, columns } = process.stdout
  if (!isTTY) return { width: Number.POSITIVE_INFINITY, colours: false }
  return { width: columns || 80, colours: process.stdout.hasColors() }
}

interface Intervals {
  url: string
  interval: number
  once: boolean
  signal: AbortSignal
}

/**
 * Shows one interval after the other. The first failure is thrown, since it is mostly a wrong
 * address; later ones are passed to `fails`, if there is such a function.
 */
async function each(
  { url, interval, once, signal }: Intervals,
  show: (view: View) => unknown,
  fails?: (error: ScrapeError) => void,
): Promise<void> {
  const limit = Math.max(interval, LIMIT)
  let before: Scrape | undefined = await scrape(url, limit, signal)
  for (;;) {
    await sleep(interval, undefined, { signal })
    let after: Scrape
    try {
      after = await scrape(url, limit, signal)
    } catch (error) {
      if (fails === undefined || !(error instanceof ScrapeError)) throw error
      fails(error)
      before = undefined
      continue
    }
    if (before !== undefined) {
      show(between(before, after))
      if (once) return
    }
    before = after
  }
}
