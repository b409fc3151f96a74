/** The rows of a result. */

import { type InspectOptions, inspect } from 'node:util'
import { objectOf } from '../bridge/objects.js'
import { nodeAddress } from './node-names.js'
import type { CqlValue } from './values.js'

/** A row of unknown type: values by column name. */
export type Row = { [column: string]: CqlValue }

/** A column of a result. */
export interface Column {
  /** Its name; not always a column of the table: `count`, `[applied]`. */
  readonly name: string
  /** Its type in CQL notation. */
  readonly type: string
  readonly keyspace: string
  readonly table: string
}

type Extras =
  | [
      warnings: string[],
      tracingIds: string[],
      payload: unknown[],
      lengths?: [request: number, replies: number],
    ]
  | null

const NOTHING: readonly never[] = Object.freeze([])

/**
 * The result of a statement: its rows, and what else the server reports. Iterate over it, or use
 * `rows`. A statement without rows has a result of length 0.
 *
 * @typeParam R - the type of a row
 */
export class Rows<R = Row> implements Iterable<R> {
  /** All rows, in order. */
  readonly rows: readonly R[]
  /** The columns, in order; empty if the statement returns no rows. */
  readonly columns: readonly Column[]
  /**
   * Where the next page starts, for `pagingState`; `null` on the last page. The bytes are opaque
   * and contain keys, so do not accept them from untrusted sources.
   */
  readonly pagingState: Buffer | null
  /** The address of the node that answered. */
  readonly node: string
  /** The number of requests sent, including retries. */
  readonly attempts: number
  /** Whether all nodes agreed on the schema after a statement that changes it. */
  readonly schemaAgreed: boolean
  readonly #extras: Extras

  /** @internal */
  constructor(
    columns: readonly Column[] | null,
    rows: readonly R[],
    pagingState: Buffer | null,
    node: string,
    attempts: number,
    agreed: boolean,
    extras: Extras,
  ) {
    this.rows = rows
    this.columns = columns ?? NOTHING
    this.pagingState = pagingState
    this.node = node
    this.attempts = attempts
    this.schemaAgreed = agreed
    this.#extras = extras
  }

  /** The number of rows. */
  get length(): number {
    return this.rows.length
  }

  [Symbol.iterator](): Iterator<R> {
    return this.rows[Symbol.iterator]()
  }

  /** The first row, or `undefined` if there is none. */
  first(): R | undefined {
    return this.rows[0]
  }

  /**
   * The only row, or `undefined` if there is none.
   *
   * @throws RangeError if there is more than one
   */
  one(): R | undefined {
    if (this.rows.length > 1) {
      throw new RangeError(`${this.rows.length} rows where one was expected`)
    }
    return this.rows[0]
  }

  /** Whether a conditional statement was applied; `null` if the statement has no condition. */
  get applied(): boolean | null {
    const first = this.rows[0]
    if (first === undefined || this.columns[0]?.name !== '[applied]') return null
    return (first as { '[applied]': boolean })['[applied]']
  }

  /** The server's warnings. */
  get warnings(): readonly string[] {
    return this.#extras?.[0] ?? NOTHING
  }

  /** The ids of the server's traces, one per page (`tracing: true`). */
  get tracingIds(): readonly string[] {
    return this.#extras?.[1] ?? NOTHING
  }

  /** The custom payload of the reply. */
  get payload(): { [name: string]: Buffer | null } {
    return objectOf(this.#extras?.[2] ?? NOTHING) as { [name: string]: Buffer | null }
  }

  /** @internal The lengths of the request and of its replies, if the session tells them. */
  static lengths(rows: Rows<unknown>): readonly [request: number, replies: number] | undefined {
    return rows.#extras?.[3]
  }

  [inspect.custom](_depth: number, options: InspectOptions): string {
    const count = `${this.length} rows${this.pagingState === null ? '' : ', more to come'}`
    return `Rows(${count}) ${inspect(this.rows, options)}`
  }
}

/** Creates a result; called by the native part. */
export function makeRows(
  columns: unknown,
  rows: unknown[],
  pagingState: Buffer | null,
  node: number,
  attempts: number,
  agreed: boolean,
  extras: Extras,
): Rows<unknown> {
  const known = columns as readonly Column[] | null
  return new Rows(known, rows, pagingState, nodeAddress(node), attempts, agreed, extras)
}
