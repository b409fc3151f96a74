/** Scans and index queries: the records of a dataset, as a stream or in one result. */

import { inspect } from 'node:util'
import type { Dataset } from '../dataset.js'
import type { Key, UserKey } from '../model/key.js'
import type { Bins, Record } from '../model/record.js'
import type { Operation } from '../operation/operation.js'
import type { Explanation } from '../profiles/explain.js'
import type { PartitionRange, Query, QueryOptions } from '../query/query.js'
import type { IndexRange } from '../query/range.js'
import { absent } from './results.js'
import { Step, type StepOptions } from './step.js'

/** How many records are counted at a time. */
const MANY = 1 << 16

/**
 * A scan of a dataset, or an index query. Nothing is sent before the first record is requested.
 *
 * @typeParam B - the bins of its records
 */
export class Scan<B extends object = Bins> extends Step {
  /** @internal */
  readonly dataset: Dataset<B>

  /** @internal */
  constructor(dataset: Dataset<B>) {
    super()
    this.dataset = dataset
  }

  /** @internal */
  override blank(): this {
    return new Scan(this.dataset) as this
  }

  /** The bins to read; without names, only keys, generations and times to live. */
  bins(...names: (keyof B & string)[]): this {
    return this.option('bins', names)
  }

  /**
   * Selects records by a secondary index: `index.between`, `index.equal` and so on. Or the name of
   * the index that the nodes should prefer for a text in `where`.
   */
  index(range: IndexRange | string | undefined): this {
    return this.option('index', range)
  }

  /** Fails with `IndexNotFound` rather than examine every record; as in `query`. */
  requireIndex(require = true): this {
    return this.option('requireIndex', require)
  }

  /** Fails with `IndexNotFound` unless the index that `index` names can be used. */
  requireHint(require = true): this {
    return this.option('requireHint', require)
  }

  /** Whether nodes that can may read a text in `where`, and choose an index for it. */
  serverFilter(allow: boolean): this {
    return this.option('serverFilter', allow)
  }

  /** Read operations; each record has their `results`. Needs server 8.1.2 or later. */
  op(...operations: Operation[]): this {
    const before = (this.options?.['operations'] ?? []) as Operation[]
    return this.option('operations', [...before, ...operations])
  }

  /** The maximum number of records. */
  limit(count: number | undefined): this {
    return this.option('limit', count)
  }

  /** The number of a partition, 0 to 4095, or a range of them. */
  partitions(partitions: number | PartitionRange | undefined): this {
    return this.option('partitions', partitions)
  }

  /** Only records after this key in its partition, in digest order. */
  after(key: UserKey | Key | undefined): this {
    return this.option('after', key)
  }

  /** How many records `stream().page()` returns. */
  pageSize(count: number | undefined): this {
    return this.option('pageSize', count)
  }

  /** Resumes at the cursor of a page, or of a query with the same options. */
  resume(cursor: Uint8Array | undefined): this {
    return this.option('resume', cursor)
  }

  /** The maximum number of records that each node sends per second. */
  recordsPerSecond(count: number | undefined): this {
    return this.option('recordsPerSecond', count)
  }

  /** How many nodes are read at the same time. */
  concurrentNodes(count: number | undefined): this {
    return this.option('concurrentNodes', count)
  }

  /**
   * How long a node, or the reader of the records, may be silent, in milliseconds; as in `query`.
   */
  socketTimeout(timeout: number | undefined): this {
    return this.option('socketTimeout', timeout)
  }

  /**
   * The query itself: iterate over its records as they arrive, from all nodes at once.
   *
   * @throws TypeError, RangeError for invalid options
   */
  stream(): Query<B> {
    return this.#query()
  }

  /** As `stream`. */
  execute(): Query<B> {
    return this.#query()
  }

  /** The first record that arrives. Fails with `RecordNotFound` if there is none. */
  async first(): Promise<Record<B>> {
    const record = await this.firstOrNone()
    if (record === null) throw absent(2, null)
    return record
  }

  /** The first record that arrives, or `null`. */
  async firstOrNone(): Promise<Record<B> | null> {
    for await (const record of this.#query({ limit: 1 })) return record
    return null
  }

  /** All records, in an array, in the order in which they arrive. */
  async toList(): Promise<Record<B>[]> {
    const records: Record<B>[] = []
    for await (const record of this.#query()) records.push(record)
    return records
  }

  /** The number of records. Unless it names bins or operations, the nodes send no bins. */
  async count(): Promise<number> {
    const { options } = this
    const isBare = options?.['bins'] === undefined && options?.['operations'] === undefined
    const query = this.#query(isBare ? { includeValues: false } : undefined)
    let count = 0
    try {
      for (;;) {
        const { length } = await query.take(MANY)
        if (length === 0) return count
        count += length
      }
    } finally {
      query.close()
    }
  }

  /**
   * What the query would use and from where: the options of this step, those of the builder's profile,
   * of the client, or defaults. Nothing is sent.
   *
   * @throws TypeError, RangeError for invalid options
   */
  explain(): Explanation {
    return this.dataset.explain('query', this.options)
  }

  #query(more?: StepOptions): Query<B> {
    return this.dataset.query({ ...this.options, ...more } as QueryOptions)
  }

  [inspect.custom](): string {
    return `<query of ${inspect(this.dataset)}>`
  }
}
