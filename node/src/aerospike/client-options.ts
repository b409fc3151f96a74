/** How to open a client: seeds and options. */

import { AEROSPIKE, isFromSettings, readOpening, seedsOrigin } from '../opening/opening.js'
import { checkSpan, TIME_LIMITS } from '../options/durations.js'
import type { TlsOptions } from '../options/tls.js'
import { Codec, type CodecOptions } from './codec/codec.js'
import type {
  CommitLevel,
  DetailLevel,
  Hedge,
  ReadMode,
  Replica,
  ShareReads,
} from './command/options.js'

/** All of `Auth`. */
export const AUTHS = ['internal', 'external', 'external-insecure', 'pki'] as const

/**
 * Where users are managed: in the cluster (`'internal'`); in a directory that the cluster asks
 * (`'external'`: the password is sent in clear text, so this needs `tls`; `'external-insecure'`
 * does not require it); or the client's certificate names the user (`'pki'`).
 */
export type Auth = (typeof AUTHS)[number]

/** The options of a client. Durations are in milliseconds. */
export interface ClientOptions {
  /** The name the cluster must have; nodes of other clusters are rejected. */
  clusterName?: string | undefined
  /**
   * Whether only seeds are used: commands go to the first one that answers, whatever is behind its
   * address, and other nodes are not looked for. Default: false.
   */
  seedOnly?: boolean | undefined
  /**
   * Whether connecting fails if no seed answers. If not, there is a client whose calls fail until
   * one does; it keeps trying in the background. Default: true.
   */
  failIfNotConnected?: boolean | undefined
  /**
   * Whether requests that servers of 8.1.1 and 8.1.2 may not withstand are refused for such nodes
   * (`FeatureUnavailable`). Some of them end a server only if a list on their path is ordered, which
   * a request does not say. Default: true.
   */
  protectServers?: boolean | undefined
  /**
   * The name of the program, which nodes list among their clients: up to 40 visible ASCII characters
   * without commas. Default: none.
   */
  applicationId?: string | undefined
  /** The user to log in as; requires `password`. Default: no login. */
  user?: string | undefined
  /** The user's password. It never appears in messages. */
  password?: string | undefined
  /** Where the user is managed. Default: `'internal'`, if there is a user. */
  auth?: Auth | undefined
  /** Whether and how connections are encrypted. Default: false. */
  tls?: boolean | TlsOptions | undefined
  /** Total time limit of a call; 0: no limit. Default: 1,000. */
  timeout?: number | undefined
  /** How long a connection may be silent while a reply is awaited; 0: no limit. Default: 0. */
  socketTimeout?: number | undefined
  /** Further attempts after the first. Default: 2. */
  maxRetries?: number | undefined
  /**
   * The pause between two attempts on the same node; with `sleepMultiplier`, the first pause.
   * Default: 0.
   */
  sleepBetweenRetries?: number | undefined
  /** The factor by which each pause grows, from 1 (default) to 100. */
  sleepMultiplier?: number | undefined
  /** The longest pause; 0: no limit. */
  maxSleepBetweenRetries?: number | undefined
  /** Whether each pause is drawn at random between 0 and its full length. */
  sleepJitter?: boolean | undefined
  /** When writes are answered: once all copies have them (default), or once the master has. */
  commitLevel?: CommitLevel | undefined
  /** Whether writes that may have been applied are retried. */
  retryInDoubt?: boolean | undefined
  /** Which replicas reads go to. */
  replica?: Replica | undefined
  /** When to send a read of a single record a second time, to another replica. Default: never. */
  hedge?: Hedge | undefined
  /** The maximum number of second requests per hundred reads that may have one. Default: 10. */
  hedgePercent?: number | undefined
  /** Which requests concurrent reads of the same record and bins share. Default: `'off'`. */
  shareReads?: ShareReads | undefined
  /**
   * Bytes in which replies are kept for the keys that are read most often, and answered again; at
   * least 65536, or 0 for none. Default: 0.
   */
  nearCache?: number | undefined
  /** How old what `nearCache` answers may be, in ms, from 1 ms to 1 h. Default: 100 ms. */
  nearCacheStaleness?: number | undefined
  /** From how many reads per second on a key is kept in `nearCache`; 0: every key. Default: 100. */
  nearCacheHeat?: number | undefined
  /**
   * Whether requests and replies are compressed, where nodes are of the Enterprise Edition; others
   * get plain requests. Queries and jobs are never compressed. Default: false.
   */
  compress?: boolean | undefined
  /**
   * How much servers are asked to say about errors, where nodes have 8.2 or later; it is in an
   * error's `details`. Queries, too; not jobs. Default: `'off'`.
   */
  errorDetails?: DetailLevel | undefined
  /** The largest request in bytes that is not worth compressing. Default: 128. */
  compressionThreshold?: number | undefined
  /** The racks preferred by `prefer-rack`, best first. */
  racks?: readonly number[] | undefined
  /** The consistency of reads. */
  readMode?: ReadMode | undefined
  /** Whether writes store the user key with the record. */
  sendKey?: boolean | undefined
  connectTimeout?: number | undefined
  /** The pause between two refreshes of the cluster view. */
  tendInterval?: number | undefined
  /** How long a connection may be idle before it is closed. */
  idleTimeout?: number | undefined
  connectionsPerNode?: number | undefined
  /**
   * Connections to each node that are opened before the first call, all at once. Unreachable nodes
   * are waited for up to `connectTimeout`. Default: 0.
   */
  warmConnections?: number | undefined
  /**
   * How long a node that comes back, or joins, takes at most to get its whole share of the reads
   * that another replica can answer; 0: it gets all at once. Never longer than it was away.
   * Default: 5,000.
   */
  slowStart?: number | undefined
  /** The maximum number of commands in flight on one connection. */
  pipelineDepth?: number | undefined
  /** The maximum number of commands that wait for one node when all its connections are full. */
  queueLimit?: number | undefined
  /**
   * The maximum number of commands in flight; further calls wait in line. 0 (default): no limit.
   */
  maxInFlight?: number | undefined
  /**
   * Retries and second requests that the client may send, as a share of its recent calls, beyond
   * 100 and 10 per second that it always has; 0: none at all, `null`: as many as `maxRetries` allows.
   * Default: 0.1.
   */
  retryBudget?: number | null | undefined
  /**
   * Whether a node gets fewer commands at a time while its replies are late or it says that it is
   * overloaded. The others wait; those that cannot be answered within their `timeout` are rejected
   * with `Overloaded` and not sent. Default: true.
   */
  adaptiveLimits?: boolean | undefined
  /** The number of errors of a node within the window that opens its circuit breaker; 0: never. */
  maxErrorRate?: number | undefined
  /** The length of that window, in tend intervals. */
  errorRateWindow?: number | undefined
  /** Replacements for the addresses that nodes advertise. */
  ipMap?: { readonly [advertised: string]: string } | undefined
  /** Whether nodes are asked for their alternate addresses. */
  useServicesAlternate?: boolean | undefined
  /**
   * Which integers are returned as bigints: those beyond 2^53 - 1 (`'auto'`, the default), or all.
   */
  integers?: 'auto' | 'bigint' | undefined
  /**
   * Whole floats are returned as numbers (default), or as `Double`, which is stored as a float
   * again.
   */
  doubles?: 'number' | 'double' | undefined
  /**
   * How values of custom classes are stored, and certain bins: see `codec`. Default: none.
   */
  codec?: Codec | CodecOptions | undefined
  /** Cancels connecting; its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Which maps are returned as a `Map`: those with non-string keys (`'auto'`, the default), or all.
   */
  maps?: 'auto' | 'map' | undefined
}

/** The options of the engine, by their names in JavaScript, with their names in the engine. */
const ENGINE: ReadonlyMap<string, string> = new Map(
  [
    'clusterName',
    'seedOnly',
    'failIfNotConnected',
    'protectServers',
    'applicationId',
    'user',
    'password',
    'auth',
    'tls',
    'timeout',
    'socketTimeout',
    'maxRetries',
    'sleepBetweenRetries',
    'sleepMultiplier',
    'maxSleepBetweenRetries',
    'sleepJitter',
    'hedge',
    'hedgePercent',
    'shareReads',
    'nearCache',
    'nearCacheStaleness',
    'nearCacheHeat',
    'compress',
    'compressionThreshold',
    'errorDetails',
    'commitLevel',
    'retryInDoubt',
    'replica',
    'racks',
    'readMode',
    'sendKey',
    'connectTimeout',
    'tendInterval',
    'idleTimeout',
    'connectionsPerNode',
    'warmConnections',
    'slowStart',
    'pipelineDepth',
    'queueLimit',
    'maxInFlight',
    'retryBudget',
    'adaptiveLimits',
    'maxErrorRate',
    'errorRateWindow',
    'ipMap',
    'useServicesAlternate',
  ].map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
)

/** The options of this package and their possible values; the first is the default. */
const OWN: { readonly [name: string]: readonly [string, string] } = {
  integers: ['auto', 'bigint'],
  doubles: ['number', 'double'],
  maps: ['auto', 'map'],
}

/**
 * Options as the native part takes them: names and values for the engine, and this package's own.
 */
export function sorted(options: ClientOptions) {
  const names: string[] = []
  const values: unknown[] = []
  const own = { integers: false, doubles: false, maps: false }
  const codec = Codec.of(options.codec)
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || name === 'signal' || name === 'codec') continue
    if (TIME_LIMITS.includes(name)) checkSpan(name, value)
    const engine = ENGINE.get(name)
    if (engine === undefined) {
      Object.assign(own, { [name]: choice(name, value) })
    } else {
      names.push(engine)
      values.push(value)
    }
  }
  return { names, values, codec, ...own }
}

function choice(name: string, value: unknown): boolean {
  const words = Object.hasOwn(OWN, name) ? OWN[name] : undefined
  if (words === undefined) {
    const known = [...ENGINE.keys(), ...Object.keys(OWN), 'codec', 'signal'].sort().join(', ')
    throw new TypeError(`unknown client option ${name}; there are: ${known}`)
  }
  if (value !== words[0] && value !== words[1]) {
    throw new RangeError(`${name} must be '${words[0]}' or '${words[1]}', got ${String(value)}`)
  }
  return value === words[1]
}

/**
 * Seeds and options with which a client is opened. `origin` says where seeds came from that the
 * program did not give itself.
 */
export interface Opened {
  readonly seeds: unknown
  readonly options: ClientOptions
  readonly namespace: string | null
  readonly origin?: string
}

/** The settings of a client: a URL, or none, also those of the environment. */
export function openedWith(seeds: unknown, options: ClientOptions): Opened {
  if (!isFromSettings(seeds)) return { seeds, options, namespace: null }
  sorted(options)
  const opening = readOpening<ClientOptions>(AEROSPIKE, seeds, options, process.env, false)
  return { ...opening, origin: seedsOrigin(opening, AEROSPIKE) }
}

/** Seeds in the form in which the engine takes them. */
export function seedText(seeds: unknown): string {
  if (typeof seeds === 'string') return seeds
  if (Array.isArray(seeds) && seeds.every((seed) => typeof seed === 'string')) {
    return seeds.join(',')
  }
  throw new TypeError("seeds must be a string such as '127.0.0.1:3000' or an array of them")
}
