/** The transactions of the process. */

import { abortStatus, commitStatus } from './enums.js'

/** What the pool knows of a transaction. */
export interface PooledTransaction {
  getReadsCapacity(): number
  getWritesCapacity(): number
  getState(): number | null
  close(): void
}

/** States of transactions. */
export const txnState = Object.freeze({ OK: 0, VERIFIED: 1, COMMITTED: 2, ABORTED: 3 })
/** How many records a transaction expects to read and to write. */
export const txnCapacity = Object.freeze({ READ_DEFAULT: 128, WRITE_DEFAULT: 128 })
export { abortStatus, commitStatus }

/** The most that all open transactions may expect to read and write. */
const MOST = 500_000

/** The transactions of the process: those that are over are dropped from time to time. */
export class TransactionPool {
  transactions: PooledTransaction[] = []
  capacity: number
  totalReadsAndWrites = 0

  constructor(capacity = 128) {
    this.capacity = capacity
  }

  getTransactions(): PooledTransaction[] {
    return this.transactions
  }

  getCapacity(): number {
    return this.capacity
  }

  getLength(): number {
    return this.transactions.length
  }

  /** @throws RangeError if the open transactions expect too many records */
  pushTransaction(transaction: PooledTransaction): void {
    if (this.totalReadsAndWrites > MOST) this.tendTransactions()
    if (this.totalReadsAndWrites > MOST) {
      throw new RangeError(
        `open transactions expect to read and write more than ${MOST} records: commit or abort some`,
      )
    }
    this.totalReadsAndWrites += transaction.getReadsCapacity() + transaction.getWritesCapacity()
    this.transactions.push(transaction)
  }

  /** Closes all of them. */
  removeAllTransactions(): void {
    for (const transaction of this.transactions) transaction.close()
    this.transactions = []
  }

  /** Drops those that are over, once there are more than the capacity; which doubles if need be. */
  tendTransactions(): void {
    if (this.transactions.length <= this.capacity) return
    this.transactions = this.transactions.filter((transaction) => {
      const state = transaction.getState()
      const isOver = state === txnState.COMMITTED || state === txnState.ABORTED
      if (isOver) transaction.close()
      return !isOver
    })
    if (this.transactions.length > this.capacity) this.capacity *= 2
  }
}

/** The transactions of the process. */
export const transactionPool = new TransactionPool()
