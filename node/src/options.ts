/** Options of the verbs: types, and the refusal of names that a verb does not know. */

import { made, type Where } from './expression.js'

export type { Where } from './expression.js'

/** Which copies of a record a call goes to. */
export type Replica = 'master' | 'sequence' | 'any' | 'prefer-rack'

/** What every call takes. */
export interface CallOptions {
  /** Milliseconds in all, retries included; 0: no limit. Default: the client's. */
  timeout?: number | undefined
  /** Gives the call up: its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** How a call is tried again. Defaults: the client's. */
export interface RetryOptions {
  /** Further attempts after the first, at most 1,000. */
  maxRetries?: number | undefined
  /** Milliseconds before a retry on the same node; the first pause where they grow. */
  sleepBetweenRetries?: number | undefined
  /** What each pause is multiplied by for the next one, from 1 to 100. */
  sleepMultiplier?: number | undefined
  /** The longest pause in milliseconds; 0: no limit. */
  maxSleepBetweenRetries?: number | undefined
  /** Whether each pause is drawn at random between none and what it would be. */
  sleepJitter?: boolean | undefined
}

/**
 * When a second request goes to another replica, because no answer has come: after so many
 * milliseconds, or after as long as a share of that node's answers take (`'p99'`). 0: never.
 */
export type Hedge = number | `p${number}`

/** What reads of one record take besides. */
export interface HedgeOptions {
  /** When a second request goes to another replica. Default: the client's. */
  hedge?: Hedge | undefined
}

/** What every read takes. */
export interface ReadOptions extends CallOptions, RetryOptions {
  /** Reads only what this is true for. Default: no filter. */
  where?: Where | undefined
  /** Renews the time to live when no more than this percentage of it is left. */
  readTouch?: number | undefined
  /** How sure the read is. Default: the client's. */
  readMode?: ReadMode | undefined
  /** Default: the client's. */
  replica?: Replica | undefined
}

/** How sure a read is. */
export type ReadMode =
  | 'one'
  | 'all'
  | 'session'
  | 'linearize'
  | 'allow_replica'
  | 'allow_unavailable'

/** What a write does about a record that is there, or is not. */
export type Exists = 'merge' | 'create' | 'update' | 'replace' | 'replace_only'

/** How long a record lives: whole seconds, until a moment, or a rule. */
export type Ttl = number | Date | 'default' | 'never' | 'unchanged'

/** What every write takes. */
export interface WriteOptions extends CallOptions, RetryOptions {
  /** Default: `'default'`, the namespace's. */
  ttl?: Ttl | undefined
  /** Writes only a record of this generation (0: no record), or one older than `newer(n)`. */
  generation?: number | Newer | undefined
  /** Default: `'merge'`. */
  exists?: Exists | undefined
  /** Whether a deletion leaves a tombstone (Enterprise). Default: false. */
  durable?: boolean | undefined
  /** Whether the user key is stored with the record. Default: the client's. */
  sendKey?: boolean | undefined
  /** Writes only what this is true for. Default: no filter. */
  where?: Where | undefined
  /** Default: the client's. */
  replica?: Replica | undefined
  /** Whether a write that may have been applied is tried again. Default: the client's. */
  retryInDoubt?: boolean | undefined
}

/** What a call takes that is about its limits. */
export type LimitOptions = Pick<
  WriteOptions,
  'replica' | 'retryInDoubt' | keyof CallOptions | keyof RetryOptions
>

/** A rule for `generation`: write only if this is greater than the record's own generation. */
export class Newer {
  /** What the record's generation must be less than. */
  readonly generation: number

  constructor(generation: number) {
    this.generation = generation
  }
}

/** A rule for `generation`: write only if this is greater than the record's own generation. */
export function newer(generation: number): Newer {
  return new Newer(generation)
}

/** @internal */
export const RETRY = [
  ...(['maxRetries', 'sleepBetweenRetries', 'sleepMultiplier'] as const),
  ...(['maxSleepBetweenRetries', 'sleepJitter'] as const),
] as const
/** @internal What a call takes that is about its limits. */
export const LIMITS = ['replica', 'timeout', 'signal', 'retryInDoubt', ...RETRY] as const
export const READ = [
  ...(['where', 'readTouch', 'readMode', 'replica', 'timeout', 'signal'] as const),
  ...RETRY,
] as const
/** @internal */
export const READ_ONE = [...READ, 'hedge'] as const
export const WRITE = [
  ...(['ttl', 'generation', 'exists', 'durable', 'sendKey', 'where'] as const),
  ...LIMITS,
] as const

/** The options as the native part takes them. Throws for a name that `known` does not have. */
export function checked(
  options: object | undefined | null,
  known: readonly string[],
): object | undefined {
  if (options === undefined || options === null) return undefined
  if (typeof options !== 'object') {
    throw new TypeError(`options must be an object, not ${typeof options}`)
  }
  let changed: { [name: string]: unknown } | undefined
  for (const name in options) {
    if (!known.includes(name)) {
      throw new TypeError(`unknown option ${name}; there are: ${[...known].sort().join(', ')}`)
    }
    if (name === 'generation') {
      const value = (options as { generation: unknown }).generation
      if (value instanceof Newer)
        changed = { ...(changed ?? options), generation: [value.generation] }
      else if (typeof value === 'object' && value !== null) {
        throw new TypeError('generation must be a whole number or newer(number), not an object')
      }
    }
    if (name === 'where') {
      const { where } = options as { where: unknown }
      // A text and its parameters: the expression that they are.
      if (Array.isArray(where)) changed = { ...(changed ?? options), where: made('where', where) }
    }
  }
  return changed ?? options
}
