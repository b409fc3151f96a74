/** Enabled metrics: snapshots at intervals. */

import type { Stats as EngineStats } from '../../statistics/stats.js'
import { ArgumentKind, partInvalid } from './command.js'
import type { Config } from './config.js'
import { AerospikeError, invalid } from './error.js'
import type { Cluster, MetricsListeners } from './metrics.js'
import { fileListeners, timeOf } from './metrics-files.js'
import { type Aborted, closedNode, nodesOf, Since, totalsOf } from './metrics-snapshot.js'
import type { MetricsPolicyOptions } from './policies.js'
import { type AnyPolicy, numberOf } from './policy-options.js'

const LISTENERS = [
  'enableListener',
  'snapshotListener',
  'nodeCloseListener',
  'disableListener',
] as const
const SMALLEST_REPORT = 1_000_000
const LONGEST_FOLDER = 255
/** How long an interval of `tenderInterval` is by default, in milliseconds. */
const TEND = 1000

/** The client whose metrics are enabled. */
export interface MeteredClient {
  readonly config: Config
  readonly inFlight: number
  readonly abortedQueries: Aborted
  /** Spikewire's client, which counts. */
  readonly native: {
    stats(): EngineStats
    readonly metrics: { enable(): void; disable(): void }
  }
}

/** What of a policy metrics depend on. */
interface Settings {
  readonly listeners: MetricsListeners
  readonly labels: { [name: string]: string }
  readonly period: number
  readonly columns: number
  readonly shift: number
}

/** Checks that listeners are functions. Throws a TypeError that says which is none. */
export function checkListeners(policy: MetricsPolicyOptions | null | undefined): void {
  if (policy !== undefined && policy !== null && typeof policy !== 'object') {
    throw new ArgumentKind('policy must be an object')
  }
  const listeners = policy?.metricsListeners
  if (!listeners) return
  for (const name of LISTENERS) {
    const listener = listeners[name]
    if (listener !== undefined && listener !== null && typeof listener !== 'function') {
      throw new ArgumentKind(`${name} must be a function`)
    }
  }
}

function settingsOf(policy: MetricsPolicyOptions, config: Config, version: string): Settings {
  try {
    const of = policy as unknown as AnyPolicy
    const interval = numberOf(of, 'interval') ?? 30
    const columns = numberOf(of, 'latencyColumns') ?? 7
    const shift = numberOf(of, 'latencyShift') ?? 1
    const reportSizeLimit = numberOf(of, 'reportSizeLimit') ?? 0
    if (reportSizeLimit !== 0 && reportSizeLimit < SMALLEST_REPORT) {
      throw new AerospikeError(
        `Metrics policy report_size_limit ${reportSizeLimit} must be at least ${SMALLEST_REPORT}`,
      )
    }
    const reportDir = folderOf(policy.reportDir)
    const labels = labelsOf(policy.labels)
    const period = interval * Math.max(config.tenderInterval ?? TEND, 250)
    const own = policy.metricsListeners
    if (own && !LISTENERS.every((name) => own[name])) throw new TypeError('a listener is missing')
    const listeners =
      own ??
      fileListeners({
        reportDir,
        reportSizeLimit,
        latencyColumns: columns,
        latencyShift: shift,
        version,
      })
    return { listeners, labels, period, columns, shift }
  } catch (error) {
    if (error instanceof AerospikeError) throw error
    throw partInvalid('Metrics policy parameter', error)
  }
}

function folderOf(folder: unknown): string {
  if (folder === undefined || folder === null) return '.'
  if (typeof folder !== 'string' || folder === '' || folder.length > LONGEST_FOLDER) {
    throw new TypeError('reportDir must be the name of a folder')
  }
  return folder
}

function labelsOf(labels: unknown): { [name: string]: string } {
  if (labels === undefined || labels === null) return {}
  if (
    typeof labels !== 'object' ||
    Object.values(labels).some((each) => typeof each !== 'string')
  ) {
    throw new TypeError('labels must be an object of strings')
  }
  return { ...labels }
}

/** Metrics while they are enabled. */
export class MetricsRun {
  readonly #client: MeteredClient
  readonly #settings: Settings
  readonly #timer: NodeJS.Timeout
  /** Latencies count from then on; other numbers are those of the client since it was created. */
  readonly #since: Since
  #used = { wall: performance.now(), cpu: process.cpuUsage() }

  /** @throws AerospikeError for an invalid policy; what `enableListener` throws */
  constructor(client: MeteredClient, policy: MetricsPolicyOptions, version: string) {
    this.#client = client
    this.#settings = settingsOf(policy, client.config, version)
    const { listeners, period, columns, shift } = this.#settings
    if (!(columns >= 1 && columns <= 100 && shift >= 1)) {
      throw invalid('Metrics policy parameter invalid')
    }
    this.#since = new Since(client.native.stats())
    client.native.metrics.enable()
    call(() => listeners.enableListener?.())
    this.#timer = setInterval(() => {
      call(() => listeners.snapshotListener?.(this.#snapshot()))
    }, period).unref()
  }

  /** Tells listeners that a node has left. */
  nodeClosed(name: string, address: string): void {
    call(() => this.#settings.listeners.nodeCloseListener?.(closedNode(name, address)))
  }

  /** Ends them. */
  end(): void {
    clearInterval(this.#timer)
    const cluster = this.#snapshot()
    this.#client.native.metrics.disable()
    call(() => this.#settings.listeners.disableListener?.(cluster))
  }

  #snapshot(): Cluster {
    const { config } = this.#client
    const stats = this.#client.native.stats()
    const { commandCount, retryCount } = totalsOf(stats)
    return {
      time: timeOf(new Date()),
      cpuLoad: this.#load(),
      appId: config.appId ?? null,
      clusterName: config.clusterName ?? '',
      commandCount,
      invalidNodeCount: 0,
      transactionCount: commandCount,
      retryCount,
      delayQueueTimeoutCount: 0,
      labels: { ...this.#settings.labels },
      eventLoop: { processSize: this.#client.inFlight, queueSize: stats.queued },
      nodes: nodesOf(stats, this.#since, this.#settings, this.#client.abortedQueries),
    }
  }

  /** The percentage of one processor that the process has used since it was last asked. */
  #load(): number {
    const wall = performance.now()
    const used = process.cpuUsage(this.#used.cpu)
    const share = (used.user + used.system) / 1000 / Math.max(wall - this.#used.wall, 1)
    this.#used = { wall, cpu: process.cpuUsage() }
    return Math.round(100 * share)
  }
}

/** Calls a listener. What it throws is an uncaught exception, but for the failures of files. */
function call(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    if (error instanceof AerospikeError) throw error
    process.nextTick(() => {
      throw error
    })
  }
}
