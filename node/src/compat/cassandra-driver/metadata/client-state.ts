/** Connections of a client. */

import { ArgumentError } from '../errors.js'
import type { Host } from '../hosts.js'

/** Open connections to a node, and requests in flight on them. */
export interface HostLoad {
  readonly connections: number
  readonly inFlight: number
}

/** The nodes that a client is connected to, at one moment. */
export class ClientState {
  readonly #hosts: readonly Host[]
  readonly #loads: ReadonlyMap<string, HostLoad>

  /** @internal */
  constructor(hosts: readonly Host[], loads: ReadonlyMap<string, HostLoad>) {
    this.#hosts = hosts
    this.#loads = loads
  }

  getConnectedHosts(): Host[] {
    return [...this.#hosts]
  }

  /** The number of open connections to a node. */
  getOpenConnections(host: Host): number {
    if (!host) throw new ArgumentError('a host is required')
    return this.#loads.get(host.address)?.connections ?? 0
  }

  /** The number of requests that a node has not answered yet. */
  getInFlightQueries(host: Host): number {
    if (!host) throw new ArgumentError('a host is required')
    return this.#loads.get(host.address)?.inFlight ?? 0
  }

  toString(): string {
    const each = (number: (host: Host) => number) =>
      Object.fromEntries(this.#hosts.map((host) => [host.address, number(host)]))
    return JSON.stringify({
      hosts: this.#hosts.map(({ address }) => address),
      openConnections: each((host) => this.getOpenConnections(host)),
      inFlightQueries: each((host) => this.getInFlightQueries(host)),
    })
  }
}
