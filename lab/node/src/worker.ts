/**
 * The entry point for the Python lab: reads one job as JSON from standard input and writes its
 * answer as JSON to standard output. The measuring processes are its children, so a job may use
 * several.
 */

import { text } from 'node:stream/consumers'
import { buildInfo } from './build-info.js'
import { type Answer, failure, type Job } from './job.js'
import { runInChildren } from './processes.js'

async function answer(): Promise<Answer> {
  try {
    const job = JSON.parse(await text(process.stdin)) as Job
    const result = await runInChildren(job)
    return job.client === 'spikewire' && 'elapsed' in result
      ? { ...result, build: await buildInfo() }
      : result
  } catch (error) {
    return failure(error)
  }
}

// Samples are whole nanoseconds.
const plain = (_: string, value: unknown) =>
  value instanceof Float64Array ? Array.from(value, Math.round) : value

answer().then((result) => {
  process.stdout.write(`${JSON.stringify(result, plain)}\n`)
})
