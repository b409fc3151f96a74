/** The rows of a result. */

import { objectOf } from '../flat.js'
import { define } from '../record.js'
import type { CqlValue } from './values.js'

/** A row, when nothing more is known about it: its values by the names of the columns. */
export type Row = { [column: string]: CqlValue }

/** A column of a result. */
export interface Column {
  /** Its name. Not always that of a column of the table: `count`, `[applied]`. */
  readonly name: string
  /** Its type, as CQL spells it. */
  readonly type: string
  readonly keyspace: string
  readonly table: string
}

type Extras = [warnings: string[], tracingIds: string[], payload: unknown[]] | null

const NOTHING: readonly never[] = Object.freeze([])

/**
 * The result of a statement: its rows, and what the server says besides. Iterate over it, or take
 * `rows`. A statement without rows has a result of length 0.
 *
 * @typeParam R - what a row is
 */
export class Rows<R = Row> implements Iterable<R> {
  /** All rows, in order. */
  readonly rows: readonly R[]
  /** The columns, in order; empty where the statement has no rows. */
  readonly columns: readonly Column[]
  /**
   * Where the next page begins, for `pagingState`; `null` on the last one. Opaque bytes; they hold
   * keys, so they should not be trusted when they come from outside.
   */
  readonly pagingState: Buffer | null
  /** The address of the node that answered. */
  readonly node: string
  /** Requests that were sent for it, retries included. */
  readonly attempts: number
  /** Whether all nodes had one schema in the end, after a statement that changes it. */
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

  /** How many rows there are. */
  get length(): number {
    return this.rows.length
  }

  [Symbol.iterator](): Iterator<R> {
    return this.rows[Symbol.iterator]()
  }

  /** The first row, or `undefined` where there is none. */
  first(): R | undefined {
    return this.rows[0]
  }

  /**
   * The only row, or `undefined` where there is none.
   *
   * @throws RangeError where there are more
   */
  one(): R | undefined {
    if (this.rows.length > 1) {
      throw new RangeError(`${this.rows.length} rows where one was expected`)
    }
    return this.rows[0]
  }

  /** Whether a conditional statement was applied; `null` where the statement has no condition. */
  get applied(): boolean | null {
    const first = this.rows[0]
    if (first === undefined || this.columns[0]?.name !== '[applied]') return null
    return (first as { '[applied]': boolean })['[applied]']
  }

  /** What the server warned of. */
  get warnings(): readonly string[] {
    return this.#extras?.[0] ?? NOTHING
  }

  /** The ids of the traces that the server keeps, one for each page (`tracing: true`). */
  get tracingIds(): readonly string[] {
    return this.#extras?.[1] ?? NOTHING
  }

  /** The custom payload of the answer. */
  get payload(): { [name: string]: Buffer | null } {
    return objectOf(this.#extras?.[2] ?? NOTHING) as { [name: string]: Buffer | null }
  }
}

/** A result, as the native part makes it. */
export function makeRows(
  columns: unknown,
  rows: unknown[],
  pagingState: Buffer | null,
  node: string,
  attempts: number,
  agreed: boolean,
  extras: Extras,
): Rows<unknown> {
  const known = columns as readonly Column[] | null
  return new Rows(known, rows, pagingState, node, attempts, agreed, extras)
}

/** The text of an object literal: its properties are the variables from `v<first>` on. */
function literal(names: readonly string[], first: number): string {
  const fields = names.map((name, at) => {
    const quoted = JSON.stringify(name)
    return `${name === '__proto__' ? `[${quoted}]` : quoted}: v${first + at}`
  })
  return `{ ${fields.join(', ')} }`
}

function variables(count: number): string {
  return Array.from({ length: count }, (_, at) => `v${at}`).join(', ')
}

/** An object of these names, one after the other: where there are many, or no code may be made. */
function assemble(names: readonly string[], values: readonly unknown[], from: number): object {
  const object = {}
  for (let at = 0; at < names.length; at++) define(object, names[at] as string, values[from + at])
  return object
}

type Append = (rows: unknown[], ...values: unknown[]) => void

/**
 * What appends so many rows to an array: object literals, several times as quick as setting one
 * property after the other.
 */
function appender(names: readonly string[], together: number): Append {
  const literals = Array.from({ length: together }, (_, row) => literal(names, row * names.length))
  const parameters = variables(names.length * together)
  try {
    const body = `return (rows, ${parameters}) => { rows.push(${literals.join(', ')}) }`
    return new Function(body)() as Append
  } catch {
    return (rows, ...values) => {
      for (let row = 0; row < together; row++)
        rows.push(assemble(names, values, row * names.length))
    }
  }
}

/** Columns, what appends one row of them, and what appends so many. */
export function makeShape(
  names: string[],
  types: string[],
  keyspaces: string[],
  tables: string[],
  together: number,
  wide: boolean,
): [readonly Column[], Append, Append] {
  const columns = names.map((name, at) =>
    Object.freeze({
      name,
      type: types[at] as string,
      keyspace: keyspaces[at] as string,
      table: tables[at] as string,
    }),
  )
  if (wide) {
    const append: Append = (rows, values) => {
      rows.push(assemble(names, values as unknown[], 0))
    }
    return [Object.freeze(columns), append, append]
  }
  const one = appender(names, 1)
  return [Object.freeze(columns), one, together > 1 ? appender(names, together) : one]
}

type Factory = (...values: unknown[]) => unknown

/** What makes objects of these names. */
export function makeFactory(names: string[]): Factory {
  try {
    const body = `return (${variables(names.length)}) => (${literal(names, 0)})`
    return new Function(body)() as Factory
  } catch {
    return (...values) => assemble(names, values, 0)
  }
}

/** What makes objects of these names that are instances of a class. */
export function makeInstances(prototype: object, names: string[]): Factory {
  try {
    const fields = literal(names, 0).slice(1)
    const body = `return (${variables(names.length)}) => ({ __proto__: prototype, ${fields})`
    return new Function('prototype', body)(prototype) as Factory
  } catch {
    return (...values) => Object.setPrototypeOf(assemble(names, values, 0), prototype)
  }
}
