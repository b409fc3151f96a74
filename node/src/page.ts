/** Pages of a query. */

import type { Bins, Record } from './record.js'

/** Some records of a query, and where the next ones are. */
export class Page<B = Bins> implements Iterable<Record<B>> {
  /** As many as the query's `pageSize`, except on the last page. */
  readonly records: readonly Record<B>[]
  /** Where the next page begins: the `resume` of a query, in any process. */
  readonly cursor: Buffer
  /** Whether it is known that there are no more. A full page may be followed by an empty one. */
  readonly done: boolean

  /** @internal */
  constructor(records: readonly Record<B>[], cursor: Buffer, done: boolean) {
    this.records = records
    this.cursor = cursor
    this.done = done
  }

  /** How many records it has. */
  get length(): number {
    return this.records.length
  }

  [Symbol.iterator](): Iterator<Record<B>> {
    return this.records[Symbol.iterator]()
  }
}
