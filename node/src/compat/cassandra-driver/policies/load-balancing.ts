/**
 * Policies that choose nodes. Statements under the default ones are distributed by the engine,
 * which knows the replicas; those under any other go where its query plan says.
 */

import { callable } from '../callable.js'
import type { ClientContext as Client, ExecutionOptions } from '../contracts.js'
import { ArgumentError } from '../errors.js'
import type { Host, HostMap } from '../hosts.js'
import { distance } from '../types/constants.js'
import { DEFAULT_CHECKS, ordered, type ReplicaChecks } from './replica-order.js'

/** The nodes for a statement, in order. */
export type QueryPlan = Iterator<Host>

/** Called with an error, or a plan. */
export type PlanCallback = (error: Error | null, plan?: QueryPlan) => void

/** Called with an error, or without. */
export type EmptyCallback = (error?: Error | null) => void

class LoadBalancingPolicyBase {
  protected client!: Client
  protected hosts!: HostMap

  /** Called once, when the client has connected. */
  init(client: Client, hosts: HostMap, callback: EmptyCallback): void {
    this.client = client
    this.hosts = hosts
    callback()
  }

  /** How far a node is; `distance.ignored` for one that must not be used. */
  getDistance(_host: Host): distance {
    return distance.local
  }

  /** Calls back with the nodes for a statement, in order. */
  newQueryPlan(
    _keyspace: string | null,
    _executionOptions: ExecutionOptions | null,
    callback: PlanCallback,
  ): void {
    callback(new Error('a load balancing policy must have a method newQueryPlan()'))
  }

  getOptions(): Map<string, unknown> {
    return new Map()
  }
}
Object.defineProperty(LoadBalancingPolicyBase, 'name', { value: 'LoadBalancingPolicy' })

/** The base of policies of programs. */
export const LoadBalancingPolicy = callable(LoadBalancingPolicyBase)
/** The base of policies of programs. */
export type LoadBalancingPolicy = LoadBalancingPolicyBase

/** The hosts from an index on, each once. */
function* round(hosts: readonly Host[], from: number): Generator<Host, undefined, undefined> {
  for (let at = 0; at < hosts.length; at++) yield hosts[(from + at) % hosts.length] as Host
}

function uninitialized(): Error {
  return new Error('the load balancing policy is not initialized')
}

/** All nodes in turn, of all datacenters. */
export class RoundRobinPolicy extends LoadBalancingPolicy {
  #index = 0

  override newQueryPlan(
    _keyspace: string | null,
    _options: ExecutionOptions | null,
    callback: PlanCallback,
  ): void {
    if (!this.hosts) callback(uninitialized())
    else callback(null, round(this.hosts.values(), this.#index++))
  }
}

/** Finds the local datacenter of a policy: its own, or that of the client's options. */
function localOf(own: string | undefined, client: Client, hosts: HostMap): string {
  if (own && client?.options && !client.options.localDataCenter) {
    client.log(
      'info',
      `The local datacenter is ${own}, by the constructor of the policy: the option ` +
        'localDataCenter of the client is enough',
    )
  }
  const all = new Set(hosts.values().map((host) => host.datacenter))
  const available = `There are: [${[...all]}]`
  const local = own || client?.options?.localDataCenter
  if (!local) {
    throw new ArgumentError(
      `the option localDataCenter is required, or that of the policy's constructor. ${available}`,
    )
  }
  if (!all.has(local)) {
    throw new ArgumentError(`There is no datacenter ${local}. ${available}`)
  }
  return local
}

/** The nodes of the local datacenter in turn. */
export class DCAwareRoundRobinPolicy extends LoadBalancingPolicy {
  localDc: string | undefined
  #index = 0

  constructor(localDc?: string) {
    super()
    this.localDc = localDc
  }

  override init(client: Client, hosts: HostMap, callback: EmptyCallback): void {
    this.client = client
    this.hosts = hosts
    try {
      this.localDc = localOf(this.localDc, client, hosts)
    } catch (error) {
      callback(error as Error)
      return
    }
    callback()
  }

  override getDistance(host: Host): distance {
    return host.datacenter === this.localDc ? distance.local : distance.ignored
  }

  override newQueryPlan(
    _keyspace: string | null,
    _options: ExecutionOptions | null,
    callback: PlanCallback,
  ): void {
    if (!this.hosts) {
      callback(uninitialized())
      return
    }
    const local = this.hosts.values().filter((host) => host.datacenter === this.localDc)
    callback(null, round(local, ++this.#index))
  }

  override getOptions(): Map<string, unknown> {
    return new Map([['localDataCenter', this.localDc]])
  }
}

/** Replicas first, then those of another policy. */
export class TokenAwarePolicy extends LoadBalancingPolicy {
  childPolicy: LoadBalancingPolicy

  constructor(childPolicy: LoadBalancingPolicy) {
    super()
    if (!childPolicy) throw new Error('TokenAwarePolicy requires another policy')
    this.childPolicy = childPolicy
  }

  override init(client: Client, hosts: HostMap, callback: EmptyCallback): void {
    this.client = client
    this.hosts = hosts
    this.childPolicy.init(client, hosts, callback)
  }

  override getDistance(host: Host): distance {
    return this.childPolicy.getDistance(host)
  }

  override newQueryPlan(
    keyspace: string | null,
    options: ExecutionOptions | null,
    callback: PlanCallback,
  ): void {
    const key = options?.getRoutingKey()
    const where = options?.getKeyspace() || keyspace
    const replicas = key ? this.client.getReplicas(where as string, key as Buffer) : null
    this.childPolicy.newQueryPlan(where, options, (error, plan) => {
      if (error || plan === undefined) callback(error)
      else if (!replicas) callback(null, plan)
      else callback(null, this.#replicasFirst(replicas, plan))
    })
  }

  *#replicasFirst(replicas: readonly Host[], plan: QueryPlan): Generator<Host> {
    const local = replicas.filter((host) => this.childPolicy.getDistance(host) === distance.local)
    yield* round(local, Math.floor(Math.random() * local.length))
    for (let item = plan.next(); !item.done; item = plan.next()) {
      const { address } = item.value
      if (!local.some((host) => host.address === address)) yield item.value
    }
  }

  override getOptions(): Map<string, unknown> {
    const options = new Map<string, unknown>([['childPolicy', this.childPolicy.constructor.name]])
    if (this.childPolicy instanceof DCAwareRoundRobinPolicy) {
      options.set('localDataCenter', this.childPolicy.localDc)
    }
    return options
  }
}

/** Only the nodes with certain addresses, as another policy has them. */
export class AllowListPolicy extends LoadBalancingPolicy {
  childPolicy: LoadBalancingPolicy
  readonly allowList: Map<string, true>

  /** @param allowList - addresses as `'host:port'` */
  constructor(childPolicy: LoadBalancingPolicy, allowList: readonly string[]) {
    super()
    if (!childPolicy) throw new Error('AllowListPolicy requires another policy')
    if (!Array.isArray(allowList)) throw new Error('AllowListPolicy requires a list of addresses')
    this.childPolicy = childPolicy
    this.allowList = new Map(allowList.map((address: string) => [address, true]))
  }

  override init(client: Client, hosts: HostMap, callback: EmptyCallback): void {
    this.client = client
    this.hosts = hosts
    this.childPolicy.init(client, hosts, callback)
  }

  override getDistance(host: Host): distance {
    if (!this.allowList.has(host.address)) return distance.ignored
    return this.childPolicy.getDistance(host)
  }

  override newQueryPlan(
    keyspace: string | null,
    options: ExecutionOptions | null,
    callback: PlanCallback,
  ): void {
    this.childPolicy.newQueryPlan(keyspace, options, (error, plan) => {
      if (error || plan === undefined) callback(error)
      else callback(null, this.#allowed(plan))
    })
  }

  *#allowed(plan: QueryPlan): Generator<Host> {
    for (let item = plan.next(); !item.done; item = plan.next()) {
      if (this.allowList.has(item.value.address)) yield item.value
    }
  }

  override getOptions(): Map<string, unknown> {
    return new Map<string, unknown>([
      ['childPolicy', this.childPolicy.constructor.name],
      ['allowList', [...this.allowList.keys()]],
    ])
  }
}

/** The former name of `AllowListPolicy`. */
export class WhiteListPolicy extends AllowListPolicy {}

/** Options of the default policy. */
export interface DefaultLoadBalancingOptions {
  localDc?: string | undefined
  /** Whether a node may be used. */
  filter?: ((host: Host) => boolean) | undefined
}

/** Of tests: what else the default policy can be created with. */
interface OwnChecks extends Partial<ReplicaChecks> {
  getReplicas?: ((keyspace: string, key: Buffer) => Host[] | null) | undefined
}

/** Replicas of the local datacenter first, then its other nodes. */
export class DefaultLoadBalancingPolicy extends LoadBalancingPolicy {
  localDc: string | undefined
  /** @internal */
  readonly _filter: ((host: Host) => boolean) | undefined
  readonly #checks: ReplicaChecks
  readonly #own: OwnChecks
  #preferred: Host | null = null
  #index = 0

  constructor(options?: DefaultLoadBalancingOptions | string | null) {
    super()
    const settings = typeof options === 'string' ? { localDc: options } : options
    this.localDc = settings?.localDc
    this._filter = (settings as DefaultLoadBalancingOptions | undefined)?.filter
    const { compare, getReplicas, healthCheck, isHostNewlyUp } = (settings ?? {}) as OwnChecks
    this.#own = { compare, getReplicas, healthCheck, isHostNewlyUp } as OwnChecks
    this.#checks = {
      compare: compare ?? DEFAULT_CHECKS.compare,
      healthCheck: healthCheck ?? DEFAULT_CHECKS.healthCheck,
      isHostNewlyUp: isHostNewlyUp ?? DEFAULT_CHECKS.isHostNewlyUp,
    }
  }

  override init(client: Client, hosts: HostMap, callback: EmptyCallback): void {
    this.client = client
    this.hosts = hosts
    try {
      this.localDc = localOf(this.localDc, client, hosts)
    } catch (error) {
      callback(error as Error)
      return
    }
    callback()
  }

  #isUsable(host: Host): boolean {
    return host.datacenter === this.localDc && (this._filter?.(host) ?? true)
  }

  override getDistance(host: Host): distance {
    if (host === this.#preferred) return distance.local
    return this.#isUsable(host) ? distance.local : distance.ignored
  }

  override newQueryPlan(
    keyspace: string | null,
    options: ExecutionOptions | null,
    callback: PlanCallback,
  ): void {
    const where = options?.getKeyspace() || keyspace
    const key = options?.getRoutingKey()
    let replicas: Host[] | null = null
    if (where && key) {
      const find = this.#own.getReplicas ?? ((...of) => this.client.getReplicas(...of))
      replicas = find(where, key as Buffer)
    }
    const preferred = options?.getPreferredHost() ?? null
    if (preferred !== null) this.#preferred = preferred
    callback(null, this.#plan(replicas ?? [], preferred))
  }

  /** @internal Whether it chooses by what the engine does not know. */
  get _hasOwnChecks(): boolean {
    return Object.values(this.#own).some((check) => check !== undefined)
  }

  *#plan(replicas: readonly Host[], preferred: Host | null): Generator<Host> {
    const usable = (host: Host) => this.#isUsable(host) && host.isUp()
    const others = (host: Host) => host !== preferred
    if (preferred !== null) yield preferred
    const first = ordered(replicas.filter(usable), this.#checks)
    yield* first.filter(others)
    const isLeft = (host: Host) => usable(host) && others(host) && !first.includes(host)
    const rest = this.hosts.values().filter(isLeft)
    yield* round(rest, this.#index++)
  }

  override getOptions(): Map<string, unknown> {
    return new Map<string, unknown>([
      ['localDataCenter', this.localDc],
      ['filterFunction', this._filter !== undefined],
    ])
  }
}

/**
 * The datacenter to which the engine restricts statements by itself, if a policy does no more than
 * that; otherwise the policy is asked for each statement.
 */
export function byEngine(policy: LoadBalancingPolicy): { localDc: string | undefined } | undefined {
  switch (policy.constructor) {
    case DefaultLoadBalancingPolicy: {
      const { localDc, _filter, _hasOwnChecks } = policy as DefaultLoadBalancingPolicy
      const isOwn =
        _hasOwnChecks ||
        Object.hasOwn(policy, 'newQueryPlan') ||
        Object.hasOwn(policy, 'getDistance')
      return _filter === undefined && !isOwn ? { localDc } : undefined
    }
    case DCAwareRoundRobinPolicy:
      return { localDc: (policy as DCAwareRoundRobinPolicy).localDc }
    case TokenAwarePolicy: {
      const child = (policy as TokenAwarePolicy).childPolicy
      return child.constructor === DCAwareRoundRobinPolicy ? byEngine(child) : undefined
    }
    default:
      return undefined
  }
}
