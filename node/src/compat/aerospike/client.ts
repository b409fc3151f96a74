/** The client. */

import type { Context } from './cdt.js'
import type { ClientBase } from './client-base.js'
import { type Callback, checkOptional, partInvalid, runAsync } from './command.js'
import type { LogInfo } from './config.js'
import { contextFromBase64 } from './context-bytes.js'
import { AerospikeError } from './error.js'
import type { AerospikeExp } from './expression.js'
import { checkListeners, MetricsRun } from './metrics-run.js'
import { statsOf } from './metrics-snapshot.js'
import type { InfoPolicyOptions, MetricsPolicyOptions } from './policies.js'
import { Query, type QueryOptions } from './query.js'
import { Scan, type ScanOptions } from './scan.js'
import { SecurityVerbs } from './security.js'
import type { FileSettings } from './settings-file.js'
import { destroyed, stateError, Transaction } from './transaction.js'
import { abortStatus, commitStatus, transactionPool, txnState } from './transaction-pool.js'
import type { Stats } from './types.js'

export type { ClientBase }

/** A client of a cluster. It is connected by `connect`. */
export class Client extends SecurityVerbs {
  #metrics: MetricsRun | undefined
  /** Whether a file of settings has enabled metrics; `undefined`: it says nothing about them. */
  #metricsOfFile: boolean | undefined

  /** A query on a set, or on a whole namespace. */
  query(ns: string, set?: string | QueryOptions | null, options?: QueryOptions | null): Query {
    this.#checkConnected()
    return new Query(this, ns, set, options)
  }

  /** A scan of a set, or of a whole namespace. */
  scan(ns: string, set?: string | ScanOptions | null, options?: ScanOptions | null): Scan {
    this.#checkConnected()
    return new Scan(this, ns, set, options)
  }

  #checkConnected(): void {
    if (!this.isConnected()) throw new AerospikeError('Not connected.')
  }

  /**
   * Makes all writes of a transaction take effect. Returns one of `commitStatus`.
   *
   * @throws AerospikeError if it is aborted or destroyed; or if it cannot be committed
   */
  commit(transaction: Transaction): Promise<number>
  commit(transaction: Transaction, callback: Callback<number>): void
  commit(
    transaction: Transaction,
    callback?: Callback<number>,
  ): Promise<number> | number | undefined {
    transactionPool.tendTransactions()
    switch (stateOf(transaction)) {
      case txnState.COMMITTED:
        return commitStatus.ALREADY_COMMITTED
      case txnState.ABORTED:
        throw stateError('The transaction has already been aborted.', 'TXN_ALREADY_ABORTED')
    }
    if (transaction.getDestroyed()) throw destroyed()
    return runAsync(this, 'TransactionCommit', callback, () => transaction.commit(this.native))
  }

  /**
   * Drops all writes of a transaction. Returns one of `abortStatus`.
   *
   * @throws AerospikeError if it is committed or destroyed
   */
  abort(transaction: Transaction): Promise<number>
  abort(transaction: Transaction, callback: Callback<number>): void
  abort(
    transaction: Transaction,
    callback?: Callback<number>,
  ): Promise<number> | number | undefined {
    transactionPool.tendTransactions()
    switch (stateOf(transaction)) {
      case txnState.COMMITTED:
        throw stateError('The transaction has already been committed.', 'TXN_ALREADY_COMMITTED')
      case txnState.ABORTED:
        return abortStatus.ALREADY_ABORTED
    }
    if (transaction.getDestroyed()) throw destroyed()
    return runAsync(this, 'TransactionAbort', callback, () => transaction.abort(this.native))
  }

  /** The path whose text this is. */
  contextFromBase64(serializedContext: string): Context {
    try {
      return contextFromBase64(serializedContext)
    } catch (error) {
      throw partInvalid('Context', error)
    }
  }

  /** Sets the filter of what is shipped to another data center; `null`: everything. */
  setXDRFilter(
    expression: AerospikeExp | string | null,
    dataCenter: string,
    namespace: string,
    policy?: InfoPolicyOptions | null,
  ): Promise<string>
  setXDRFilter(
    expression: AerospikeExp | string | null,
    dataCenter: string,
    namespace: string,
    callback: Callback<string>,
  ): void
  setXDRFilter(
    expression: AerospikeExp | string | null,
    dataCenter: string,
    namespace: string,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<string>,
  ): void
  setXDRFilter(
    expression: AerospikeExp | string | null,
    dataCenter: string,
    namespace: string,
    policy?: InfoPolicyOptions | null | Callback<string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    if (typeof policy === 'function') {
      return this.setXDRFilter(expression, dataCenter, namespace, null, policy) as undefined
    }
    checkOptional(policy, 'Policy')
    return runAsync(this, 'SetXDRFilter', callback, async () => {
      const text =
        expression === null
          ? 'null'
          : typeof expression === 'string'
            ? expression
            : this.expressionToBase64(expression)
      const request = `xdr-set-filter:dc=${dataCenter};namespace=${namespace};exp=${text}`
      const answers = await this.infoAll(request, policy)
      return answers[0]?.info ?? ''
    })
  }

  /** What the client does right now, and the nodes of its cluster. */
  stats(): Stats {
    if (!this.connected) return { commands: { inFlight: this.inFlight, queued: 0 }, nodes: [] }
    return statsOf(this.native.stats(), this.inFlight, this.abortedQueries)
  }

  /** Has no effect: nothing is logged. */
  updateLogging(_log: LogInfo): void {}

  /**
   * Enables metrics: the listeners of the policy get them at intervals; without listeners, they are
   * written into files.
   *
   * @throws AerospikeError for an invalid policy, or if no file can be created
   */
  enableMetrics(policy?: MetricsPolicyOptions | null): Promise<void>
  enableMetrics(callback: Callback<void>): void
  enableMetrics(policy: MetricsPolicyOptions | null | undefined, callback: Callback<void>): void
  enableMetrics(
    policy?: MetricsPolicyOptions | null | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    if (typeof policy === 'function') return this.enableMetrics(null, policy) as undefined
    try {
      checkListeners(policy)
    } catch (error) {
      if (callback) throw error
      return Promise.reject(error)
    }
    return runAsync(this, 'EnableMetrics', callback, async () => {
      if (this.#metricsOfFile === undefined) this.#startMetrics(policy)
    })
  }

  #startMetrics(policy?: MetricsPolicyOptions | null): void {
    const own = policy ?? this.config.policies.metrics ?? {}
    this.#endMetrics()
    this.#metrics = new MetricsRun(this, own, packageVersion())
  }

  /** @internal A file of settings decides about metrics, if it says anything about them. */
  protected override settingsChanged({ metrics }: FileSettings): void {
    if (metrics === this.#metricsOfFile) return
    this.#metricsOfFile = metrics
    if (metrics) this.#startMetrics()
    else this.#endMetrics()
  }

  /** Disables metrics. */
  disableMetrics(): Promise<void>
  disableMetrics(callback: Callback<void>): void
  disableMetrics(callback?: Callback<void>): Promise<void> | undefined {
    return runAsync(this, 'DisableMetrics', callback, async () => {
      if (this.#metricsOfFile === undefined) this.#endMetrics()
    })
  }

  #endMetrics(): void {
    const metrics = this.#metrics
    this.#metrics = undefined
    metrics?.end()
  }

  /** @internal */
  protected override beforeClose(): void {
    this.#endMetrics()
  }

  /** @internal */
  protected override nodeClosed(name: string, address: string): void {
    this.#metrics?.nodeClosed(name, address)
  }
}

/** The version of this package. */
function packageVersion(): string {
  return (require('../../../package.json') as { version: string }).version
}

function stateOf(transaction: unknown): number {
  if (transaction instanceof Transaction) return transaction.getState()
  throw new AerospikeError('transaction must be an instance of class Transaction.')
}
