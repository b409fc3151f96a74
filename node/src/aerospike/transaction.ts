/** Transactions over several records of one namespace: all of the writes take effect, or none. */

import { inspect } from 'node:util'
import type { Handle } from '../addon/native.js'
import { Connection, type ConnectionKind } from '../bridge/connection.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import { Dataset } from './dataset.js'
import {
  CommitFailed,
  RecordChanged,
  RecordLocked,
  SpikewireError,
  TransactionError,
} from './model/errors.js'
import { native } from './model/native.js'
import type { Bins } from './model/record.js'

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

  /** @internal */
  constructor(home: Connection, options: TransactionOptions = {}) {
    home.check()
    this.home = home
    const handle = native.transactionBegin(home.handle, options.timeout)
    this.connection = new Connection(handle, TRANSACTION)
  }

  /** A namespace and one of its sets, whose calls are part of this transaction. */
  dataset<B extends object = Bins>(namespace: string, set?: string | null): Dataset<B> {
    return new Dataset<B>(this.connection, namespace, set, this)
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
  commit(): Promise<EndStatus> {
    return this.#end(true)
  }

  /**
   * Drops all of its writes and unlocks their records.
   *
   * @throws TransactionError if it is committed, or may be
   */
  abort(): Promise<EndStatus> {
    return this.#end(false)
  }

  async #end(commits: boolean): Promise<EndStatus> {
    const ended = new Promise<EndStatus | [CommitFailed, CommitFailed['part']]>(executor)
    const slot = openSlot()
    try {
      native.transactionEnd(this.connection.handle, slot, commits)
    } catch (error) {
      rejectCall(slot, error)
    }
    const outcome = await ended
    if (typeof outcome === 'string') return outcome
    const [error, part] = outcome
    error.part = part
    throw error
  }

  [inspect.custom](): string {
    return `Transaction(${this.id}, ${this.state})`
  }

  /** For `await using txn = client.transaction()`: aborts it unless it is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    const state = this.state
    if (state === 'open' || state === 'verified') await this.abort()
  }
}

/** The first pause after a record was locked, and the longest, in milliseconds. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 1000

/** Calls a function with a transaction until that is committed. */
export async function runInTransaction<T>(
  home: Connection,
  call: (transaction: Transaction) => Promise<T> | T,
  options: RunInTransactionOptions = {},
): Promise<T> {
  const { attempts = 10, limit = 30_000 } = options
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new RangeError(`attempts must be an integer of at least 1, got ${inspect(attempts)}`)
  }
  if (typeof limit !== 'number' || !(limit >= 0)) {
    throw new RangeError(`limit must be milliseconds, 0 or more, got ${inspect(limit)}`)
  }
  const ends = limit === 0 ? Number.POSITIVE_INFINITY : Date.now() + limit
  let longest = FIRST_PAUSE
  for (let left = attempts - 1; ; left--) {
    const transaction = new Transaction(home, options)
    let pause = 0
    try {
      const value = await call(transaction)
      if (transaction.state === 'open') await transaction.commit()
      return value
    } catch (error) {
      await abandon(transaction)
      if (left === 0 || !isConflict(error)) throw error
      if (error instanceof RecordLocked) {
        pause = longest * (0.5 + Math.random() / 2)
        longest = Math.min(2 * longest, LONGEST_PAUSE)
      }
      if (Date.now() + pause >= ends) throw error
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Aborts a transaction; what remains locked is unlocked when it expires. */
async function abandon(transaction: Transaction): Promise<void> {
  if (transaction.state !== 'open' && transaction.state !== 'verified') return
  try {
    await transaction.abort()
  } catch (error) {
    if (!(error instanceof SpikewireError)) throw error
  }
}

/** Whether a whole transaction may be tried again. */
function isConflict(error: unknown): boolean {
  if (error instanceof CommitFailed) {
    return error.part === 'verify' && !error.inDoubt && (error.code === 120 || error.code === 121)
  }
  return error instanceof RecordLocked || error instanceof RecordChanged
}
