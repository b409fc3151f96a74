/**
 * The channels of `node:diagnostics_channel`. Without a subscriber nothing is published, and calls
 * only look whether there is one.
 */

import { type Channel, channel } from 'node:diagnostics_channel'

/** Published to `spikewire:command` when a call has ended. */
export interface CommandMessage {
  readonly system: 'aerospike' | 'cassandra'
  /** The verb: `get`, `getMany`, `execute`. */
  readonly operation: string
  /** The namespace; `null` for keys of several sets, and for Cassandra. */
  readonly namespace: string | null
  /** The set; `null` if there is none. */
  readonly set: string | null
  /** The text of a statement, which contains values unless they are parameters; `null` for others. */
  readonly statement: string | null
  /** From when its request was composed to the end, with all attempts. */
  readonly milliseconds: number
  /** Why it failed; `null` if it did not. */
  readonly error: unknown
}

/** Calls that have ended. */
export const commands: Channel = channel('spikewire:command')
/** Events about nodes. */
export const events: Channel = channel('spikewire:event')
/** Commands that were slower than the limit of `client.metrics.logSlow`. */
export const slowCommands: Channel = channel('spikewire:slow-command')

/** Whether anybody wants to know of events. */
export function hasEventSubscribers(): boolean {
  return events.hasSubscribers || slowCommands.hasSubscribers
}

/** Publishes an event. */
export function publish(event: { readonly type: string }): void {
  const target = event.type === 'slowCommand' ? slowCommands : events
  if (target.hasSubscribers) target.publish(event)
}

/**
 * Publishes a call when it has ended. Returns its promise, which the caller gets: that one decides
 * whether a rejection is handled.
 */
export function publishCommand<T>(
  promise: Promise<T>,
  about: Omit<CommandMessage, 'milliseconds' | 'error'>,
): Promise<T> {
  const began = performance.now()
  const ended = (error: unknown): void => {
    const message: CommandMessage = { ...about, milliseconds: performance.now() - began, error }
    commands.publish(message)
  }
  return promise.then(
    (value) => {
      ended(null)
      return value
    },
    (error) => {
      ended(error)
      throw error
    },
  )
}
