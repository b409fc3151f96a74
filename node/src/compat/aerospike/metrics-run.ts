/** Enabled metrics: snapshots at intervals. */

import { ArgumentKind, partInvalid } from './command.js'
import type { Config } from './config.js'
import { AerospikeError, invalid } from './error.js'
import { type Cluster, Counts, type MetricsListeners } from './metrics.js'
import { fileListeners, timeOf } from './metrics-files.js'
import type { MetricsPolicyOptions } from './policies.js'
import { type AnyPolicy, numberOf } from './policy-options.js'
import type { Node, Stats } from './types.js'

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
  stats(): Stats
  getNodes(): { name: string; address: string }[]
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
  readonly counts: Counts
  readonly #client: MeteredClient
  readonly #settings: Settings
  readonly #timer: NodeJS.Timeout
  #since = { wall: performance.now(), used: process.cpuUsage() }

  /** @throws AerospikeError for an invalid policy; what `enableListener` throws */
  constructor(client: MeteredClient, policy: MetricsPolicyOptions, version: string) {
    this.#client = client
    this.#settings = settingsOf(policy, client.config, version)
    const { listeners, period, columns, shift } = this.#settings
    if (!(columns >= 1 && columns <= 100 && shift >= 1)) {
      throw invalid('Metrics policy parameter invalid')
    }
    this.counts = new Counts(columns, shift)
    call(() => listeners.enableListener?.())
    this.#timer = setInterval(() => {
      call(() => listeners.snapshotListener?.(this.#snapshot()))
    }, period).unref()
  }

  /** Tells listeners that a node has left. */
  nodeClosed(name: string, address: string): void {
    const node: Node = { ...partsOf(name, address), metrics: [] }
    call(() => this.#settings.listeners.nodeCloseListener?.(node))
  }

  /** Ends them. */
  end(): void {
    clearInterval(this.#timer)
    const cluster = this.#snapshot()
    call(() => this.#settings.listeners.disableListener?.(cluster))
  }

  #snapshot(): Cluster {
    const { config } = this.#client
    const metrics = [...this.counts.namespaces.values()].map((each) => structuredClone(each))
    // Which node has answered is not known: the first one has the numbers of all.
    const nodes = this.#client.getNodes().map(({ name, address }, at) => ({
      ...partsOf(name, address),
      metrics: at === 0 ? metrics : [],
    }))
    return {
      time: timeOf(new Date()),
      cpuLoad: this.#load(),
      appId: config.appId ?? null,
      clusterName: config.clusterName ?? '',
      commandCount: this.counts.commands,
      invalidNodeCount: 0,
      transactionCount: this.counts.commands,
      retryCount: 0,
      delayQueueTimeoutCount: 0,
      labels: { ...this.#settings.labels },
      eventLoop: { processSize: this.#client.inFlight, queueSize: 0 },
      nodes,
    }
  }

  /** The percentage of one processor that the process has used since it was last asked. */
  #load(): number {
    const wall = performance.now()
    const used = process.cpuUsage(this.#since.used)
    const share = (used.user + used.system) / 1000 / Math.max(wall - this.#since.wall, 1)
    this.#since = { wall, used: process.cpuUsage() }
    return Math.round(100 * share)
  }
}

function partsOf(name: string, address: string): Node {
  const at = address.lastIndexOf(':')
  const connections = () => ({
    inUse: 0,
    inPool: 1,
    opened: 1,
    closed: 0,
    recovered: 0,
    aborted: 0,
  })
  return {
    name,
    address: address.slice(0, at),
    port: Number(address.slice(at + 1)),
    conns: connections(),
    syncConns: connections(),
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
