/** A process that is an embedded cluster, until the process that started it lets go of it. */

import { Cluster, type ClusterOptions } from '../testing.js'

/** What this process says. */
export type FromServer = { seeds: string; ca?: string } | { failed: string }

const say = (message: FromServer) => process.send?.(message)

process.on('disconnect', () => process.exit(0))
// Ctrl-C in a terminal reaches this process, too: the benchmark says when it has ended.
process.on('SIGINT', () => {})
process.once('message', (options: ClusterOptions) => {
  Cluster.start(options).then(
    ({ seeds, certificates }) => say({ seeds, ...(certificates ? { ca: certificates.ca } : {}) }),
    (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
