/** Types of the native functions for Cassandra, exported by `crates/spikewire-node/src/cql`. */

import { type Handle, type NativePart, nativePart, type Slot } from '../addon/native.js'

/** The number of a prepared statement, or text. */
export type SentStatement = number | string

/** The functions that the native part calls; see `hooks.ts`. */
export type CqlHooks = [
  makeError: (
    className: string,
    code: number | null,
    message: string,
    node: string | null,
    attempts: number,
    inDoubt: boolean,
    details: readonly unknown[],
    failedAttempts: readonly (string | null)[],
  ) => unknown,
  makeShape: (
    names: string[],
    types: string[],
    keyspaces: string[],
    tables: string[],
    together: number,
    wide: boolean,
    conversion: number,
  ) => unknown[],
  makeFactory: (names: string[]) => (...values: unknown[]) => unknown,
  makeRows: (
    columns: unknown,
    rows: unknown[],
    pagingState: Buffer | null,
    node: number,
    attempts: number,
    agreed: boolean,
    extras:
      | [
          warnings: string[],
          tracingIds: string[],
          payload: unknown[],
          lengths?: [request: number, replies: number],
        ]
      | null,
  ) => unknown,
  makePrepared: (
    number: number,
    text: string,
    id: Buffer,
    names: string[],
    types: string[],
    partitionKey: number[],
    warnings: string[],
  ) => unknown,
  classify: (value: unknown) => number,
  unwrap: (value: unknown) => unknown,
  wrap: (sort: number, content: unknown) => unknown,
  nameNode: (number: number, address: string) => void,
  done: (node: number, ...slots: Slot[]) => void,
]

/** All rows (false) or one page of them; or the same as an Arrow IPC stream, in the place of rows. */
export type PageForm = boolean | 'arrow' | 'arrowPage'

/** Native functions. They throw on invalid input; those with a slot settle its promise later. */
export interface CqlNative extends NativePart {
  /** Passes the functions that the native part calls; must be called once. */
  cqlSetup(...hooks: CqlHooks): void
  /** Settles the slot with a session's handle; returns the number to abandon it with. */
  cqlConnect(
    slot: Slot,
    contactPoints: string,
    names: string[],
    values: unknown[],
    ask: unknown,
    logsIn: boolean,
    translates: boolean,
  ): number
  /** The answer to a question of a connection, or why there is none. */
  cqlAnswer(
    handle: Handle,
    question: number,
    answer: string | Uint8Array | null,
    error: string | null,
  ): void
  cqlClose(session: Handle, slot: Slot): void
  /** A statement in flight, which nobody waits for any more, does not keep the process alive. */
  cqlAbandon(session: Handle, slot: Slot): void
  /** Address, datacenter, rack, release and whether it is up, of each node in turn. */
  cqlNodes(session: Handle): (string | boolean)[]
  /**
   * Of each connection in turn the address of its node, whether it is open, and the requests in flight
   * on it; `null` if a thread of its own drives them.
   */
  cqlConnections(session: Handle): (string | boolean | number)[] | null
  /** Settles the slot with the schema as JSON. */
  cqlSchema(session: Handle, slot: Slot): void
  cqlKeyspace(session: Handle): string | null
  cqlVersion(session: Handle): number
  /** `make` returns, for the names of a type's fields, the function that creates its values. */
  cqlRegisterType(
    session: Handle,
    name: string,
    make: (names: string[]) => (...values: unknown[]) => unknown,
  ): void
  /** Values are in the array or, without one, in the remaining arguments. */
  cqlExecute(
    session: Handle,
    slot: Slot,
    page: PageForm,
    statement: SentStatement,
    options: object | undefined,
    array?: readonly unknown[] | undefined,
    ...values: readonly unknown[]
  ): void
  /**
   * Validates the options of `executeMany`; returns whether errors are returned among the results.
   */
  cqlHowMany(
    concurrency: number,
    errors: string,
    results: boolean,
    deadline: number | undefined,
  ): boolean
  /** Returns the number of the prepared statement bound to these values. */
  cqlBind(statement: number, array: readonly unknown[]): number
  cqlExecuteBound(
    session: Handle,
    slot: Slot,
    page: PageForm,
    bound: number,
    options: object | undefined,
  ): void
  /** Matches the columns of a table with a statement's parameters; returns the number of both. */
  cqlTable(statement: number, table: Handle): Handle
  /** Executes the statement of a table with one of its rows. */
  cqlExecuteRow(
    session: Handle,
    slot: Slot,
    table: Handle,
    row: number,
    options: object | undefined,
  ): void
  cqlPrepare(session: Handle, slot: Slot, text: string, options: object | undefined): void
  cqlRenew(session: Handle, slot: Slot, statement: number): void
  /** `counts` has the number of values per statement, `BOUND` for a bound one. */
  cqlBatch(
    session: Handle,
    slot: Slot,
    kind: number,
    options: object | undefined,
    statements: readonly SentStatement[],
    counts: readonly number[],
    values: readonly unknown[],
  ): void
}

/** The native part of this copy of the package. */
export const native = nativePart as CqlNative

/** The count for a statement of a batch that is already bound to its values. */
export const BOUND = 0xffff_ffff
