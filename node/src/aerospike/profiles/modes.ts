/** The consistency mode of the namespaces of a call, and whether its operations write. */

import type { Connection } from '../../bridge/connection.js'
import { Key } from '../model/key.js'
import { native } from '../model/native.js'
import { Operation } from '../operation/operation.js'
import type { Mode } from './profile.js'

/** A dataset, or what has verbs for keys of several sets. */
export interface Target {
  readonly connection: Connection
  readonly namespace?: string | null
}

/** Verbs whose first argument is the key of their record. */
const POINT = new Set([
  ...['get', 'exists', 'put', 'add', 'append', 'prepend', 'delete', 'touch', 'apply', 'operate'],
])
/** Verbs on whole sets; those of clients begin with the namespace. */
const WHOLE = new Set(['query', 'operateAll', 'deleteAll', 'touchAll', 'applyAll'])

/**
 * The mode of the namespace of a call. `undefined` if it is not known, because the client is closed
 * or the cluster has no such namespace, and if the call is about namespaces of both modes. Invalid
 * keys are left to the call, which rejects them.
 */
export function modeOf(
  target: Target,
  verb: string,
  args: readonly unknown[],
  ofClient: boolean,
): Mode | undefined {
  const { connection } = target
  if (!connection.isOpen) return undefined
  const names = ofClient ? namespaces(verb, args[0]) : new Set([target.namespace as string])
  let mode: Mode | undefined
  for (const name of names) {
    const strong = native.isStrong(connection.handle, name)
    if (strong === null) return undefined
    const own = strong ? 'strong' : 'available'
    if (mode !== undefined && mode !== own) return undefined
    mode = own
  }
  return mode
}

function namespaces(verb: string, first: unknown): Set<string> {
  if (WHOLE.has(verb)) return new Set(typeof first === 'string' ? [first] : [])
  if (POINT.has(verb)) return ofKeys([first])
  if (first instanceof Map) return ofKeys(first.keys())
  if (!isIterable(first) || isIterator(first)) return new Set()
  if (verb === 'batch') return ofKeys(Array.from(first, (row) => (row as { key?: unknown })?.key))
  if (verb === 'putMany') return ofKeys(Array.from(first, (pair) => (pair as unknown[])?.[0]))
  return ofKeys(first)
}

function ofKeys(keys: Iterable<unknown>): Set<string> {
  const names = new Set<string>()
  for (const key of keys) if (key instanceof Key) names.add(key.namespace)
  return names
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function isIterator(value: object): boolean {
  return 'next' in value
}

/** The arguments of a call, with an array instead of an iterator, so that it can be read twice. */
export function listed(verb: string, args: unknown[]): unknown[] {
  const first = args[0]
  if (POINT.has(verb) || WHOLE.has(verb) || !isIterable(first) || !isIterator(first)) return args
  return [[...first], ...args.slice(1)]
}

/** Whether any of the operations writes. What is none is left to the call, which rejects it. */
export function writes(operations: unknown): boolean {
  if (!Array.isArray(operations) || operations.length === 0) return false
  if (!operations.every((step) => step instanceof Operation)) return false
  return native.operationsWrite(operations)
}
