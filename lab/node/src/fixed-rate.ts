/** Open loops: calls start at a fixed rate, however long they take. */

import { performance } from 'node:perf_hooks'
import { type ClientRun, linesOf, prepared, resultOf } from './client-run.js'
import type { BenchClient } from './clients.js'
import type { Job, Result } from './job.js'
import { once, onceMany } from './loop.js'
import { Window } from './measure.js'
import { CallLog, Calls, REAL, TIMED_OUT } from './open-loop.js'
import type { Schedule } from './schedule.js'
import {
  type BatchOperation,
  batchStream,
  mixedStream,
  type Operation,
  parseBins,
  valuePool,
} from './workload.js'

/** The calls of an open loop, by number, and whether each is a write. */
interface CallSource {
  call(at: number): Promise<unknown>
  writes(at: number): boolean
}

/** Runs calls at a rate and returns their start and end times, which the lab evaluates. */
export async function runAtRate(
  clientRun: ClientRun,
  schedule: Schedule,
  source: CallSource,
  bare: number,
): Promise<Result> {
  const { job } = clientRun
  const before = await prepared(clientRun, bare)
  const idling = new Window(null)
  const nothing = async () => {}
  await new Calls(schedule, schedule.pacing).run(nothing, job.concurrency, REAL, () =>
    idling.open(),
  )
  const idle = idling.close()
  await new Calls(schedule, schedule.warmup).run(source.call, job.concurrency)
  const window = new Window(job.server_pid)
  const calls = new Calls(schedule, schedule.measured)
  let lines: { end(): void } | undefined
  await calls.run(source.call, job.concurrency, REAL, () => {
    window.open()
    const since = performance.now()
    lines = linesOf(job, [new CallLog(calls, since)], since)
  })
  const used = window.close()
  lines?.end()
  const { begun, ended, failures } = calls
  const done = {
    used,
    tried: calls.sent,
    errors: failures.filter((failure) => failure !== 0).length,
    timeouts: failures.filter((failure) => failure === TIMED_OUT).length,
    firstError: calls.firstError,
    latency: { read: [], write: [], samples: 0, overwritten: 0, max_ns: 0 },
  }
  return {
    ...resultOf(clientRun, before, done),
    open: {
      begun,
      ended,
      failures,
      writes: begun.map((_, at) => Number(source.writes(at))),
      start: calls.began,
      now: Math.round(used.elapsed * 1e9),
      pacing_calls: schedule.pacing.due.length,
      pacing_cpu: idle.cpu.user + idle.cpu.system,
    },
  }
}

/** The calls of one stream, repeated. */
export function callOf(job: Job, client: BenchClient, readPercent: number): CallSource {
  const specs = parseBins(job.bins)
  const pool = valuePool(specs, job.seed)
  const seed = job.seed + (job.part ?? 0)
  if (job.shape.kind === 'single') {
    const stream = mixedStream(readPercent, pool, job.keys, seed, 0, 1)
    const operation = (at: number) => stream[at % stream.length] as Operation
    return { call: (at) => once(client, operation(at)), writes: (at) => !!operation(at)[1] }
  }
  const names = specs.map((_, at) => `b${at}`)
  const written = job.shape.kind === 'batch-write' ? pool : undefined
  const stream = batchStream(written, job.keys, seed, 0, 1, job.shape.rows)
  const operation = (at: number) => stream[at % stream.length] as BatchOperation
  return { call: (at) => onceMany(client, operation(at), names), writes: () => !!written }
}
