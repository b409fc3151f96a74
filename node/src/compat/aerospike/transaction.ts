/** Transactions over several records of one namespace. */

import type { Client as NativeClient } from '../../aerospike/client.js'
import { CommitFailed } from '../../aerospike/model/errors.js'
import type {
  EndStatus,
  Transaction as NativeTransaction,
  TransactionState,
} from '../../aerospike/transaction.js'
import { AerospikeError, toError } from './error.js'
import { status } from './status.js'
import {
  abortStatus,
  commitStatus,
  transactionPool,
  txnCapacity,
  txnState,
} from './transaction-pool.js'

const UINT32 = 0xffff_ffff
const STATES: { readonly [state in TransactionState]: number } = {
  open: txnState.OK,
  verified: txnState.VERIFIED,
  committed: txnState.COMMITTED,
  aborted: txnState.ABORTED,
  in_doubt: txnState.VERIFIED,
}

/**
 * A transaction: policies with it as `txn` make calls a part of it. It belongs to the client of its
 * first call.
 */
export class Transaction {
  static readonly state = txnState
  static readonly capacity = txnCapacity
  static readonly abortStatus = abortStatus
  static readonly commitStatus = commitStatus
  readonly #readsCapacity: number
  readonly #writesCapacity: number
  readonly #id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
  #timeout = 0
  #inDoubt = false
  #state: number = txnState.OK
  #isDestroyed = false
  #native: NativeTransaction | undefined
  #home: NativeClient | undefined

  /**
   * @param readsCapacity - How many records are expected to be read; only counted.
   * @param writesCapacity - How many records are expected to be written; only counted.
   * @throws TypeError, RangeError for invalid numbers, or if too many transactions are open
   */
  constructor(
    readsCapacity: number = txnCapacity.READ_DEFAULT,
    writesCapacity: number = txnCapacity.WRITE_DEFAULT,
  ) {
    const reads = Number.isInteger(readsCapacity)
    if (!reads && Number.isInteger(writesCapacity)) {
      throw new TypeError('Must specify a number for readsCapacity')
    }
    if (!Number.isInteger(writesCapacity)) {
      throw new TypeError('Must specify a number for writesCapacity')
    }
    const outside = [
      ...(isUint32(readsCapacity) ? [] : ['readsCapacity']),
      ...(isUint32(writesCapacity) ? [] : ['writesCapacity']),
    ]
    if (outside.length === 2) {
      throw new RangeError('both readsCapacity and writesCapacity are out of uint32 range')
    }
    if (outside.length === 1) throw new RangeError(`${outside[0]} is out of uint32 range`)
    this.#readsCapacity = readsCapacity
    this.#writesCapacity = writesCapacity
    transactionPool.pushTransaction(this)
  }

  /** Whether it was closed. */
  getDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** A number of it. Servers know it by another one. */
  getId(): number {
    return this.#id
  }

  /** Whether it may be committed despite an error. */
  getInDoubt(): boolean {
    return this.#inDoubt
  }

  getReadsCapacity(): number {
    return this.#readsCapacity
  }

  getWritesCapacity(): number {
    return this.#writesCapacity
  }

  /** How far it has come, one of `Transaction.state`. */
  getState(): number {
    if (this.#native !== undefined && !this.#isDestroyed) {
      this.#state = STATES[this.#native.state]
    }
    return this.#state
  }

  /** Its lifetime from its first write in seconds; 0: the server's. */
  getTimeout(): number {
    return this.#timeout
  }

  /**
   * Sets its lifetime in seconds, before its first call.
   *
   * @throws AerospikeError if it is over, or has begun
   */
  setTimeout(timeout: number): void {
    if (this.#isDestroyed) throw new AerospikeError('Transaction is already complete')
    if (!isUint32(timeout)) throw new TypeError('Timeout must be a number of seconds')
    if (this.#native !== undefined) {
      throw new AerospikeError('the timeout of a transaction is set before its first call')
    }
    this.#timeout = timeout
  }

  /** Ends its use. What it wrote is dropped by the servers, unless it was committed. */
  close(): void {
    if (this.#isDestroyed) return
    this.getState()
    transactionPool.totalReadsAndWrites -= this.#readsCapacity + this.#writesCapacity
    this.#isDestroyed = true
    void this.#native?.connection.close()
  }

  /** Ends the use of all transactions of the process. */
  destroyAll(): void {
    transactionPool.removeAllTransactions()
  }

  /** @internal The native part's number of it, for a call of this client. */
  handleOf(client: NativeClient): number {
    return this.#begun(client).connection.handle
  }

  #begun(client: NativeClient): NativeTransaction {
    if (this.#isDestroyed) throw destroyed()
    if (this.#native === undefined) {
      this.#native = client.transaction({ timeout: this.#timeout * 1000 })
      this.#home = client
    } else if (this.#home !== client) {
      throw new AerospikeError('the transaction belongs to another client')
    }
    return this.#native
  }

  /** @internal Commits it. */
  async commit(client: NativeClient): Promise<number> {
    if (this.#native === undefined) {
      this.#state = txnState.COMMITTED
      return commitStatus.OK
    }
    try {
      return COMMITTED[await this.#begun(client).commit()]
    } catch (error) {
      if (error instanceof CommitFailed) this.#inDoubt = error.inDoubt
      throw toError(error)
    }
  }

  /** @internal Aborts it. */
  async abort(client: NativeClient): Promise<number> {
    if (this.#native === undefined) {
      this.#state = txnState.ABORTED
      return abortStatus.OK
    }
    try {
      return ABORTED[await this.#begun(client).abort()]
    } catch (error) {
      throw toError(error)
    }
  }
}

const COMMITTED: { readonly [end in EndStatus]: number } = {
  done: commitStatus.OK,
  already: commitStatus.ALREADY_COMMITTED,
  roll_abandoned: commitStatus.ROLL_FORWARD_ABANDONED,
  close_abandoned: commitStatus.CLOSE_ABANDONED,
}
const ABORTED: { readonly [end in EndStatus]: number } = {
  done: abortStatus.OK,
  already: abortStatus.ALREADY_ABORTED,
  roll_abandoned: abortStatus.ROLL_BACK_ABANDONED,
  close_abandoned: abortStatus.CLOSE_ABANDONED,
}

function isUint32(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= UINT32
}

/** The error of calls with a transaction that was closed. */
export function destroyed(): AerospikeError {
  return new AerospikeError('The transaction was closed: create another one')
}

/** The error of what does not fit the state of a transaction. */
export function stateError(message: string, code: keyof typeof status): AerospikeError {
  const error = new AerospikeError(message)
  error.code = status[code] as number
  return error
}
