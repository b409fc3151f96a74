/**
 * `node:cluster`: processes that share a port, each with its own client. The primary process only hands
 * on connections, needs no client for that, and replaces a process that dies.
 */

import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, op } from 'spikewire'
import { withCluster } from './seeds.js'

const PROCESSES = 2

/** Counts requests, and ends when it is asked to. */
async function serve(seeds: string): Promise<void> {
  const client = await Client.connect(seeds, { timeout: 2_000 })
  const hits = client.dataset<{ n: number }>('test', 'hits')
  const server = createServer(async (request, response) => {
    // A process that dies without a word, for this example.
    if (request.url === '/die') process.exit(1)
    const { bins } = await hits.operate('all', [op.add('n', 1), op.get('n')])
    response.setHeader('connection', 'close').end(String(bins.n))
  })
  server.listen(0, '127.0.0.1')
  process.once('SIGTERM', () => {
    // Requests that have arrived are answered; then the client is closed, and nothing keeps the process.
    server.close(() => void client.close().then(() => cluster.worker?.disconnect()))
  })
}

if (cluster.isPrimary) {
  await withCluster(async (seeds) => {
    let isEnding = false
    let replaced = 0
    const start = () => cluster.fork({ SEEDS: seeds })
    cluster.on('exit', () => {
      if (isEnding) return
      replaced++
      start()
    })
    const listening = () => once(cluster, 'listening') as Promise<[unknown, AddressInfo]>
    const first = listening()
    for (let n = 0; n < PROCESSES; n++) start()
    const [, { port }] = await first
    const ask = async (path = '/') => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    for (let n = 0; n < 10; n++) await ask()
    const again = listening()
    await ask('/die').catch(() => undefined)
    await again
    const count = await ask()
    isEnding = true
    const ended = Object.values(cluster.workers ?? {}).map(async (worker) => {
      worker?.process.kill('SIGTERM')
      const [code] = (await once(worker as NonNullable<typeof worker>, 'exit')) as [number]
      return code
    })
    console.log(
      `${count} requests, ${replaced} process replaced, exit codes ${await Promise.all(ended)}`,
    )
  })
} else {
  await serve(process.env['SEEDS'] as string)
}
