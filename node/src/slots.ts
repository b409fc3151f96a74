/**
 * Promises that the native part settles. It knows each by the number of its slot: a promise made
 * here costs a fraction of one made there.
 */

import type { Slot } from './native.js'

type Settler = (value: unknown) => void

const resolvers: (Settler | undefined)[] = []
const rejecters: (Settler | undefined)[] = []
/** The record that a call is about, for what comes back. */
const spaces: number[] = []
const keys: unknown[] = []
const free: Slot[] = []

let latestResolve: Settler
let latestReject: Settler

/** What `new Promise` is given: it runs at once, and the next `openSlot` takes what it left. */
export const executor = (resolve: (value: never) => void, reject: Settler): void => {
  latestResolve = resolve as Settler
  latestReject = reject
}

/** A slot for the promise that was made last. */
export function openSlot(): Slot {
  const slot = free.length > 0 ? (free.pop() as Slot) : resolvers.length
  resolvers[slot] = latestResolve
  rejecters[slot] = latestReject
  return slot
}

/** The set of a call on many records, of which only its result learns the keys. */
export const NO_RECORD = -1

/** The record that a call is about, for its result or its error. */
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

/** The native part refused the call: its promise is rejected here. */
export function refuse(slot: Slot, error: unknown): void {
  const reject = rejecters[slot]
  closeSlot(slot)
  reject?.(error)
}

/** The call is not waited for any more; its slot stays taken until the native part is done. */
export function abandon(slot: Slot, reason: unknown): void {
  const reject = rejecters[slot]
  resolvers[slot] = undefined
  rejecters[slot] = undefined
  reject?.(reason)
}

/** What a record or an error learns of the call that it came from. */
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

/** A call has succeeded. */
export function settle(slot: Slot, value: unknown): void {
  const resolve = resolvers[slot]
  const key = keys[slot]
  if (key !== undefined && isOfRecord(value)) value.ofRecord(spaces[slot] as number, key)
  closeSlot(slot)
  resolve?.(value)
}

/** A call has failed. */
export function fail(slot: Slot, error: unknown): void {
  const reject = rejecters[slot]
  const key = keys[slot]
  const space = spaces[slot] as number
  if (key !== undefined && space !== NO_RECORD && isOfRecord(error)) error.ofRecord(space, key)
  closeSlot(slot)
  reject?.(error)
}

/** Calls have succeeded without a value. */
export function done(...slots: Slot[]): void {
  for (const slot of slots) {
    const resolve = resolvers[slot]
    closeSlot(slot)
    resolve?.(undefined)
  }
}
