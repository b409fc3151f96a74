/** Queries as Node.js streams. */

import { Readable } from 'node:stream'

/** Options of `query.stream()`. */
export interface QueryStreamOptions {
  /**
   * The maximum number of records or rows buffered by the stream. Default: Node's, 16 as of Node
   * 18.
   */
  highWaterMark?: number | undefined
}

/** The methods of a query that a stream uses. */
interface Source<T> {
  take(most: number): Promise<T[]>
  takeOne(): T | undefined
  close(): void
}

/** A stream of the records or rows of a query. */
export function streamOf<T>(query: Source<T>, options: QueryStreamOptions = {}): Readable {
  const { highWaterMark } = options
  let isWaiting = false
  return new Readable({
    objectMode: true,
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    read() {
      if (isWaiting) return
      // Push what is already available, up to the high-water mark.
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
