/** The statistics between two scrapes, by operation, node and result. */

import type { Labels, Scrape, Series } from './scrape.js'

/** Statistics of a group of commands during the interval. */
export interface Line {
  readonly name: string
  /** Commands per second. */
  readonly rate: number
  /**
   * Those of them per second whose result is neither `ok` nor about the record itself, such as
   * `not_found`.
   */
  readonly errors: number
  /** Latencies in seconds; `null` where there was no command. */
  readonly p50: number | null
  readonly p99: number | null
  /** Per second, by result. */
  readonly results: { readonly [result: string]: number }
}

/** Statistics of a node, with its connections. */
export interface NodeLine extends Line {
  readonly connections: number
  readonly breaker_open: boolean
  /** Commands it gets at a time; 0: no limit. */
  readonly limit: number
  /** Commands that wait because of the limit. */
  readonly waiting: number
  /** Commands per second that failed as Overloaded. */
  readonly rejections: number
}

/** A key that the near cache has and that is read often. */
export interface HotKeyLine {
  readonly namespace: string
  readonly set: string
  /** In hexadecimal digits. */
  readonly digest: string
  /** Reads per second. */
  readonly rate: number
}

/** All statistics of an interval, with the names that they have in the output for programs. */
export interface View {
  /** The length of the interval. */
  readonly seconds: number
  readonly counting: boolean
  readonly in_flight: number
  readonly queued: number
  /** Further attempts per second. */
  readonly retries: number
  /** Those per second that the retry budget did not allow. */
  readonly denied: number
  readonly total: Line
  readonly operations: readonly Line[]
  readonly nodes: readonly NodeLine[]
  readonly stages: readonly Line[]
  /** The hottest first; empty without a near cache. */
  readonly hot_keys: readonly HotKeyLine[]
  /** Reads per second that the near cache answered, which are not among the commands. */
  readonly hit_rate: number
}

/**
 * Results that are not errors: the command worked, but may have found another state of the record
 * than hoped for.
 */
const ANSWERS = ['ok', 'not_found', 'record_exists', 'generation', 'filtered_out']

/** The statistics between two scrapes. */
export function between(before: Scrape, after: Scrape): View {
  const seconds = Math.max(after.at - before.at, 1e-9)
  const commands = changes(before.commands, after.commands)
  const stages = changes(before.stages, after.stages)
  const rate = (name: string): number =>
    Math.max(after.total(name) - before.total(name), 0) / seconds
  const operations = grouped(commands, ({ operation = '', namespace = '' }) =>
    `${operation} ${namespace}`.trim(),
  )
  const byNode = grouped(commands, ({ node = '' }) => node)
  const known = (after.values.get('node_connections') ?? []).map(([{ node = '' }]) => node)
  const names = [...new Set([...known, ...byNode.keys()])].sort()
  return {
    seconds,
    counting: after.total('counting') > 0,
    in_flight: Math.trunc(after.total('commands_in_flight')),
    queued: Math.trunc(after.total('commands_queued')),
    retries: rate('command_retries_total'),
    denied: rate('retries_denied_total'),
    total: lineOf('all', commands, seconds),
    operations: [...operations]
      .map(([name, these]) => lineOf(name, these, seconds))
      .sort((one, other) => other.rate - one.rate),
    nodes: names.map((node) => ({
      ...lineOf(node || 'none', byNode.get(node) ?? [], seconds),
      connections: Math.trunc(after.total('node_connections', { node })),
      breaker_open: after.total('node_breaker_open', { node }) > 0,
      limit: Math.trunc(after.total('node_limit', { node })),
      waiting: Math.trunc(after.total('node_waiting', { node })),
      rejections: rejections(before, after, node) / seconds,
    })),
    stages: [...grouped(stages, ({ stage = '' }) => stage)].map(([name, these]) =>
      lineOf(name, these, seconds),
    ),
    hot_keys: (after.values.get('hot_key_reads_per_second') ?? [])
      .map(([{ namespace = '', set = '', digest = '' }, rate]) => ({
        namespace,
        set,
        digest,
        rate,
      }))
      .sort((one, other) => other.rate - one.rate),
    hit_rate: rate('near_cache_hits_total'),
  }
}

function rejections(before: Scrape, after: Scrape, node: string): number {
  const name = 'node_rejections_total'
  const [was, now] = [before.total(name, { node }), after.total(name, { node })]
  return now >= was ? now - was : now
}

/**
 * The differences of series. If the program was restarted or its counters were reset, everything
 * counts.
 */
function changes(before: Map<string, Series>, after: Map<string, Series>): Series[] {
  return [...after].map(([key, series]) => {
    const was = before.get(key)
    if (was === undefined || was.count > series.count) return series
    const buckets = [...series.buckets].map(
      ([bound, count]) => [bound, count - (was.buckets.get(bound) ?? 0)] as const,
    )
    const { labels } = series
    return { labels, buckets: new Map(buckets), count: series.count - was.count }
  })
}

function grouped(all: readonly Series[], name: (labels: Labels) => string): Map<string, Series[]> {
  const groups = new Map<string, Series[]>()
  for (const series of all) {
    const of = name(series.labels)
    groups.set(of, [...(groups.get(of) ?? []), series])
  }
  return groups
}

function lineOf(name: string, commands: readonly Series[], seconds: number): Line {
  const results = new Map<string, number>()
  const buckets = new Map<number, number>()
  for (const { labels, buckets: own, count } of commands) {
    const result = labels['result'] ?? 'ok'
    if (count > 0) results.set(result, (results.get(result) ?? 0) + count / seconds)
    for (const [bound, inside] of own) buckets.set(bound, (buckets.get(bound) ?? 0) + inside)
  }
  const rates = [...results]
  const sum = (some: typeof rates): number => some.reduce((total, [, rate]) => total + rate, 0)
  return {
    name,
    rate: sum(rates),
    errors: sum(rates.filter(([result]) => !ANSWERS.includes(result))),
    p50: quantile(buckets, 0.5),
    p99: quantile(buckets, 0.99),
    results: Object.fromEntries(results),
  }
}

/**
 * The latency that this share of the commands did not exceed, assuming an even spread within
 * buckets; `null` if there are no commands.
 */
function quantile(buckets: Map<number, number>, share: number): number | null {
  const bounds = [...buckets.keys()].sort((one, other) => one - other)
  const all = buckets.get(bounds.at(-1) ?? 0) ?? 0
  if (all <= 0) return null
  const rank = share * all
  let [lower, below] = [0, 0]
  for (const upper of bounds) {
    const upTo = buckets.get(upper) as number
    if (upTo >= rank) {
      if (upper === Number.POSITIVE_INFINITY) return lower
      const part = upTo > below ? (rank - below) / (upTo - below) : 1
      return lower + (upper - lower) * part
    }
    ;[lower, below] = [upper, upTo]
  }
  return lower
}
