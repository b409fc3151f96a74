/** Options of the verbs: their types, and the rejection of unknown names. */

import { checkOptions } from '../../options/check.js'
import { makeExpression, type Where } from '../operation/expression.js'

export type { Where } from '../operation/expression.js'

/** Which replicas of a record a call goes to. */
export type Replica = 'master' | 'sequence' | 'any' | 'prefer-rack'

/** Options of every call. */
export interface CallOptions {
  /** Total time limit in milliseconds, including retries; 0: no limit. Default: the client's. */
  timeout?: number | undefined
  /** Cancels the call; its promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** How a call is retried. Defaults: the client's. */
export interface RetryOptions {
  /** Further attempts after the first, at most 1,000. */
  maxRetries?: number | undefined
  /**
   * The pause before a retry on the same node, in milliseconds; with `sleepMultiplier`, the first
   * pause.
   */
  sleepBetweenRetries?: number | undefined
  /** The factor by which each pause grows, from 1 to 100. */
  sleepMultiplier?: number | undefined
  /** The longest pause in milliseconds; 0: no limit. */
  maxSleepBetweenRetries?: number | undefined
  /** Whether each pause is drawn at random between 0 and its full length. */
  sleepJitter?: boolean | undefined
}

/** What goes first where calls wait for a node. */
export type Priority = 'interactive' | 'background'

/** Whether a call goes before or behind others. */
export interface PriorityOptions {
  /**
   * Where calls wait for a node, those in the background go behind interactive ones. Default:
   * `'interactive'`; batches that write are in the background.
   */
  priority?: Priority | undefined
}

/** When a write is answered: once all copies of the record have it, or once the master has. */
export type CommitLevel = 'all' | 'master'

/** Whether a call is compressed. */
export interface CompressionOptions {
  /**
   * Whether request and reply are compressed where nodes are of the Enterprise Edition. Default: the
   * client's.
   */
  compress?: boolean | undefined
}

/** How much servers are asked to say about errors: see `DetailOptions`. */
export type DetailLevel = 'off' | 'subcode' | 'message' | 'trace'

/** What an error of a call says. */
export interface DetailOptions {
  /**
   * How much the server is asked to say about errors, where its node has 8.2 or later: `'subcode'`,
   * `'message'` for that and a message, `'trace'` for both and where in an expression it happened,
   * `'off'` for nothing. It is in the error's `details`. Default: the client's.
   */
  errorDetails?: DetailLevel | undefined
}

/**
 * When a second request is sent to another replica because no reply has come: after this many
 * milliseconds, or after a percentile of that node's response times (`'p99'`). 0: never.
 */
export type Hedge = number | `p${number}`

/**
 * Whether concurrent reads of the same record and bins, with the same options except the timeout,
 * share one request. `'unsent'` joins a request of which nothing was sent yet, so the answer is as
 * recent as that to an own request; `'in_flight'` also joins one on its way, so the answer may be
 * older than the call, at most by one round trip. Never one from before a write of the record by
 * this client. `'off'`: no.
 */
export type ShareReads = 'off' | 'unsent' | 'in_flight'

/** Additional options of reads of single records. */
export interface HedgeOptions {
  /** When to send a second request to another replica. Default: the client's. */
  hedge?: Hedge | undefined
  /** Which requests to share. Default: the client's. */
  shareReads?: ShareReads | undefined
}

/** Additional options of reads of many records. */
export interface DeadlineOptions {
  /**
   * Return what has come by this time, in milliseconds, at most `timeout`. A row whose reply has not
   * come is late: it is `Late.row`, neither missing nor failed, and in `batch.late`. The rows of a
   * node that takes longer than it usually does are sent to another replica before, unless `replica`
   * or `readMode` only allow the master. Default: none; rows without a reply within `timeout` fail.
   */
  deadline?: number | undefined
}

/** Options of every read. */
export interface ReadOptions
  extends CallOptions,
    RetryOptions,
    PriorityOptions,
    CompressionOptions,
    DetailOptions {
  /** Read only if this is true for the record. Default: no filter. */
  where?: Where | undefined
  /** Renew the time to live if at most this percentage of it is left. */
  readTouch?: number | undefined
  /** The consistency of the read. Default: the client's. */
  readMode?: ReadMode | undefined
  /** Which replicas to read from. Default: the client's. */
  replica?: Replica | undefined
}

/** Options of every read of many records. */
export interface ReadManyOptions extends ReadOptions, DeadlineOptions, ReplyOptions {}

/** Which rows of a batch nodes reply to. */
export interface ReplyOptions {
  /**
   * With `false`, a node runs all rows but its replies end at one that fails, other than by a missing
   * or filtered record: those that follow have no reply, and fail with code -15. Default: true.
   */
  respondAllKeys?: boolean | undefined
}

/** The consistency of a read. */
export type ReadMode =
  | 'one'
  | 'all'
  | 'session'
  | 'linearize'
  | 'allow_replica'
  | 'allow_unavailable'

/** What a write does if the record exists, or does not. */
export type Exists = 'merge' | 'create' | 'update' | 'replace' | 'replace_only'

/** The time to live of a record: whole seconds, a time at which it expires, or a rule. */
export type Ttl = number | Date | 'default' | 'never' | 'unchanged'

/** Options of every write. */
export interface WriteOptions
  extends CallOptions,
    RetryOptions,
    PriorityOptions,
    CompressionOptions,
    DetailOptions {
  /** The new time to live. Default: `'default'`, the namespace's. */
  ttl?: Ttl | undefined
  /**
   * Write only if the record has this generation (0: does not exist), or one older than `newer(n)`.
   */
  generation?: number | Newer | undefined
  /** What to do if the record exists, or does not. Default: `'merge'`. */
  exists?: Exists | undefined
  /** Whether a deletion leaves a tombstone (Enterprise). Default: false. */
  durable?: boolean | undefined
  /** Whether the user key is stored with the record. Default: the client's. */
  sendKey?: boolean | undefined
  /** Write only if this is true for the record. Default: no filter. */
  where?: Where | undefined
  /** Where retries go; the first attempt goes to the master. Default: the client's. */
  replica?: Replica | undefined
  /**
   * When a write is answered: once all copies of the record have it, or once the master has; if that
   * fails then, the write may be lost. Default: the client's.
   */
  commitLevel?: CommitLevel | undefined
  /**
   * In a transaction, fail with code 126 if the transaction has written the record already: a write
   * that may have been applied can be sent again. Default: false.
   */
  onLockingOnly?: boolean | undefined
  /** Whether to retry a write that may have been applied. Default: the client's. */
  retryInDoubt?: boolean | undefined
}

/** Options of every write of many records. */
export interface WriteManyOptions extends WriteOptions, ReplyOptions {}

/** The options of a call that limit it. */
export type LimitOptions = Pick<
  WriteOptions,
  | ('replica' | 'retryInDoubt' | 'priority' | 'compress' | 'errorDetails')
  | ('commitLevel' | 'onLockingOnly')
  | keyof CallOptions
  | keyof RetryOptions
>

/** A rule for `generation`: write only if this number is greater than the record's generation. */
export class Newer {
  /** The record's generation must be less than this. */
  readonly generation: number

  constructor(generation: number) {
    this.generation = generation
  }
}

/** A rule for `generation`: write only if this number is greater than the record's generation. */
export function newer(generation: number): Newer {
  return new Newer(generation)
}

/** @internal */
export const RETRY = [
  ...(['maxRetries', 'sleepBetweenRetries', 'sleepMultiplier'] as const),
  ...(['maxSleepBetweenRetries', 'sleepJitter'] as const),
] as const
/** @internal The options of a call that limit it. */
export const LIMITS = [
  ...(['replica', 'timeout', 'signal', 'retryInDoubt', 'priority', 'compress'] as const),
  ...(['errorDetails', 'commitLevel', 'onLockingOnly'] as const),
  ...RETRY,
] as const
export const READ = [
  ...(['where', 'readTouch', 'readMode', 'replica', 'timeout', 'signal', 'priority'] as const),
  ...(['compress', 'errorDetails'] as const),
  ...RETRY,
] as const
/** @internal */
export const READ_MANY = [...READ, 'deadline', 'respondAllKeys'] as const
/** @internal */
export const WRITE_MANY = [
  ...(['ttl', 'generation', 'exists', 'durable', 'sendKey', 'where'] as const),
  ...LIMITS,
  'respondAllKeys',
] as const
/** @internal */
export const READ_ONE = [...READ, 'hedge', 'shareReads'] as const
export const WRITE = [
  ...(['ttl', 'generation', 'exists', 'durable', 'sendKey', 'where'] as const),
  ...LIMITS,
] as const

/** The options in the form in which the native part takes them. Throws for names not in `known`. */
export function toNativeOptions(
  options: object | undefined | null,
  known: readonly string[],
): object | undefined {
  return checkOptions(options, known, nativeValue)
}

/** The value of an option as the native part takes it. */
function nativeValue(name: string, value: unknown): unknown {
  if (name === 'generation' && typeof value === 'object' && value !== null) {
    if (value instanceof Newer) return [value.generation]
    throw new TypeError('generation must be a whole number or newer(number), not an object')
  }
  // A text with parameters is converted to an expression.
  return name === 'where' && Array.isArray(value) ? makeExpression('where', value) : value
}
