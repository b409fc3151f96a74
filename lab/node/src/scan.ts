/** Scans of whole sets, one after the other. */

import { performance } from 'node:perf_hooks'
import { about, type ClientRun } from './client-run.js'
import type { BenchClient } from './clients.js'
import type { Job, ScanResult } from './job.js'
import { Curve, loadAverage, Window } from './measure.js'
import { excerpt } from './read-check.js'
import { BY_KEY, Check, unchecked } from './scan-check.js'
import { type BinSpec, matches, parseBins, valuePool } from './workload.js'

export async function scan(clientRun: ClientRun): Promise<ScanResult> {
  const { job, client, ready } = clientRun
  const specs = parseBins(job.bins)
  const [way = '', consumer = 'no-op'] = job.shape.way.split('/')
  await ready()
  const average = loadAverage()
  const window = new Window(job.server_pid)
  const curve = new Curve()
  const scanning = async (seconds: number) => {
    const end = performance.now() + seconds * 1000
    let scans = 0
    do {
      const { count, last } = await client.scan(way, consumer)
      if (count !== job.keys) throw new Error(`a scan gave ${count} of ${job.keys} records`)
      if (!matches(specs, last))
        throw new Error(`a record reads back as ${excerpt(last)}, not ${job.bins}`)
      scans++
    } while (performance.now() < end)
    return scans
  }
  if (job.warmup > 0) await scanning(job.warmup)
  window.open()
  const scans = await scanning(job.duration)
  const used = window.close()
  const memory = curve.end()
  const checked = job.verify ? await verified(job, specs, client, way) : undefined
  return {
    ...about(clientRun),
    ...used,
    scans,
    records: scans * job.keys,
    memory,
    ...(checked !== undefined && { checked }),
    load_average: average,
  }
}

/** One more scan, in which every record is compared with what was written. */
async function verified(
  job: Job,
  specs: BinSpec[],
  client: BenchClient,
  way: string,
): Promise<string> {
  const missing = unchecked()
  if (missing !== undefined) return missing
  const check = new Check(valuePool(specs, job.seed), job.set, job.keys)
  await client.each(way, (digest, bins) => check.seen(digest, bins))
  check.end()
  return BY_KEY
}
