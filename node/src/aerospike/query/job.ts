/**
 * Background jobs: the nodes change every record of a scan or an index query.
 *
 * ```ts
 * const job = await users.operateAll([op.add('visits', 1)], { where: '$.age > 25' })
 * await job.wait()
 * ```
 *
 * A job continues without the client; its handle queries its progress and aborts it.
 */

import type { Slot } from '../../addon/native.js'
import { type Callback, checkCallback, outcome, withSignal } from '../../bridge/callbacks.js'
import { commands } from '../../bridge/channels.js'
import { Connection } from '../../bridge/connection.js'
import { executor, openSlot, rejectCall } from '../../bridge/slots.js'
import { type CallOptions, type Ttl, toNativeOptions, type Where } from '../command/options.js'
import { native, type Space } from '../model/native.js'
import { publishCall } from '../model/published.js'
import { IndexRange } from './range.js'

/** Options of jobs: which records are changed, and how fast. */
export interface JobOptions extends CallOptions {
  /** Change only records for which this is true. Default: all. */
  where?: Where | undefined
  /** Change only these records of a secondary index. Default: all records. */
  index?: IndexRange | undefined
  /** The maximum number of records per second on each node. Default: no limit. */
  recordsPerSecond?: number | undefined
}

/** Options of `touchAll`. */
export interface TouchAllOptions extends JobOptions {
  /** The new time to live. Default: `'default'`, the namespace's. */
  ttl?: Ttl | undefined
}

/** Options of `deleteAll`. */
export interface DeleteAllOptions extends JobOptions {
  /** Whether deletions leave tombstones (Enterprise). Default: false. */
  durable?: boolean | undefined
}

/** Options of `operateAll`. */
export interface OperateAllOptions extends TouchAllOptions, DeleteAllOptions {}

/** Options of `wait`. */
export interface JobWaitOptions {
  /** How long to wait, in milliseconds; 0: no limit. Default: no limit. */
  timeout?: number | undefined
  /** Stops waiting; the job continues. */
  signal?: AbortSignal | undefined
}

/** The progress of a job, over all nodes. */
export interface JobProgress {
  /** Whether it has ended on every node. */
  done: boolean
  /** Whether it was aborted before it was complete. */
  aborted: boolean
  /** The completed percentage, from 0 to 100. */
  percent: number
  /** The number of records changed. */
  succeeded: number
  /** The number of records that could not be changed. */
  failed: number
  /** The number of records that did not pass the filter. */
  filtered: number
}

const JOB = ['where', 'index', 'recordsPerSecond', 'timeout', 'signal']
const KNOWN: { readonly [kind in JobKind]: readonly string[] } = {
  apply: JOB,
  delete: [...JOB, 'durable'],
  touch: [...JOB, 'ttl'],
  operate: [...JOB, 'durable', 'ttl'],
}

/** What a job does to each record. */
export type JobKind = 'operate' | 'apply' | 'touch' | 'delete'

const forgotten = new FinalizationRegistry((job: number) => native.release(job))

/** A background job; returned by `operateAll`, `applyAll`, `touchAll` and `deleteAll`. */
export class Job {
  /** Its id, the same on every node. */
  readonly id: bigint
  readonly #connection: Connection
  readonly #job: number

  /** @internal */
  constructor(connection: Connection, job: number, id: bigint) {
    if (!(connection instanceof Connection)) {
      throw new TypeError('a Job comes from a call such as `operateAll`, not from `new`')
    }
    this.#connection = connection
    this.#job = job
    this.id = id
    forgotten.register(this, job)
  }

  /**
   * The current progress. A node that no longer knows the job ended it long ago and contributes no
   * counts.
   *
   * @throws ConnectionFailed if a node that runs it does not answer
   */
  progress(callback: Callback<JobProgress>): void
  progress(): Promise<JobProgress>
  progress(callback?: Callback<JobProgress>): Promise<JobProgress> | undefined {
    checkCallback(callback)
    const parts = this.#ask((client, slot) => native.jobProgress(client, slot, this.#job))
    return outcome(parts.then(progress), callback)
  }

  /**
   * Waits until it has ended on every node.
   *
   * @throws Timeout if that takes longer; the job continues
   */
  wait(callback: Callback<JobProgress>): void
  wait(options: JobWaitOptions, callback: Callback<JobProgress>): void
  wait(options?: JobWaitOptions): Promise<JobProgress>
  wait(
    options?: JobWaitOptions | Callback<JobProgress>,
    callback?: Callback<JobProgress>,
  ): Promise<JobProgress> | undefined {
    if (typeof options === 'function') return this.wait({}, options) as undefined
    checkCallback(callback)
    const begin = (client: number, slot: Slot) => {
      const known = toNativeOptions(options, ['timeout', 'signal']) as JobWaitOptions | undefined
      native.jobWait(client, slot, this.#job, known?.timeout)
    }
    return outcome(this.#ask(begin, options?.signal).then(progress), callback)
  }

  /** Aborts it on every node. Changes already made remain. Has no effect if the job has ended. */
  abort(callback: Callback<void>): void
  abort(): Promise<void>
  abort(callback?: Callback<void>): Promise<void> | undefined {
    checkCallback(callback)
    const ended = this.#ask((client, slot) => native.jobAbort(client, slot, this.#job))
    return outcome(ended as Promise<void>, callback)
  }

  #ask(begin: (client: number, slot: Slot) => void, signal?: AbortSignal): Promise<unknown> {
    const administered = (client: number, slot: Slot) => {
      begin(client, slot)
      return () => native.giveUp(client, slot)
    }
    return beginCall(this.#connection, administered, signal)
  }
}

function progress(parts: unknown): JobProgress {
  const [done, aborted, percent, succeeded, failed, filtered] = parts as [
    boolean,
    boolean,
    number,
    number,
    number,
    number,
  ]
  return { done, aborted, percent, succeeded, failed, filtered }
}

/**
 * Creates a promise; `begin` starts the work that settles it and returns the function to call when
 * the signal is aborted.
 */
export function beginCall<T>(
  connection: Connection,
  begin: (client: number, slot: Slot) => () => void,
  signal?: AbortSignal,
): Promise<T> {
  const promise = new Promise<T>(executor)
  const slot = openSlot()
  try {
    signal?.throwIfAborted()
    const giveUp = begin(connection.handle, slot)
    if (signal !== undefined) withSignal(promise, slot, signal, giveUp)
  } catch (error) {
    rejectCall(slot, error)
  }
  return promise
}

/** The parts of an option `index`. */
export function partsOf(index: unknown): readonly unknown[] | undefined {
  if (index === undefined || index === null) return undefined
  if (index instanceof IndexRange) return index.parts
  throw new TypeError(`index must come from a function of index, not ${typeof index}`)
}

/** @internal The job with an id on the nodes, whoever has started it. */
export function jobOfId(connection: Connection, id: number): Job {
  return new Job(connection, native.jobOfId(connection.handle, id), BigInt(id))
}

/** @internal Starts a job, with this id on the nodes or one that no other has. */
export function startJob(
  connection: Connection,
  space: () => Space,
  kind: JobKind,
  what: unknown,
  options: JobOptions | Callback<Job> | undefined,
  callback?: Callback<Job>,
  id?: number,
): Promise<Job> | undefined {
  if (typeof options === 'function') return startJob(connection, space, kind, what, {}, options)
  const begin = (client: number, slot: Slot) => {
    const known = toNativeOptions(options, KNOWN[kind])
    const nativeOptions = id === undefined ? known : { ...(known as object | undefined), id }
    native.jobStart(client, slot, space(), kind, what, nativeOptions, partsOf(options?.index))
    return () => native.giveUp(client, slot)
  }
  checkCallback(callback)
  let started = beginCall<[number, bigint]>(connection, begin, options?.signal)
  if (commands.hasSubscribers) started = publishCall(started, `${kind}All`, space)
  const job = started.then(([number, id]) => new Job(connection, number, id))
  return outcome(job, callback)
}
