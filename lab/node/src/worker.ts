/**
 * The entry point for the Python lab: reads one job as JSON from standard input and writes its
 * answer as JSON to standard output. The measuring processes are its children, so a job may use
 * several.
 */

import { text } from 'node:stream/consumers'
import { buildInfo } from './build-info.js'
import type { CqlJob, CqlResult } from './cql-job.js'
import { runCql } from './cql-run.js'
import { type Answer, failure, type Job } from './job.js'
import { runInChildren } from './processes.js'

async function answer(): Promise<Answer | CqlResult> {
  try {
    const job = JSON.parse(await text(process.stdin)) as Job | CqlJob
    if (job.action === 'cql') return await answerCql(job as CqlJob)
    return await answerJob(job as Job)
  } catch (error) {
    return failure(error)
  }
}

/** Cassandra's clients are measured in this process. */
async function answerCql(job: CqlJob): Promise<Answer | CqlResult> {
  const result = await runCql(job)
  return job.client === 'spikewire' && 'elapsed' in result
    ? { ...result, build: await buildInfo() }
    : result
}

async function answerJob(job: Job): Promise<Answer> {
  const result = await runInChildren(job)
  return job.client === 'spikewire' && 'elapsed' in result
    ? { ...result, build: await buildInfo() }
    : result
}

// Samples are whole nanoseconds.
const plain = (_: string, value: unknown) =>
  value instanceof Float64Array ? Array.from(value, Math.round) : value

answer().then((result) => {
  // A client's own threads must not keep a finished process alive.
  process.stdout.write(`${JSON.stringify(result, plain)}\n`, () => process.exit(0))
})
