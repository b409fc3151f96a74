/** Open loops: calls start at a fixed rate, however long they take. */

import { performance } from 'node:perf_hooks'
import type { BenchClient } from './clients.js'
import type { Job, Result } from './job.js'
import { once, onceMany } from './loop.js'
import { Window } from './measure.js'
import { Calls, Ended, REAL, TIMED_OUT } from './open.js'
import { linesOf, type Opened, prepared, resultOf } from './opened.js'
import type { Asked } from './schedule.js'
import {
  type BatchOperation,
  batchStream,
  mixedStream,
  type Operation,
  parseBins,
  valuePool,
} from './workload.js'

/** The calls of an open loop, by number, and whether each is a write. */
interface Called {
  call(at: number): Promise<unknown>
  writes(at: number): boolean
}

/** Runs calls at a rate and returns their start and end times, which the lab evaluates. */
export async function atARate(
  opened: Opened,
  asked: Asked,
  called: Called,
  bare: number,
): Promise<Result> {
  const { job } = opened
  const before = await prepared(opened, bare)
  const idling = new Window(null)
  const nothing = async () => {}
  await new Calls(asked, asked.pacing).run(nothing, job.concurrency, REAL, () => idling.open())
  const idle = idling.close()
  await new Calls(asked, asked.warmup).run(called.call, job.concurrency)
  const window = new Window(job.server_pid)
  const calls = new Calls(asked, asked.measured)
  let lines: { end(): void } | undefined
  await calls.run(called.call, job.concurrency, REAL, () => {
    window.open()
    const since = performance.now()
    lines = linesOf(job, [new Ended(calls, since)], since)
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
    ...resultOf(opened, before, done),
    open: {
      begun,
      ended,
      failures,
      writes: begun.map((_, at) => Number(called.writes(at))),
      start: calls.began,
      now: Math.round(used.elapsed * 1e9),
      pacing_calls: asked.pacing.due.length,
      pacing_cpu: idle.cpu.user + idle.cpu.system,
    },
  }
}

/** The calls of one stream, repeated. */
export function callOf(job: Job, client: BenchClient, readPercent: number): Called {
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
