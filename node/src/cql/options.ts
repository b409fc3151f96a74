/** Options of sessions and of statements. */

import type { TlsOptions } from '../options/tls.js'
import type { AddressTranslator, Authenticator } from './questions.js'

export type { TlsOptions } from '../options/tls.js'
export type { AddressTranslator, Authenticator, Login } from './questions.js'

/** Consistency levels: how many replicas must answer. */
export type Consistency =
  | 'any'
  | 'one'
  | 'two'
  | 'three'
  | 'quorum'
  | 'all'
  | 'local_quorum'
  | 'each_quorum'
  | 'serial'
  | 'local_serial'
  | 'local_one'

/** Consistency levels for the conditions of lightweight transactions. */
export type SerialConsistency = 'serial' | 'local_serial'

/** The options of a session. Durations are in milliseconds. */
export interface SessionOptions {
  /** The default keyspace of statements. */
  keyspace?: string | undefined
  /** The user to log in as; requires `password`. */
  user?: string | undefined
  password?: string | undefined
  /**
   * Logs in instead, if the server requires something else. Connections of the session are then
   * driven by a thread of their own, which waits for it.
   */
  authenticator?: Authenticator | undefined
  /** Whether and how connections are encrypted. Default: false. */
  tls?: boolean | TlsOptions | undefined
  /** The only version of the native protocol to try. Default: 5, then 4. */
  protocolVersion?: 4 | 5 | undefined
  /** Compression of frames. Default: `'none'`. */
  compression?: 'none' | 'lz4' | undefined
  /** The datacenter whose nodes are used. Default: that of the first node that answers. */
  localDatacenter?: string | undefined
  /** The rack whose nodes are preferred. */
  localRack?: string | undefined
  /**
   * Whether nodes of other datacenters are used if no node of the local one is available. Default:
   * false.
   */
  remoteDatacenters?: boolean | undefined
  /** Replacements for the addresses that nodes advertise: `host` or `host:port` each. */
  addressMap?: { readonly [advertised: string]: string } | undefined
  /**
   * Says where the addresses that nodes advertise are reached, in place of `addressMap`. If it
   * fails, so does connecting; later, the nodes stay as they were known.
   */
  addressTranslator?: AddressTranslator | undefined
  /** Time limit for opening a connection, including the handshake. Default: 5,000. */
  connectTimeout?: number | undefined
  /** How long the control connection may be silent before a heartbeat is sent. Default: 30,000. */
  heartbeat?: number | undefined
  /**
   * The shortest and the longest pause between attempts to reconnect to a node that is down; each
   * pause is twice as long as the previous one. Default: `[100, 30_000]`.
   */
  reconnect?: readonly [shortest: number, longest: number] | undefined
  /** How long a connection may be idle before it is closed. Default: 120,000. */
  idleTimeout?: number | undefined
  /**
   * The path of the archive with which a managed cluster is found (Astra). It has the contact points,
   * the certificates and the local datacenter: the array of contact points must be empty, and there is
   * no `tls` besides. `user` and `password` are those of the cluster, such as `token` and a token.
   */
  secureConnectBundle?: string | undefined
  /**
   * How long statements that change the schema wait until all nodes agree on it; 0: do not wait.
   */
  schemaAgreement?: number | undefined
  /** Total time limit of a statement; 0: no limit. Default: 10,000. */
  timeout?: number | undefined
  /** How long a connection may be silent while a reply is awaited; 0: no limit. Default: 0. */
  socketTimeout?: number | undefined
  /** Further attempts after the first. Default: 2. */
  maxRetries?: number | undefined
  /**
   * How long to wait for the reply to an idempotent statement before a copy of it is sent to
   * another node, from 1, or a percentile of recent latencies (`'p99'`, from `'p50'` to `'p99.9'`)
   * of the node whose is lowest, once 100 of a node are known; `null`: no copies. Default: `null`.
   */
  speculativeDelay?: number | `p${number}` | null | undefined
  /** The maximum number of copies of a statement besides the first, up to 32. Default: 1. */
  speculativeAttempts?: number | undefined
  /** Connections per node, or per shard if the node has shards. Default: 1. */
  connectionsPerNode?: number | undefined
  /**
   * Connections to each node that statements go to that are opened before the first statement, all
   * at once. Unreachable nodes are waited for up to `connectTimeout`. Default: 0.
   */
  warmConnections?: number | undefined
  /**
   * How long a node that comes back, or joins, takes at most to get its whole share of the
   * statements that another replica can take; 0: it gets all at once. Default: 5,000.
   */
  slowStart?: number | undefined
  /**
   * Whether connections to a server with shards (Scylla) select their shard by their source port,
   * if the server has a port for that. Default: true.
   */
  shardAwarePort?: boolean | undefined
  /**
   * The maximum number of requests in flight on one connection, up to 32,767; further ones wait.
   */
  pipelineDepth?: number | undefined
  /** The maximum number of requests that wait for one node. */
  queueLimit?: number | undefined
  /**
   * Retries and copies that the session may send, as a share of its recent statements, beyond 100
   * and 10 per second that it always has; 0: none at all, `null`: as many as `maxRetries` allows.
   * Default: 0.1.
   */
  retryBudget?: number | null | undefined
  /**
   * Whether a node gets fewer statements at a time while its replies are late or it says that it is
   * overloaded. The others wait; those that cannot be answered within their `timeout` are rejected
   * with `Overloaded` and not sent. Default: true.
   */
  adaptiveLimits?: boolean | undefined
  /** The number of errors of a node within a window that opens its circuit breaker; 0: never. */
  maxErrorRate?: number | undefined
  /** The consistency level. Default: `'local_one'`. */
  consistency?: Consistency | undefined
  /** The consistency level of conditions. Default: the server's. */
  serialConsistency?: SerialConsistency | undefined
  /** Rows per page. Default: 5,000. */
  pageSize?: number | undefined
  /** Whether writes carry a client-side timestamp. Default: true. */
  timestamps?: boolean | undefined
  /** Name and version of the application, for `system_views.clients`: `APPLICATION_NAME`, ... */
  application?: { readonly [name: string]: string } | undefined
  /**
   * Which values of `bigint`, `counter` and `varint` are returned as bigints: those beyond 2^53 - 1
   * (`'auto'`, the default), or all.
   */
  integers?: 'auto' | 'bigint' | undefined
  /**
   * Which maps are returned as a `Map`: those with non-string keys (`'auto'`, the default), or all.
   */
  maps?: 'auto' | 'map' | undefined
  /** Cancels connecting; its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Options for preparing a statement; those left out are the session's. */
export interface PrepareOptions {
  /** Total time limit in milliseconds, including retries; 0: no limit. */
  timeout?: number | undefined
  /** How long a connection may be silent while the reply is awaited; 0: no limit. */
  socketTimeout?: number | undefined
  /** Further attempts after the first. */
  maxRetries?: number | undefined
  /**
   * How long to wait before a copy is sent to another node, if the statement is idempotent, or a
   * percentile of recent latencies (`'p99'`); `null`: no copies.
   */
  speculativeDelay?: number | `p${number}` | null | undefined
  /** The maximum number of copies besides the first. */
  speculativeAttempts?: number | undefined
  /**
   * Where statements wait for a node, those in the background go behind interactive ones. Default:
   * `'interactive'`.
   */
  priority?: 'interactive' | 'background' | undefined
  /** The keyspace of tables named without one. Needs protocol version 5. */
  keyspace?: string | undefined
  /** The address of the only node to ask. */
  node?: string | undefined
  /** Whether the server records a trace. */
  tracing?: boolean | undefined
  /** Custom payload, for a query handler in the server. */
  payload?: { readonly [name: string]: Uint8Array | null } | undefined
  /** Cancels the call; its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Options of a batch; those left out are the session's. */
export interface BatchOptions extends PrepareOptions {
  consistency?: Consistency | undefined
  serialConsistency?: SerialConsistency | undefined
  /** The write timestamp, in microseconds since 1970. */
  timestamp?: number | bigint | undefined
  /** Whether executing the statement twice has the same effect as once. Default: false. */
  idempotent?: boolean | undefined
  /** The current time for computing TTLs, in seconds since 1970. Needs protocol version 5. */
  nowInSeconds?: number | undefined
}

/** Options of an execution; those left out are the session's. */
export interface ExecuteOptions extends BatchOptions {
  /** Rows per page. */
  pageSize?: number | undefined
  /** Where to start: the `pagingState` of the previous page. */
  pagingState?: Uint8Array | undefined
}

/** The options of an execution that also apply to preparing its statement. */
const FIRST = [
  ...(['timeout', 'socketTimeout', 'maxRetries', 'priority', 'keyspace', 'node'] as const),
  ...(['speculativeDelay', 'speculativeAttempts'] as const),
] as const
const PREPARE = [...FIRST, 'tracing', 'payload', 'signal'] as const
const BATCH = [
  ...PREPARE,
  ...(['consistency', 'serialConsistency', 'timestamp', 'idempotent', 'nowInSeconds'] as const),
] as const
const MANY = [...BATCH, 'pageSize'] as const
const EXECUTE = [...MANY, 'pagingState'] as const

/** The names of the options, by call. */
export const KNOWN = { PREPARE, BATCH, MANY, EXECUTE } as const

/** The options of an execution that also apply to preparing its statement. */
export function forPreparing(options: PrepareOptions | undefined): PrepareOptions | undefined {
  if (options === undefined) return undefined
  return Object.fromEntries(FIRST.map((name) => [name, options[name]]))
}
