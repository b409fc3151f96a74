/**
 * Promises that the native part settles. It knows each by the number of its slot: a promise created
 * here costs a fraction of one created there.
 */

import type { Slot } from '../addon/native.js'

type Settler = (value: unknown) => void

const resolvers: (Settler | undefined)[] = []
const rejecters: (Settler | undefined)[] = []
/** The record that a call is about, to be set on its result or error. */
const spaces: number[] = []
const keys: unknown[] = []
const free: Slot[] = []

let latestResolve: Settler
let latestReject: Settler

/**
 * The executor for `new Promise`. It runs synchronously; the next `openSlot` takes the functions it
 * stored.
 */
export const executor = (resolve: (value: never) => void, reject: Settler): void => {
  latestResolve = resolve as Settler
  latestReject = reject
}

/** A slot for the promise that was created last. */
export function openSlot(): Slot {
  const slot = free.length > 0 ? (free.pop() as Slot) : resolvers.length
  resolvers[slot] = latestResolve
  rejecters[slot] = latestReject
  return slot
}

/** The set of a call on many records; only its result, not its error, gets the keys. */
export const NO_RECORD = -1

/** Sets the record that a call is about, for its result or error. */
export function aboutRecord(slot: Slot, space: number, key: unknown): void {
  spaces[slot] = space
  keys[slot] = key
}

function closeSlot(slot: Slot): void {
  resolvers[slot] = undefined
  rejecters[slot] = undefined
  keys[slot] = undefined
  free.push(slot)
}

/** Rejects the promise of a call that could not be sent. */
export function rejectCall(slot: Slot, error: unknown): void {
  const reject = rejecters[slot]
  closeSlot(slot)
  reject?.(error)
}

/** The call that has a slot now; another one may have it as soon as this one is settled. */
export function holderOf(slot: Slot): unknown {
  return rejecters[slot]
}

/**
 * Rejects a call's promise early; the slot stays taken until the native part is done. Returns
 * whether the call was not settled yet, by its `holderOf`.
 */
export function abandon(slot: Slot, holder: unknown, reason: unknown): boolean {
  const reject = rejecters[slot]
  if (reject === undefined || reject !== holder) return false
  resolvers[slot] = undefined
  rejecters[slot] = undefined
  reject(reason)
  return true
}

/** Records and errors that can be told which record they belong to. */
export interface OfRecord {
  /** @internal */
  ofRecord(space: number, key: unknown): void
}

function isOfRecord(value: unknown): value is OfRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<OfRecord>).ofRecord === 'function'
  )
}

/** Resolves a call. */
export function settle(slot: Slot, value: unknown): void {
  const resolve = resolvers[slot]
  const key = keys[slot]
  if (key !== undefined && isOfRecord(value)) value.ofRecord(spaces[slot] as number, key)
  closeSlot(slot)
  resolve?.(value)
}

/** Rejects a call. */
export function fail(slot: Slot, error: unknown): void {
  const reject = rejecters[slot]
  const key = keys[slot]
  const space = spaces[slot] as number
  if (key !== undefined && space !== NO_RECORD && isOfRecord(error)) error.ofRecord(space, key)
  closeSlot(slot)
  reject?.(error)
}

/**
 * Settles a call in the next turn of the event loop. Tasks that await only calls settled at once
 * would keep it from everything else.
 */
export function postpone(slot: Slot): void {
  const later = (settler: Settler | undefined) => (value: unknown) => {
    setImmediate(() => settler?.(value))
  }
  resolvers[slot] = later(resolvers[slot])
  rejecters[slot] = later(rejecters[slot])
}

/**
 * Resolves a call with what `convert` makes of its result, while that is delivered: it must not call
 * the program. `explain` throws the error to reject it with, in a microtask. Costs less than `then`.
 */
export function convertOutcome<T>(
  slot: Slot,
  convert: (value: T) => unknown,
  explain: (error: unknown) => never,
): void {
  const resolve = resolvers[slot] as Settler
  const reject = rejecters[slot] as Settler
  resolvers[slot] = (value) => {
    let converted: unknown
    try {
      converted = convert(value as T)
    } catch (error) {
      reject(error)
      return
    }
    resolve(converted)
  }
  rejecters[slot] = (error) => resolve(Promise.reject(error).catch(explain))
}

/** Resolves calls that have no value. */
export function done(...slots: Slot[]): void {
  for (const slot of slots) {
    const resolve = resolvers[slot]
    closeSlot(slot)
    resolve?.(undefined)
  }
}
