/** Operations as programs build them, and their conversion for the engine. */

import type { Operation as NativeOperation } from '../../aerospike/operation/operation.js'
import { bitConversions } from './bit-conversions.js'
import { type Entries, entriesOf } from './expression.js'
import { ArgumentFailure, asArgument, INVALID_REQUEST, NOT_APPLICABLE } from './failures.js'
import { listConversions } from './list-conversions.js'
import { mapConversions } from './map-conversions.js'
import { BIT, EXPRESSION, HLL, INVERTED, LIST, MAP, SCALAR } from './numbers.js'
import { plainConversions } from './plain-conversions.js'
import { type Conversions, Properties } from './properties.js'

/** A step of `operate`; created by functions of `operations`, `lists`, `maps` and so on. */
export class Operation {
  /** The number of the operation. */
  op: number
  /** The bin's name; `undefined` for an operation on the record. */
  bin: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has arguments of its own
  [argument: string]: any

  constructor(op: number, bin?: string, properties?: object) {
    this.op = op
    this.bin = bin
    Object.assign(this, properties)
  }
}

const CONVERSIONS: Conversions = {
  ...plainConversions,
  ...listConversions,
  ...mapConversions,
  ...bitConversions,
}

/** Operations that store keys, for which a node has another error if they cannot be keys. */
const WITH_KEYS = new Set([MAP.PUT, MAP.PUT_ITEMS, MAP.INCREMENT, MAP.DECREMENT])

/**
 * The engine's operation. It is made when the call is, because programs may change operations.
 *
 * @param operation - An `Operation`, or an object with the same properties.
 * @throws ArgumentFailure with the code of the call's error
 */
export function toNativeOperation(operation: object): NativeOperation {
  const of = new Properties(operation)
  const op = of.integer('op')
  const convert = CONVERSIONS[op]
  if (convert === undefined) throw new ArgumentFailure('not an operation')
  const onCollection = op >= LIST.SET_ORDER && op <= MAP.CREATE && !WITH_KEYS.has(op)
  return asArgument(() => convert(of), onCollection ? NOT_APPLICABLE : INVALID_REQUEST)
}

/** The time to live in seconds that a `touch` sets; `undefined` for other operations. */
export function ttlOf(operation: { op?: number; ttl?: unknown }): number | undefined {
  if (operation.op !== SCALAR.TOUCH || typeof operation.ttl !== 'number') return undefined
  return operation.ttl
}

/** Families whose operations all have a result, and give one to the other operations of a call. */
const ANSWERING = [MAP, BIT, HLL, EXPRESSION].flatMap((family) => Object.values<number>(family))
const ANSWERS: ReadonlySet<unknown> = new Set(ANSWERING)

/**
 * The bins of a record that operations return. The last operation on a bin counts. `null` is left out
 * unless all operations have a result.
 *
 * @param results - A result for each operation.
 * @param all - Whether all operations have one anyway.
 */
export function resultBins(
  operations: readonly Operation[],
  results: readonly unknown[],
  all: boolean = operations.some(({ op }) => ANSWERS.has(op)),
): { [bin: string]: unknown } {
  const bins: { [bin: string]: unknown } = {}
  for (const [at, operation] of operations.entries()) {
    const { bin } = operation
    const result = results[at] ?? null
    if (bin === undefined || (result === null && !all)) continue
    bins[bin] = fromNativeResult(operation, result)
  }
  return bins
}

const MAPS: { readonly [returnType: number]: Entries } = { 8: 'key_value', 16: 'unordered_map' }

/** The entries of a map that an operation returns. */
function returnedEntries(operation: object): Entries | undefined {
  const { op, returnType, exp } = operation as { [name: string]: unknown }
  if (op === EXPRESSION.READ) return entriesOf(exp)
  const isMap = typeof op === 'number' && op >= MAP.SET_POLICY && op <= MAP.CREATE
  return isMap ? MAPS[Number(returnType) & ~INVERTED] : undefined
}

/**
 * The result of an operation, as the other client has it: entries as an array of keys and values by
 * turns, where the engine has a map, and a map without an order in the order of its keys.
 */
export function fromNativeResult(operation: object, result: unknown): unknown {
  const kind = returnedEntries(operation)
  if (kind === undefined || typeof result !== 'object' || result === null) return result
  if (Array.isArray(result)) return result
  const entries: [unknown, unknown][] = [
    ...(result instanceof Map ? result : Object.entries(result)),
  ]
  if (kind === 'key_value') return entries.flat(1)
  const byKey = entries.sort(([one], [other]) => compareKeys(one, other))
  return result instanceof Map ? new Map(byKey) : Object.fromEntries(byKey as [string, unknown][])
}

/** Keys in the order of a node: integers, strings by their bytes, bytes. */
function compareKeys(one: unknown, other: unknown): number {
  const ranks = [one, other].map((key) => (typeof key === 'string' ? 1 : isBytes(key) ? 2 : 0))
  if (ranks[0] !== ranks[1]) return (ranks[0] as number) - (ranks[1] as number)
  if (ranks[0] === 0) return Number(one) - Number(other)
  return Buffer.compare(Buffer.from(one as string), Buffer.from(other as string))
}

function isBytes(key: unknown): boolean {
  return key instanceof Uint8Array
}
