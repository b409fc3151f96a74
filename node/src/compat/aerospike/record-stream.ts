/** The records of a query or scan, as events. */

import { EventEmitter } from 'node:events'
import type { Query as NativeQuery } from '../../aerospike/query/query.js'
import type { CommandClient } from './command.js'
import { type AerospikeError, toError } from './error.js'
import type { Job } from './job.js'
import { keyOf } from './key.js'
import { Record } from './record.js'
import { binsOf } from './results.js'

/** Where a page ended. */
export type QueryState = number[]

/** What of a query's stream is not the stream's own. */
interface Source {
  /** Begins the query. */
  begin(): NativeQuery
  /** How many records belong to the page; `undefined`: there are no pages. */
  pageSize: number | undefined
  /**
   * Counts the query as a failure of its nodes, because the program has aborted it; returns the error of
   * one that could not have run.
   */
  noteAbort(): AerospikeError | undefined
  /** The record that is told for one of the query. */
  convert?(record: NativeRecord): Record
}

type NativeRecord = Awaited<ReturnType<NativeQuery['take']>>[number]

/** How many records are told before other tasks may run. */
const RUN = 256

/**
 * The records of a query or scan as events: `data` with each record, then `end`, or `error`. `end` has
 * the state of a page, which continues there, unless it was the last one.
 */
export class RecordStream extends EventEmitter {
  /** Whether the query was ended by `abort`. */
  aborted = false
  readonly client: CommandClient
  readonly writable = false
  readonly readable = true
  /** The job of a scan. */
  declare job?: Job
  #query: NativeQuery | undefined
  /** Counts the query as a failure of its nodes, while it may still have records. */
  #noteAbort: (() => AerospikeError | undefined) | undefined

  constructor(client: CommandClient) {
    super()
    this.client = client
  }

  /** Ends the query. `end` is emitted. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    const began = this.#query !== undefined
    this.#query?.close()
    const error = this.#noteAbort?.()
    process.nextTick(() => {
      this.emit('end')
      // One that was aborted before it began has nothing else to say that it would have failed.
      if (error !== undefined && !began) this.#emit('error', error)
    })
  }

  /** @internal Reads a query in a later turn, when listeners have been added. */
  read(source: Source): void {
    this.#noteAbort = () => source.noteAbort()
    process.nextTick(() => {
      void this.#read(source)
    })
  }

  /** @internal Tells values that are no records. */
  emitValues(values: () => Promise<unknown[]>): void {
    process.nextTick(async () => {
      try {
        for (const bins of await values()) {
          if (this.aborted) return
          this.#emit('data', new Record(null, bins as never, undefined))
        }
      } catch (error) {
        this.#fail(error)
        return
      }
      if (!this.aborted) this.#emit('end')
    })
  }

  /** @internal Fails in a later turn. */
  failLater(error: unknown): void {
    process.nextTick(() => this.#fail(error))
  }

  async #read({ begin, pageSize, convert = recordOfRow }: Source): Promise<void> {
    let state: QueryState | undefined
    try {
      if (this.aborted) return
      const query = begin()
      this.#query = query
      if (pageSize !== undefined) {
        const page = await query.page()
        if (this.aborted) return
        for (const record of page.records) {
          this.#emit('data', convert(record))
          if (this.aborted) return
        }
        query.close()
        // As in the other client, a full page may be followed by an empty one.
        if (page.records.length === pageSize) state = [...page.cursor]
      } else {
        for (;;) {
          const records = await query.take(RUN)
          if (this.aborted) return
          if (records.length === 0) break
          for (const record of records) {
            this.#emit('data', convert(record))
            if (this.aborted) return
          }
        }
      }
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#noteAbort = undefined
    this.#emit('end', state)
  }

  #fail(error: unknown): void {
    if (this.aborted) return
    const failure = toError(error, { client: this.client })
    this.#noteAbort = undefined
    this.#emit('error', failure)
  }

  /** Emits an event; what a listener throws is an uncaught exception, and the query goes on. */
  #emit(name: 'data' | 'end' | 'error', value?: unknown): void {
    try {
      this.emit(name, value)
    } catch (error) {
      process.nextTick(() => {
        throw error
      })
    }
  }
}

/** A record of a query as programs get it. */
export function recordOfRow(record: NativeRecord): Record {
  const meta = { ttl: record.ttl ?? -1, gen: record.generation }
  return new Record(keyOf(record.key), binsOf(record.bins), meta)
}
