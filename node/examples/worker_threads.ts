/** Worker threads, each with its own client on its own event loop. */

import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { Client, op } from 'spikewire'
import { withCluster } from './seeds.js'

const THREADS = 4
const ROUNDS = 200

async function work(seeds: string): Promise<void> {
  await using client = await Client.connect(seeds)
  const counters = client.dataset('test', 'counters')
  const rounds = Array.from({ length: ROUNDS }, () => counters.operate('total', [op.add('n', 1)]))
  await Promise.all(rounds)
}

if (isMainThread) {
  await withCluster(async (seeds) => {
    await using client = await Client.connect(seeds)
    const counters = client.dataset<{ n: number }>('test', 'counters')
    await counters.put('total', { n: 0 })
    const workers = Array.from(
      { length: THREADS },
      () => new Worker(fileURLToPath(import.meta.url), { workerData: seeds }),
    )
    await Promise.all(workers.map((worker) => once(worker, 'exit')))
    console.log(`${THREADS} threads, ${(await counters.get('total')).bins.n} rounds`)
  })
} else {
  await work(workerData as string)
}
