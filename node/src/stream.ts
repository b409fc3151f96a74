/** Queries as streams of Node. */

import { Readable } from 'node:stream'

/** What `query.stream()` takes. */
export interface QueryStreamOptions {
  /** How many records or rows the stream holds ready at most. Default: Node's, 16 as of Node 18. */
  highWaterMark?: number | undefined
}

/** What a stream needs of a query. */
interface Source<T> {
  take(most: number): Promise<T[]>
  takeOne(): T | undefined
  close(): void
}

/** A stream of what a query gives. */
export function streamOf<T>(query: Source<T>, options: QueryStreamOptions = {}): Readable {
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
