/** What `index.ts` exports, by name and as a whole. */

import '../../aerospike/hooks.js'
import * as admin from './admin.js'
import * as bitwise from './bitwise.js'
import { Client } from './client.js'
import type { Callback } from './command.js'
import type { ConfigOptions, LogInfo } from './config.js'
import * as cdt from './contexts.js'
import * as exp from './exp/index.js'
import * as filter from './filters.js'
import * as hll from './hll.js'
import * as info from './info.js'
import * as lists from './lists.js'
import * as maps from './maps.js'
import * as operations from './operations.js'
import * as policy from './policy.js'
import { transactionPool } from './transaction-pool.js'

export type {
  AnyRow as BatchReadRecord,
  AnyRow as BatchRecord,
  AnyRow as BatchWriteRecord,
} from './batch-rows.js'
export type { ClusterEvent } from './client-base.js'
export type { IndexOptions } from './cluster.js'
export type { Callback } from './command.js'
export type { ConfigOptions, ConfigProvider, LogInfo, TLSInfo } from './config.js'
export { Config } from './config.js'
export { Double } from './double.js'
export {
  abortStatus,
  auth,
  batchType,
  commitStatus,
  features,
  indexDataType,
  indexType,
  jobStatus,
  language,
  log,
  privilegeCode,
  ttl,
} from './enums.js'
export { AerospikeError } from './error.js'
export { releaseEventLoop, setupGlobalCommandQueue } from './event-loop.js'
export type { AerospikeExp } from './expression.js'
export { GeoJSON } from './geojson.js'
export { HyperLogLog } from './hyperloglog.js'
export type { InfoAllResponse } from './info-verbs.js'
export type { JobInfo } from './job.js'
export { IndexJob, Job } from './job.js'
export type { KeyOptions, UserKey } from './key.js'
export { Key } from './key.js'
export type { Cluster, MetricsListenersOptions } from './metrics.js'
export { MetricsListeners } from './metrics.js'
export type { Operation } from './operation.js'
export type * from './policy.js'
export {
  AdminPolicy,
  ApplyPolicy,
  BasePolicy,
  BatchApplyPolicy,
  BatchPolicy,
  BatchReadPolicy,
  BatchRemovePolicy,
  BatchWritePolicy,
  CommandQueuePolicy,
  InfoPolicy,
  ListPolicy,
  MapPolicy,
  MetricsPolicy,
  OperatePolicy,
  QueryPolicy,
  ReadPolicy,
  RemovePolicy,
  ScanPolicy,
  WritePolicy,
} from './policy.js'
export type { QueryOptions } from './query.js'
export { Query } from './query.js'
export type { PartitionFilter } from './query-options.js'
export type {
  BatchResult,
  BatchResult as BatchSelectRecord,
  Record as AerospikeRecord,
  RecordMetadata,
} from './record.js'
export { Bin, Record } from './record.js'
export type { QueryState, RecordStream } from './record-stream.js'
export { wrapHLL } from './results.js'
export type { ScanOptions } from './scan.js'
export { Scan } from './scan.js'
export { status } from './status.js'
export { Transaction } from './transaction.js'
export type {
  AerospikeBins,
  AerospikeBinValue,
  ConnectionStats,
  GeoJSONType,
  Host,
  NamespaceMetrics,
  Node,
  PartialAerospikeBinValue,
  Stats,
  TypedCallback,
  UDF,
} from './types.js'
export { admin, bitwise, Client, cdt, exp, filter, hll, info, lists, maps, operations, policy }

/** Flags of regular expressions. */
export const regex = Object.freeze({ BASIC: 0, EXTENDED: 1, ICASE: 2, NEWLINE: 4 })
/** The transactions of the process. */
export const _transactionPool = transactionPool

/** A client, not yet connected. */
export function client(config?: ConfigOptions | null): Client {
  return new Client(config)
}

/** A client that is connected. With a callback, the client is returned at once. */
export function connect(config?: ConfigOptions | null): Promise<Client>
export function connect(callback: Callback<Client>): Client
export function connect(
  config: ConfigOptions | null | undefined,
  callback: Callback<Client>,
): Client
export function connect(
  config?: ConfigOptions | null | Callback<Client>,
  callback?: Callback<Client>,
): Promise<Client> | Client {
  if (typeof config === 'function') return connect(null, config)
  const unconnected = client(config)
  if (typeof callback !== 'function') return unconnected.connect()
  unconnected.connect(callback)
  return unconnected
}

/** Has no effect: nothing is logged. */
export function setDefaultLogging(_log: LogInfo): void {}

/** Prints the outcome of a call. */
export function print(error: Error | null | undefined, result?: unknown): void {
  if (error) console.error('Error:', error.message)
  else console.info('Result:', result)
}
