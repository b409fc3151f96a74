/** The parts of calls on records: from arguments to those of the native part, and back. */

import type { Slot } from '../../addon/native.js'
import { PUT, writeShaped } from '../../aerospike/command/verbs.js'
import type { Space } from '../../aerospike/model/native.js'
import type { Record as NativeRecord } from '../../aerospike/model/record.js'
import { shapeOf } from '../../aerospike/model/shapes.js'
import type { BinValue } from '../../aerospike/model/values.js'
import type { Operation as NativeOperation } from '../../aerospike/operation/operation.js'
import { checkObject, checkOptional, partInvalid } from './command.js'
import { AerospikeError } from './error.js'
import { type Key, type KeyOptions, spaceOf, wireOf } from './key.js'
import { type Operation, resultBins, toNativeOperation, ttlOf } from './operation.js'
import {
  type AnyPolicy,
  type NativeOptions,
  ttlOf as nativeTtl,
  withMeta,
} from './policy-options.js'
import { Bin, Record, type RecordMetadata } from './record.js'
import { binsOf } from './results.js'
import { status } from './status.js'
import type { AerospikeBins, UDF } from './types.js'
import { toNativeValue } from './values.js'

/** The number of the set of a key. */
export function spaceOfCall(key: KeyOptions): Space {
  checkObject(key, 'Key')
  try {
    return spaceOf(key)
  } catch (error) {
    throw partInvalid('Key object', error)
  }
}

/** The user key or digest of a key. */
export function wireOfCall(key: KeyOptions): unknown {
  try {
    return wireOf(key)
  } catch (error) {
    throw partInvalid('Key object', error)
  }
}

/** Translates a policy; `defaults` if there is none. */
export function policyOptions(
  policy: object | null | undefined,
  translate: (policy: AnyPolicy) => NativeOptions,
  defaults: NativeOptions | undefined,
): NativeOptions | undefined {
  if (policy === undefined || policy === null) return defaults
  checkOptional(policy, 'Policy')
  try {
    return translate(policy as AnyPolicy)
  } catch (error) {
    throw partInvalid('Policy object', error)
  }
}

/** Options with the time to live of metadata. */
export function metaOptions(
  options: NativeOptions | undefined,
  meta: RecordMetadata,
): NativeOptions | undefined {
  try {
    return withMeta(options, meta)
  } catch (error) {
    throw partInvalid('Meta object', error)
  }
}

/** A record as programs get it. */
export function recordOf(key: Key | KeyOptions, { bins, generation, ttl }: NativeRecord): Record {
  return new Record(key, binsOf(bins), { ttl: ttl ?? -1, gen: generation })
}

/** A record with the results of operations: of a bin, that of its last one. */
export function operatedRecord(
  key: Key | KeyOptions,
  steps: readonly Operation[],
  record: NativeRecord,
  hasAll?: boolean,
): Record {
  const { bins, generation, ttl, results } = record
  const returned = results ? resultBins(steps, results, hasAll) : bins
  return new Record(key, binsOf(returned), { ttl: ttl ?? -1, gen: generation })
}

/** The engine's operations. */
export function nativeOperations(steps: readonly Operation[]): NativeOperation[] {
  try {
    return steps.map(toNativeOperation)
  } catch (error) {
    throw partInvalid('Operations array', error)
  }
}

/** The time to live that the last `touch` sets; `undefined` if none sets any. */
export function touchTtl(steps: readonly Operation[]): NativeOptions['ttl'] | undefined {
  let ttl: number | undefined
  for (const step of steps) ttl = ttlOf(step) ?? ttl
  return nativeTtl(ttl)
}

/** Writes bins. */
export function write(
  client: number,
  slot: Slot,
  space: Space,
  wire: unknown,
  options: NativeOptions | undefined,
  bins: AerospikeBins | Bin,
): void {
  const named = bins instanceof Bin ? { [bins.name]: bins.value } : bins
  try {
    const values: unknown[] = []
    const shape = shapeOf(named, values)
    for (let at = 0; at < values.length; at++) {
      const value = values[at]
      if (typeof value === 'string') continue
      if (value === undefined) throw new TypeError('the value of a bin is undefined')
      values[at] = toNativeValue(value)
    }
    writeShaped(client, slot, space, wire, options, PUT, named, shape, values)
  } catch (error) {
    throw partInvalid('Record object', error)
  }
}

/** Module, function and arguments. */
export function udfParts(udf: UDF): [string, string, BinValue[]] {
  try {
    const { module, funcname, args } = udf
    if (typeof module !== 'string') throw new TypeError('the module must be a string')
    if (typeof funcname !== 'string') throw new TypeError('the function must be a string')
    if (args !== undefined && args !== null && !Array.isArray(args)) {
      throw new TypeError('the arguments must be an array')
    }
    return [module, funcname, (args ?? []).map(toNativeValue)]
  } catch (error) {
    throw partInvalid('UDF args object', error)
  }
}

/** The error of a record that does not exist. */
export function notFound(): AerospikeError {
  const error = new AerospikeError(status.getMessage(status.ERR_RECORD_NOT_FOUND))
  error.code = status.ERR_RECORD_NOT_FOUND
  return error
}

/** The error of a client that may not have connections. */
export function noConnections(): AerospikeError {
  const error = new AerospikeError(status.getMessage(status.ERR_NO_MORE_CONNECTIONS))
  error.code = status.ERR_NO_MORE_CONNECTIONS
  return error
}
