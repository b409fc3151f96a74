/** Pages of a query. */

import type { Bins, Record } from '../model/record.js'

/** Some records of a query, and the cursor behind them. */
export class Page<B = Bins> implements Iterable<Record<B>> {
  /** As many as the query's `pageSize`, except on the last page. */
  readonly records: readonly Record<B>[]
  /** Where the next page starts; pass it as `resume` to a query, in any process. */
  readonly cursor: Buffer
  /**
   * Whether it is certain that there are no more records. A full last page may be followed by an
   * empty one.
   */
  readonly done: boolean

  /** @internal */
  constructor(records: readonly Record<B>[], cursor: Buffer, done: boolean) {
    this.records = records
    this.cursor = cursor
    this.done = done
  }

  /** The number of records. */
  get length(): number {
    return this.records.length
  }

  [Symbol.iterator](): Iterator<Record<B>> {
    return this.records[Symbol.iterator]()
  }
}
