/** Administrative commands: how they are begun, and the options that all of them take. */

import type { Connection } from './connection.js'
import { type Handle, native, type Slot } from './native.js'
import { checked } from './options.js'
import { executor, openSlot, refuse } from './slots.js'
import { type Callback, handOver, withSignal } from './ways.js'

/** What every administrative command takes. */
export interface AdminOptions {
  /** Gives the command up: its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** What a command takes that waits for the nodes. */
export interface WaitOptions extends AdminOptions {
  /** How long to wait, in milliseconds; 0: no limit. */
  timeout?: number | undefined
}

/** What `client.info` takes. */
export interface InfoOptions extends AdminOptions {
  /** The name of the node that is asked. Default: any. */
  node?: string | undefined
}

/** What `client.truncate` takes. */
export interface TruncateOptions extends AdminOptions {
  /** Deletes only records that were last written before this moment. Default: all of them. */
  before?: Date | undefined
}

const COMMON = ['signal'] as const

/** Begins an administrative command; nodes are asked by the event loop's own driver. */
export function administer<T, O extends AdminOptions>(
  connection: Connection,
  options: O | Callback<T> | undefined,
  callback: Callback<T> | undefined,
  known: readonly (keyof O & string)[],
  begin: (client: Handle, slot: Slot, options: O) => void,
): Promise<T> | undefined {
  if (typeof options === 'function') {
    return administer(connection, undefined, options, known, begin)
  }
  const promise = new Promise<T>(executor)
  const slot = openSlot()
  try {
    const given = (checked(options, [...COMMON, ...known]) ?? {}) as O
    const { signal } = given
    signal?.throwIfAborted()
    const client = connection.handle
    begin(client, slot, given)
    if (signal !== undefined) withSignal(promise, slot, signal, () => native.giveUp(client, slot))
  } catch (error) {
    refuse(slot, error)
  }
  return callback === undefined ? promise : handOver(promise, callback)
}
