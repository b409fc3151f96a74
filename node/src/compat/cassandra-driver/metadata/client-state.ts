/** Connections of a client. */

import { ArgumentError } from '../errors.js'
import type { Host } from '../hosts.js'

/** The nodes that a client is connected to. The engine tells no numbers of requests. */
export class ClientState {
  readonly #hosts: readonly Host[]
  readonly #connections: number

  /** @internal */
  constructor(hosts: readonly Host[], connections: number) {
    this.#hosts = hosts
    this.#connections = connections
  }

  getConnectedHosts(): Host[] {
    return [...this.#hosts]
  }

  /** The number of connections to a node that the engine opens when they are needed. */
  getOpenConnections(host: Host): number {
    if (!host) throw new ArgumentError('a host is required')
    return this.#hosts.includes(host) ? this.#connections : 0
  }

  /** Always 0: the engine does not tell it. */
  getInFlightQueries(host: Host): number {
    if (!host) throw new ArgumentError('a host is required')
    return 0
  }

  toString(): string {
    const each = (number: number) =>
      Object.fromEntries(this.#hosts.map(({ address }) => [address, number]))
    return JSON.stringify({
      hosts: this.#hosts.map(({ address }) => address),
      openConnections: each(this.#connections),
      inFlightQueries: each(0),
    })
  }
}
