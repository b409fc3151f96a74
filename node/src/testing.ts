/**
 * Tests without a server: the embedded cluster.
 *
 * ```ts
 * import { Client } from 'spikewire'
 * import { Cluster } from 'spikewire/testing'
 *
 * const cluster = await Cluster.start({ nodes: 3 })
 * const client = await Client.connect(cluster.seeds)
 * ```
 */

import './aerospike/hooks.js'

export { Cluster, ClusterError } from './testing/cluster.js'
export type { Faults } from './testing/faults.js'
export type {
  Certificates,
  ClusterOptions,
  NamespaceOptions,
  TlsOptions,
  UserOptions,
} from './testing/options.js'
export type { NodeStats } from './testing/stats.js'
