/** Runs several measuring processes at the same time and merges their results. */

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { FromChild, ToChild } from './child.js'
import { type Answer, type Failure, failure, type Job, type Result, type Series } from './job.js'
import { mergeCallTimes, share } from './open-loop.js'
import type { CallTimes } from './schedule.js'
import { finished, joined, summed } from './series.js'

/** Time limit of a child beyond the job's warmup and duration (ms). */
const PATIENCE = 120_000
/** The same for jobs that write or read whole sets. */
const LONG_PATIENCE = 600_000

/** How long a child may take to exit after it has answered (ms). */
const LEAVING = 10_000

/** Runs a job in `job.processes` new processes at once. */
export async function inChildren(job: Job, signal?: AbortSignal): Promise<Answer> {
  const many = job.action === 'measure' ? (job.processes ?? 1) : 1
  const children: Child[] = []
  const stop = () => {
    for (const child of children) child.stop(new Error('interrupted'))
  }
  signal?.addEventListener('abort', stop)
  const limit =
    (job.warmup + job.duration) * 1000 +
    (job.action === 'measure' && job.workload !== 'I' ? PATIENCE : LONG_PATIENCE) +
    (job.open === undefined ? 0 : job.open.overtime * (job.warmup + job.duration) * 1000)
  const late = setTimeout(() => {
    for (const child of children) child.stop(new Error(`no answer within ${limit / 1000} s`))
  }, limit)
  try {
    for (let at = 0; at < many; at++) {
      const open = job.open && share(job.open, at, many)
      children.push(new Child({ ...job, part: at, ...(open && { open }) }))
    }
    // A child that has already answered, such as with a failure, is not waited for.
    await Promise.all(children.map((child) => Promise.race([child.ready, child.answer])))
    for (const child of children) child.go()
    const answer = merged(await Promise.all(children.map((child) => child.answer)))
    if (!('series' in answer) || answer.series === undefined) return answer
    return { ...answer, series: finished(answer.series, job.histograms ?? false) }
  } catch (error) {
    return failure(error)
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', stop)
    await Promise.all(children.map((child) => child.end()))
  }
}

/** A child process. */
class Child {
  readonly ready: Promise<void>
  readonly answer: Promise<Answer>
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
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
    const { promise, resolve } = deferred<void>()
    this.ready = promise
    this.answer = new Promise((answer, reject) => {
      this.#reject = reject
      this.#process.on('error', reject)
      this.#process.on('exit', (code, signal) => {
        reject(new Error(`a process ended with ${signal ?? `status ${code}`}`))
      })
      this.#process.on('message', (message: FromChild) => {
        if ('ready' in message) resolve()
        else {
          this.#hasAnswered = true
          answer(message.answer)
        }
      })
    })
    this.answer.catch(() => {})
    const ended = deferred<void>()
    this.#ended = ended.promise
    this.#process.on('error', () => this.#process.pid === undefined && ended.resolve())
    this.#process.on('exit', () => ended.resolve())
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
    const late = setTimeout(() => this.#process.kill('SIGKILL'), this.#hasAnswered ? LEAVING : 0)
    await this.#ended
    clearTimeout(late)
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

/** Operations per second: of the workers if known, otherwise of the window. */
export function rateOf(one: Pick<Result, 'rate' | 'operations' | 'elapsed'>): number {
  return one.rate ?? one.operations / one.elapsed
}

/** Merges answers: the sum of what was done, over the average time. */
export function merged(answers: readonly Answer[]): Answer {
  const failed = answers.find((one): one is Failure => 'failed' in one)
  const [first] = answers
  if (failed !== undefined || answers.length === 1) return failed ?? (first as Answer)
  const all = answers.filter((one): one is Result => 'operations' in one)
  if (all.length !== answers.length) return { failed: 'only calls are measured in many processes' }
  const sum = (of: (one: Result) => number) => all.reduce((total, one) => total + of(one), 0)
  const most = (of: (one: Result) => number) => Math.max(...all.map(of))
  const mean = (of: (one: Result) => number | null) =>
    all.some((one) => of(one) === null) ? null : sum((one) => of(one) as number) / all.length
  const operations = sum((one) => one.operations)
  const opened = all.map((one) => one.open).filter((one): one is CallTimes => one !== undefined)
  return {
    ...(first as Result),
    ...(opened.length > 0 && { open: mergeCallTimes(opened) }),
    operations,
    elapsed: sum((one) => one.elapsed) / all.length,
    rate: sum(rateOf),
    errors: sum((one) => one.errors),
    timeouts: sum((one) => one.timeouts),
    first_error: all.find((one) => one.first_error !== null)?.first_error ?? null,
    cpu: { user: sum((one) => one.cpu.user), system: sum((one) => one.cpu.system) },
    server_cpu: mean((one) => one.server_cpu),
    machine_cpu: mean((one) => one.machine_cpu),
    switches: {
      voluntary: sum((one) => one.switches.voluntary),
      involuntary: sum((one) => one.switches.involuntary),
    },
    latency: {
      read: joined(all.map((one) => one.latency.read)),
      write: joined(all.map((one) => one.latency.write)),
      samples: sum((one) => one.latency.samples),
      overwritten: sum((one) => one.latency.overwritten),
      max_ns: most((one) => one.latency.max_ns),
    },
    ...(all.every((one) => one.series !== undefined)
      ? { series: summed(all.map((one) => one.series as Series)) }
      : {}),
    each: all.map((one) => ({
      operations: one.operations,
      rate: rateOf(one),
      cpu: one.cpu,
      memory: one.memory,
      ...(one.open?.pacing_calls && { pacing: one.open.pacing_cpu / one.open.pacing_calls }),
    })),
    loop_delay: {
      p50: most((one) => one.loop_delay.p50),
      p99: most((one) => one.loop_delay.p99),
      max: most((one) => one.loop_delay.max),
    },
    memory: {
      bare: sum((one) => one.memory.bare),
      ready: sum((one) => one.memory.ready),
      peak: sum((one) => one.memory.peak),
    },
  }
}
