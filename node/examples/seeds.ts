/** Where the examples find a cluster: `SEEDS=host:port,...`, or one in this process. */

import { Cluster } from 'spikewire/testing'

/** Calls `main` with the seeds of a cluster, which is stopped when `main` returns. */
export async function withCluster(main: (seeds: string) => Promise<void>): Promise<void> {
  const seeds = process.env['SEEDS']
  if (seeds) return main(seeds)
  await using cluster = await Cluster.start({ nodes: 3 })
  await main(cluster.seeds)
}
