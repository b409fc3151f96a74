/** The namespace `policy`: constants, and classes of policies by name. */

import * as batch from './batch-policies.js'
import * as single from './policies.js'

export * from './batch-policies.js'
export {
  commitLevel,
  exists,
  gen,
  key,
  queryDuration,
  readModeAP,
  readModeSC,
  replica,
} from './enums.js'
export * from './policies.js'

/** Classes of policies by the names that configurations have for them. */
export const CLASSES = {
  base: single.BasePolicy,
  apply: single.ApplyPolicy,
  batch: batch.BatchPolicy,
  operate: single.OperatePolicy,
  query: single.QueryPolicy,
  read: single.ReadPolicy,
  remove: single.RemovePolicy,
  scan: single.ScanPolicy,
  write: single.WritePolicy,
  batchRead: batch.BatchReadPolicy,
  batchRemove: batch.BatchRemovePolicy,
  metrics: single.MetricsPolicy,
  batchWrite: batch.BatchWritePolicy,
  batchParentWrite: batch.BatchPolicy,
  txnRoll: batch.BatchPolicy,
  txnVerify: batch.BatchPolicy,
  batchApply: batch.BatchApplyPolicy,
  commandQueue: single.CommandQueuePolicy,
  hll: batch.HLLPolicy,
  info: single.InfoPolicy,
  list: batch.ListPolicy,
  map: batch.MapPolicy,
  admin: single.AdminPolicy,
} as const

/** The policies of a configuration. */
export type ConfigPolicies = {
  [K in keyof typeof CLASSES]?: InstanceType<(typeof CLASSES)[K]> | undefined
}

/**
 * A policy of a type, such as `'read'`; `undefined` without values.
 *
 * @throws TypeError for an unknown type
 */
export function createPolicy(type: string, values: object | null | undefined): object | undefined {
  if (values === null || values === undefined) return undefined
  if (!Object.hasOwn(CLASSES, type)) throw new TypeError(`Unknown policy type: "${type}"`)
  const policyClass = CLASSES[type as keyof typeof CLASSES] as new (values: object) => object
  return values instanceof policyClass ? values : new policyClass(values)
}
