/** Metrics: listeners that get them at intervals. */

/** A snapshot of a cluster. */
export interface Cluster {
  [name: string]: unknown
}

/** Functions that get metrics. */
export interface MetricsListenersOptions {
  /** When metrics are enabled. */
  enableListener?: (() => void) | undefined
  /** At each interval. */
  snapshotListener?: ((cluster: Cluster) => void) | undefined
  /** When a node leaves the cluster. */
  nodeCloseListener?: ((node: object) => void) | undefined
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
