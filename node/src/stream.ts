/** Queries as streams of Node. */

import { Readable } from 'node:stream'
import type { Record } from './record.js'

/** What `query.stream()` takes. */
export interface QueryStreamOptions {
  /** How many records the stream holds ready at most. Default: Node's, 16 as of Node 18. */
  highWaterMark?: number | undefined
}

/** What a stream needs of a query. */
interface Source<B> {
  take(most: number): Promise<Record<B>[]>
  takeOne(): Record<B> | undefined
  close(): void
}

/** A stream of the records of a query. */
export function streamOf<B>(query: Source<B>, options: QueryStreamOptions = {}): Readable {
  const { highWaterMark } = options
  let isWaiting = false
  return new Readable({
    objectMode: true,
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    read() {
      if (isWaiting) return
      // What is there goes at once, up to the stream's mark.
      for (let record = query.takeOne(); record !== undefined; record = query.takeOne()) {
        if (!this.push(record)) return
      }
      isWaiting = true
      query.take(1).then(
        ([record]) => {
          isWaiting = false
          this.push(record ?? null)
        },
        (error) => this.destroy(error),
      )
    },
    destroy(error, callback) {
      query.close()
      callback(error)
    },
  })
}
