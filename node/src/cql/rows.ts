/** The rows of a result. */

import { define, objectOf } from '../bridge/objects.js'
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

type Extras = [warnings: string[], tracingIds: string[], payload: unknown[]] | null

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
}

/** Creates a result; called by the native part. */
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

/** Source text of an object literal whose properties are the variables from `v<first>` on. */
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

/** Builds an object property by property: for many columns, or if code generation is disallowed. */
function assemble(names: readonly string[], values: readonly unknown[], from: number): object {
  const object = {}
  for (let at = 0; at < names.length; at++) define(object, names[at] as string, values[from + at])
  return object
}

type Append = (rows: unknown[], ...values: unknown[]) => void

/**
 * Creates a function that appends `together` rows to an array. Object literals are several times as
 * fast as setting properties one by one.
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

/** The columns, and the functions that append one row and `together` rows of them. */
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

/** Creates a function that makes objects with these property names. */
export function makeFactory(names: string[]): Factory {
  try {
    const body = `return (${variables(names.length)}) => (${literal(names, 0)})`
    return new Function(body)() as Factory
  } catch {
    return (...values) => assemble(names, values, 0)
  }
}

/** Creates a function that makes instances of a class with these property names. */
export function makeInstances(prototype: object, names: string[]): Factory {
  try {
    const fields = literal(names, 0).slice(1)
    const body = `return (${variables(names.length)}) => ({ __proto__: prototype, ${fields})`
    return new Function('prototype', body)(prototype) as Factory
  } catch {
    return (...values) => Object.setPrototypeOf(assemble(names, values, 0), prototype)
  }
}
