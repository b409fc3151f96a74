/** The options of calls without a policy, by kind of call: those of the client's configuration. */

import { partInvalid } from './command.js'
import type { ConfigPolicies } from './policy.js'
import {
  type AnyPolicy,
  applyOptions,
  applyRowOptions,
  type NativeOptions,
  operateOptions,
  readOptions,
  readRowOptions,
  removeOptions,
  removeRowOptions,
  writeOptions,
  writeRowOptions,
} from './policy-options.js'

/** Options of calls, and policies of those whose options depend on more. */
export interface CallDefaults {
  readonly read: NativeOptions | undefined
  readonly write: NativeOptions | undefined
  readonly operate: NativeOptions | undefined
  readonly remove: NativeOptions | undefined
  readonly apply: NativeOptions | undefined
  readonly readRow: NativeOptions | undefined
  readonly writeRow: NativeOptions | undefined
  readonly applyRow: NativeOptions | undefined
  readonly removeRow: NativeOptions | undefined
  readonly policies: ConfigPolicies
}

/** The options of calls without a policy. */
export function defaultsOf(policies: ConfigPolicies): CallDefaults {
  const options = (
    type: keyof ConfigPolicies,
    translate: (policy: AnyPolicy) => NativeOptions,
  ): NativeOptions | undefined => {
    const policy = policies[type]
    if (policy === undefined) return undefined
    try {
      const translated = translate(policy as unknown as AnyPolicy)
      return Object.keys(translated).length === 0 ? undefined : translated
    } catch (error) {
      throw partInvalid('Policy object', error)
    }
  }
  return {
    read: options('read', readOptions),
    write: options('write', writeOptions),
    operate: options('operate', operateOptions),
    remove: options('remove', removeOptions),
    apply: options('apply', applyOptions),
    readRow: options('batchRead', readRowOptions),
    writeRow: options('batchWrite', writeRowOptions),
    applyRow: options('batchApply', applyRowOptions),
    removeRow: options('batchRemove', removeRowOptions),
    policies,
  }
}
