/** Settles the usual replies, each with one call of the native part or a share of one. */

import type { Slot } from '../addon/native.js'
import { settle } from '../bridge/slots.js'
import { nodeAddress } from './node-names.js'
import { type Column, Rows } from './rows.js'

/** Resolves a statement whose result has one row of these values. */
export type SettleAlone = (slot: Slot, node: number, ...values: unknown[]) => void

function settleRow(slot: Slot, node: number, columns: readonly Column[], row: unknown): void {
  settle(slot, new Rows(columns, [row], null, nodeAddress(node), 1, true, null))
}

/** Creates the function for results with `width` columns, whose rows `make` makes. */
export function aloneOf(
  columns: readonly Column[],
  make: (...values: never[]) => unknown,
  width: number,
): SettleAlone {
  const values = Array.from({ length: width }, (_, at) => `v${at}`)
  try {
    const body = `return (slot, node, ${values}) => { settle(slot, node, columns, make(${values})) }`
    const create = new Function('settle', 'columns', 'make', body)
    return create(settleRow, columns, make) as SettleAlone
  } catch {
    return (slot, node, ...all) => {
      settleRow(slot, node, columns, make(...(all as never[])))
    }
  }
}

/** Resolves statements that have no rows, and were answered by one node. */
export function done(node: number, ...slots: Slot[]): void {
  const address = nodeAddress(node)
  for (const slot of slots) settle(slot, new Rows(null, [], null, address, 1, true, null))
}
