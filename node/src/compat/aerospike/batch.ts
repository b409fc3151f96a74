/** The verbs on many records. */

import type { Slot } from '../../addon/native.js'
import type { Batch } from '../../aerospike/batch/batch.js'
import { type Rows, rowsOf, sent } from '../../aerospike/batch/gather.js'
import { native, type Space } from '../../aerospike/model/native.js'
import type {
  BatchApplyPolicyOptions,
  BatchPolicyOptions,
  BatchRemovePolicyOptions,
} from './batch-policies.js'
import {
  type AnyRow,
  encodedRows,
  type RowKind,
  readsAll,
  resultsOf,
  wholeReads,
} from './batch-rows.js'
import { ArgumentKind, type Callback, partInvalid, run } from './command.js'
import { type KeyOptions, spaceOf, wireOf } from './key.js'
import type { ConfigPolicies } from './policy.js'
import {
  type AnyPolicy,
  applyRowOptions,
  batchOptions,
  type NativeOptions,
  removeRowOptions,
} from './policy-options.js'
import type { BatchResult } from './record.js'
import { policyOptions, udfParts } from './record-calls.js'
import { RecordVerbs } from './records.js'
import type { UDF } from './types.js'

/** A policy of a call, or its callback. */
type Or<P, T> = P | Callback<T> | null | undefined
type Results = Callback<BatchResult[]>

/** The verbs on many records. */
export abstract class BatchVerbs extends RecordVerbs {
  /** Whether records exist. */
  batchExists(
    keys: readonly KeyOptions[],
    policy?: BatchPolicyOptions | null,
  ): Promise<BatchResult[]>
  batchExists(keys: readonly KeyOptions[], callback: Results): void
  batchExists(
    keys: readonly KeyOptions[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchExists(
    keys: readonly KeyOptions[],
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') return this.batchExists(keys, null, policy) as undefined
    return this.#keyed('BatchExists', keys, policy, callback, 'read', (slot, rows, options) =>
      native.existsMany(this.handleFor(policy), slot, ...sent(rows), options),
    )
  }

  /** Reads all bins of records. */
  batchGet(keys: readonly KeyOptions[], policy?: BatchPolicyOptions | null): Promise<BatchResult[]>
  batchGet(keys: readonly KeyOptions[], callback: Results): void
  batchGet(
    keys: readonly KeyOptions[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchGet(
    keys: readonly KeyOptions[],
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') return this.batchGet(keys, null, policy) as undefined
    return this.#keyed('BatchGet', keys, policy, callback, 'read', (slot, rows, options) =>
      native.getMany(this.handleFor(policy), slot, ...sent(rows), undefined, options),
    )
  }

  /** Reads some bins of records. */
  batchSelect(
    keys: readonly KeyOptions[],
    bins: readonly string[],
    policy?: BatchPolicyOptions | null,
  ): Promise<BatchResult[]>
  batchSelect(keys: readonly KeyOptions[], bins: readonly string[], callback: Results): void
  batchSelect(
    keys: readonly KeyOptions[],
    bins: readonly string[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchSelect(
    keys: readonly KeyOptions[],
    bins: readonly string[],
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') return this.batchSelect(keys, bins, null, policy) as undefined
    return this.#keyed('BatchSelect', keys, policy, callback, 'read', (slot, rows, options) => {
      if (!Array.isArray(bins)) throw new ArgumentKind('Bins must be an array')
      native.getMany(this.handleFor(policy), slot, ...sent(rows), bins, options)
    })
  }

  /** Removes records. */
  batchRemove(
    keys: readonly KeyOptions[],
    batchPolicy?: BatchPolicyOptions | null,
    batchRemovePolicy?: BatchRemovePolicyOptions | null,
  ): Promise<BatchResult[]>
  batchRemove(keys: readonly KeyOptions[], callback: Results): void
  batchRemove(
    keys: readonly KeyOptions[],
    batchPolicy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchRemove(
    keys: readonly KeyOptions[],
    batchPolicy: BatchPolicyOptions | null | undefined,
    batchRemovePolicy: BatchRemovePolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchRemove(
    keys: readonly KeyOptions[],
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    rowPolicy?: Or<BatchRemovePolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') return this.batchRemove(keys, null, null, policy) as undefined
    if (typeof rowPolicy === 'function') {
      return this.batchRemove(keys, policy, null, rowPolicy) as undefined
    }
    return this.#keyed('BatchRemove', keys, policy, callback, 'remove', (slot, rows, options) => {
      const own = policyOptions(
        this.policyFor('batchRemove', rowPolicy),
        removeRowOptions,
        this.defaults.removeRow,
      )
      native.removeMany(this.handleFor(policy), slot, ...sent(rows), { ...options, ...own })
    })
  }

  /** Calls a function of a registered module on records. */
  batchApply(
    keys: readonly KeyOptions[],
    udf: UDF,
    batchPolicy?: BatchPolicyOptions | null,
    batchApplyPolicy?: BatchApplyPolicyOptions | null,
  ): Promise<BatchResult[]>
  batchApply(keys: readonly KeyOptions[], udf: UDF, callback: Results): void
  batchApply(
    keys: readonly KeyOptions[],
    udf: UDF,
    batchPolicy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchApply(
    keys: readonly KeyOptions[],
    udf: UDF,
    batchPolicy: BatchPolicyOptions | null | undefined,
    batchApplyPolicy: BatchApplyPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchApply(
    keys: readonly KeyOptions[],
    udf: UDF,
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    rowPolicy?: Or<BatchApplyPolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') {
      return this.batchApply(keys, udf, null, null, policy) as undefined
    }
    if (typeof rowPolicy === 'function') {
      return this.batchApply(keys, udf, policy, null, rowPolicy) as undefined
    }
    return this.#keyed('BatchApply', keys, policy, callback, 'apply', (slot, rows, options) => {
      const [module, name, args] = udfParts(udf)
      const own = policyOptions(
        this.policyFor('batchApply', rowPolicy),
        applyRowOptions,
        this.defaults.applyRow,
      )
      const all = { ...options, ...own }
      native.applyMany(this.handleFor(policy), slot, ...sent(rows), module, name, args, all)
    })
  }

  /** Reads records, of each what its row says. */
  batchRead(records: readonly AnyRow[], policy?: BatchPolicyOptions | null): Promise<BatchResult[]>
  batchRead(records: readonly AnyRow[], callback: Results): void
  batchRead(
    records: readonly AnyRow[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchRead(
    records: readonly AnyRow[],
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') return this.#mixed('BatchRead', records, null, policy, true)
    return this.#mixed('BatchRead', records, policy, callback, true)
  }

  /** Reads, writes and removes records, and calls functions on them: what the type of each row says. */
  batchWrite(records: readonly AnyRow[], policy?: BatchPolicyOptions | null): Promise<BatchResult[]>
  batchWrite(records: readonly AnyRow[], callback: Results): void
  batchWrite(
    records: readonly AnyRow[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results,
  ): void
  batchWrite(
    records: readonly AnyRow[],
    policy?: Or<BatchPolicyOptions, BatchResult[]>,
    callback?: Results,
  ): Promise<BatchResult[]> | undefined {
    if (typeof policy === 'function') return this.#mixed('BatchWrite', records, null, policy, false)
    return this.#mixed('BatchWrite', records, policy, callback, false)
  }

  /** Rows that differ in their keys only. */
  #keyed(
    name: string,
    keys: readonly KeyOptions[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results | undefined,
    kind: RowKind,
    send: (slot: Slot, rows: Rows, options: NativeOptions | undefined) => void,
  ): Promise<BatchResult[]> | undefined {
    return run(
      this,
      name,
      keys,
      callback,
      (batch: Batch) => resultsOf(batch, keys, () => kind, true),
      (slot) => {
        const rows = keyedRows(keys)
        const options = this.#options(policy, kind !== 'read', true)
        this.sendWith(this.#policy(policy, kind !== 'read'), () => send(slot, rows, options))
      },
    )
  }

  #mixed(
    name: string,
    records: readonly AnyRow[],
    policy: BatchPolicyOptions | null | undefined,
    callback: Results | undefined,
    reads: boolean,
  ): Promise<BatchResult[]> | undefined {
    let keys: KeyOptions[] = []
    let kinds: RowKind[] = []
    return run(
      this,
      name,
      [records?.[0]?.key],
      callback,
      (batch: Batch) => resultsOf(batch, keys, (row) => kinds[row] as RowKind),
      (slot) => {
        if (!Array.isArray(records)) throw new ArgumentKind('Records must be an array')
        keys = records.map((record) => record?.key as KeyOptions)
        const rows = keyedRows(keys)
        const general = this.#policy(policy, !reads)
        const options = this.#options(policy, !reads, false)
        const handle = this.handleFor(policy)
        if (reads && records.every(readsAll)) {
          // Rows that are alike need no options of their own.
          kinds = new Array(records.length).fill('read')
          const alike = { ...options, ...wholeReads(general as AnyPolicy, this) }
          this.sendWith(general, () =>
            native.getMany(handle, slot, ...sent(rows), undefined, alike),
          )
          return
        }
        let encoded: unknown[]
        ;[encoded, kinds] = encodedRows(records, reads, general as AnyPolicy, this)
        this.sendWith(general, () => native.batch(handle, slot, ...sent(rows), encoded, options))
      },
    )
  }

  /** The policy of a batch: the call's, or the client's. */
  #policy(policy: BatchPolicyOptions | null | undefined, writes: boolean) {
    const type: keyof ConfigPolicies = writes ? 'batchParentWrite' : 'batch'
    return this.policyFor(type, policy) ?? this.defaults.policies[type]
  }

  /** The options of a batch; `alike`: its rows have no options of their own. */
  #options(
    policy: BatchPolicyOptions | null | undefined,
    writes: boolean,
    alike: boolean,
  ): NativeOptions | undefined {
    const general = this.#policy(policy, writes)
    if (general === undefined || general === null) return undefined
    const options = policyOptions(general, (of) => batchOptions(of, writes), undefined)
    if (alike || options === undefined) return options
    const { where: _where, readMode: _mode, readTouch: _touch, ...limits } = options
    return limits
  }
}

/** The keys of rows as the native part takes them. */
function keyedRows(keys: readonly KeyOptions[]): Rows {
  if (!Array.isArray(keys)) throw new ArgumentKind('Keys must be an array')
  try {
    const wires: unknown[] = new Array(keys.length)
    let space: Space = -1
    let isAlike = true
    for (let row = 0; row < keys.length; row++) {
      const key = keys[row] as KeyOptions
      const own = spaceOf(key)
      if (row === 0) space = own
      else if (own !== space) isAlike = false
      wires[row] = wireOf(key)
    }
    if (isAlike && keys.length > 0 && typeof wires[0] !== 'object') {
      const home = { spaceOf: () => space, wireOf: (wire: unknown) => wire }
      if (wires.every((wire) => typeof wire === typeof wires[0])) return rowsOf(home, wires)
    }
    const spaces = isAlike && keys.length > 0 ? space : keys.map(spaceOf)
    return { spaces, keys: wires, numbers: undefined, text: undefined }
  } catch (error) {
    throw partInvalid('Batch keys parameter', error)
  }
}
