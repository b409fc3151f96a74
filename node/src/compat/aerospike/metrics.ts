/** Metrics: what a client has done, at intervals, for listeners or in files. */

import type { Node } from './types.js'

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
