/** Events about nodes. */

import { AsyncResource } from 'node:async_hooks'
import type { Connection } from './connection.js'

/** What happened to a node, or to the cluster. */
export interface NodeEvent {
  /**
   * `'nodeUp'` and `'nodeDown'`: a node joined or left, as the client sees it; for Cassandra, whether
   * it answers, while `'nodeAdded'` and `'nodeRemoved'` say what belongs to the cluster.
   * `'mapChanged'`: another node holds some of the data. `'breakerOpened'` and `'breakerClosed'`: a
   * node failed so often that commands avoid it, or is used again. `'eventsLost'`: callbacks were not
   * called for `count` events.
   */
  readonly type:
    | ('nodeUp' | 'nodeDown' | 'nodeAdded' | 'nodeRemoved')
    | ('mapChanged' | 'breakerOpened' | 'breakerClosed' | 'eventsLost')
  /** The node; `null` if the event is about none. */
  readonly node: string | null
  /** How many events were lost. */
  readonly count?: number
}

/** Is called with an event. */
export type EventListener = (event: NodeEvent) => void

/** Takes the events of a client, or starts and stops keeping them. */
type Take = (handle: number, listens: boolean | null) => string[] | undefined

/** How often events are looked for, in milliseconds. They are rare, and nothing waits for them. */
const INTERVAL = 100

const NAMES: Record<string, NodeEvent['type']> = {
  node_up: 'nodeUp',
  node_down: 'nodeDown',
  node_added: 'nodeAdded',
  node_removed: 'nodeRemoved',
  map_changed: 'mapChanged',
  breaker_opened: 'breakerOpened',
  breaker_closed: 'breakerClosed',
  events_lost: 'eventsLost',
}

/** The listeners of a connection, which it has while there are any. */
class Listeners {
  readonly #listeners = new Map<symbol, EventListener>()
  readonly #connection: Connection
  readonly #take: Take
  #timer: NodeJS.Timeout | undefined

  constructor(connection: Connection, take: Take) {
    this.#connection = connection
    this.#take = take
  }

  add(listener: EventListener): () => void {
    const mark = Symbol('listener')
    this.#take(this.#connection.handle, true)
    this.#listeners.set(mark, listener)
    this.#timer ??= setInterval(() => this.#look(), INTERVAL).unref()
    return () => {
      this.#listeners.delete(mark)
      if (this.#listeners.size > 0 || this.#timer === undefined) return
      this.#end()
      if (this.#connection.isOpen) this.#take(this.#connection.handle, false)
    }
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    if (!this.#connection.isOpen) {
      this.#end()
      return
    }
    const news = this.#take(this.#connection.handle, null) ?? []
    for (let at = 0; at < news.length; at += 2) {
      const type = NAMES[news[at] as string]
      if (type === undefined) continue
      const about = news[at + 1] as string
      const event: NodeEvent =
        type === 'eventsLost'
          ? { type, node: null, count: Number(about) }
          : { type, node: about === '' ? null : about }
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
export function listen(connection: Connection, take: Take, listener: unknown): () => void {
  connection.check()
  if (typeof listener !== 'function') {
    throw new TypeError(`listener must be a function of an event, not ${typeof listener}`)
  }
  let listeners = all.get(connection)
  if (listeners === undefined) {
    listeners = new Listeners(connection, take)
    all.set(connection, listeners)
  }
  // All listeners share one timer, but each is called in its own async context.
  return listeners.add(AsyncResource.bind(listener as EventListener))
}
