/** Runs several measuring processes at the same time. */

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { FromChild, ToChild } from './child.js'
import { type Answer, failure, type Job } from './job.js'
import { mergeAnswers } from './merge.js'
import { share } from './open-loop.js'
import { finished } from './series.js'

/** Time limit of a child beyond the job's warmup and duration (ms). */
const PATIENCE = 120_000
/** The same for jobs that write or read whole sets. */
const LONG_PATIENCE = 600_000

/** How long a child may take to exit after it has answered (ms). */
const LEAVING = 10_000

/** Runs a job in `job.processes` new processes at once. */
export async function runInChildren(job: Job, signal?: AbortSignal): Promise<Answer> {
  const count = job.action === 'measure' ? (job.processes ?? 1) : 1
  const children: Child[] = []
  const stop = (reason: string) => {
    for (const child of children) child.stop(new Error(reason))
  }
  const interrupt = () => stop('interrupted')
  signal?.addEventListener('abort', interrupt)
  const limit = timeLimit(job)
  const timer = setTimeout(() => stop(`no answer within ${limit / 1000} s`), limit)
  try {
    for (let at = 0; at < count; at++) {
      const open = job.open && share(job.open, at, count)
      children.push(new Child({ ...job, part: at, ...(open && { open }) }))
    }
    // A child that has already answered, such as with a failure, is not waited for.
    await Promise.all(children.map((child) => Promise.race([child.ready, child.answer])))
    for (const child of children) child.go()
    const answer = mergeAnswers(await Promise.all(children.map((child) => child.answer)))
    if (!('series' in answer) || answer.series === undefined) return answer
    return { ...answer, series: finished(answer.series, job.histograms ?? false) }
  } catch (error) {
    return failure(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', interrupt)
    await Promise.all(children.map((child) => child.end()))
  }
}

/** How long an answer may take (ms). */
function timeLimit(job: Job): number {
  const run = (job.warmup + job.duration) * 1000
  const patience = job.action === 'measure' && job.workload !== 'I' ? PATIENCE : LONG_PATIENCE
  return run + patience + (job.open?.overtime ?? 0) * run
}

/** A child process. */
class Child {
  readonly ready: Promise<void>
  readonly answer: Promise<Answer>
  readonly #process: ChildProcess
  readonly #exit: Promise<void>
  #hasAnswered = false
  #reject: (error: Error) => void = () => {}

  constructor(job: Job) {
    const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'))
    this.#process = fork(join(__dirname, 'child.js'), [], {
      serialization: 'advanced',
      execArgv: flags,
      // Only the parent writes to standard output: what a client prints goes to standard error.
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    const ready = deferred<void>()
    this.ready = ready.promise
    this.answer = new Promise((answer, reject) => {
      this.#reject = reject
      this.#process.on('error', reject)
      this.#process.on('exit', (code, signal) => {
        reject(new Error(`a process ended with ${signal ?? `status ${code}`}`))
      })
      this.#process.on('message', (message: FromChild) => {
        if ('ready' in message) ready.resolve()
        else {
          this.#hasAnswered = true
          answer(message.answer)
        }
      })
    })
    this.answer.catch(() => {})
    const exit = deferred<void>()
    this.#exit = exit.promise
    this.#process.on('error', () => this.#process.pid === undefined && exit.resolve())
    this.#process.on('exit', () => exit.resolve())
    this.#send({ job })
  }

  go(): void {
    this.#send({ go: true })
  }

  /** Kills the process. */
  stop(reason: Error): void {
    this.#reject(reason)
    this.#process.kill('SIGKILL')
  }

  /** Waits until the process has ended. One that has answered exits by itself. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), this.#hasAnswered ? LEAVING : 0)
    await this.#exit
    clearTimeout(timer)
  }

  #send(message: ToChild): void {
    // A process that is gone is reported by its exit event.
    if (this.#process.connected) this.#process.send(message, () => {})
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
