/** Batches: several statements in one request. */

import { inspect } from 'node:util'
import type { Callback } from '../bridge/callbacks.js'
import type { BatchOptions } from './options.js'
import { Bound, type Parameters, Prepared, type Statement } from './prepared.js'
import type { Rows } from './rows.js'
import { boundNumber, noStatement } from './statements.js'

/**
 * What the server guarantees: all statements are applied eventually, or none (`'logged'`); no such
 * guarantee across partitions (`'unlogged'`); the same, for counters (`'counter'`).
 */
export type BatchKind = 'logged' | 'unlogged' | 'counter'

/** The kinds, indexed by their numbers on the wire. */
export const KINDS: readonly BatchKind[] = ['logged', 'unlogged', 'counter']

/** A statement of a batch. */
export interface Entry {
  readonly statement: Statement
  readonly parameters: Parameters | undefined
}

/** Sends a batch. */
export type Run = (
  entries: readonly Entry[],
  options: BatchOptions | Callback<Rows> | undefined,
  callback: Callback<Rows> | undefined,
) => Promise<Rows> | undefined

/**
 * Several statements in one request; created by `session.batch`. Statements are prepared or text;
 * text with parameters is prepared first.
 */
export class Batch {
  readonly kind: BatchKind
  readonly #entries: Entry[] = []
  readonly #run: Run

  /** @internal */
  constructor(kind: BatchKind, run: Run) {
    this.kind = kind
    this.#run = run
  }

  /** The number of statements. */
  get length(): number {
    return this.#entries.length
  }

  /** Adds a statement. Unbound values are validated when the batch is executed. */
  add(statement: Statement, parameters?: Parameters): this {
    if (statement instanceof Bound) boundNumber(statement, parameters)
    else if (typeof statement !== 'string' && !(statement instanceof Prepared)) {
      throw noStatement(statement)
    }
    this.#entries.push({ statement, parameters: parameters ?? undefined })
    return this
  }

  /**
   * Sends the batch; it may be sent again. The result has rows if statements have conditions.
   *
   * @throws TypeError, RangeError for values that do not fit, with statement, column and type,
   * before the batch is sent; CqlError for errors from the server
   */
  execute(options?: BatchOptions): Promise<Rows>
  execute(callback: Callback<Rows>): void
  execute(options: BatchOptions, callback: Callback<Rows>): void
  execute(
    options?: BatchOptions | Callback<Rows>,
    callback?: Callback<Rows>,
  ): Promise<Rows> | undefined {
    return this.#run([...this.#entries], options, callback)
  }

  [inspect.custom](): string {
    return `Batch(${this.kind}, ${this.length} statements)`
  }
}
