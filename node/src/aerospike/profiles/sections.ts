/** The options of a profile, for type checkers. */

import type {
  CommitLevel,
  DetailLevel,
  Exists,
  Hedge,
  Priority,
  ReadMode,
  Replica,
  ShareReads,
  Ttl,
} from '../command/options.js'

/** An option, or `null` for the client's own. */
type Own<T> = T | null | undefined

/** Options of all calls except queries and jobs. */
interface CallSection {
  timeout?: Own<number>
  replica?: Own<Replica>
  maxRetries?: Own<number>
  sleepBetweenRetries?: Own<number>
  sleepMultiplier?: Own<number>
  maxSleepBetweenRetries?: Own<number>
  sleepJitter?: Own<boolean>
  priority?: Own<Priority>
  compress?: Own<boolean>
  errorDetails?: Own<DetailLevel>
}

interface OfRows {
  readMode?: Own<ReadMode>
  readTouch?: Own<number>
}

interface OfWrites {
  ttl?: Own<Ttl>
  exists?: Own<Exists>
  durable?: boolean | undefined
  sendKey?: Own<boolean>
}

interface PointOptions extends CallSection, OfRows {
  hedge?: Own<Hedge>
  shareReads?: Own<ShareReads>
}

interface ManyOptions extends CallSection, OfRows {
  deadline?: Own<number>
}

/** Sections for namespaces with strong consistency, and without. */
interface Modes<O> {
  strong?: O | undefined
  available?: O | undefined
}

/** Options of reads, with sections for reads of one record or of many. */
export interface ReadSection extends PointOptions, ManyOptions, Modes<PointOptions & ManyOptions> {
  point?: PointOptions | undefined
  many?: ManyOptions | undefined
}

interface WriteSectionOptions extends CallSection, OfWrites {
  commitLevel?: Own<CommitLevel>
  retryInDoubt?: Own<boolean>
}

/** Options of writes, with sections for some of them. */
export interface WriteSection extends WriteSectionOptions, Modes<WriteSectionOptions> {
  point?: WriteSectionOptions | undefined
  many?: WriteSectionOptions | undefined
  /** Writes that are safe to repeat: `put`, `delete`, `touch`. */
  retryable?: WriteSectionOptions | undefined
  /** Writes that are not: `add`, `append`, `prepend`, `apply`, `operate`. */
  notRetryable?: WriteSectionOptions | undefined
}

interface BatchSectionOptions extends WriteSectionOptions, OfRows {
  deadline?: Own<number>
}

/** Options of `batch`, and defaults for its rows. */
export interface BatchSection extends BatchSectionOptions, Modes<BatchSectionOptions> {}

interface QuerySectionOptions extends Omit<CallSection, 'priority' | 'compress'> {
  socketTimeout?: Own<number>
  pageSize?: Own<number>
  recordsPerSecond?: Own<number>
  concurrentNodes?: Own<number>
}

/** Options of `query`. */
export interface QuerySection extends QuerySectionOptions, Modes<QuerySectionOptions> {}

interface JobSectionOptions {
  timeout?: Own<number>
  ttl?: Own<Ttl>
  durable?: boolean | undefined
  recordsPerSecond?: Own<number>
}

/** Options of background jobs. */
export interface JobSection extends JobSectionOptions, Modes<JobSectionOptions> {}

/**
 * Options of a profile: those for all verbs that take them, and sections. Durations are in
 * milliseconds; `null` stands for the client's own option.
 */
export interface ProfileOptions
  extends PointOptions,
    ManyOptions,
    WriteSectionOptions,
    QuerySectionOptions {
  read?: ReadSection | undefined
  write?: WriteSection | undefined
  batch?: BatchSection | undefined
  query?: QuerySection | undefined
  job?: JobSection | undefined
}
