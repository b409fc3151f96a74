/** Statistics for a registry of npm `prom-client`. */

import { boundText, type ExportOptions, sourcesOf } from './exposition.js'
import { FAMILIES, type Family } from './families.js'
import { type Clients, NoClientOpen, type Sources } from './sources.js'

/** The methods of a registry of `prom-client` (15) that are used. */
export interface MetricsRegistry {
  registerMetric(metric: never): void
  removeSingleMetric(name: string): void
}

/** What a registry asks for a metric. */
interface Values {
  name: string
  help: string
  type: Family['kind']
  aggregator: 'sum'
  values: { value: number; labels: object; metricName?: string }[]
}

/**
 * The statistics of a client among the metrics of a registry of `prom-client`:
 * `new Collector(client).register(register)`. They are read once for each time that the registry is.
 *
 * For several clients, pass an object of names and clients, as for `prometheus`; a registry accepts
 * one collector. Has no samples while all clients are closed, so the registry's other metrics are
 * still served.
 */
export class Collector {
  readonly #sources: Sources
  #families: Map<string, Family> | undefined

  /**
   * @throws TypeError, RangeError for invalid clients and labels
   */
  constructor(client: Clients, options?: ExportOptions) {
    this.#sources = sourcesOf(client, options)
  }

  /**
   * Adds the metrics to a registry; returns a function that removes them.
   *
   * @throws Error if the registry has metrics with these names
   */
  register(registry: MetricsRegistry): () => void {
    if (typeof registry?.registerMetric !== 'function') {
      throw new TypeError('registry must be a Registry of prom-client')
    }
    const names: string[] = []
    const remove = (): void => {
      for (const name of names) registry.removeSingleMetric(name)
    }
    try {
      for (const { name, kind, help } of FAMILIES) {
        const full = kind === 'counter' ? `${name}_total` : name
        const read = (): Family | undefined => this.#read().get(name)
        registry.registerMetric(new ReadMetric(full, kind, help, read) as never)
        names.push(full)
      }
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }

  /** The families; the same for all of them in one turn of the event loop. */
  #read(): Map<string, Family> {
    if (this.#families === undefined) {
      this.#families = new Map(this.#current().map((family) => [family.name, family]))
      setImmediate(() => {
        this.#families = undefined
      })
    }
    return this.#families
  }

  #current(): Family[] {
    try {
      return this.#sources.families()
    } catch (error) {
      if (error instanceof NoClientOpen) return []
      throw error
    }
  }
}

/** A metric as a registry expects it. */
class ReadMetric {
  /** A registry for OpenMetrics changes this. */
  name: string
  readonly type: Family['kind']
  readonly help: string
  readonly #read: () => Family | undefined

  constructor(name: string, kind: Family['kind'], help: string, read: () => Family | undefined) {
    this.name = name
    this.type = kind
    this.help = help
    this.#read = read
  }

  /** Called by a registry. */
  async get(): Promise<Values> {
    const { name, help, type } = this
    const values: Values['values'] = []
    for (const { labels, value, buckets } of this.#read()?.samples ?? []) {
      if (buckets === undefined) {
        values.push({ labels, value })
        continue
      }
      for (const [bound, count] of buckets) {
        const le = boundText(bound)
        values.push({ labels: { ...labels, le }, value: count, metricName: `${name}_bucket` })
      }
      values.push({ labels, value, metricName: `${name}_sum` })
      values.push({ labels, value: buckets.at(-1)?.[1] ?? 0, metricName: `${name}_count` })
    }
    return { name, help, type, values, aggregator: 'sum' }
  }

  /** Called by a registry: the counters are the client's, `client.metrics.reset()`. */
  reset(): void {}
}
