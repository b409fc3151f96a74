/** What a client is connected to: configuration, connection, nodes and events. */

import { EventEmitter } from 'node:events'
import { Client as NativeClient } from '../../aerospike/client.js'
import { native } from '../../aerospike/model/native.js'
import type { Event } from '../../statistics/events.js'
import { type Callback, type CommandClient, checkCallback } from './command.js'
import { Config, type ConfigOptions } from './config.js'
import { optionsOf } from './connecting.js'
import { type CallDefaults, defaultsOf } from './defaults.js'
import { AerospikeError, toError } from './error.js'
import { clientClosed, clientConnected } from './event-loop.js'
import { seedsOf } from './hosts.js'
import type { ConfigPolicies } from './policy.js'
import {
  type FileSettings,
  type PolicyFields,
  readSettings,
  type SettingsFile,
  settingsFile,
} from './settings-file.js'
import { status } from './status.js'
import type { Host, Node } from './types.js'

/** An event about a node, as listeners get it. */
export interface ClusterEvent {
  name: 'nodeAdded' | 'nodeRemoved' | 'disconnected'
  nodeName: string
  nodeAddress: string
}

const EVENTS: { readonly [type: string]: 'nodeAdded' | 'nodeRemoved' } = {
  nodeUp: 'nodeAdded',
  nodeDown: 'nodeRemoved',
}

/** What of the connection programs look at. */
export interface ConnectionHealth {
  isConnected(): boolean
}

/** The connection of a client. */
export abstract class ClientBase extends EventEmitter implements CommandClient {
  readonly config: Config
  /** Whether errors have the stack of the call that failed. */
  captureStackTraces: boolean
  connected = false
  /** @internal Whether any node is known. */
  readonly as_client: ConnectionHealth
  /** @internal How many commands wait for their outcome. */
  inFlight = 0
  /** @internal */
  readonly defaults: CallDefaults
  /** @internal Queries that the program aborted while metrics were enabled, by namespace. */
  readonly abortedQueries = new Map<string, number>()
  #native: NativeClient | undefined
  #addresses = new Map<string, string>()
  #file: SettingsFile | undefined
  #fields: PolicyFields | undefined
  #reading: NodeJS.Timeout | undefined

  /** @throws TypeError for policies of an unknown type; AerospikeError for invalid ones */
  constructor(config?: ConfigOptions | null) {
    super()
    this.config = new Config(config)
    this.defaults = defaultsOf(this.config.policies)
    this.captureStackTraces = Boolean(process.env['AEROSPIKE_DEBUG_STACKTRACES'])
    const knowsNodes = () => this.#native?.isOpen === true && this.#native.nodes.length > 0
    // Programs may replace the function, so it is a property.
    this.as_client = { isConnected: knowsNodes }
    for (const hidden of ['as_client', 'defaults', 'inFlight', 'abortedQueries']) {
      Object.defineProperty(this, hidden, { enumerable: false })
    }
  }

  /** @internal Spikewire's client. */
  get native(): NativeClient {
    if (this.#native === undefined) throw new AerospikeError('Not connected.')
    return this.#native
  }

  /**
   * @internal Calls a function that sends a command. With `deserialize: false`, the command returns
   * lists and maps as Buffers with their encoding.
   */
  sendWith<T>(policy: { deserialize?: boolean | undefined } | null | undefined, send: () => T): T {
    if (policy?.deserialize !== false) return send()
    native.encodedCollections(this.handle, true)
    try {
      return send()
    } finally {
      native.encodedCollections(this.handle, false)
    }
  }

  /** @internal The number by which the native part knows the client. */
  get handle(): number {
    return this.native.connection.handle
  }

  /**
   * Connects to the cluster.
   *
   * @throws AerospikeError if no seed answers, or the login is rejected
   */
  connect(): Promise<this>
  connect(callback: Callback<this>): void
  connect(callback?: Callback<this>): Promise<this> | undefined {
    checkCallback(callback)
    const connected = this.#connect()
    if (!callback) return connected
    connected.then(
      (client) => process.nextTick(callback, null, client),
      (error) => process.nextTick(callback, error),
    )
    return undefined
  }

  async #connect(): Promise<this> {
    try {
      this.#file = settingsFile(this.config)
      clientConnected()
      const seeds = seedsOf(this.config.hosts, this.config.port)
      this.#native = await NativeClient.connect(seeds, optionsOf(this.config))
    } catch (error) {
      throw connectError(error)
    }
    this.connected = true
    this.#watch(this.#native)
    this.#readSettings()
    return this
  }

  /** Reads the file of settings, now and at its interval. */
  #readSettings(): void {
    const file = this.#file
    if (file === undefined) return
    const read = (): void => {
      const settings = readSettings(file)
      if (settings === undefined) return
      this.#fields = settings.policies
      this.settingsChanged(settings)
    }
    read()
    this.#reading = setInterval(read, file.interval).unref()
  }

  /** @internal What follows from a file of settings. */
  protected settingsChanged(_settings: FileSettings): void {}

  /** @internal The policy of a call, with what a file of settings says about its kind. */
  policyFor<K extends keyof ConfigPolicies, P extends object>(
    kind: K,
    policy: P | null | undefined,
  ): P | null | undefined {
    const fields = this.#fields?.[kind]
    if (fields === undefined) return policy
    return { ...(policy ?? this.config.policies[kind]), ...fields } as P
  }

  /** Emits events about nodes, beginning with those that there are. */
  #watch(client: NativeClient): void {
    const { nodes } = client
    for (const { name, address } of nodes) this.#addresses.set(name, address)
    client.onEvent((event) => this.#tell(event))
    setImmediate(() => {
      for (const { name, address } of nodes) this.#emit('nodeAdded', name, address)
    })
  }

  #tell({ type, node }: Event): void {
    const name = EVENTS[type]
    if (name === undefined || node === null || !this.connected) return
    const nodes = this.native.nodes
    for (const each of nodes) this.#addresses.set(each.name, each.address)
    const address = this.#addresses.get(node) ?? ''
    this.#emit(name, node, address)
    if (name === 'nodeRemoved') this.nodeClosed(node, address)
    if (name === 'nodeRemoved' && nodes.length === 0) this.#emit('disconnected', '', '')
  }

  #emit(name: ClusterEvent['name'], nodeName: string, nodeAddress: string): void {
    const event: ClusterEvent = { name, nodeName, nodeAddress }
    this.emit(name, event)
    this.emit('event', event)
  }

  /** Closes the connections. Commands in flight fail. Closing again has no effect. */
  close(releaseEventLoop = false, destroyTransactions = true): void {
    if (this.connected) {
      this.connected = false
      clearInterval(this.#reading)
      this.beforeClose()
      void this.#native?.close()
      clientClosed(true, releaseEventLoop, destroyTransactions)
    } else {
      clientClosed(false, releaseEventLoop, destroyTransactions)
    }
  }

  /** @internal What ends with the client. */
  protected beforeClose(): void {}

  /** @internal What follows when a node leaves the cluster. */
  protected nodeClosed(_name: string, _address: string): void {}

  /**
   * Whether the client is connected.
   *
   * @param checkTenderErrors - Whether a node must be known, too. Default: true.
   */
  isConnected(checkTenderErrors = true): boolean {
    return this.connected && (!checkTenderErrors || this.as_client.isConnected())
  }

  /** The nodes of the cluster. */
  getNodes(): Node[] {
    if (!this.connected) return []
    return this.native.nodes.map(({ name, address }) => ({ name, address }))
  }

  /**
   * Adds a seed: it is used when the client connects. A client that is connected finds nodes by
   * itself.
   */
  addSeedHost(hostname: string, port: number = this.config.port): void {
    const hosts = this.#hosts()
    if (!hosts.some((host) => host.addr === hostname && host.port === port)) {
      hosts.push({ addr: hostname, port })
    }
    this.config.hosts = hosts
  }

  /** Removes a seed. */
  removeSeedHost(hostname: string, port: number = this.config.port): void {
    this.config.hosts = this.#hosts().filter(
      (host) => host.addr !== hostname || (host.port ?? this.config.port) !== port,
    )
  }

  #hosts(): Host[] {
    const { hosts, port } = this.config
    if (typeof hosts !== 'string') return [...hosts]
    return hosts.split(',').map((host): Host => hostOf(host, port))
  }
}

function hostOf(text: string, port: number): Host {
  const at = text.lastIndexOf(':')
  if (at < 0) return { addr: text.trim(), port }
  return { addr: text.slice(0, at).trim(), port: Number(text.slice(at + 1)) }
}

/** The error of connecting. */
function connectError(error: unknown): unknown {
  const converted = toError(error)
  if (!(converted instanceof AerospikeError) || converted.isServerError()) return converted
  if (converted === error) return converted
  const failed = new AerospikeError(`Failed to connect: ${converted.message}`)
  failed.code = status.ERR_CLIENT
  failed.cause = error
  return failed
}
