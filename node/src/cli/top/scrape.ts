/** Reads a program's metrics from its Prometheus endpoint. */

/** Names and values of labels. */
export type Labels = { [name: string]: string }

/** More bytes than any program reports. */
const LONGEST = 64 << 20
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** The endpoint returned no metrics of Spikewire; the message says why. */
export class ScrapeError extends Error {}

/** Commands with the same labels, since the program started counting. */
export interface Series {
  readonly labels: Labels
  /** The number of commands by upper bound of their latency, in seconds. */
  readonly buckets: Map<number, number>
  count: number
}

/** The metrics of an endpoint at one time. */
export class Scrape {
  /** When they were read, in seconds. */
  at = performance.now() / 1000
  /** By name without `spikewire_`: samples with their labels. */
  readonly values = new Map<string, [Labels, number][]>()
  /** By all labels. */
  readonly commands = new Map<string, Series>()
  readonly stages = new Map<string, Series>()

  /** The sum of all samples of a name with these labels. */
  total(name: string, labels: Labels = {}): number {
    let total = 0
    for (const [of, value] of this.values.get(name) ?? []) {
      if (Object.entries(labels).every(([label, text]) => of[label] === text)) total += value
    }
    return total
  }
}

/**
 * The URL for a text; `host:port` stands for `/metrics` there.
 *
 * @throws RangeError for an invalid one
 */
export function address(text: string): string {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`)
    if (['http:', 'https:'].includes(url.protocol) && url.hostname !== '') {
      if (url.pathname === '/' && url.search === '') url.pathname = '/metrics'
      return url.href
    }
  } catch {
    // Below.
  }
  throw new RangeError(
    `${JSON.stringify(text)} is not the address of metrics, such as http://localhost:8000/metrics`,
  )
}

/**
 * Requests an endpoint's metrics.
 *
 * @param timeout - in milliseconds
 * @throws ScrapeError; the reason of the signal
 */
export async function scrape(url: string, timeout: number, signal: AbortSignal): Promise<Scrape> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const end = (): void => controller.abort()
  signal.addEventListener('abort', end)
  const timer = setTimeout(end, timeout)
  try {
    const headers = { Accept: 'text/plain' }
    const response = await fetch(url, { headers, signal: controller.signal })
    const text = await body(response)
    if (!response.ok) {
      const why = text.startsWith('# ') ? `: ${text.slice(2).trim()}` : ''
      throw new ScrapeError(`HTTP status ${response.status}${why}`)
    }
    return read(text)
  } catch (error) {
    signal.throwIfAborted()
    if (controller.signal.aborted) throw new ScrapeError(`${url}: no reply in ${timeout} ms`)
    throw new ScrapeError(`${url}: ${reason(error)}`)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

async function body(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > LONGEST) break
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Why a request failed: `fetch` itself says only that it did. */
function reason(error: unknown): string {
  const { message, cause } = error as {
    message: string
    cause?: { message?: string; code?: string }
  }
  return cause?.message || cause?.code || message
}

/**
 * Parses Spikewire's metrics from a text in Prometheus' format.
 *
 * @throws ScrapeError if there are none
 */
export function read(text: string): Scrape {
  const metrics = new Scrape()
  for (const line of text.split('\n')) {
    const m = line.startsWith('spikewire_') ? SAMPLE.exec(line) : null
    if (m === null) continue
    const [, name, inside = '', number] = m as unknown as [string, string, string?, string?]
    const value = numberOf(number as string)
    if (!Number.isFinite(value)) continue
    const labels: Labels = {}
    for (const [, label, quoted] of inside.matchAll(LABEL)) {
      labels[label as string] = plain(quoted as string)
    }
    add(metrics, name.slice('spikewire_'.length), labels, value)
  }
  if (metrics.values.size === 0) {
    throw new ScrapeError('it serves metrics, but none of a Spikewire client')
  }
  return metrics
}

function numberOf(text: string): number {
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text)
}

function plain(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
}

function add(metrics: Scrape, name: string, labels: Labels, value: number): void {
  for (const [prefix, all] of [
    ['command_duration_seconds_', metrics.commands],
    ['stage_duration_seconds_', metrics.stages],
  ] as const) {
    if (!name.startsWith(prefix)) continue
    const { le, ...own } = labels
    const key = JSON.stringify(Object.entries(own).sort())
    const series = all.get(key) ?? { labels: own, buckets: new Map(), count: 0 }
    all.set(key, series)
    const part = name.slice(prefix.length)
    if (part === 'count') series.count = value
    else if (part === 'bucket' && le !== undefined && !Number.isNaN(numberOf(le))) {
      series.buckets.set(numberOf(le), value)
    }
    return
  }
  const samples = metrics.values.get(name) ?? []
  samples.push([labels, value])
  metrics.values.set(name, samples)
}
