/** Runs one job in this process. */

import { AEROSPIKE, DROP_IN } from './aerospike-client.js'
import type { ClientRun } from './client-run.js'
import type { Candidate } from './clients.js'
import { runClosedLoops } from './closed-loop.js'
import { callOf, runAtRate } from './fixed-rate.js'
import type { Answer, Description, Job, Result } from './job.js'
import { peakRss } from './measure.js'
import { check } from './read-check.js'
import { scan } from './scan.js'
import { BUILDER, SPIKEWIRE } from './spikewire-client.js'
import { parseWorkload } from './workload.js'

/** The clients by name. */
export const CANDIDATES: { readonly [name: string]: Candidate } = {
  spikewire: SPIKEWIRE,
  'spikewire/builder': BUILDER,
  'spikewire/compat': DROP_IN,
  aerospike: AEROSPIKE,
}

/** Runs a job. `ready` is awaited when everything is prepared, before anything is measured. */
export async function run(job: Job, ready: () => Promise<void>): Promise<Answer> {
  const candidate = CANDIDATES[job.client]
  if (candidate === undefined) throw new RangeError(`no client ${JSON.stringify(job.client)}`)
  if (job.action.startsWith('describe')) return describe(candidate)
  const bare = peakRss()
  const version = await candidate.load()
  const client = await candidate.open(job)
  const clientRun = { job, name: candidate.name, version, client, ready }
  try {
    if (job.action === 'scan') return await scan(clientRun)
    return await measure(clientRun, bare)
  } finally {
    await client.close()
  }
}

async function describe(candidate: Candidate): Promise<Description> {
  try {
    return { client: candidate.name, unavailable: null, version: await candidate.load() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      client: candidate.name,
      unavailable: reason.split('\n', 1)[0] as string,
      version: null,
    }
  }
}

async function measure(clientRun: ClientRun, bare: number): Promise<Result> {
  const { job, client } = clientRun
  const workload = parseWorkload(job.workload)
  const inserting = job.action === 'populate' || workload === 'insert'
  if (!inserting) await check(job, client)
  const readPercent = workload === 'insert' ? 0 : workload.readPercent
  if (job.open === undefined) return runClosedLoops(clientRun, inserting, readPercent, bare)
  if (inserting) throw new RangeError('writing every key once has no rate')
  return runAtRate(clientRun, job.open, callOf(job, client, readPercent), bare)
}
