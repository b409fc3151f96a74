/** The nodes of a cluster. */

import { EventEmitter } from 'node:events'
import type { Session } from '../../cql/session.js'
import type { InetAddress } from './types/inet-address.js'
import type { Uuid } from './types/uuid.js'

function versionParts(version: string | null): number[] {
  return version === null ? [] : (version.split('-')[0] as string).split('.').map(Number)
}

/** A node. Emits `'up'` and `'down'`. */
export class Host extends EventEmitter {
  /** `'host:port'`. */
  readonly address: string
  cassandraVersion: string
  datacenter: string
  rack: string
  /** Its tokens as text; `null` until they are known. */
  tokens: string[] | null = null
  hostId: Uuid | null = null
  /** The version of DataStax Enterprise: always `null`. */
  readonly dseVersion: null = null
  readonly workloads: readonly string[] = []
  /** When it came up, in milliseconds since 1970; `null` if it was up at the start. */
  isUpSince: number | null = null
  /** When it went down; 0 if it is up. */
  setDownAt = 0
  #inFlight: (() => number) | undefined

  constructor(address: string, datacenter = '', rack = '', release = '') {
    super()
    this.address = address
    this.datacenter = datacenter
    this.rack = rack
    this.cassandraVersion = release
  }

  isUp(): boolean {
    return this.setDownAt === 0
  }

  /** Whether it is up, or may be by now. */
  canBeConsideredAsUp(): boolean {
    return this.isUp()
  }

  getCassandraVersion(): number[] {
    return versionParts(this.cassandraVersion)
  }

  getDseVersion(): number[] {
    return []
  }

  /** The number of requests that it has not answered yet. */
  getInFlight(): number {
    return this.#inFlight?.() ?? 0
  }

  /** @internal What counts them. */
  _countBy(inFlight: () => number): void {
    this.#inFlight = inFlight
  }

  /** Always 0: the engine itself keeps statements away from nodes that do not answer. */
  getResponseCount(): number {
    return 0
  }

  /** @internal Returns whether this is news. */
  setState(isUp: boolean): boolean {
    if (isUp === this.isUp()) return false
    this.setDownAt = isUp ? 0 : Date.now()
    if (isUp) this.isUpSince = Date.now()
    this.emit(isUp ? 'up' : 'down')
    return true
  }
}

/** The nodes by address. Emits `'add'` and `'remove'` with the node. */
export class HostMap extends EventEmitter {
  readonly #hosts = new Map<string, Host>()
  #values: Host[] | undefined

  get length(): number {
    return this.#hosts.size
  }

  forEach(callback: (host: Host, address: string) => void): void {
    for (const [address, host] of this.#hosts) callback(host, address)
  }

  get(address: string): Host | undefined {
    return this.#hosts.get(address)
  }

  keys(): string[] {
    return [...this.#hosts.keys()]
  }

  values(): Host[] {
    this.#values ??= [...this.#hosts.values()]
    return this.#values
  }

  slice(from?: number, to?: number): Host[] {
    return this.values().slice(from, to)
  }

  set(address: string, host: Host): void {
    const former = this.#hosts.get(address)
    this.#hosts.set(address, host)
    this.#values = undefined
    if (former !== undefined) this.emit('remove', former)
    this.emit('add', host)
  }

  push(address: string, host: Host): void {
    this.set(address, host)
  }

  remove(address: string): void {
    const host = this.#hosts.get(address)
    if (host === undefined) return
    this.#hosts.delete(address)
    this.#values = undefined
    this.emit('remove', host)
  }

  clear(): Host[] {
    const all = this.values()
    for (const host of all) this.remove(host.address)
    return all
  }
}

/** What system tables say about a node. */
interface About {
  host_id: Uuid | null
  tokens: Iterable<string> | null
}

type LocalRow = About & { partitioner: string }
type PeerRow = About & {
  native_address?: InetAddress
  native_port?: number
  rpc_address?: InetAddress
}

/** Brings the nodes up to date with what the session knows; returns the partitioner. */
export async function readHosts(session: Session, hosts: HostMap): Promise<string> {
  // Both from the same node: each knows itself and its peers.
  const local = await session.execute<LocalRow>(
    'SELECT host_id, tokens, partitioner FROM system.local',
  )
  const about = new Map<string, About>()
  const row = local.first()
  if (row !== undefined) about.set(local.node, row)
  const port = local.node.slice(local.node.lastIndexOf(':') + 1)
  const { node } = local
  const peers = await session
    .execute<PeerRow>(
      'SELECT native_address, native_port, host_id, tokens FROM system.peers_v2',
      null,
      { node },
    )
    .catch(() =>
      session.execute<PeerRow>('SELECT rpc_address, host_id, tokens FROM system.peers', null, {
        node,
      }),
    )
  for (const peer of peers.rows) {
    const host = peer.native_address ?? peer.rpc_address
    if (host) about.set(`${host}:${peer.native_port ?? port}`, peer)
  }
  const seen = new Set<string>()
  for (const { address, datacenter, rack, release, isUp } of session.nodes) {
    seen.add(address)
    const known = hosts.get(address)
    const host = known ?? new Host(address, datacenter, rack, release)
    Object.assign(host, { datacenter, rack, cassandraVersion: release })
    const { host_id: hostId = null, tokens = null } = about.get(address) ?? {}
    if (hostId !== null) host.hostId = hostId
    // A set of the program's class, with the option `encoding.set`.
    if (tokens !== null) host.tokens = Array.from(tokens)
    if (known === undefined) {
      if (!isUp) host.setDownAt = Date.now()
      hosts.set(address, host)
    } else host.setState(isUp)
  }
  for (const address of hosts.keys()) if (!seen.has(address)) hosts.remove(address)
  return row?.partitioner ?? ''
}
