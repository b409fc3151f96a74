/** Transactions over several records of one namespace: all of the writes take effect, or none. */

import { inspect } from 'node:util'
import type { Handle } from '../addon/native.js'
import { type Callback, checkCallback, outcome } from '../bridge/callbacks.js'
import { Connection, type ConnectionKind } from '../bridge/connection.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import { Dataset } from './dataset.js'
import { CommitFailed, SpikewireError, TransactionError } from './model/errors.js'
import { Key } from './model/key.js'
import { native } from './model/native.js'
import type { Bins } from './model/record.js'
import type { Profile } from './profiles/profile.js'
import type { Conversion } from './typed/conversion.js'
import { conversionOf, type DatasetOptions, type TypedOptions } from './typed/options.js'
import type { InferInput, InferOutput, RecordSchema } from './typed/schemas.js'

/** Options of `client.transaction`. */
export interface TransactionOptions {
  /**
   * Its lifetime from its first write in milliseconds, whole seconds up to 120,000; then the servers
   * drop what it wrote. Default: 0, the server's own, usually 10,000.
   */
  timeout?: number | undefined
}

/** Options of `client.runInTransaction`. */
export interface RunInTransactionOptions extends TransactionOptions {
  /** How often the function is called at most. Default: 10. */
  attempts?: number | undefined
  /** No attempt begins after so many milliseconds; 0: no limit. Default: 30,000. */
  limit?: number | undefined
}

/**
 * How a commit or an abort ended: `'already'` if it had been done before; `'roll_abandoned'` and
 * `'close_abandoned'` if the servers finish the rest, at the latest when the transaction expires.
 */
export type EndStatus = 'done' | 'already' | 'roll_abandoned' | 'close_abandoned'

/** How far a transaction has come. */
export type TransactionState = 'open' | 'verified' | 'committed' | 'aborted' | 'in_doubt'

/** A commit that failed, and the errors of records: each with its namespace, set and digest. */
type FailedEnd = [CommitFailed, CommitFailed['part'], [SpikewireError, string, string, Buffer][]]

const release = (handle: Handle): void => native.transactionRelease(handle)

const TRANSACTION: ConnectionKind = {
  name: 'Spikewire transaction',
  close: release,
  closed: () => new TransactionError('the transaction is closed', -17),
  forget: release,
}

/**
 * A transaction, from `client.transaction()`. With `await using` it is aborted at the end of the
 * block unless it was committed.
 */
export class Transaction {
  /** @internal */
  readonly connection: Connection
  /** @internal The connection of its client. */
  readonly home: Connection

  readonly #conversion: Conversion | undefined
  readonly #profile: Profile | null

  /** @internal */
  constructor(
    home: Connection,
    options: TransactionOptions = {},
    conversion?: Conversion,
    profile: Profile | null = null,
  ) {
    this.#profile = profile
    home.check()
    this.home = home
    this.#conversion = conversion
    const handle = native.transactionBegin(home.handle, options.timeout)
    this.connection = new Connection(handle, TRANSACTION)
  }

  /** A namespace and one of its sets, whose calls are part of this transaction. */
  dataset<S extends RecordSchema>(
    namespace: string,
    set: string | null | undefined,
    options: TypedOptions<S>,
  ): Dataset<InferOutput<S>, InferInput<S>>
  dataset<B extends object = Bins>(
    namespace: string,
    set?: string | null,
    options?: DatasetOptions,
  ): Dataset<B>
  dataset(namespace: string, set?: string | null, options?: DatasetOptions): Dataset<object> {
    const conversion = conversionOf(this.#conversion, options)
    const dataset = new Dataset<object>(this.connection, namespace, set, conversion, this)
    return this.#profile === null ? dataset : dataset.withProfile(this.#profile)
  }

  /** The number by which servers know it, in hexadecimal digits. */
  get id(): string {
    return this.#facts[0]
  }

  /** How far it has come. */
  get state(): TransactionState {
    return this.#facts[1] as TransactionState
  }

  /** Its namespace, which the first call determines; `null` before. */
  get namespace(): string | null {
    return this.#facts[2] || null
  }

  get #facts(): [string, string, string] {
    return native.transactionFacts(this.connection.handle)
  }

  /**
   * Makes all of its writes take effect.
   *
   * @throws CommitFailed, whose `part` says where, and whose `inDoubt` says that it may be committed
   * nevertheless: then commit again; TransactionError if it is aborted, or if calls are running
   */
  commit(): Promise<EndStatus>
  commit(callback: Callback<EndStatus>): void
  commit(callback?: Callback<EndStatus>): Promise<EndStatus> | undefined {
    checkCallback(callback)
    return outcome(this.#end('commit'), callback)
  }

  /**
   * Drops all of its writes and unlocks their records.
   *
   * @throws TransactionError if it is committed, or may be
   */
  abort(): Promise<EndStatus>
  abort(callback: Callback<EndStatus>): void
  abort(callback?: Callback<EndStatus>): Promise<EndStatus> | undefined {
    checkCallback(callback)
    return outcome(this.#end('abort'), callback)
  }

  /** @internal The end of a block that did, or did not, succeed. */
  endBlock(succeeded: boolean): Promise<EndStatus> {
    return this.#end(succeeded ? 'succeeded' : 'failed')
  }

  async #end(how: 'commit' | 'abort' | 'succeeded' | 'failed'): Promise<EndStatus> {
    const ended = new Promise<EndStatus | FailedEnd>(executor)
    const slot = openSlot()
    try {
      native.transactionEnd(this.connection.handle, slot, how)
    } catch (error) {
      rejectCall(slot, error)
    }
    const status = await ended
    if (typeof status === 'string') return status
    const [error, part, records] = status
    error.part = part
    error.records = records.map(([record, namespace, set, digest]) => {
      record.key = Key.fromDigest(namespace, set || null, digest)
      return record
    })
    throw error
  }

  [inspect.custom](): string {
    return `Transaction(${this.id}, ${this.state})`
  }

  /** For `await using txn = client.transaction()`: aborts it unless it is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.endBlock(false)
  }
}

/** Calls a function with a transaction until that is committed, by the rules of the engine. */
export async function runInTransaction<T>(
  home: Connection,
  call: (transaction: Transaction) => Promise<T> | T,
  options: RunInTransactionOptions = {},
  conversion?: Conversion,
  profile: Profile | null = null,
): Promise<T> {
  const retries = native.transactionRetries(options.attempts, options.limit)
  try {
    for (;;) {
      const transaction = new Transaction(home, options, conversion, profile)
      try {
        const value = await call(transaction)
        await transaction.endBlock(true)
        return value
      } catch (error) {
        await abandon(transaction)
        if (!(error instanceof SpikewireError)) throw error
        const part = error instanceof CommitFailed ? error.part : undefined
        const pause = native.transactionPause(retries, error.code, part, error.inDoubt)
        if (pause === undefined) throw error
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  } finally {
    native.transactionRelease(retries)
  }
}

/** Aborts a transaction unless it is over; what remains locked is unlocked when it expires. */
async function abandon(transaction: Transaction): Promise<void> {
  try {
    await transaction.endBlock(false)
  } catch (error) {
    if (!(error instanceof SpikewireError)) throw error
  }
}
