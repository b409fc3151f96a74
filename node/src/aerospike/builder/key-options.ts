/** The options of steps that only read, and of those that write. */

import type { CommitLevel, Hedge, Newer, ReadMode, ShareReads, Ttl } from '../command/options.js'
import { KeyStep } from './key-step.js'

/** A step that only reads. */
export abstract class ReadingStep<E, C extends object> extends KeyStep<E, C> {
  /** Renews the time to live if at most this percentage is left, as in `get`. */
  readTouch(percent: number | undefined): this {
    return this.option('readTouch', percent)
  }

  /** The consistency of the read; as in `get`. */
  readMode(mode: ReadMode | undefined): this {
    return this.option('readMode', mode)
  }

  /**
   * Returns what has come by this time, in milliseconds; as in `getMany`. Results whose reply has not
   * come are `late`.
   *
   * @throws RangeError if the step has one key: only batches have late rows
   */
  deadline(deadline: number | undefined): this {
    return this.optionIf('several', 'deadline', deadline, 'reads of many records')
  }

  /**
   * How long to wait for an answer before sending a second request to another replica, as in `get`.
   *
   * @throws RangeError if the step has several keys, and batches built from the step reject it: only
   * single-record reads can have a second request
   */
  hedge(hedge: Hedge | undefined): this {
    return this.optionIf('one', 'hedge', hedge, 'reads of one record')
  }

  /**
   * Whether concurrent reads of the same record and bins share one request, as in `get`.
   *
   * @throws RangeError if the step has several keys, and batches built from the step reject it: only
   * single-record reads share requests
   */
  shareReads(share: ShareReads | undefined): this {
    return this.optionIf('one', 'shareReads', share, 'reads of one record')
  }
}

/** A step that writes. */
export abstract class WritingStep<E, C extends object> extends KeyStep<E, C> {
  /** When the write is answered; as in `put`. */
  commitLevel(level: CommitLevel | undefined): this {
    return this.option('commitLevel', level)
  }

  /** Fails if the transaction has written the record already, as in `put`. */
  onLockingOnly(only = true): this {
    return this.option('onLockingOnly', only)
  }

  /** Retries the write even if it may already have been applied, as in `put`. */
  retryInDoubt(retry = true): this {
    return this.option('retryInDoubt', retry)
  }

  /**
   * Writes only if the record has this generation, otherwise `GenerationMismatch`; as in `put`.
   *
   * @throws RangeError if the step has several keys: a generation belongs to one record
   */
  generation(generation: number | Newer | undefined): this {
    return this.optionIf('one', 'generation', generation, 'one record')
  }

  /** Stores the user key with the record, or compares it; as in `put` and `delete`. */
  sendKey(sendKey = true): this {
    return this.option('sendKey', sendKey)
  }

  /** Leaves a tombstone for the deleted record (Enterprise servers only). */
  durableDelete(durable = true): this {
    return this.option('durable', durable)
  }
}

/** A step that sets a time to live. */
export abstract class ExpiringStep<E, C extends object> extends WritingStep<E, C> {
  /** Time to live; as in `put`. */
  ttl(ttl: Ttl | undefined): this {
    return this.option('ttl', ttl)
  }
}
