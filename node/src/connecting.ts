/** What a client is opened with: seeds and options. */

import type { Hedge, ReadMode, Replica } from './options.js'
import type { TlsOptions } from './tls.js'

/** All of `Auth`. */
export const AUTHS = ['internal', 'external', 'external-insecure', 'pki'] as const

/**
 * Who knows the user that logs in: the cluster (`'internal'`); a directory that the cluster asks, which
 * takes the password as it is and so needs `tls` (`'external'`), or goes without
 * (`'external-insecure'`); or the client's certificate says who it is (`'pki'`).
 */
export type Auth = (typeof AUTHS)[number]

/** The options of a client. Spans of time are milliseconds. */
export interface ClientOptions {
  /** Refuses nodes of a cluster with another name. */
  clusterName?: string | undefined
  /** The user who logs in; goes together with `password`. Default: no login. */
  user?: string | undefined
  /** The user's password, which no message shows. */
  password?: string | undefined
  /** Who knows the user. Default: `'internal'`, if there is a user. */
  auth?: Auth | undefined
  /** Whether connections are encrypted, and how. Default: false. */
  tls?: boolean | TlsOptions | undefined
  /** In all, for each call; 0: no limit. Default: 1,000. */
  timeout?: number | undefined
  /** How long a connection may be silent while replies are waited for; 0: no limit. */
  socketTimeout?: number | undefined
  /** Further attempts after the first. */
  maxRetries?: number | undefined
  /** Between two attempts on one node; the first pause where they grow. */
  sleepBetweenRetries?: number | undefined
  /** What each pause is multiplied by for the next one, from 1 (default) to 100. */
  sleepMultiplier?: number | undefined
  /** The longest pause; 0: no limit. */
  maxSleepBetweenRetries?: number | undefined
  /** Whether each pause is drawn at random between none and what it would be. */
  sleepJitter?: boolean | undefined
  /** Whether writes that may have been applied are tried again. */
  retryInDoubt?: boolean | undefined
  /** Which copies of a record reads go to. */
  replica?: Replica | undefined
  /** When reads of one record have a second request. Default: never. */
  hedge?: Hedge | undefined
  /** Most second requests for a hundred reads that may have one. Default: 10. */
  hedgePercent?: number | undefined
  /** The racks that `prefer-rack` prefers, in order. */
  racks?: readonly number[] | undefined
  /** How sure reads are. */
  readMode?: ReadMode | undefined
  /** Whether writes store the user key with the record. */
  sendKey?: boolean | undefined
  connectTimeout?: number | undefined
  /** Between two looks at the cluster. */
  tendInterval?: number | undefined
  /** After which an unused connection is closed. */
  idleTimeout?: number | undefined
  connectionsPerNode?: number | undefined
  /** Commands in flight on one connection. */
  pipelineDepth?: number | undefined
  /** Commands that wait for one node when all its connections are full. */
  queueLimit?: number | undefined
  /** Commands in flight at once: beyond it calls wait in line; 0 (default): no limit. */
  maxInFlight?: number | undefined
  /** Errors of a node within the window that open its circuit breaker; 0: never. */
  maxErrorRate?: number | undefined
  /** How many looks at the cluster the window is. */
  errorRateWindow?: number | undefined
  /** Reachable addresses by the address that a node gives for itself. */
  ipMap?: { readonly [advertised: string]: string } | undefined
  /** Whether nodes are asked for their alternate addresses. */
  useServicesAlternate?: boolean | undefined
  /** Integers as bigint: only those beyond 2^53 (`'auto'`, the default), or all. */
  integers?: 'auto' | 'bigint' | undefined
  /** Whole floats as numbers (default), or as `Double`, which writes them back as floats. */
  doubles?: 'number' | 'double' | undefined
  /** Gives connecting up: its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Maps as `Map`: only those with other keys than strings (`'auto'`, the default), or all. */
  maps?: 'auto' | 'map' | undefined
}

/** The options of the engine: as JavaScript spells them, and as the engine does. */
const ENGINE: ReadonlyMap<string, string> = new Map(
  [
    'clusterName',
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
    'retryInDoubt',
    'replica',
    'racks',
    'readMode',
    'sendKey',
    'connectTimeout',
    'tendInterval',
    'idleTimeout',
    'connectionsPerNode',
    'pipelineDepth',
    'queueLimit',
    'maxInFlight',
    'maxErrorRate',
    'errorRateWindow',
    'ipMap',
    'useServicesAlternate',
  ].map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
)

/** Options of this package, and what they can be; the first is the default. */
const OWN: { readonly [name: string]: readonly [string, string] } = {
  integers: ['auto', 'bigint'],
  doubles: ['number', 'double'],
  maps: ['auto', 'map'],
}

/** Options as the native part takes them: names and values of the engine, and those of this package. */
export function sorted(options: ClientOptions) {
  const names: string[] = []
  const values: unknown[] = []
  const own = { integers: false, doubles: false, maps: false }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || name === 'signal') continue
    const engine = ENGINE.get(name)
    if (engine === undefined) {
      Object.assign(own, { [name]: choice(name, value) })
    } else {
      names.push(engine)
      values.push(value)
    }
  }
  return { names, values, ...own }
}

function choice(name: string, value: unknown): boolean {
  const words = Object.hasOwn(OWN, name) ? OWN[name] : undefined
  if (words === undefined) {
    const known = [...ENGINE.keys(), ...Object.keys(OWN), 'signal'].sort().join(', ')
    throw new TypeError(`unknown client option ${name}; there are: ${known}`)
  }
  if (value !== words[0] && value !== words[1]) {
    throw new RangeError(`${name} must be '${words[0]}' or '${words[1]}', got ${String(value)}`)
  }
  return value === words[1]
}

/** Seeds as the engine takes them. */
export function seedText(seeds: unknown): string {
  if (typeof seeds === 'string') return seeds
  if (Array.isArray(seeds) && seeds.every((seed) => typeof seed === 'string')) {
    return seeds.join(',')
  }
  throw new TypeError("seeds must be a string such as '127.0.0.1:3000' or an array of them")
}
