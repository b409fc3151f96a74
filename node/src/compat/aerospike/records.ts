/** The verbs on single records. */

import { native } from '../../aerospike/model/native.js'
import type { Record as NativeRecord } from '../../aerospike/model/record.js'
import { delete as deleteRecord } from '../../aerospike/op/index.js'
import { ClientBase } from './client-base.js'
import {
  type Callback,
  checkArray,
  checkObject,
  checkOptional,
  type Outcome,
  partInvalid,
  run,
} from './command.js'
import type { AerospikeError } from './error.js'
import type { Key, KeyOptions } from './key.js'
import { SCALAR } from './numbers.js'
import { Operation } from './operation.js'
import type {
  ApplyPolicyOptions,
  OperatePolicyOptions,
  ReadPolicyOptions,
  RemovePolicyOptions,
  WritePolicyOptions,
} from './policies.js'
import {
  applyOptions,
  type NativeOptions,
  operateOptions,
  readOptions,
  removeOptions,
  writeOptions,
} from './policy-options.js'
import { type Bin, Record, type RecordMetadata } from './record.js'
import {
  metaOptions,
  nativeOperations,
  noConnections,
  notFound,
  operatedRecord,
  policyOptions,
  recordOf,
  spaceOfCall,
  touchTtl,
  udfParts,
  wireOfCall,
  write,
} from './record-calls.js'
import { programValue } from './results.js'
import { status } from './status.js'
import { Transaction } from './transaction.js'
import type { AerospikeBins, AerospikeBinValue, UDF } from './types.js'

/** A policy of a call, or its callback. */
type Or<P, T> = P | Callback<T> | null | undefined

/** Removes a record, as an operation. */
const DELETE = [deleteRecord()]

/** What callbacks get besides the error of a read. */
function withKey(error: AerospikeError, key: KeyOptions): Outcome<Record> {
  return [error, new Record(key, undefined as unknown as AerospikeBins)]
}

function isMissing(error: AerospikeError): boolean {
  return error.code === status.ERR_RECORD_NOT_FOUND
}

/** The verbs on single records. */
export abstract class RecordVerbs extends ClientBase {
  /** @internal The number of the client, or of the transaction that a policy names. */
  handleFor(policy: { txn?: unknown } | null | undefined): number {
    const transaction = policy?.txn
    if (transaction === undefined || transaction === null) {
      if (this.config.maxConnsPerNode === 0) throw noConnections()
      return this.handle
    }
    if (!(transaction instanceof Transaction)) {
      throw partInvalid('Policy object', new TypeError('txn must be a Transaction'))
    }
    return transaction.handleOf(this.native)
  }

  /** Reads all bins of a record. */
  get(key: KeyOptions, policy?: ReadPolicyOptions | null): Promise<Record>
  get(key: KeyOptions, callback: Callback<Record>): void
  get(
    key: KeyOptions,
    policy: ReadPolicyOptions | null | undefined,
    callback: Callback<Record>,
  ): void
  get(
    key: KeyOptions,
    policy?: Or<ReadPolicyOptions, Record>,
    callback?: Callback<Record>,
  ): Promise<Record> | undefined {
    if (typeof policy === 'function') return this.#read('Get', key, undefined, null, policy)
    return this.#read('Get', key, undefined, policy, callback)
  }

  /** Reads some bins of a record. */
  select(
    key: KeyOptions,
    bins: readonly string[],
    policy?: ReadPolicyOptions | null,
  ): Promise<Record>
  select(key: KeyOptions, bins: readonly string[], callback: Callback<Record>): void
  select(
    key: KeyOptions,
    bins: readonly string[],
    policy: ReadPolicyOptions | null | undefined,
    callback: Callback<Record>,
  ): void
  select(
    key: KeyOptions,
    bins: readonly string[],
    policy?: Or<ReadPolicyOptions, Record>,
    callback?: Callback<Record>,
  ): Promise<Record> | undefined {
    if (typeof policy === 'function') return this.#read('Select', key, bins ?? null, null, policy)
    return this.#read('Select', key, bins ?? null, policy, callback)
  }

  #read(
    name: string,
    key: KeyOptions,
    bins: readonly string[] | null | undefined,
    policy: ReadPolicyOptions | null | undefined,
    callback: Callback<Record> | undefined,
  ): Promise<Record> | undefined {
    return run(
      this,
      name,
      key,
      callback,
      (record: NativeRecord) => recordOf(key, record),
      (slot) => {
        if (bins !== undefined) checkArray(bins, 'Bins')
        const space = spaceOfCall(key)
        const wire = wireOfCall(key)
        const options = policyOptions(
          this.policyFor('read', policy),
          readOptions,
          this.defaults.read,
        )
        const handle = this.handleFor(policy)
        this.sendWith(policy ?? this.defaults.policies.read, () =>
          native.get(handle, slot, space, wire, bins ?? undefined, options, false),
        )
      },
      (error) => withKey(error, key),
    )
  }

  /** Whether a record exists. */
  exists(key: KeyOptions, policy?: ReadPolicyOptions | null): Promise<boolean>
  exists(key: KeyOptions, callback: Callback<boolean>): void
  exists(
    key: KeyOptions,
    policy: ReadPolicyOptions | null | undefined,
    callback: Callback<boolean>,
  ): void
  exists(
    key: KeyOptions,
    policy?: Or<ReadPolicyOptions, boolean>,
    callback?: Callback<boolean>,
  ): Promise<boolean> | undefined {
    if (typeof policy === 'function') return this.exists(key, null, policy) as undefined
    return run(
      this,
      'Exists',
      key,
      callback,
      Boolean,
      (slot) => {
        const space = spaceOfCall(key)
        const wire = wireOfCall(key)
        const options = policyOptions(
          this.policyFor('read', policy),
          readOptions,
          this.defaults.read,
        )
        const handle = this.handleFor(policy)
        // `exists` does not tell a record that is missing from one that the filter leaves out.
        if (options?.where === undefined) native.exists(handle, slot, space, wire, options)
        else native.get(handle, slot, space, wire, [], options, false)
      },
      (error) => (isMissing(error) ? [null, false] : [error]),
    )
  }

  /** A record without bins, with its generation and time to live; both are `null` if it is missing. */
  existsWithMetadata(key: KeyOptions, policy?: ReadPolicyOptions | null): Promise<Record<null>>
  existsWithMetadata(key: KeyOptions, callback: Callback<Record<null>>): void
  existsWithMetadata(
    key: KeyOptions,
    policy: ReadPolicyOptions | null | undefined,
    callback: Callback<Record<null>>,
  ): void
  existsWithMetadata(
    key: KeyOptions,
    policy?: Or<ReadPolicyOptions, Record<null>>,
    callback?: Callback<Record<null>>,
  ): Promise<Record<null>> | undefined {
    if (typeof policy === 'function') return this.existsWithMetadata(key, null, policy) as undefined
    return run(
      this,
      'Exists',
      key,
      callback,
      ({ ttl, generation }: NativeRecord) =>
        new Record(key, null, { ttl: ttl ?? -1, gen: generation }),
      (slot) => {
        const space = spaceOfCall(key)
        const wire = wireOfCall(key)
        const options = policyOptions(
          this.policyFor('read', policy),
          readOptions,
          this.defaults.read,
        )
        native.get(this.handleFor(policy), slot, space, wire, [], options, false)
      },
      (error) =>
        isMissing(error) ? [null, new Record(key, null, { ttl: null, gen: null })] : [error],
    )
  }

  /** Writes bins of a record; a bin with `null` is removed. */
  put(
    key: KeyOptions,
    bins: AerospikeBins | Bin,
    meta?: RecordMetadata | null,
    policy?: WritePolicyOptions | null,
  ): Promise<Key>
  put(key: KeyOptions, bins: AerospikeBins | Bin, callback: Callback<Key>): void
  put(
    key: KeyOptions,
    bins: AerospikeBins | Bin,
    meta: RecordMetadata | null | undefined,
    callback: Callback<Key>,
  ): void
  put(
    key: KeyOptions,
    bins: AerospikeBins | Bin,
    meta: RecordMetadata | null | undefined,
    policy: WritePolicyOptions | null | undefined,
    callback: Callback<Key>,
  ): void
  put(
    key: KeyOptions,
    bins: AerospikeBins | Bin,
    meta?: Or<RecordMetadata, Key>,
    policy?: Or<WritePolicyOptions, Key>,
    callback?: Callback<Key>,
  ): Promise<Key> | undefined {
    if (typeof meta === 'function') return this.#put(key, bins, null, null, meta)
    if (typeof policy === 'function') return this.#put(key, bins, meta, null, policy)
    return this.#put(key, bins, meta, policy, callback)
  }

  #put(
    key: KeyOptions,
    bins: AerospikeBins | Bin,
    meta: RecordMetadata | null | undefined,
    policy: WritePolicyOptions | null | undefined,
    callback: Callback<Key> | undefined,
  ): Promise<Key> | undefined {
    return run(
      this,
      'Put',
      key,
      callback,
      () => key as Key,
      (slot) => {
        const space = spaceOfCall(key)
        const wire = wireOfCall(key)
        checkObject(bins, 'Record')
        checkOptional(meta, 'Metadata')
        let options = policyOptions(
          this.policyFor('write', policy),
          (of) => writeOptions(of, meta),
          this.#withGeneration(meta),
        )
        if (meta) options = metaOptions(options, meta)
        write(this.handleFor(policy), slot, space, wire, options, bins)
      },
      (error) => [error, key as Key],
    )
  }

  /** The options of `put` without a policy. */
  #withGeneration(meta: RecordMetadata | null | undefined): NativeOptions | undefined {
    const policy = this.defaults.policies.write
    if (!policy?.gen || !meta) return this.defaults.write
    return policyOptions(this.policyFor('write', policy), (of) => writeOptions(of, meta), undefined)
  }

  /** Removes a record. Fails with `ERR_RECORD_NOT_FOUND` if it does not exist. */
  remove(key: KeyOptions, policy?: RemovePolicyOptions | null): Promise<Key>
  remove(key: KeyOptions, callback: Callback<Key>): void
  remove(
    key: KeyOptions,
    policy: RemovePolicyOptions | null | undefined,
    callback: Callback<Key>,
  ): void
  remove(
    key: KeyOptions,
    policy?: Or<RemovePolicyOptions, Key>,
    callback?: Callback<Key>,
  ): Promise<Key> | undefined {
    if (typeof policy === 'function') return this.remove(key, null, policy) as undefined
    return run(
      this,
      'Remove',
      key,
      callback,
      (existed: unknown) => {
        if (existed === false) throw notFound()
        return key as Key
      },
      (slot) => {
        const space = spaceOfCall(key)
        const wire = wireOfCall(key)
        const options = policyOptions(
          this.policyFor('remove', policy),
          removeOptions,
          this.defaults.remove,
        )
        const handle = this.handleFor(policy)
        // `remove` does not tell a record that is missing from one that the filter leaves out.
        if (options?.where === undefined) native.remove(handle, slot, space, wire, options)
        else native.operate(handle, slot, space, wire, DELETE, options)
      },
      (error) => [error, key as Key],
    )
  }

  /** Calls a function of a registered module on a record. */
  apply(key: KeyOptions, udf: UDF, policy?: ApplyPolicyOptions | null): Promise<AerospikeBinValue>
  apply(key: KeyOptions, udf: UDF, callback: Callback<AerospikeBinValue>): void
  apply(
    key: KeyOptions,
    udf: UDF,
    policy: ApplyPolicyOptions | null | undefined,
    callback: Callback<AerospikeBinValue>,
  ): void
  apply(
    key: KeyOptions,
    udf: UDF,
    policy?: Or<ApplyPolicyOptions, AerospikeBinValue>,
    callback?: Callback<AerospikeBinValue>,
  ): Promise<AerospikeBinValue> | undefined {
    if (typeof policy === 'function') return this.apply(key, udf, null, policy) as undefined
    return run(this, 'Apply', key, callback, programValue, (slot) => {
      const space = spaceOfCall(key)
      checkObject(udf, 'UDF args')
      const wire = wireOfCall(key)
      const [module, name, args] = udfParts(udf)
      const options = policyOptions(
        this.policyFor('apply', policy),
        applyOptions,
        this.defaults.apply,
      )
      native.apply(this.handleFor(policy), slot, space, wire, module, name, args, options)
    })
  }

  /** Applies operations to a record, in order and atomically. */
  operate(
    key: KeyOptions,
    operations: readonly Operation[],
    metadata?: RecordMetadata | null,
    policy?: OperatePolicyOptions | null,
  ): Promise<Record>
  operate(key: KeyOptions, operations: readonly Operation[], callback: Callback<Record>): void
  operate(
    key: KeyOptions,
    operations: readonly Operation[],
    metadata: RecordMetadata | null | undefined,
    callback: Callback<Record>,
  ): void
  operate(
    key: KeyOptions,
    operations: readonly Operation[],
    metadata: RecordMetadata | null | undefined,
    policy: OperatePolicyOptions | null | undefined,
    callback: Callback<Record>,
  ): void
  operate(
    key: KeyOptions,
    operations: readonly Operation[],
    metadata?: Or<RecordMetadata, Record>,
    policy?: Or<OperatePolicyOptions, Record>,
    callback?: Callback<Record>,
  ): Promise<Record> | undefined {
    if (typeof metadata === 'function') return this.#operate(key, operations, null, null, metadata)
    if (typeof policy === 'function') return this.#operate(key, operations, metadata, null, policy)
    return this.#operate(key, operations, metadata, policy, callback)
  }

  #operate(
    key: KeyOptions,
    steps: readonly Operation[],
    meta: RecordMetadata | null | undefined,
    policy: OperatePolicyOptions | null | undefined,
    callback: Callback<Record> | undefined,
  ): Promise<Record> | undefined {
    return run(
      this,
      'Operate',
      key,
      callback,
      (record: NativeRecord) => operatedRecord(key, steps, record),
      (slot) => {
        const space = spaceOfCall(key)
        checkArray(steps, 'Operations')
        checkOptional(meta, 'Metadata')
        const wire = wireOfCall(key)
        const natives = nativeOperations(steps)
        let options = policyOptions(
          this.policyFor('operate', policy) ?? (meta ? this.defaults.policies.operate : undefined),
          (of) => operateOptions(of, meta),
          this.defaults.operate,
        )
        if (meta) options = metaOptions(options, meta)
        const ttl = touchTtl(steps)
        if (ttl !== undefined) options = { ...options, ttl }
        const handle = this.handleFor(policy)
        this.sendWith(policy ?? this.defaults.policies.operate, () =>
          native.operate(handle, slot, space, wire, natives, options),
        )
      },
      (error) => withKey(error, key),
    )
  }

  /** Adds numbers to bins. */
  declare readonly add: CombinedVerb
  /** Adds numbers to bins. */
  declare readonly incr: CombinedVerb
  /** Appends text or bytes to bins. */
  declare readonly append: CombinedVerb
  /** Prepends text or bytes to bins. */
  declare readonly prepend: CombinedVerb
}

/** A verb that applies the same operation to several bins. */
interface CombinedVerb {
  (
    key: KeyOptions,
    bins: AerospikeBins,
    metadata?: RecordMetadata | null,
    policy?: OperatePolicyOptions | null,
  ): Promise<Record>
  (key: KeyOptions, bins: AerospikeBins, callback: Callback<Record>): void
  (
    key: KeyOptions,
    bins: AerospikeBins,
    metadata: RecordMetadata | null | undefined,
    callback: Callback<Record>,
  ): void
  (
    key: KeyOptions,
    bins: AerospikeBins,
    metadata: RecordMetadata | null | undefined,
    policy: OperatePolicyOptions | null | undefined,
    callback: Callback<Record>,
  ): void
}

function combined(op: number) {
  return function (
    this: RecordVerbs,
    key: KeyOptions,
    bins: AerospikeBins,
    metadata?: Or<RecordMetadata, Record>,
    policy?: Or<OperatePolicyOptions, Record>,
    callback?: Callback<Record>,
  ): Promise<Record> | undefined {
    const steps = Object.entries(bins).map(([bin, value]) => new Operation(op, bin, { value }))
    return this.operate(key, steps, metadata as null, policy as null, callback as never) as never
  }
}

for (const [name, op] of [
  ['add', SCALAR.INCR],
  ['incr', SCALAR.INCR],
  ['append', SCALAR.APPEND],
  ['prepend', SCALAR.PREPEND],
] as const) {
  Object.defineProperty(RecordVerbs.prototype, name, {
    value: combined(op),
    configurable: true,
    writable: true,
  })
}
