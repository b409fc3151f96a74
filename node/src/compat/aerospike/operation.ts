/** Operations as programs build them, and their conversion for the engine. */

import type { Operation as NativeOperation } from '../../aerospike/operation/operation.js'
import { bitConversions } from './bit-conversions.js'
import { isPaired } from './expression.js'
import { ArgumentFailure, asArgument } from './failures.js'
import { listConversions } from './list-conversions.js'
import { mapConversions } from './map-conversions.js'
import { BIT, EXPRESSION, HLL, INVERTED, LIST, MAP, PATH, SCALAR } from './numbers.js'
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

/**
 * The engine's operation. It is made when the call is, because programs may change operations.
 *
 * @param operation - An `Operation`, or an object with the same properties.
 * @throws ArgumentFailure with the code of the call's error
 */
export function toNativeOperation(operation: object): NativeOperation {
  const of = new Properties(operation)
  const convert = CONVERSIONS[of.integer('op')]
  if (convert === undefined) throw new ArgumentFailure('not an operation')
  return asArgument(() => convert(of))
}

const READS: ReadonlySet<number> = new Set([
  ...[SCALAR.READ, EXPRESSION.READ, PATH.SELECT, HLL.READ, HLL.READ_LIST],
  ...[BIT.GET, BIT.LSCAN, BIT.RSCAN, BIT.GET_INT],
  ...reading(LIST),
  ...reading(MAP),
])

function reading(operations: { readonly [name: string]: number }): number[] {
  const names = Object.keys(operations).filter((name) => name.startsWith('GET') || name === 'SIZE')
  return names.map((name) => operations[name] as number)
}

/** Whether the operation writes. */
export function writes(operation: { op?: number }): boolean {
  return !READS.has(operation.op ?? SCALAR.READ)
}

/** The time to live in seconds that a `touch` sets; `undefined` for other operations. */
export function ttlOf(operation: { op?: number; ttl?: unknown }): number | undefined {
  if (operation.op !== SCALAR.TOUCH || typeof operation.ttl !== 'number') return undefined
  return operation.ttl
}

function isKeyValue(returnType: unknown): boolean {
  return typeof returnType === 'number' && (returnType & ~INVERTED) === KEY_VALUE
}

const KEY_VALUE = 8

/**
 * The result of an operation, as the other client has it: what is a map of the selected entries in the
 * engine is an array there, of keys and values by turns.
 */
export function fromNativeResult(operation: object, result: unknown): unknown {
  const { op, returnType, exp } = operation as { op?: number; returnType?: unknown; exp?: unknown }
  const isMap = typeof op === 'number' && op >= MAP.SET_POLICY && op <= MAP.CREATE
  const pairs = isMap ? isKeyValue(returnType) : op === EXPRESSION.READ && isPaired(exp)
  if (!pairs) return result
  if (result instanceof Map) return [...result].flat(1)
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result
  return Object.entries(result).flat(1)
}
