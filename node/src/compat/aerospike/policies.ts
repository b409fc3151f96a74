/** Policies: the options of calls. Fields that are `undefined` have their defaults. */

import type { AerospikeExp } from './expression.js'
import type { MetricsListeners } from './metrics.js'
import type { Transaction } from './transaction.js'

/** An expression, or its encoding in base64. */
export type FilterExpression = AerospikeExp | string

/** Options of all calls. */
export interface BasePolicyOptions {
  /** Whether request and reply are compressed, on servers of the Enterprise Edition. */
  compress?: boolean | undefined
  /** Has no effect: connections are opened within the client's `connTimeoutMs`. */
  connectTimeout?: number | undefined
  /** Only for records for which this is true. */
  filterExpression?: FilterExpression | null | undefined
  /** Further attempts after the first. */
  maxRetries?: number | undefined
  /** How long one attempt may take, in milliseconds; 0: no limit. */
  socketTimeout?: number | undefined
  /** Has no effect: a connection stays usable after a timeout. */
  timeoutDelay?: number | undefined
  /** How long the call may take, in milliseconds; 0: no limit. Default: 1,000. */
  totalTimeout?: number | undefined
  /** The transaction that the call is part of. */
  txn?: Transaction | null | undefined
}

/** Options of all calls. */
export class BasePolicy {
  socketTimeout?: number | undefined
  totalTimeout?: number | undefined
  maxRetries?: number | undefined
  filterExpression?: FilterExpression | null | undefined
  compress?: boolean | undefined
  txn?: Transaction | null | undefined
  connectTimeout?: number | undefined
  timeoutDelay?: number | undefined

  constructor(props?: BasePolicyOptions | null) {
    this.socketTimeout = props?.socketTimeout
    this.totalTimeout = props?.totalTimeout
    this.maxRetries = props?.maxRetries
    this.filterExpression = props?.filterExpression
    this.compress = props?.compress
    this.txn = props?.txn
    this.connectTimeout = props?.connectTimeout
    this.timeoutDelay = props?.timeoutDelay
  }
}

/** Options of `apply`. */
export interface ApplyPolicyOptions extends BasePolicyOptions {
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined
  key?: number | undefined
  onLockingOnly?: boolean | undefined
  replica?: number | undefined
  ttl?: number | undefined
}

/** Options of `apply`. */
export class ApplyPolicy extends BasePolicy {
  replica?: number | undefined
  key?: number | undefined
  commitLevel?: number | undefined
  ttl?: number | undefined
  durableDelete?: boolean | undefined
  onLockingOnly?: boolean | undefined

  constructor(props?: ApplyPolicyOptions | null) {
    super(props)
    this.replica = props?.replica
    this.key = props?.key
    this.commitLevel = props?.commitLevel
    this.ttl = props?.ttl
    this.durableDelete = props?.durableDelete
    this.onLockingOnly = props?.onLockingOnly
  }
}

/** Options of `put`. */
export interface WritePolicyOptions extends BasePolicyOptions {
  commitLevel?: number | undefined
  compressionThreshold?: number | undefined
  durableDelete?: boolean | undefined
  exists?: number | undefined
  gen?: number | undefined
  key?: number | undefined
  onLockingOnly?: boolean | undefined
  replica?: number | undefined
}

/** Options of `put`. */
export class WritePolicy extends BasePolicy {
  replica?: number | undefined
  compressionThreshold?: number | undefined
  key?: number | undefined
  gen?: number | undefined
  exists?: number | undefined
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined
  onLockingOnly?: boolean | undefined

  constructor(props?: WritePolicyOptions | null) {
    super(props)
    this.replica = props?.replica
    this.compressionThreshold = props?.compressionThreshold
    this.key = props?.key
    this.gen = props?.gen
    this.exists = props?.exists
    this.commitLevel = props?.commitLevel
    this.durableDelete = props?.durableDelete
    this.onLockingOnly = props?.onLockingOnly
  }
}

/** Options of `remove`. */
export interface RemovePolicyOptions extends BasePolicyOptions {
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined
  gen?: number | undefined
  generation?: number | undefined
  key?: number | undefined
  replica?: number | undefined
}

/** Options of `remove`. */
export class RemovePolicy extends BasePolicy {
  replica?: number | undefined
  generation?: number | undefined
  key?: number | undefined
  gen?: number | undefined
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined

  constructor(props?: RemovePolicyOptions | null) {
    super(props)
    this.replica = props?.replica
    this.generation = props?.generation
    this.key = props?.key
    this.gen = props?.gen
    this.commitLevel = props?.commitLevel
    this.durableDelete = props?.durableDelete
  }
}

/** Options of reads that reads of records and batches share. */
interface ReadModes {
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined
}

/** Options of `get`, `select` and `exists`. */
export interface ReadPolicyOptions extends BasePolicyOptions, ReadModes {
  deserialize?: boolean | undefined
  key?: number | undefined
  replica?: number | undefined
}

/** Options of `get`, `select` and `exists`. */
export class ReadPolicy extends BasePolicy {
  key?: number | undefined
  replica?: number | undefined
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined
  deserialize?: boolean | undefined

  constructor(props?: ReadPolicyOptions | null) {
    super(props)
    this.key = props?.key
    this.replica = props?.replica
    this.readModeAP = props?.readModeAP
    this.readModeSC = props?.readModeSC
    this.readTouchTtlPercent = props?.readTouchTtlPercent
    this.deserialize = props?.deserialize
  }
}

/** Options of `operate`. */
export interface OperatePolicyOptions extends BasePolicyOptions, ReadModes {
  commitLevel?: number | undefined
  deserialize?: boolean | undefined
  durableDelete?: boolean | undefined
  exists?: number | undefined
  gen?: number | undefined
  key?: number | undefined
  onLockingOnly?: boolean | undefined
  replica?: number | undefined
}

/** Options of `operate`. */
export class OperatePolicy extends BasePolicy {
  key?: number | undefined
  gen?: number | undefined
  exists?: number | undefined
  replica?: number | undefined
  commitLevel?: number | undefined
  deserialize?: boolean | undefined
  durableDelete?: boolean | undefined
  onLockingOnly?: boolean | undefined
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined

  constructor(props?: OperatePolicyOptions | null) {
    super(props)
    this.key = props?.key
    this.gen = props?.gen
    this.exists = props?.exists
    this.replica = props?.replica
    this.commitLevel = props?.commitLevel
    this.deserialize = props?.deserialize
    this.durableDelete = props?.durableDelete
    this.onLockingOnly = props?.onLockingOnly
    this.readModeAP = props?.readModeAP
    this.readModeSC = props?.readModeSC
    this.readTouchTtlPercent = props?.readTouchTtlPercent
  }
}

/** Options of queries. */
export interface QueryPolicyOptions extends BasePolicyOptions {
  deserialize?: boolean | undefined
  /** Has no effect: queries go on when the cluster changes. */
  failOnClusterChange?: boolean | undefined
  /** Has no effect; see `failOnClusterChange`. */
  infoTimeout?: number | undefined
  /** How long the query is expected to take; has no effect. */
  expectedDuration?: number | undefined
  replica?: number | undefined
}

/** Options of queries. */
export class QueryPolicy extends BasePolicy {
  replica?: number | undefined
  deserialize?: boolean | undefined
  failOnClusterChange?: boolean | undefined
  infoTimeout?: number | undefined
  expectedDuration?: number | undefined

  constructor(props?: QueryPolicyOptions | null) {
    super(props)
    this.replica = props?.replica
    this.deserialize = props?.deserialize
    this.failOnClusterChange = props?.failOnClusterChange
    this.infoTimeout = props?.infoTimeout
    this.expectedDuration = props?.expectedDuration
  }
}

/** Options of scans. */
export interface ScanPolicyOptions extends BasePolicyOptions {
  durableDelete?: boolean | undefined
  /** The maximum number of records; with `paginate`, of a page. */
  maxRecords?: number | undefined
  /** The maximum number of records per second on each node. */
  recordsPerSecond?: number | undefined
  replica?: number | undefined
}

/** Options of scans. */
export class ScanPolicy extends BasePolicy {
  replica?: number | undefined
  durableDelete?: boolean | undefined
  recordsPerSecond?: number | undefined
  maxRecords?: number | undefined

  constructor(props?: ScanPolicyOptions | null) {
    super(props)
    this.replica = props?.replica
    this.durableDelete = props?.durableDelete
    this.recordsPerSecond = props?.recordsPerSecond
    this.maxRecords = props?.maxRecords
  }
}

/** Options of info commands, and of those about indexes and modules. */
export interface InfoPolicyOptions {
  checkBounds?: boolean | undefined
  sendAsIs?: boolean | undefined
  timeout?: number | undefined
  timeoutDelay?: number | undefined
}

/** Options of info commands, and of those about indexes and modules. */
export class InfoPolicy {
  timeoutDelay?: number | undefined
  timeout?: number | undefined
  sendAsIs?: boolean | undefined
  checkBounds?: boolean | undefined

  constructor(props?: InfoPolicyOptions | null) {
    this.timeoutDelay = props?.timeoutDelay
    this.timeout = props?.timeout
    this.sendAsIs = props?.sendAsIs
    this.checkBounds = props?.checkBounds
  }
}

/** Options of commands about users and roles. */
export interface AdminPolicyOptions {
  timeout?: number | undefined
}

/** Options of commands about users and roles. */
export class AdminPolicy {
  timeout?: number | undefined

  constructor(props?: AdminPolicyOptions | null) {
    this.timeout = props?.timeout
  }
}

/** Options of `enableMetrics`. */
export interface MetricsPolicyOptions {
  metricsListeners?: MetricsListeners | undefined
  reportDir?: string | undefined
  reportSizeLimit?: number | undefined
  interval?: number | undefined
  latencyColumns?: number | undefined
  latencyShift?: number | undefined
  labels?: { [name: string]: string } | undefined
}

/** Options of `enableMetrics`. */
export class MetricsPolicy {
  metricsListeners?: MetricsListeners | undefined
  reportDir?: string | undefined
  reportSizeLimit?: number | undefined
  interval?: number | undefined
  latencyColumns?: number | undefined
  latencyShift?: number | undefined
  labels?: { [name: string]: string } | undefined

  constructor(props?: MetricsPolicyOptions | null) {
    this.metricsListeners = props?.metricsListeners
    this.reportDir = props?.reportDir
    this.reportSizeLimit = props?.reportSizeLimit
    this.interval = props?.interval
    this.latencyColumns = props?.latencyColumns
    this.latencyShift = props?.latencyShift
    this.labels = props?.labels
  }
}

/** Limits of the global command queue. */
export interface CommandQueuePolicyOptions {
  maxCommandsInProcess?: number | undefined
  maxCommandsInQueue?: number | undefined
  queueInitialCapacity?: number | undefined
}

/** Limits of the global command queue. */
export class CommandQueuePolicy {
  maxCommandsInProcess?: number | undefined
  maxCommandsInQueue?: number | undefined
  queueInitialCapacity?: number | undefined

  constructor(props?: CommandQueuePolicyOptions | null) {
    this.maxCommandsInProcess = props?.maxCommandsInProcess
    this.maxCommandsInQueue = props?.maxCommandsInQueue
    this.queueInitialCapacity = props?.queueInitialCapacity
  }
}
