/** The options of executions: what statements are sent with. */

import { ExecutionOptions } from './contracts.js'
import { ArgumentError } from './errors.js'
import type { Host } from './hosts.js'
import type { LoadBalancingPolicy } from './policies/load-balancing.js'
import type { RetryPolicy } from './policies/retry.js'
import type { TimestampGenerator } from './policies/timestamp-generation.js'
import type { ExecutionProfile, Profiles } from './profiles.js'
import { Long } from './types/long.js'

export { ExecutionOptions } from './contracts.js'

/** Options of statements. */
export interface QueryOptions {
  /** Whether all pages are fetched, by `eachRow` and `stream`. */
  autoPage?: boolean | undefined
  captureStackTrace?: boolean | undefined
  /** One of `types.consistencies`. */
  consistency?: number | undefined
  /** Whether a batch is one of counters. */
  counter?: boolean | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  customPayload?: any
  executeAs?: string | undefined
  executionProfile?: string | ExecutionProfile | undefined
  /** Rows per page; 0: all in one. Default: 5,000. */
  fetchSize?: number | undefined
  /** The types of parameters, which the drop-in learns from the server instead. */
  hints?: readonly unknown[] | undefined
  /** The only node to ask. */
  host?: Host | undefined
  isIdempotent?: boolean | undefined
  /** The keyspace of tables named without one; with version 5 of the protocol. */
  keyspace?: string | undefined
  /** Whether a batch is logged. Default: true. */
  logged?: boolean | undefined
  /** Where to start: `pageState` of the previous page. */
  pageState?: Buffer | string | undefined
  prepare?: boolean | undefined
  /** In milliseconds; 0: no limit. */
  readTimeout?: number | undefined
  retry?: RetryPolicy | undefined
  routingIndexes?: readonly number[] | undefined
  routingKey?: Buffer | readonly Buffer[] | undefined
  routingNames?: readonly string[] | undefined
  serialConsistency?: number | undefined
  /** In microseconds since 1970. */
  timestamp?: number | Long | null | undefined
  traceQuery?: boolean | undefined
}

/** What executions need of the options of a client. */
export interface ExecutionDefaults {
  readonly queryOptions: QueryOptions
  readonly socketOptions: { readTimeout?: number | undefined }
  readonly policies: { retry: RetryPolicy; timestampGeneration: TimestampGenerator | null }
}

/** A client, as the options of its executions see it. */
export interface OptionsOwner {
  readonly options: ExecutionDefaults
  readonly profileManager: Profiles
}

export type RowCallback = (n: number, row: unknown) => void

/** The options of one execution of a client. */
export class DefaultExecutionOptions extends ExecutionOptions {
  /** As they were passed. */
  readonly raw: QueryOptions
  readonly #defaults: ExecutionDefaults
  readonly #owner: OptionsOwner
  readonly #profile: ExecutionProfile
  readonly #rowCallback: RowCallback | undefined
  #hints: readonly unknown[] | undefined
  #keyspace: string | undefined
  #pageState: Buffer | undefined
  #preferredHost: Host | null = null
  #routingIndexes: readonly number[] | undefined
  #routingKey: Buffer | readonly Buffer[] | undefined

  /** @throws ArgumentError if there is no such profile */
  constructor(raw: QueryOptions, owner: OptionsOwner, rowCallback?: RowCallback) {
    super()
    this.raw = raw
    this.#owner = owner
    this.#defaults = owner.options
    this.#rowCallback = rowCallback
    const profile = owner.profileManager.find(raw.executionProfile)
    if (profile === undefined) {
      throw new ArgumentError(`there is no execution profile "${raw.executionProfile}"`)
    }
    this.#profile = profile
    this.#hints = raw.hints
    this.#keyspace = raw.keyspace
    this.#routingIndexes = raw.routingIndexes
    this.#routingKey = raw.routingKey
    this.#pageState =
      typeof raw.pageState === 'string' ? Buffer.from(raw.pageState, 'hex') : raw.pageState
  }

  static create(
    raw: QueryOptions | null | undefined,
    owner: OptionsOwner,
    rowCallback?: RowCallback,
  ): DefaultExecutionOptions {
    const options = typeof raw === 'object' && raw !== null ? raw : {}
    return new DefaultExecutionOptions(options, owner, rowCallback)
  }

  get profile(): ExecutionProfile {
    return this.#profile
  }

  override getCaptureStackTrace(): boolean | undefined {
    return this.raw.captureStackTrace ?? this.#defaults.queryOptions.captureStackTrace
  }

  override getConsistency(): number | undefined {
    const { raw } = this
    return raw.consistency ?? this.#profile.consistency ?? this.#defaults.queryOptions.consistency
  }

  override getCustomPayload(): { [name: string]: Buffer | null } | undefined {
    const defaults = this.#defaults.queryOptions
    const payload = this.raw.customPayload ?? defaults.customPayload
    const user = this.raw.executeAs ?? defaults.executeAs
    return user ? { ProxyExecute: Buffer.from(user), ...payload } : payload
  }

  override getFetchSize(): number | undefined {
    return this.raw.fetchSize ?? this.#defaults.queryOptions.fetchSize
  }

  override getFixedHost(): Host | undefined {
    return this.raw.host
  }

  override getHints(): readonly unknown[] | undefined {
    return this.#hints
  }

  override isAutoPage(): boolean | undefined {
    return this.raw.autoPage ?? this.#defaults.queryOptions.autoPage
  }

  override isBatchCounter(): boolean {
    return this.raw.counter ?? false
  }

  override isBatchLogged(): boolean {
    return this.raw.logged ?? this.#defaults.queryOptions.logged ?? true
  }

  override isIdempotent(): boolean | undefined {
    return this.raw.isIdempotent ?? this.#defaults.queryOptions.isIdempotent
  }

  override isPrepared(): boolean | undefined {
    return this.raw.prepare ?? this.#defaults.queryOptions.prepare
  }

  override isQueryTracing(): boolean | undefined {
    return this.raw.traceQuery ?? this.#defaults.queryOptions.traceQuery
  }

  override getKeyspace(): string | undefined {
    return this.#keyspace
  }

  override getLoadBalancingPolicy(): LoadBalancingPolicy {
    return this.#profile.loadBalancing as LoadBalancingPolicy
  }

  override getPageState(): Buffer | undefined {
    return this.#pageState
  }

  override getPreferredHost(): Host | null {
    return this.#preferredHost
  }

  override getRawQueryOptions(): QueryOptions {
    return this.raw
  }

  override getReadTimeout(): number | undefined {
    return (
      this.raw.readTimeout ?? this.#profile.readTimeout ?? this.#defaults.socketOptions.readTimeout
    )
  }

  override getRetryPolicy(): RetryPolicy {
    return this.raw.retry ?? this.#profile.retry ?? this.#defaults.policies.retry
  }

  override getRowCallback(): RowCallback | undefined {
    return this.#rowCallback
  }

  override getOrGenerateTimestamp(): Long | null | undefined {
    const { timestampGeneration: generator } = this.#defaults.policies
    const own = this.getTimestamp()
    const timestamp = own === undefined ? (generator?.next(this.#owner as never) ?? null) : own
    return typeof timestamp === 'number' ? Long.fromNumber(timestamp) : timestamp
  }

  override getRoutingIndexes(): readonly number[] | undefined {
    return this.#routingIndexes
  }

  override getRoutingKey(): Buffer | readonly Buffer[] | undefined {
    return this.#routingKey
  }

  override getRoutingNames(): readonly string[] | undefined {
    return this.raw.routingNames
  }

  override getSerialConsistency(): number | undefined {
    const { raw } = this
    const defaults = this.#defaults.queryOptions
    return raw.serialConsistency ?? this.#profile.serialConsistency ?? defaults.serialConsistency
  }

  override getTimestamp(): number | Long | null | undefined {
    return this.raw.timestamp
  }

  override setHints(hints: readonly unknown[]): void {
    this.#hints = hints
  }

  override setKeyspace(keyspace: string): void {
    this.#keyspace = keyspace
  }

  override setPageState(pageState: Buffer | undefined): void {
    this.#pageState = pageState
  }

  override setPreferredHost(host: Host): void {
    this.#preferredHost = host
  }

  override setRoutingIndexes(indexes: readonly number[]): void {
    this.#routingIndexes = indexes
  }

  override setRoutingKey(key: Buffer): void {
    this.#routingKey = key
  }
}
