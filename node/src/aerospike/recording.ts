/** Recordings of live traffic. */

import type { Handle } from '../addon/native.js'
import { type Callback, checkCallback, outcome } from '../bridge/callbacks.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import { checkOptions } from '../options/check.js'
import { native, type RecordingFields } from './model/native.js'

/** Options of `client.record`. */
export interface RecordOptions {
  /** The share of all calls that is recorded: above 0, at most 1. Default: 0.1. */
  share?: number | undefined
  /**
   * The largest size of the file in bytes, at least 65536; the recording ends when it is reached.
   * Default: 67108864.
   */
  maxBytes?: number | undefined
  /** Whether an existing file is replaced. Default: false. */
  overwrite?: boolean | undefined
}

const OPTIONS: readonly string[] = ['share', 'maxBytes', 'overwrite']

/** What a recording holds. */
export interface RecordingSummary {
  /** The file. */
  readonly path: string
  /**
   * `running`, or how it ended: `stopped`, `full` at `maxBytes`, `closed` with its client, or
   * `failed` because the file could not be written.
   */
  readonly state: 'running' | 'stopped' | 'full' | 'closed' | 'failed'
  /** Calls in the file. A batch counts once for each of its requests. */
  readonly calls: number
  /**
   * Calls that were to be recorded and are missing: the thread that writes could not keep up, or
   * the file was full.
   */
  readonly dropped: number
  /** Bytes in the file. */
  readonly bytes: number
  /** How long it has been going on, or did, in milliseconds. */
  readonly duration: number
}

/** A recording of a client's calls, from `client.record`. */
export class Recording {
  /** The file. */
  readonly path: string
  readonly #handle: Handle
  #stopping: Promise<RecordingSummary> | undefined
  #last: RecordingSummary | undefined
  /** For `await using recording = client.record(path)`, if the runtime supports it: `stop()`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<RecordingSummary>

  /** @internal */
  constructor(client: Handle, path: string, options: RecordOptions | undefined) {
    const started = native.recordingStart(client, path, checkOptions(options, OPTIONS))
    if (typeof started !== 'number') throw fileError(started)
    this.path = path
    this.#handle = started
  }

  /** What it holds so far. */
  get summary(): RecordingSummary {
    return this.#last ?? named(this.path, native.recordingSummary(this.#handle))
  }

  /**
   * Ends the recording; settles with what it holds, once the file is complete. Stopping again
   * returns the same promise. Closing the client ends it, too.
   *
   * @throws Error with the system's `code`, such as `'ENOSPC'`, if the file could not be written
   */
  stop(): Promise<RecordingSummary>
  stop(callback: Callback<RecordingSummary>): void
  stop(callback?: Callback<RecordingSummary>): Promise<RecordingSummary> | undefined {
    checkCallback(callback)
    this.#stopping ??= this.#stop()
    return outcome(this.#stopping, callback)
  }

  async #stop(): Promise<RecordingSummary> {
    const stopped = new Promise<RecordingFields | FileFailure>(executor)
    const slot = openSlot()
    try {
      native.recordingStop(this.#handle, slot)
    } catch (error) {
      rejectCall(slot, error)
    }
    const fields = await stopped
    if (fields.length === 2) throw fileError(fields)
    this.#last = named(this.path, fields)
    native.release(this.#handle)
    return this.#last
  }
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Recording.prototype, Symbol.asyncDispose, {
    value: Recording.prototype.stop,
    configurable: true,
    writable: true,
  })
}

/** The system's error name and the message. */
export type FileFailure = [code: string, message: string]

function fileError([code, message]: FileFailure): Error {
  return Object.assign(new Error(message), { code })
}

function named(path: string, fields: RecordingFields): RecordingSummary {
  const [state, calls, dropped, bytes, seconds] = fields
  return { path, state, calls, dropped, bytes, duration: seconds * 1000 }
}
