/** Metrics: what a client has done, at intervals, for listeners or in files. */

import type { AerospikeError } from './error.js'
import { status } from './status.js'
import type { NamespaceMetrics, Node } from './types.js'

/** A snapshot of a cluster. */
export interface Cluster {
  time?: string | undefined
  cpuLoad?: number | undefined
  appId: string | null
  clusterName: string
  commandCount: number
  invalidNodeCount: number
  transactionCount: number
  retryCount: number
  delayQueueTimeoutCount: number
  labels: { [name: string]: string }
  eventLoop: { processSize: number; queueSize: number }
  nodes: Node[]
}

/** Functions that get metrics. */
export interface MetricsListenersOptions {
  /** When metrics are enabled. */
  enableListener?: (() => void) | undefined
  /** At each interval. */
  snapshotListener?: ((cluster: Cluster) => void) | undefined
  /** When a node leaves the cluster. */
  // biome-ignore lint/suspicious/noExplicitAny: programs declare its parameter as they like.
  nodeCloseListener?: ((node: any) => void) | undefined
  /** When metrics are disabled. */
  disableListener?: ((cluster: Cluster) => void) | undefined
}

/** Functions that get metrics. */
export class MetricsListeners {
  enableListener: MetricsListenersOptions['enableListener']
  snapshotListener: MetricsListenersOptions['snapshotListener']
  nodeCloseListener: MetricsListenersOptions['nodeCloseListener']
  disableListener: MetricsListenersOptions['disableListener']

  constructor(options: MetricsListenersOptions) {
    this.enableListener = options.enableListener
    this.snapshotListener = options.snapshotListener
    this.nodeCloseListener = options.nodeCloseListener
    this.disableListener = options.disableListener
  }
}

/** The groups of commands whose times are counted. */
export type LatencyGroup = 'write' | 'read' | 'batch' | 'query'

const GROUPS: { readonly [command: string]: LatencyGroup } = {
  Get: 'read',
  Select: 'read',
  Exists: 'read',
  Put: 'write',
  Remove: 'write',
  Operate: 'write',
  Apply: 'write',
  Query: 'query',
}

/** The group of a command. */
function groupOf(command: string): LatencyGroup {
  return GROUPS[command] ?? (command.startsWith('Batch') ? 'batch' : 'write')
}

/** Counts commands by namespace while metrics are enabled. */
export class Counts {
  commands = 0
  readonly namespaces = new Map<string, NamespaceMetrics>()
  readonly #columns: number
  readonly #shift: number

  constructor(columns: number, shift: number) {
    this.#columns = columns
    this.#shift = shift
  }

  /** Counts a command that took so many milliseconds. */
  add(command: string, namespace: string, took: number, error?: AerospikeError | null): void {
    this.commands++
    const own = this.#of(namespace)
    if (error) {
      if (error.code === status.ERR_TIMEOUT) own.timeoutCount++
      else if (error.code === status.ERR_RECORD_BUSY) own.keyBusyCount++
      else own.errorCount++
    }
    const counts = own[`${groupOf(command)}Latency`]
    const column = this.#column(took)
    counts[column] = (counts[column] ?? 0) + 1
  }

  /** Up to 1 ms, 2^shift ms, 2^(2 * shift) ms and so on; the last column has the rest. */
  #column(took: number): number {
    let column = 0
    for (let limit = 1; took > limit && column < this.#columns - 1; limit *= 2 ** this.#shift) {
      column++
    }
    return column
  }

  #of(ns: string): NamespaceMetrics {
    let own = this.namespaces.get(ns)
    if (own === undefined) {
      const zeros = () => new Array<number>(this.#columns).fill(0)
      own = {
        ns,
        bytesIn: 0,
        bytesOut: 0,
        errorCount: 0,
        timeoutCount: 0,
        keyBusyCount: 0,
        connLatency: zeros(),
        writeLatency: zeros(),
        readLatency: zeros(),
        batchLatency: zeros(),
        queryLatency: zeros(),
      }
      this.namespaces.set(ns, own)
    }
    return own
  }
}
