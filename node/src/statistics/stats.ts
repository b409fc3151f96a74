/** Statistics of a client as plain data: `client.stats()`. Times are in milliseconds. */

import {
  type CommandFields,
  type NearCacheFields,
  type NodeFields,
  native,
  type StageFields,
  type StatsFields,
} from './native.js'

const NANOSECONDS: readonly number[] = native.metricsBounds()

/**
 * The upper bounds of the latency buckets, in milliseconds: 1 µs to 17 s, eight per doubling. A last
 * bucket beyond them has none.
 */
export const BOUNDS: readonly number[] = Object.freeze(NANOSECONDS.map((bound) => bound / 1e6))

/** The same in seconds. */
export const SECONDS: readonly number[] = NANOSECONDS.map(
  (bound) => Math.floor(bound / 1e9) + (bound % 1e9) / 1e9,
)

/** The labels by which commands are counted. */
export interface CommandLabels {
  /**
   * `get`, `exists`, `put`, `add`, `append`, `prepend`, `touch`, `delete`, `operate`, `apply`,
   * `batch_read`, `batch_write` or `info`. A batch is one command per node involved. `query`,
   * `aggregate`, `job_start` and `job_wait` count once, however many requests they make. For
   * Cassandra: `query`, `prepare`, `execute`, `batch`.
   */
  readonly operation: string
  /** Empty if there is none. A batch over several namespaces counts under that of its first row. */
  readonly namespace: string
  /** Name and address; empty if the command reached no node, and for queries that succeeded. */
  readonly node: string
  /**
   * `ok`, a result code's name such as `not_found`, or a client-side failure: `timeout`,
   * `connection`, `busy`, `circuit_open`, `no_node`, `withdrawn` ...
   */
  readonly result: string
}

/** Durations in the buckets of `BOUNDS`. */
abstract class Durations {
  /** The number of durations in each bucket of `BOUNDS`, and beyond the last. */
  readonly buckets: readonly number[]
  /** The sum of the durations, in milliseconds. */
  readonly milliseconds: number
  /** How many there are. */
  readonly count: number

  /** @internal */
  constructor(buckets: readonly number[], milliseconds: number) {
    this.buckets = buckets
    this.milliseconds = milliseconds
    this.count = sum(buckets, (count) => count)
  }

  /** The mean in milliseconds; NaN if there are none. */
  get mean(): number {
    return this.milliseconds / this.count
  }

  /**
   * A duration in milliseconds that this share of them (0.99) did not exceed; at most an eighth too
   * high. NaN if there are none, infinite beyond 17 s.
   *
   * @throws RangeError for a share that is not between 0 and 1
   */
  quantile(share: number): number {
    if (!(share >= 0 && share <= 1)) {
      throw new RangeError(`share must be between 0 and 1, got ${String(share)}`)
    }
    if (this.count === 0) return Number.NaN
    let left = Math.max(1, Math.ceil(share * this.count))
    for (const [at, count] of this.buckets.entries()) {
      left -= count
      if (left <= 0) return BOUNDS[at] ?? Number.POSITIVE_INFINITY
    }
    return Number.POSITIVE_INFINITY
  }
}

/** Totals of commands of one kind, on one namespace and node, with one result. */
export class CommandStats extends Durations implements CommandLabels {
  readonly operation: string
  readonly namespace: string
  readonly node: string
  readonly result: string
  /** Records involved. */
  readonly records: number
  /** Attempts beyond the first. */
  readonly retries: number
  /** Requests sent to nodes for queries, aggregations and jobs; 0 for other commands. */
  readonly parts: number
  /** Bytes of requests, each counted once however many attempts there were. */
  readonly bytesSent: number
  /** Bytes of replies. */
  readonly bytesReceived: number

  /** @internal */
  constructor(fields: CommandFields) {
    super(fields[4], fields[5])
    this.operation = fields[0]
    this.namespace = fields[1]
    this.node = fields[2]
    this.result = fields[3]
    this.records = fields[6]
    this.retries = fields[7]
    this.parts = fields[8]
    this.bytesSent = fields[9]
    this.bytesReceived = fields[10]
  }
}

/** How long a stage of commands took, while stages were timed (`enable({ stages: true })`). */
export class StageStats extends Durations {
  /**
   * `encode`: from the call until its request is composed; `queue`: until the operating system has
   * it, including earlier attempts; `wire`: until its reply has arrived; `turn`: until its turn
   * among the replies that arrived together; `deliver`: until it is decoded and given to its
   * promise; `hand_over`: until the task that waits for the promise continues, of every 64th call; `decode`: creating the objects of a batch.
   */
  readonly stage: string

  /** @internal */
  constructor(fields: StageFields) {
    super(fields[1], fields[2])
    this.stage = fields[0]
  }
}

/** A node as the client sees it. */
export interface NodeStats {
  /** The node's own name; for Cassandra its host id. */
  readonly name: string
  readonly address: string
  /** Connections that commands share, open or being opened, excluding those of queries. */
  readonly connections: number
  /** The number of them opened so far. */
  readonly opened: number
  /** Failures in this window of the circuit breaker (`maxErrorRate`). */
  readonly errors: number
  /** Whether the circuit breaker keeps commands away. */
  readonly breakerOpen: boolean
  /** The node as named in commands and events: name and address; for Cassandra the address. */
  readonly label: string
  /**
   * Its share of the requests that another node can take as well: 0 while it is believed not to
   * answer, growing to 1 after it has come back (`slowStart`).
   */
  readonly share: number
  /**
   * How many commands the node gets at a time, because its replies are late or it said that it is
   * overloaded; `null`: there is no such limit at the moment.
   */
  readonly limit: number | null
  /** How many it has, while there is a limit. */
  readonly inFlight: number
  /** How many wait because of the limit. */
  readonly waiting: number
  /** How many were rejected with `Overloaded` since the client found the node. */
  readonly rejections: number
  /**
   * How long it took until connections were ready for commands, since the client found the node: the
   * number of times in each bucket of `BOUNDS`, and beyond the last.
   */
  readonly connectBuckets: readonly number[]
  /** The sum of these times, in milliseconds. */
  readonly connectMilliseconds: number
  /**
   * Bytes of the client's own requests, by which it follows the cluster, and of info commands, since it
   * found the node.
   */
  readonly controlSent: number
  /** Bytes of the replies to these. */
  readonly controlReceived: number
}

/** A key in the near cache that is read often. */
export interface HotKey {
  readonly namespace: string
  /** Empty for records without a set. */
  readonly set: string
  /** Of the record: that of `dataset.key(...)`. */
  readonly digest: Buffer
  /** How often it is read, answered by the cache or not, in the last quarter of a second. */
  readonly readsPerSecond: number
}

/** A client's near cache (`nearCache`), since the client was opened. */
export interface NearCacheStats {
  /** Reads that it answered. They are not among the commands. */
  readonly hits: number
  /** Reads that it could have answered and that were sent. */
  readonly misses: number
  /** How often a record was asked whether it has changed. */
  readonly revalidations: number
  /** Entries that made room for others. */
  readonly evictions: number
  readonly entries: number
  /** What the entries take. */
  readonly bytes: number
  /** The keys read most often, at most 20. */
  readonly hotKeys: readonly HotKey[]
}

/** A client's counters since the last reset, and its current state. */
export class Stats {
  /** Whether commands are counted (`client.metrics.enable()`). */
  readonly counting: boolean
  readonly commands: readonly CommandStats[]
  /** The stages of all commands together; empty if they were not timed. */
  readonly stages: readonly StageStats[]
  readonly nodes: readonly NodeStats[]
  /**
   * Commands sent or waiting to be sent, as of the last replies; while counting is off, it is
   * updated ten times a second.
   */
  readonly inFlight: number
  /** Those of them waiting for a place on a connection. */
  readonly queued: number
  /**
   * Second requests (`hedge`, and for rows of slow nodes with `deadline`) since the client was
   * opened; always counted.
   */
  readonly hedgesSent: number
  /** Those of them that were answered first. */
  readonly hedgesWon: number
  /**
   * Retries, second requests and speculative executions since the client was opened; always counted.
   */
  readonly retriesSent: number
  /** Those that were not sent because of `retryBudget`. */
  readonly retriesDenied: number
  /**
   * Reads answered by the request of another, identical one (`shareReads`) since the client was
   * opened; always counted.
   */
  readonly readsShared: number
  /** Rows that had not come by the `deadline` of their call; always counted. */
  readonly rowsLate: number
  /** The cache for hot keys; `null` if the client has none. */
  readonly nearCache: NearCacheStats | null
  /**
   * Nodes of the cluster that cannot be reached from here, by name: the addresses that were tried,
   * and why each failed. Always empty for Cassandra.
   */
  readonly unreachable: ReadonlyMap<string, string>
  /** How often the client refreshed its view of the cluster. */
  readonly tends: number
  /** How often a refresh found no node. */
  readonly failedTends: number
  /** Time since the last refresh, in milliseconds. */
  readonly tendAge: number

  /** @internal */
  constructor(fields: StatsFields) {
    this.counting = fields.counting
    this.commands = fields.commands.map((command) => new CommandStats(command))
    this.stages = fields.stages.map((stage) => new StageStats(stage))
    this.nodes = fields.nodes.map(nodeOf)
    this.inFlight = fields.inFlight
    this.queued = fields.queued
    this.hedgesSent = fields.hedgesSent
    this.hedgesWon = fields.hedgesWon
    this.retriesSent = fields.retriesSent
    this.retriesDenied = fields.retriesDenied
    this.readsShared = fields.readsShared
    this.rowsLate = fields.rowsLate
    this.nearCache = fields.nearCache === null ? null : nearCacheOf(fields.nearCache)
    this.unreachable = new Map(fields.unreachable)
    this.tends = fields.tends
    this.failedTends = fields.failedTends
    this.tendAge = fields.tendAge
  }

  /**
   * The sum of all commands with these labels; labels that are not given are empty in the result.
   *
   * @throws TypeError for a label that there is not
   */
  select(labels: Partial<CommandLabels> = {}): CommandStats {
    for (const name of Object.keys(labels)) {
      if (!LABELS.includes(name as keyof CommandLabels)) {
        throw new TypeError(`unknown label ${name}; there are: ${LABELS.join(', ')}`)
      }
    }
    const commands = this.commands.filter((command) =>
      LABELS.every((label) => labels[label] === undefined || labels[label] === command[label]),
    )
    return new CommandStats([
      labels.operation ?? '',
      labels.namespace ?? '',
      labels.node ?? '',
      labels.result ?? '',
      [...BOUNDS, 0].map((_, at) => sum(commands, ({ buckets }) => buckets[at] ?? 0)),
      sum(commands, ({ milliseconds }) => milliseconds),
      sum(commands, ({ records }) => records),
      sum(commands, ({ retries }) => retries),
      sum(commands, ({ parts }) => parts),
      sum(commands, ({ bytesSent }) => bytesSent),
      sum(commands, ({ bytesReceived }) => bytesReceived),
    ])
  }
}

const LABELS: readonly (keyof CommandLabels)[] = ['operation', 'namespace', 'node', 'result']

function sum<T>(all: readonly T[], number: (one: T) => number): number {
  return all.reduce((total, one) => total + number(one), 0)
}

function nodeOf(fields: NodeFields): NodeStats {
  const [name, address, connections, opened, errors, breakerOpen, label, share, ...load] = fields
  const [limit, inFlight, waiting, rejections, ...totals] = load
  const [connectBuckets, connectMilliseconds, controlSent, controlReceived] = totals
  return {
    ...{ name, address, connections, opened, errors, breakerOpen, label, share },
    ...{ limit, inFlight, waiting, rejections },
    ...{ connectBuckets, connectMilliseconds, controlSent, controlReceived },
  }
}

function nearCacheOf(fields: NearCacheFields): NearCacheStats {
  const [hits, misses, revalidations, evictions, entries, bytes, keys] = fields
  const hotKeys = keys.map(([namespace, set, digest, readsPerSecond]) => ({
    namespace,
    set,
    digest,
    readsPerSecond,
  }))
  return { hits, misses, revalidations, evictions, entries, bytes, hotKeys }
}
