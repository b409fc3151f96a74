/** Policies of batches and of their rows, and of operations on lists, maps, bits and sketches. */

import { BasePolicy, type BasePolicyOptions, type FilterExpression } from './policies.js'

/** Options of batches. */
export interface BatchPolicyOptions extends BasePolicyOptions {
  /** Has no effect: nodes decide. */
  allowInline?: boolean | undefined
  /** Has no effect: nodes decide. */
  allowInlineSSD?: boolean | undefined
  /** Has no effect: all nodes are asked at the same time. */
  concurrent?: boolean | undefined
  deserialize?: boolean | undefined
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined
  replica?: number | undefined
  respondAllKeys?: boolean | undefined
  /** Has no effect: the name of the set is sent. */
  sendSetName?: boolean | undefined
}

/** Options of batches. */
export class BatchPolicy extends BasePolicy {
  replica?: number | undefined
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined
  concurrent?: boolean | undefined
  allowInline?: boolean | undefined
  allowInlineSSD?: boolean | undefined
  respondAllKeys?: boolean | undefined
  sendSetName?: boolean | undefined
  deserialize?: boolean | undefined

  constructor(props?: BatchPolicyOptions | null) {
    super(props)
    this.replica = props?.replica
    this.readModeAP = props?.readModeAP
    this.readModeSC = props?.readModeSC
    this.readTouchTtlPercent = props?.readTouchTtlPercent
    this.concurrent = props?.concurrent
    this.allowInline = props?.allowInline
    this.allowInlineSSD = props?.allowInlineSSD
    this.respondAllKeys = props?.respondAllKeys
    this.sendSetName = props?.sendSetName
    this.deserialize = props?.deserialize
  }
}

/** Options of a row that reads. */
export interface BatchReadPolicyOptions {
  filterExpression?: FilterExpression | null | undefined
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined
}

/** Options of a row that reads. */
export class BatchReadPolicy {
  filterExpression?: FilterExpression | null | undefined
  readModeAP?: number | undefined
  readModeSC?: number | undefined
  readTouchTtlPercent?: number | undefined

  constructor(props?: BatchReadPolicyOptions | null) {
    this.filterExpression = props?.filterExpression
    this.readModeAP = props?.readModeAP
    this.readModeSC = props?.readModeSC
    this.readTouchTtlPercent = props?.readTouchTtlPercent
  }
}

/** Options of a row that writes. */
export interface BatchWritePolicyOptions {
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined
  exists?: number | undefined
  filterExpression?: FilterExpression | null | undefined
  gen?: number | undefined
  key?: number | undefined
  onLockingOnly?: boolean | undefined
  ttl?: number | undefined
}

/** Options of a row that writes. */
export class BatchWritePolicy {
  filterExpression?: FilterExpression | null | undefined
  ttl?: number | undefined
  key?: number | undefined
  commitLevel?: number | undefined
  gen?: number | undefined
  exists?: number | undefined
  durableDelete?: boolean | undefined
  onLockingOnly?: boolean | undefined

  constructor(props?: BatchWritePolicyOptions | null) {
    this.filterExpression = props?.filterExpression
    this.ttl = props?.ttl
    this.key = props?.key
    this.commitLevel = props?.commitLevel
    this.gen = props?.gen
    this.exists = props?.exists
    this.durableDelete = props?.durableDelete
    this.onLockingOnly = props?.onLockingOnly
  }
}

/** Options of a row that calls a function. */
export interface BatchApplyPolicyOptions {
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined
  filterExpression?: FilterExpression | null | undefined
  key?: number | undefined
  onLockingOnly?: boolean | undefined
  ttl?: number | undefined
}

/** Options of a row that calls a function. */
export class BatchApplyPolicy {
  filterExpression?: FilterExpression | null | undefined
  key?: number | undefined
  commitLevel?: number | undefined
  ttl?: number | undefined
  durableDelete?: boolean | undefined
  onLockingOnly?: boolean | undefined

  constructor(props?: BatchApplyPolicyOptions | null) {
    this.filterExpression = props?.filterExpression
    this.key = props?.key
    this.commitLevel = props?.commitLevel
    this.ttl = props?.ttl
    this.durableDelete = props?.durableDelete
    this.onLockingOnly = props?.onLockingOnly
  }
}

/** Options of a row that removes. */
export interface BatchRemovePolicyOptions {
  commitLevel?: number | undefined
  durableDelete?: boolean | undefined
  filterExpression?: FilterExpression | null | undefined
  gen?: number | undefined
  generation?: number | undefined
  key?: number | undefined
}

/** Options of a row that removes. */
export class BatchRemovePolicy {
  filterExpression?: FilterExpression | null | undefined
  key?: number | undefined
  commitLevel?: number | undefined
  gen?: number | undefined
  generation?: number | undefined
  durableDelete?: boolean | undefined

  constructor(props?: BatchRemovePolicyOptions | null) {
    this.filterExpression = props?.filterExpression
    this.key = props?.key
    this.commitLevel = props?.commitLevel
    this.gen = props?.gen
    this.generation = props?.generation
    this.durableDelete = props?.durableDelete
  }
}

/** Options of operations on bits. */
export class BitwisePolicy {
  writeFlags?: number | undefined

  constructor(props?: { writeFlags?: number | undefined } | null) {
    this.writeFlags = props?.writeFlags
  }
}

/** Options of operations on sketches. */
export class HLLPolicy {
  writeFlags?: number | undefined

  constructor(props?: { writeFlags?: number | undefined } | null) {
    this.writeFlags = props?.writeFlags
  }
}

/** Options of operations on lists. */
export interface ListPolicyOptions {
  order?: number | undefined
  writeFlags?: number | undefined
}

/** Options of operations on lists. */
export class ListPolicy {
  order?: number | undefined
  writeFlags?: number | undefined

  constructor(props?: ListPolicyOptions | null) {
    this.order = props?.order
    this.writeFlags = props?.writeFlags
  }
}

/** Options of operations on maps. */
export interface MapPolicyOptions {
  order?: number | undefined
  writeFlags?: number | undefined
  writeMode?: number | undefined
}

/** Options of operations on maps. */
export class MapPolicy {
  order?: number | undefined
  writeFlags?: number | undefined
  writeMode?: number | undefined

  constructor(props?: MapPolicyOptions | null) {
    this.order = props?.order
    this.writeFlags = props?.writeFlags
    this.writeMode = props?.writeMode
  }
}
