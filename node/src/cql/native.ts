/** The native part as far as it is about Cassandra: what `crates/spikewire-node/src/cql` exports. */

import type { Slot } from '../native.js'
import { native as all } from '../native.js'

/** A session, by its number. */
export type Handle = number
/** A prepared statement by its number, or text. */
export type SentStatement = number | string

/** What the native part calls; see `hooks.ts`. */
export type CqlHooks = [
  makeError: (
    kind: string,
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
  ) => unknown[],
  makeFactory: (names: string[]) => (...values: unknown[]) => unknown,
  makeRows: (
    columns: unknown,
    rows: unknown[],
    pagingState: Buffer | null,
    node: string,
    attempts: number,
    agreed: boolean,
    extras: [warnings: string[], tracingIds: string[], payload: unknown[]] | null,
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
]

/** Functions of the native part. Bad input makes them throw; those with a slot settle its promise later. */
export interface CqlNative {
  /** Names the functions that it calls; once. */
  cqlSetup(...hooks: CqlHooks): void
  /** Gives the handle of a session. */
  cqlConnect(slot: Slot, contactPoints: string, names: string[], values: unknown[]): void
  cqlClose(session: Handle, slot: Slot): void
  /** Address, datacenter, rack, release and whether it is up, of each node in turns. */
  cqlNodes(session: Handle): (string | boolean)[]
  cqlKeyspace(session: Handle): string | null
  cqlVersion(session: Handle): number
  /** What `make` makes of the names of the fields makes values of the type. */
  cqlRegisterType(
    session: Handle,
    name: string,
    make: (names: string[]) => (...values: unknown[]) => unknown,
  ): void
  /** Values are in the array, or, without one, behind it. */
  cqlExecute(
    session: Handle,
    slot: Slot,
    page: boolean,
    statement: SentStatement,
    options: object | undefined,
    array?: readonly unknown[] | undefined,
    ...values: readonly unknown[]
  ): void
  /** Checks how a call with many rows goes; whether errors are among its results. */
  cqlHowMany(concurrency: number, errors: string, results: boolean): boolean
  /** Gives the number of a prepared statement with its values. */
  cqlBind(statement: number, array: readonly unknown[]): number
  cqlExecuteBound(
    session: Handle,
    slot: Slot,
    page: boolean,
    bound: number,
    options: object | undefined,
  ): void
  cqlPrepare(session: Handle, slot: Slot, text: string, options: object | undefined): void
  /** The count of a bound statement is `BOUND`. */
  cqlBatch(
    session: Handle,
    slot: Slot,
    kind: number,
    options: object | undefined,
    statements: readonly SentStatement[],
    counts: readonly number[],
    values: readonly unknown[],
  ): void
  /** Nothing here holds it any more. */
  release(resource: number): void
}

/** The native part of this copy of the package. */
export const native = all as unknown as CqlNative

/** The count of values of a statement of a batch that has its own already. */
export const BOUND = 0xffff_ffff
