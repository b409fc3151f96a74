/** Options of sessions and of statements. */

import { checked } from '../options.js'
import type { TlsOptions } from '../tls.js'

export type { TlsOptions } from '../tls.js'

/** How many replicas must answer. */
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

/** The same for the conditions of lightweight transactions. */
export type SerialConsistency = 'serial' | 'local_serial'

/** The options of a session. Spans of time are milliseconds. */
export interface SessionOptions {
  /** The keyspace of statements that name none. */
  keyspace?: string | undefined
  /** Who logs in; goes together with `password`. */
  user?: string | undefined
  password?: string | undefined
  /** Whether connections are encrypted, and how. Default: false. */
  tls?: boolean | TlsOptions | undefined
  /** The only version of the native protocol to try. Default: 5, then 4. */
  protocolVersion?: 4 | 5 | undefined
  /** Default: `'none'`. */
  compression?: 'none' | 'lz4' | undefined
  /** The datacenter whose nodes are asked. Default: that of the first node that answers. */
  localDatacenter?: string | undefined
  /** The rack whose nodes are asked first. */
  localRack?: string | undefined
  /** Whether nodes of other datacenters are asked when none of the local one is left. Default: false. */
  remoteDatacenters?: boolean | undefined
  /** Where nodes are reached, by the address that they advertise: `host` or `host:port` each. */
  addressMap?: { readonly [advertised: string]: string } | undefined
  /** From the first packet to the end of the handshake. Default: 5,000. */
  connectTimeout?: number | undefined
  /** Silence on the control connection after which it is asked for a sign of life. Default: 30,000. */
  heartbeat?: number | undefined
  /**
   * The shortest and the longest pause between attempts to reach a node that is down: each is twice as
   * long as the one before. Default: `[100, 30_000]`.
   */
  reconnect?: readonly [shortest: number, longest: number] | undefined
  /** After which an unused connection is closed. Default: 120,000. */
  idleTimeout?: number | undefined
  /** How long statements wait for all nodes to have one schema after a change; 0: not at all. */
  schemaAgreement?: number | undefined
  /** In all, for each statement; 0: no limit. Default: 10,000. */
  timeout?: number | undefined
  /** How long a connection may be silent with a request in flight; 0, the default: no limit. */
  socketTimeout?: number | undefined
  /** Further attempts after the first. Default: 2. */
  maxRetries?: number | undefined
  /**
   * How long to wait for an answer to an idempotent statement before a copy of it goes to another node,
   * from 1; `null`: there are no copies. Default: `null`.
   */
  speculativeDelay?: number | null | undefined
  /** How many copies of a statement there may be besides the first, up to 32. Default: 1. */
  speculativeAttempts?: number | undefined
  /** Connections to a node, or to each of its shards where it has some. Default: 1. */
  connectionsPerNode?: number | undefined
  /**
   * Whether connections to a server with shards (Scylla) choose their shard by the port that they come
   * from, where it has a port for that. Default: true.
   */
  shardAwarePort?: boolean | undefined
  /** Requests in flight on one connection before the next one waits, up to 32,767. */
  pipelineDepth?: number | undefined
  /** Requests that may wait for a place on one node. */
  queueLimit?: number | undefined
  /** Errors of a node within a window above which its circuit opens; 0: never. */
  maxErrorRate?: number | undefined
  /** Default: `'local_one'`. */
  consistency?: Consistency | undefined
  /** Default: the server's. */
  serialConsistency?: SerialConsistency | undefined
  /** Rows of a page. Default: 5,000. */
  pageSize?: number | undefined
  /** Whether writes carry a timestamp of this client. Default: true. */
  timestamps?: boolean | undefined
  /** Name and version of the program, for `system_views.clients`: `APPLICATION_NAME`, ... */
  application?: { readonly [name: string]: string } | undefined
  /**
   * `bigint`, `counter` and `varint` as bigint: only those beyond 2^53 (`'auto'`, the default), or
   * all.
   */
  integers?: 'auto' | 'bigint' | undefined
  /** Maps as `Map`: only those whose keys are no strings here (`'auto'`, the default), or all. */
  maps?: 'auto' | 'map' | undefined
  /** Gives connecting up: its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** What can be said about preparing a statement; where nothing is said, the session's options hold. */
export interface PrepareOptions {
  /** Milliseconds in all, retries included; 0: no limit. */
  timeout?: number | undefined
  /** How long a connection may be silent with the request in flight; 0: no limit. */
  socketTimeout?: number | undefined
  /** Further attempts after the first. */
  maxRetries?: number | undefined
  /** Before a copy goes to another node, if it is idempotent; `null`: there are no copies. */
  speculativeDelay?: number | null | undefined
  /** How many copies there may be besides the first. */
  speculativeAttempts?: number | undefined
  /** The keyspace of tables without one. Needs version 5 of the protocol. */
  keyspace?: string | undefined
  /** The only node to ask, by its address. */
  node?: string | undefined
  /** Whether the server keeps a trace. */
  tracing?: boolean | undefined
  /** For a handler in the server. */
  payload?: { readonly [name: string]: Uint8Array | null } | undefined
  /** Gives the call up: its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** What can be said about one batch; where nothing is said, the session's options hold. */
export interface BatchOptions extends PrepareOptions {
  consistency?: Consistency | undefined
  serialConsistency?: SerialConsistency | undefined
  /** When what is written was written, in microseconds since 1970. */
  timestamp?: number | bigint | undefined
  /** Whether a second execution makes no difference. Default: false. */
  idempotent?: boolean | undefined
  /** The time that TTLs are computed with, in seconds since 1970. Needs version 5. */
  nowInSeconds?: number | undefined
}

/** What can be said about one execution; where nothing is said, the session's options hold. */
export interface ExecuteOptions extends BatchOptions {
  /** Rows of a page. */
  pageSize?: number | undefined
  /** Where to begin: the `pagingState` of the page before. */
  pagingState?: Uint8Array | undefined
}

/** Those of an execution that matter when its statement is prepared first. */
const FIRST = [
  ...(['timeout', 'socketTimeout', 'maxRetries', 'keyspace', 'node'] as const),
  ...(['speculativeDelay', 'speculativeAttempts'] as const),
] as const
const PREPARE = [...FIRST, 'tracing', 'payload', 'signal'] as const
const BATCH = [
  ...PREPARE,
  ...(['consistency', 'serialConsistency', 'timestamp', 'idempotent', 'nowInSeconds'] as const),
] as const
const MANY = [...BATCH, 'pageSize'] as const
const EXECUTE = [...MANY, 'pagingState'] as const

/** The names of options. */
export const KNOWN = { PREPARE, BATCH, MANY, EXECUTE } as const

/** The options as the native part takes them. Throws for a name that is not known. */
export function sent(
  options: PrepareOptions | null | undefined,
  known: readonly string[],
): object | undefined {
  const given = checked(options, known) as PrepareOptions | undefined
  const payload = given?.payload
  if (payload === undefined || payload === null) return given
  const isObject = typeof payload === 'object' && !Array.isArray(payload)
  return { ...given, payload: isObject ? Object.entries(payload).flat(1) : payload }
}

/** Those of an execution that matter when its statement is prepared first. */
export function forPreparing(options: PrepareOptions | undefined): PrepareOptions | undefined {
  if (options === undefined) return undefined
  return Object.fromEntries(FIRST.map((name) => [name, options[name]]))
}
