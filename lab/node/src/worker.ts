/**
 * The entry point for the Python lab: reads one job as JSON from standard input and writes its
 * answer as JSON to standard output. The measuring processes are its children, so a job may use
 * several.
 */

import { text } from 'node:stream/consumers'
import { built } from './built.js'
import { type Answer, failure, type Job } from './job.js'
import { inChildren } from './together.js'

async function answer(): Promise<Answer> {
  try {
    const job = JSON.parse(await text(process.stdin)) as Job
    const given = await inChildren(job)
    return job.client === 'spikewire' && 'elapsed' in given
      ? { ...given, build: await built() }
      : given
  } catch (error) {
    return failure(error)
  }
}

// Samples are whole nanoseconds.
const plain = (_: string, value: unknown) =>
  value instanceof Float64Array ? Array.from(value, Math.round) : value

answer().then((given) => {
  process.stdout.write(`${JSON.stringify(given, plain)}\n`)
})
