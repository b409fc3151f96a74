/**
 * Closed loops: a fixed number of calls in flight, each starting when the previous one has ended.
 */

import { type ClientRun, linesOf, prepared, resultOf } from './client-run.js'
import type { BenchClient } from './clients.js'
import type { Job, Result } from './job.js'
import { batches, latencyOf, runLoops, singles } from './loop.js'
import { Window } from './measure.js'
import { intervalOf, Resident, seriesOf } from './series.js'
import { batchStream, insertStream, mixedStream, parseBins, valuePool } from './workload.js'

/** Time limit for writing every key, in seconds. */
const INSERT_LIMIT = 300

/** Measures a mix with `readPercent` reads or, if `inserting`, writes every key once. */
export async function runClosedLoops(
  clientRun: ClientRun,
  inserting: boolean,
  readPercent: number,
  bare: number,
): Promise<Result> {
  const { job, client } = clientRun
  const load = loopsOf(job, client, inserting, readPercent)
  const before = await prepared(clientRun, bare)
  if (!inserting) await runLoops(load, job.warmup, true)
  const window = new Window(job.server_pid)
  window.open()
  const interval = intervalOf(job.duration)
  const resident = new Resident(interval)
  const seconds = inserting ? INSERT_LIMIT : job.duration
  const tally = await runLoops(load, seconds, !inserting, interval, (sources, since) =>
    linesOf(job, sources, since),
  )
  const used = window.close()
  const rss = resident.end()
  const { samples, began, ended } = tally
  return {
    ...resultOf(clientRun, before, { ...tally, used, latency: latencyOf(samples) }),
    // A load that ends by itself has only the rate of the whole window.
    ...(inserting ? {} : { rate: tally.rate * job.shape.rows }),
    series: seriesOf(samples, began, ended, interval, job.shape.rows, rss),
  }
}

/** One loop per worker. */
function loopsOf(job: Job, client: BenchClient, inserting: boolean, readPercent: number) {
  const specs = parseBins(job.bins)
  const pool = valuePool(specs, job.seed)
  const names = specs.map((_, at) => `b${at}`)
  const { concurrency, keys, shape } = job
  const seed = job.seed + (job.part ?? 0)
  return Array.from({ length: concurrency }, (_, worker) => {
    if (shape.kind === 'batch-read' || shape.kind === 'batch-write') {
      const written = shape.kind === 'batch-write' ? pool : undefined
      const stream = batchStream(written, keys, seed, worker, concurrency, shape.rows)
      return batches(client, stream, names)
    }
    if (shape.kind !== 'single') throw new RangeError(`no work ${JSON.stringify(shape.kind)}`)
    const stream = inserting
      ? insertStream(pool, keys, worker, concurrency)
      : mixedStream(readPercent, pool, keys, seed, worker, concurrency)
    return singles(client, stream, job.sample_every)
  })
}
