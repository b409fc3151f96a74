/** A process that runs an embedded cluster until its parent disconnects. */

import { Cluster, type ClusterOptions } from 'spikewire/testing'

/** Messages from this process. */
export type FromServer = { seeds: string; ca?: string } | { failed: string }

const say = (message: FromServer) => process.send?.(message)

process.on('disconnect', () => process.exit(0))
// Ctrl-C in a terminal reaches this process, too, but the benchmark decides when it ends.
process.on('SIGINT', () => {})
process.once('message', (options: ClusterOptions) => {
  Cluster.start(options).then(
    ({ seeds, certificates }) => say({ seeds, ...(certificates ? { ca: certificates.ca } : {}) }),
    (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
