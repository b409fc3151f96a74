/** Administrative commands: how they are started, and the options common to all of them. */

import type { Handle, Slot } from '../../addon/native.js'
import { type Callback, checkCallback, outcome, withSignal } from '../../bridge/callbacks.js'
import type { Connection } from '../../bridge/connection.js'
import { executor, openSlot, rejectCall } from '../../bridge/slots.js'
import { toNativeOptions } from '../command/options.js'
import { native } from '../model/native.js'

/** Options of every administrative command. */
export interface AdminOptions {
  /** Cancels the command; its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Options of a command that waits for the nodes. */
export interface WaitOptions extends AdminOptions {
  /** How long to wait, in milliseconds; 0: no limit. */
  timeout?: number | undefined
}

/** Options of `client.info`. */
export interface InfoOptions extends AdminOptions {
  /** The name of the node to ask. Default: any. */
  node?: string | undefined
}

/** Options of `client.truncate`. */
export interface TruncateOptions extends AdminOptions {
  /** Delete only records last written before this time. Default: all records. */
  before?: Date | undefined
}

const COMMON = ['signal'] as const

/** Starts an administrative command; the event loop's own driver asks the nodes. */
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
  checkCallback(callback)
  const promise = new Promise<T>(executor)
  const slot = openSlot()
  try {
    const nativeOptions = (toNativeOptions(options, [...COMMON, ...known]) ?? {}) as O
    const { signal } = nativeOptions
    signal?.throwIfAborted()
    const client = connection.handle
    begin(client, slot, nativeOptions)
    if (signal !== undefined) withSignal(promise, slot, signal, () => native.giveUp(client, slot))
  } catch (error) {
    rejectCall(slot, error)
  }
  return outcome(promise, callback)
}
