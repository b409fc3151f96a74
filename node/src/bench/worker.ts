/**
 * For the lab in Python: one job as JSON on standard input, its answer as JSON on standard output.
 * The processes that measure are children of this one, so a job may be for several at once.
 */

import { text } from 'node:stream/consumers'
import type { Compiled } from '../native.js'
import { type Answer, failure, type Job } from './job.js'
import { inChildren } from './together.js'

async function answer(): Promise<Answer> {
  try {
    const job = JSON.parse(await text(process.stdin)) as Job
    const given = await inChildren(job)
    return job.client === 'spikewire' && 'elapsed' in given
      ? { ...given, ...(await built()) }
      : given
  } catch (error) {
    return failure(error)
  }
}

/** How our native part was compiled, where it says so. Loaded when all is measured. */
async function built(): Promise<{ build?: Compiled }> {
  const { native } = await import('../native.js')
  return native.build ? { build: native.build } : {}
}

// Samples are whole nanoseconds.
const plain = (_: string, value: unknown) =>
  value instanceof Float64Array ? Array.from(value, Math.round) : value

answer().then((given) => {
  process.stdout.write(`${JSON.stringify(given, plain)}\n`)
})
