/** Rare events, and the listeners that get them. */

import { AsyncResource } from 'node:async_hooks'
import { hasEventSubscribers, publish } from '../bridge/channels.js'
import type { Connection } from '../bridge/connection.js'
import { type EventFields, native } from './native.js'

interface AboutNode {
  /** Name and address of the node; for Cassandra the address. */
  readonly node: string
}

/** A node joined the cluster, as the client sees it; for Cassandra, it answers. */
export interface NodeUp extends AboutNode {
  readonly type: 'nodeUp'
}

/** A node left it; for Cassandra, it does not answer. */
export interface NodeDown extends AboutNode {
  readonly type: 'nodeDown'
}

/** A node became part of a Cassandra cluster; `nodeUp` follows when it answers. */
export interface NodeAdded extends AboutNode {
  readonly type: 'nodeAdded'
}

/** A node is no part of a Cassandra cluster any more. */
export interface NodeRemoved extends AboutNode {
  readonly type: 'nodeRemoved'
}

/** Cassandra: the schema was changed, by this session or another. */
export interface SchemaChanged {
  readonly type: 'schemaChanged'
  readonly node: null
}

/** Another node holds some of the data now. */
export interface MapChanged {
  readonly type: 'mapChanged'
  readonly node: null
}

/** A node failed so often (`maxErrorRate`) that commands avoid it. */
export interface BreakerOpened extends AboutNode {
  readonly type: 'breakerOpened'
}

/** Commands use the node again. */
export interface BreakerClosed extends AboutNode {
  readonly type: 'breakerClosed'
}

/** Events that were lost because listeners were not called for so long that thousands waited. */
export interface EventsLost {
  readonly type: 'eventsLost'
  readonly node: null
  /** How many. */
  readonly count: number
}

/** A command took longer than the limit of `client.metrics.logSlow`. */
export interface SlowCommand extends AboutNode {
  readonly type: 'slowCommand'
  /** As in `client.stats().commands`, like the namespace and the result. */
  readonly operation: string
  readonly namespace: string
  readonly result: string
  /** From the call to the end, with all attempts. */
  readonly milliseconds: number
  readonly records: number
  readonly attempts: number
}

/** What happened to a node, or to the cluster. */
export type NodeEvent =
  | (NodeUp | NodeDown | NodeAdded | NodeRemoved)
  | (MapChanged | SchemaChanged | BreakerOpened | BreakerClosed | EventsLost)

/** What listeners get; `type` says which it is. */
export type Event = NodeEvent | SlowCommand

/** Is called with an event. */
export type EventListener = (event: Event) => void

/** How often events are looked for, in milliseconds. They are rare, and nothing waits for them. */
const INTERVAL = 100

const ABOUT_NODES: Record<
  string,
  Exclude<NodeEvent['type'], 'mapChanged' | 'schemaChanged' | 'eventsLost'>
> = {
  node_up: 'nodeUp',
  node_down: 'nodeDown',
  node_added: 'nodeAdded',
  node_removed: 'nodeRemoved',
  breaker_opened: 'breakerOpened',
  breaker_closed: 'breakerClosed',
}

function eventOf(fields: EventFields): Event | undefined {
  if (fields.length > 2) {
    const [, operation, namespace, node, result, milliseconds, records, attempts] = fields as [
      ...[string, string, string, string, string],
      ...[number, number, number],
    ]
    const labels = { operation, namespace, node, result }
    return { type: 'slowCommand', ...labels, milliseconds, records, attempts }
  }
  const [name, about] = fields
  if (name === 'map_changed') return { type: 'mapChanged', node: null }
  if (name === 'schema_changed') return { type: 'schemaChanged', node: null }
  if (name === 'events_lost') return { type: 'eventsLost', node: null, count: Number(about) }
  const type = ABOUT_NODES[name]
  return type === undefined ? undefined : { type, node: String(about) }
}

/** The listeners of a connection, which it has while there are any. They do not keep it alive. */
class Listeners {
  readonly #listeners = new Map<symbol, EventListener>()
  readonly #connection: WeakRef<Connection>
  #timer: NodeJS.Timeout | undefined

  constructor(connection: Connection) {
    this.#connection = new WeakRef(connection)
  }

  add(connection: Connection, listener: EventListener): () => void {
    const mark = Symbol('listener')
    native.metricsEvents(connection.handle, true)
    this.#listeners.set(mark, listener)
    this.#timer ??= setInterval(() => this.#look(), INTERVAL).unref()
    return () => {
      this.#listeners.delete(mark)
      if (this.#listeners.size > 0 || this.#timer === undefined) return
      this.#end()
      const connection = this.#connection.deref()
      if (connection?.isOpen) native.metricsEvents(connection.handle, false)
    }
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const connection = this.#connection.deref()
    if (connection === undefined || !connection.isOpen) {
      this.#end()
      return
    }
    for (const fields of native.metricsEvents(connection.handle, null) ?? []) {
      const event = eventOf(fields)
      if (event === undefined) continue
      publish(event)
      for (const listener of [...this.#listeners.values()]) {
        try {
          listener(event)
        } catch (error) {
          // As if thrown by a callback of its own: it must not keep others from their events.
          setImmediate(() => {
            throw error
          })
        }
      }
    }
  }
}

const all = new WeakMap<Connection, Listeners>()

/** Calls `listener` with every event from now on; returns a function that ends this. */
export function listen(connection: Connection, listener: unknown): () => void {
  connection.check()
  if (typeof listener !== 'function') {
    throw new TypeError(`listener must be a function of an event, not ${typeof listener}`)
  }
  let listeners = all.get(connection)
  if (listeners === undefined) {
    listeners = new Listeners(connection)
    all.set(connection, listeners)
  }
  // All listeners share one timer, but each is called in its own async context.
  return listeners.add(connection, AsyncResource.bind(listener as EventListener))
}

/** Called for a new connection: publishes its events if anybody subscribed to their channels. */
export function publishEvents(connection: Connection): void {
  if (hasEventSubscribers()) listen(connection, () => undefined)
}
