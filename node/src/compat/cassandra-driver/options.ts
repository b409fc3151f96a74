import { AuthProvider, NoAuthProvider, PlainTextAuthProvider } from './auth.js'
import type { Encoding } from './conversion/decode.js'
import type { QueryOptions } from './execution-options.js'
import { ClientMetrics, DefaultMetrics } from './metrics.js'
import { AddressTranslator } from './policies/address-resolution.js'
import * as policies from './policies/index.js'
import { LoadBalancingPolicy } from './policies/load-balancing.js'
import { ReconnectionPolicy } from './policies/reconnection.js'
import { RetryPolicy } from './policies/retry.js'
import type { SpeculativeExecutionPolicy } from './policies/speculative-execution.js'
import { TimestampGenerator } from './policies/timestamp-generation.js'
import type { ExecutionProfile } from './profiles.js'
import { RequestTracker } from './tracker.js'
import { protocolVersion } from './types/constants.js'
import { Uuid } from './types/uuid.js'

/** The policies of a client. */
export interface ClientPolicies {
  addressResolution?: AddressTranslator | undefined
  loadBalancing?: LoadBalancingPolicy | undefined
  reconnection?: ReconnectionPolicy | undefined
  retry?: RetryPolicy | undefined
  speculativeExecution?: SpeculativeExecutionPolicy | undefined
  timestampGeneration?: TimestampGenerator | null | undefined
}

/** The options of a client. */
export interface ClientOptions {
  /** Nodes to start with: `'host'` or `'host:port'` each. */
  contactPoints?: string[] | undefined
  localDataCenter?: string | undefined
  keyspace?: string | undefined
  authProvider?: AuthProvider | null | undefined
  credentials?: { username: string; password: string } | undefined
  cloud?: { secureConnectBundle: string | URL } | undefined
  encoding?: Encoding | undefined
  isMetadataSyncEnabled?: boolean | undefined
  maxPrepared?: number | undefined
  metrics?: ClientMetrics | undefined
  policies?: ClientPolicies | undefined
  pooling?:
    | {
        coreConnectionsPerHost?: { [distance: number]: number } | undefined
        heartBeatInterval?: number | undefined
        maxRequestsPerConnection?: number | undefined
        warmup?: boolean | undefined
      }
    | undefined
  prepareOnAllHosts?: boolean | undefined
  profiles?: ExecutionProfile[] | undefined
  protocolOptions?:
    | {
        maxSchemaAgreementWaitSeconds?: number | undefined
        maxVersion?: number | undefined
        noCompact?: boolean | undefined
        port?: number | undefined
      }
    | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  promiseFactory?: ((...handler: any[]) => Promise<any>) | undefined
  queryOptions?: QueryOptions | undefined
  refreshSchemaDelay?: number | undefined
  rePrepareOnUp?: boolean | undefined
  requestTracker?: RequestTracker | null | undefined
  socketOptions?:
    | {
        coalescingThreshold?: number | undefined
        connectTimeout?: number | undefined
        defunctReadTimeoutThreshold?: number | undefined
        keepAlive?: boolean | undefined
        keepAliveDelay?: number | undefined
        readTimeout?: number | undefined
        tcpNoDelay?: boolean | undefined
      }
    | undefined
  /** As in `tls.connect`: what the native session has of that. */
  // biome-ignore lint/suspicious/noExplicitAny: options of node:tls
  sslOptions?: any
  id?: Uuid | undefined
  applicationName?: string | undefined
  applicationVersion?: string | undefined
  monitorReporting?: { enabled?: boolean | undefined } | undefined
  graphOptions?: { [name: string]: unknown } | undefined
}

/** The options of a client with the defaults. */
export interface CompleteOptions extends ClientOptions {
  authProvider: AuthProvider
  encoding: Encoding
  metrics: ClientMetrics
  maxPrepared: number
  policies: Required<{ [name in keyof ClientPolicies]: NonNullable<ClientPolicies[name]> }> & {
    timestampGeneration: TimestampGenerator | null
  }
  pooling: NonNullable<ClientOptions['pooling']>
  protocolOptions: NonNullable<ClientOptions['protocolOptions']>
  queryOptions: QueryOptions
  requestTracker: RequestTracker | null
  socketOptions: NonNullable<ClientOptions['socketOptions']>
}

/** The default options. */
export function defaultOptions(): ClientOptions {
  return {
    policies: {
      addressResolution: policies.defaultAddressTranslator(),
      loadBalancing: policies.defaultLoadBalancingPolicy(),
      reconnection: policies.defaultReconnectionPolicy(),
      retry: policies.defaultRetryPolicy(),
      speculativeExecution: policies.defaultSpeculativeExecutionPolicy(),
      timestampGeneration: policies.defaultTimestampGenerator(),
    },
    queryOptions: { fetchSize: 5000, prepare: false, captureStackTrace: false },
    protocolOptions: {
      port: 9042,
      maxSchemaAgreementWaitSeconds: 10,
      maxVersion: 0,
      noCompact: false,
    },
    pooling: { heartBeatInterval: 30_000, warmup: true },
    socketOptions: {
      connectTimeout: 5000,
      defunctReadTimeoutThreshold: 64,
      keepAlive: true,
      keepAliveDelay: 0,
      readTimeout: 12_000,
      tcpNoDelay: true,
      coalescingThreshold: 65_536,
    },
    authProvider: null,
    requestTracker: null,
    metrics: new DefaultMetrics(),
    maxPrepared: 500,
    refreshSchemaDelay: 1000,
    isMetadataSyncEnabled: true,
    prepareOnAllHosts: true,
    rePrepareOnUp: true,
    encoding: { copyBuffer: true, useUndefinedAsUnset: true },
    monitorReporting: { enabled: true },
  }
}

/** Options that are made of others, whose defaults apply one by one. */
const GROUPS = [
  ...['policies', 'queryOptions', 'protocolOptions', 'pooling', 'socketOptions'],
  ...['encoding', 'monitorReporting'],
]

/** The options with defaults, checked. */
export function completeOptions(own: ClientOptions): CompleteOptions {
  const options = defaultOptions() as CompleteOptions & { [name: string]: unknown }
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue
    const isGroup = GROUPS.includes(name) && typeof value === 'object' && value !== null
    const defaults = options[name] as object
    options[name] = isGroup ? { ...defaults, ...definedOnly(value) } : value
  }
  options.id ??= Uuid.random()
  checkContacts(options)
  check(options)
  return options
}

/** @internal An object without the properties that are undefined. */
export function definedOnly(group: object): object {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== undefined))
}

function checkContacts(options: ClientOptions): void {
  if (options.cloud) {
    const bundle: unknown = options.cloud.secureConnectBundle
    if (typeof bundle !== 'string' && !(bundle instanceof URL)) {
      throw new TypeError(
        'cloud.secureConnectBundle must be the path of an archive, or its file URL',
      )
    }
    if (options.contactPoints) {
      throw new TypeError('contactPoints and cloud exclude each other')
    }
    if (options.sslOptions) {
      throw new TypeError('sslOptions and cloud exclude each other')
    }
    return
  }
  if (!Array.isArray(options.contactPoints) || options.contactPoints.length === 0) {
    throw new TypeError('contactPoints must be an array of at least one node')
  }
  options.contactPoints.forEach((point, at) => {
    if (point) return
    throw new TypeError(`contactPoints[${at}] is ${point}: it must be a host name or an address`)
  })
}

/** Functions with these methods. */
function isConstructor(value: unknown, methods: readonly string[]): boolean {
  const prototype = (value as { prototype?: { [name: string]: unknown } })?.prototype
  return (
    typeof value === 'function' && methods.every((name) => typeof prototype?.[name] === 'function')
  )
}

function check(options: CompleteOptions): void {
  const must = (holds: unknown, why: string) => {
    if (!holds) throw new TypeError(why)
  }
  for (const name of ['queryOptions', 'policies', 'protocolOptions', 'socketOptions'] as const) {
    must(options[name], `the option ${name} must be an object`)
  }
  const { requestTracker, metrics, policies: all, protocolOptions, socketOptions } = options
  must(
    requestTracker === null || requestTracker instanceof RequestTracker,
    'requestTracker must be a RequestTracker',
  )
  must(metrics instanceof ClientMetrics, 'metrics must be a ClientMetrics')
  const kinds = [
    ['loadBalancing', all.loadBalancing, LoadBalancingPolicy, 'LoadBalancingPolicy'],
    ['reconnection', all.reconnection, ReconnectionPolicy, 'ReconnectionPolicy'],
    ['retry', all.retry, RetryPolicy, 'RetryPolicy'],
    ['addressResolution', all.addressResolution, AddressTranslator, 'AddressTranslator'],
  ] as const
  for (const [what, policy, base, name] of kinds) {
    must((policy as object) instanceof base, `policies.${what} must be a ${name}`)
  }
  must(
    all.timestampGeneration === null || all.timestampGeneration instanceof TimestampGenerator,
    'policies.timestampGeneration must be a TimestampGenerator or null',
  )
  const { maxVersion: version } = protocolOptions
  must(
    !version || (typeof version === 'number' && protocolVersion.isSupported(version)),
    `protocolOptions.maxVersion must be a version of the protocol, not ${version}`,
  )
  must(
    typeof socketOptions.readTimeout === 'number',
    'socketOptions.readTimeout must be a number of milliseconds',
  )
  must(
    typeof socketOptions.coalescingThreshold === 'number' && socketOptions.coalescingThreshold > 0,
    'socketOptions.coalescingThreshold must be a number above 0',
  )
  checkLogin(options)
  options.encoding ??= {}
  const { map, set } = options.encoding
  must(
    !map || isConstructor(map, ['forEach', 'set']),
    'encoding.map must be a class with forEach() and set()',
  )
  must(
    !set || isConstructor(set, ['forEach', 'add']),
    'encoding.set must be a class with forEach() and add()',
  )
  must(
    !options.profiles || Array.isArray(options.profiles),
    'profiles must be an array of ExecutionProfile',
  )
  for (const name of ['applicationName', 'applicationVersion'] as const) {
    must(options[name] == null || typeof options[name] === 'string', `${name} must be a string`)
  }
  must(options.id instanceof Uuid, 'id must be a Uuid')
  const reporting: unknown = options.monitorReporting
  must(
    typeof reporting === 'object' && reporting !== null,
    `monitorReporting must be an object, not ${reporting}`,
  )
}

function checkLogin(options: CompleteOptions): void {
  if (options.authProvider) {
    if ((options.authProvider as object) instanceof AuthProvider) return
    throw new TypeError('authProvider must be an AuthProvider')
  }
  const { credentials } = options
  if (!credentials) {
    options.authProvider = new NoAuthProvider()
    return
  }
  const { username, password } = credentials
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new TypeError('credentials.username and credentials.password must be strings')
  }
  options.authProvider = new PlainTextAuthProvider(username, password)
}
