/** The embedded cluster as a JavaScript object. */

import { native, type Slot } from '../native.js'
import { executor, openSlot, refuse } from '../slots.js'
import type { Faults } from './faults.js'
import type { Certificates, ClusterOptions } from './options.js'
import { type NodeStats, nodeStats } from './stats.js'

/** The embedded cluster could not do what it was asked for: a port is in use, it was stopped. */
export class ClusterError extends Error {
  /** The system's name for the failure, such as `'EADDRINUSE'`, where it has one. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
Object.defineProperty(ClusterError.prototype, 'name', { value: 'ClusterError', configurable: true })

/**
 * An embedded cluster: real nodes in this process, no server to install.
 *
 * Nodes own partitions as a real cluster's do. A killed node loses its memory; with two copies of
 * every record no acknowledged write is lost when one node dies. Nodes are counted from 0.
 *
 * It runs on threads of its own until `close()`, or until the thread of JavaScript that started it
 * ends; it does not keep the program alive. Any thread and any process can connect to it. What it is
 * told to do is done in the order of the calls.
 *
 * Its methods throw `RangeError` for a node that does not exist, `ClusterError` after `close()`.
 */
export class Cluster {
  /** How many nodes the cluster was started with. */
  readonly nodes: number
  /** `host:port` of every node, dead ones included. */
  readonly addresses: readonly string[]
  /** The files for clients, with the option `tls`. */
  readonly certificates: Certificates | undefined
  readonly #names: readonly string[]
  readonly #handle: number
  #latest: Promise<void> = Promise.resolve()
  /** For `await using cluster = await Cluster.start()`, where the runtime has it: `close()`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>
  #closing: Promise<void> | undefined

  private constructor(handle: number, addresses: string[], names: string[], files: string[]) {
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
   * Starts a cluster, which takes connections when the promise is resolved.
   *
   * @throws ClusterError when a port is in use; TypeError, RangeError for invalid options
   */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const made = await call<[number, string[], string[], string[]]>((slot) =>
      native.clusterStart(slot, options),
    )
    return new Cluster(...made)
  }

  /** The addresses of all nodes as a comma list, as clients take them. */
  get seeds(): string {
    return this.addresses.join(',')
  }

  /** Kills a node: its connections are reset, its port is closed, its records are lost. */
  kill(node: number): Promise<void> {
    return this.#tell(node, (slot) => native.clusterKill(this.#handle, slot, node))
  }

  /** Restarts a dead node: same port, empty; its partitions are copied to it. */
  restart(node: number): Promise<void> {
    return this.#tell(node, (slot) => native.clusterRestart(this.#handle, slot, node))
  }

  /** Whether a node is alive. */
  isAlive(node: number): boolean {
    this.#check(node)
    return native.clusterAlive(this.#handle, node)
  }

  /** The node's id as the protocol shows it. */
  nodeName(node: number): string {
    this.#check(node)
    return this.#names[node] as string
  }

  /**
   * Waits until every partition has all its copies.
   *
   * @param timeout - milliseconds
   * @returns whether that was so in time
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

  /** Makes a node misbehave from the next request on; replaces earlier faults. */
  inject(node: number, faults: Faults): Promise<void> {
    // Read now, as what the caller does with the object later is of no concern.
    const copy = typeof faults === 'object' && faults !== null ? { ...faults } : faults
    return this.#tell(node, (slot) => native.clusterInject(this.#handle, slot, node, copy))
  }

  /** Ends the faults of a node. */
  clearFaults(node: number): Promise<void> {
    return this.#tell(node, (slot) => native.clusterClearFaults(this.#handle, slot, node))
  }

  /** Deletes all records of a set, or of a whole namespace. */
  truncate(namespace = 'test', set?: string | null): Promise<void> {
    return this.#tell(0, (slot) => native.clusterTruncate(this.#handle, slot, namespace, set))
  }

  /** Counters and sizes of a node. */
  stats(node: number): NodeStats {
    this.#check(node)
    return nodeStats(native.clusterStats(this.#handle, node))
  }

  /** Stops every node. Closing again waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#latest.then(() =>
      call<void>((slot) => native.clusterStop(this.#handle, slot)),
    )
    return this.#closing
  }

  /** Throws for a node that there is not, and when the cluster was stopped. */
  #check(node: number): void {
    if (this.#closing !== undefined) throw new ClusterError('the embedded cluster was stopped')
    if (typeof node !== 'number') {
      throw new TypeError(`node must be a number from 0 to ${this.nodes - 1}, not ${typeof node}`)
    }
    if (!Number.isInteger(node) || node < 0 || node >= this.nodes) {
      throw new RangeError(`node must be from 0 to ${this.nodes - 1}, got ${node}`)
    }
  }

  /** Has something done after everything before. */
  async #tell(node: number, begin: (slot: Slot) => void): Promise<void> {
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

/** Milliseconds between two looks at how far a migration is. */
const POLL = 5

/** Begins something that settles its slot with a value, or with a code and a message. */
async function call<T>(begin: (slot: Slot) => void): Promise<T> {
  const promise = new Promise<T>(executor)
  const slot = openSlot()
  try {
    begin(slot)
  } catch (error) {
    refuse(slot, error)
  }
  const value: unknown = await promise
  if (Array.isArray(value) && typeof value[0] === 'string') {
    const [code, message] = value as [string, string]
    throw new ClusterError(message, code === '' ? undefined : code)
  }
  return value as T
}
