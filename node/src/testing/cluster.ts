/** The embedded cluster as a JavaScript object. */

import { inspect } from 'node:util'
import type { Slot } from '../addon/native.js'
import { executor, openSlot, rejectCall } from '../bridge/slots.js'
import type { Faults } from './faults.js'
import { native } from './native.js'
import type { Certificates, ClusterOptions } from './options.js'
import { type NodeStats, nodeStats } from './stats.js'

/**
 * A request to the embedded cluster failed, for example because a port is in use or it was stopped.
 */
export class ClusterError extends Error {
  /** The system's error name, such as `'EADDRINUSE'`, if there is one. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
Object.defineProperty(ClusterError.prototype, 'name', { value: 'ClusterError', configurable: true })

/**
 * An embedded cluster: real nodes in this process, with no server to install.
 *
 * Nodes own partitions as in a real cluster. A killed node loses its memory; with two copies of
 * every record, no acknowledged write is lost when one node dies. Nodes are numbered from 0.
 *
 * It runs on its own threads until `close()`, or until the JavaScript thread that started it ends;
 * it does not keep the program alive. Any thread and any process can connect to it. Requests to it
 * are executed in the order of the calls.
 *
 * Its methods throw a `RangeError` for a node that does not exist, and a `ClusterError` after
 * `close()`.
 */
export class Cluster {
  /** The number of nodes that were started. */
  readonly nodes: number
  /** `host:port` of every node, including dead ones. */
  readonly addresses: readonly string[]
  /** The files that clients need, if started with the option `tls`. */
  readonly certificates: Certificates | undefined
  readonly #names: readonly string[]
  readonly #handle: number
  #latest: Promise<void> = Promise.resolve()
  /** For `await using cluster = await Cluster.start()`, if the runtime supports it: `close()`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>
  #closing: Promise<void> | undefined

  private constructor(handle: number, addresses: string[], names: string[], files: string[]) {
    if (typeof handle !== 'number') {
      throw new TypeError('a cluster comes from `await Cluster.start(options)`, not from `new`')
    }
    this.#handle = handle
    this.nodes = addresses.length
    this.addresses = Object.freeze(addresses)
    this.#names = names
    const [ca, certificate, key] = files as [string?, string?, string?]
    if (ca !== undefined && certificate !== undefined && key !== undefined) {
      this.certificates = Object.freeze({ ca, certificate, key })
    }
  }

  /**
   * Starts a cluster, which accepts connections once the promise is resolved.
   *
   * @throws ClusterError if a port is in use; TypeError, RangeError for invalid options
   */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const parts = await call<[number, string[], string[], string[]]>((slot) =>
      native.clusterStart(slot, options),
    )
    return new Cluster(...parts)
  }

  /** The addresses of all nodes, separated by commas, as seeds for clients. */
  get seeds(): string {
    return this.addresses.join(',')
  }

  [inspect.custom](): string {
    return `Cluster(${this.#closing === undefined ? this.seeds : 'closed'})`
  }

  /** Kills a node: its connections are reset, its port is closed, its records are lost. */
  kill(node: number): Promise<void> {
    return this.#request(node, (slot) => native.clusterKill(this.#handle, slot, node))
  }

  /** Restarts a dead node on the same port, empty; its partitions are copied to it. */
  restart(node: number): Promise<void> {
    return this.#request(node, (slot) => native.clusterRestart(this.#handle, slot, node))
  }

  /** Whether a node is alive. */
  isAlive(node: number): boolean {
    this.#check(node)
    return native.clusterAlive(this.#handle, node)
  }

  /** The node's id, as in the protocol. */
  nodeName(node: number): string {
    this.#check(node)
    return this.#names[node] as string
  }

  /**
   * Waits until every partition has all its copies.
   *
   * @param timeout - milliseconds
   * @returns whether that happened in time
   */
  async waitSettled(timeout = 30_000): Promise<boolean> {
    if (typeof timeout !== 'number') {
      throw new TypeError(`timeout must be milliseconds as a number, not ${typeof timeout}`)
    }
    if (!(timeout >= 0)) throw new RangeError(`timeout must not be negative, got ${timeout}`)
    await this.#latest
    const ends = performance.now() + timeout
    for (;;) {
      this.#check(0)
      if (native.clusterSettled(this.#handle)) return true
      if (performance.now() >= ends) return false
      await new Promise((resolve) => setTimeout(resolve, POLL))
    }
  }

  /** Injects faults into a node, from the next request on; replaces earlier faults. */
  inject(node: number, faults: Faults): Promise<void> {
    // Copied now, so that later changes by the caller have no effect.
    const copy = typeof faults === 'object' && faults !== null ? { ...faults } : faults
    return this.#request(node, (slot) => native.clusterInject(this.#handle, slot, node, copy))
  }

  /** Removes the faults of a node. */
  clearFaults(node: number): Promise<void> {
    return this.#request(node, (slot) => native.clusterClearFaults(this.#handle, slot, node))
  }

  /** Deletes all records of a set, or of a whole namespace. */
  truncate(namespace = 'test', set?: string | null): Promise<void> {
    return this.#request(0, (slot) => native.clusterTruncate(this.#handle, slot, namespace, set))
  }

  /** Counters and sizes of a node. */
  stats(node: number): NodeStats {
    this.#check(node)
    return nodeStats(native.clusterStats(this.#handle, node))
  }

  /** Stops every node. Closing again returns the same promise. */
  close(): Promise<void> {
    this.#closing ??= this.#latest.then(() =>
      call<void>((slot) => native.clusterStop(this.#handle, slot)),
    )
    return this.#closing
  }

  /** Throws for a node that does not exist, and after the cluster was stopped. */
  #check(node: number): void {
    if (this.#closing !== undefined) throw new ClusterError('the embedded cluster was stopped')
    if (typeof node !== 'number') {
      throw new TypeError(`node must be a number from 0 to ${this.nodes - 1}, not ${typeof node}`)
    }
    if (!Number.isInteger(node) || node < 0 || node >= this.nodes) {
      throw new RangeError(`node must be from 0 to ${this.nodes - 1}, got ${node}`)
    }
  }

  /** Starts a request after all earlier ones have completed. */
  async #request(node: number, begin: (slot: Slot) => void): Promise<void> {
    this.#check(node)
    const done = this.#latest.then(() => call<void>(begin))
    this.#latest = done.catch(() => undefined)
    await done
  }
}

const asyncDispose: symbol = Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')
Object.defineProperty(Cluster.prototype, asyncDispose, {
  value(this: Cluster) {
    return this.close()
  },
})

/** The interval between checks of a migration's progress (ms). */
const POLL = 5

/** Starts a request that settles its slot with a value, or with a code and a message. */
async function call<T>(begin: (slot: Slot) => void): Promise<T> {
  const promise = new Promise<T>(executor)
  const slot = openSlot()
  try {
    begin(slot)
  } catch (error) {
    rejectCall(slot, error)
  }
  const value: unknown = await promise
  if (Array.isArray(value) && typeof value[0] === 'string') {
    const [code, message] = value as [string, string]
    throw new ClusterError(message, code === '' ? undefined : code)
  }
  return value as T
}
