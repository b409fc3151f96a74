/** The native part: what `crates/spikewire-node` exports. */

import { load } from './loading.js'

/** A set, by its number: see `spaceNumber` in `key.ts`. */
export type Space = number
/** A client, by its number. */
export type Handle = number
/** The set of all rows of a batch, or those of each. */
export type Spaces = Space | readonly Space[]
/**
 * The rows of a batch. Where all keys are numbers, or all are strings, they come once more: as
 * numbers, or as all of the text with the lengths of the keys. See `gather.ts`.
 */
export type SentRows = [
  spaces: Spaces,
  keys: readonly unknown[],
  numbers: Float64Array | undefined,
  text: string | undefined,
]
/** A promise, by its number: see `slots.ts`. */
export type Slot = number

/** A query, by its number. */
export type QueryHandle = number

/**
 * Records of a query: whether the page is whole; records; digests of those without a user key, as
 * strings; user keys; names of sets, where they differ from that of the record before.
 */
export type QueryRun = [
  whole: boolean,
  records: unknown[],
  digests: (string | undefined)[],
  keys: unknown[],
  sets: (string | undefined)[],
]

/** What the native part calls; see `hooks.ts`. */
export type Hooks = [
  settle: (slot: Slot, value: unknown) => void,
  fail: (slot: Slot, error: unknown) => void,
  done: (...slots: Slot[]) => void,
  makeError: (
    kind: string,
    code: number,
    message: string,
    node: string | null,
    attempts: number,
    inDoubt: boolean,
  ) => unknown,
  makeFactory: (names: string[]) => unknown,
  makeRecord: (
    generation: number,
    ttl: number | null,
    names: string[],
    values: unknown[],
    results: unknown[] | null,
  ) => unknown,
  makeBatch: (codes: Int32Array, inDoubt: Int32Array | null) => unknown,
  makeRows: (names: string[], results: number | null, most: number) => unknown,
  failRow: (batch: unknown, row: number, error: unknown) => void,
  classify: (value: unknown) => number,
  unwrap: (value: unknown) => unknown,
  wrap: (sort: number, content: unknown) => unknown,
]

/** How Cargo compiled the native part. */
export interface Compiled {
  profile: string
  opt_level: string
  /** Flags of the environment and of Cargo's configuration; empty: none. */
  rustflags: string
  debug_assertions: boolean
  /** The commit, with `-dirty` behind it where files differed; empty where the build did not say. */
  built_from: string
}

/**
 * Functions of the native part, arguments by position. Bad input makes them throw. Those with a
 * slot settle its promise later.
 */
export interface Native {
  /** The version of the native part. */
  readonly version: string
  readonly build: Compiled
  /** Names the functions that it calls; once. */
  setup(...hooks: Hooks): void
  /** The number of a set. */
  space(namespace: string, set: string | undefined): Space
  /** Gives the handle of a client. Options are names, as the engine spells them, and values. */
  connect(
    slot: Slot,
    seeds: string,
    names: string[],
    values: unknown[],
    bigints: boolean,
    doubles: boolean,
    maps: boolean,
  ): void
  /** Closes every connection of a client. */
  close(client: Handle, slot: Slot): void
  /** Names and addresses of the nodes, in turns. */
  nodes(client: Handle): string[]
  /** The digest of a record. */
  digest(space: Space, key: unknown): Buffer
  /** The number of a list of bin names. */
  shape(names: string[]): number
  get(
    client: Handle,
    slot: Slot,
    space: Space,
    key: unknown,
    bins: unknown,
    options: unknown,
    hasDefault: boolean,
  ): void
  exists(client: Handle, slot: Slot, space: Space, key: unknown, options: unknown): void
  /** put, add, append, prepend by the number of the verb. The shape is a number, or the names. */
  write(
    client: Handle,
    slot: Slot,
    space: Space,
    key: unknown,
    options: unknown,
    verb: number,
    shape: number | string[],
    ...values: unknown[]
  ): void
  remove(client: Handle, slot: Slot, space: Space, key: unknown, options: unknown): void
  touch(client: Handle, slot: Slot, space: Space, key: unknown, options: unknown): void
  operate(
    client: Handle,
    slot: Slot,
    space: Space,
    key: unknown,
    operations: unknown,
    options: unknown,
  ): void
  apply(
    client: Handle,
    slot: Slot,
    space: Space,
    key: unknown,
    module: string,
    name: string,
    args: unknown,
    options: unknown,
  ): void
  /** The number of a list of bin names for all rows, or a number or the names for each. */
  putMany(
    client: Handle,
    slot: Slot,
    ...given: [
      ...rows: SentRows,
      shapes: number | readonly (number | string[])[],
      values: readonly unknown[],
      options: unknown,
    ]
  ): void
  /** Rows of five elements: see `rows.ts`. */
  batch(
    client: Handle,
    slot: Slot,
    ...given: [...rows: SentRows, rows: readonly unknown[], options: unknown]
  ): void
  getMany(
    client: Handle,
    slot: Slot,
    ...given: [...rows: SentRows, bins: unknown, options: unknown]
  ): void
  existsMany(client: Handle, slot: Slot, ...given: [...rows: SentRows, options: unknown]): void
  removeMany(client: Handle, slot: Slot, ...given: [...rows: SentRows, options: unknown]): void
  operateMany(
    client: Handle,
    slot: Slot,
    ...given: [...rows: SentRows, operations: unknown, options: unknown]
  ): void
  applyMany(
    client: Handle,
    slot: Slot,
    ...given: [...rows: SentRows, module: string, name: string, args: unknown, options: unknown]
  ): void
  /** The encoding of an operation on a list, a map, bits or a sketch. */
  operation(
    family: string,
    kind: string,
    bin: unknown,
    values: readonly unknown[],
    ctx: unknown,
    pad: unknown,
  ): Buffer
  /** The encoding of an operation on a bin, or on the record. */
  plainOperation(kind: string, ...given: readonly unknown[]): Buffer
  /** The encoding of an operation that reads or writes what an expression gives. */
  expressionOperation(
    kind: 'read' | 'write',
    bin: unknown,
    expression: unknown,
    flags: readonly unknown[],
  ): Buffer
  /** The encoding of a step of a path. */
  step(kind: string, at: unknown, create: unknown, pad: unknown, persist: unknown): Buffer
  /** The encoding of an expression. */
  expression(form: string, given: readonly unknown[]): Buffer
  /** The type of what an expression computes. */
  expressionKind(encoded: Uint8Array): string | undefined
  /** An expression as text. */
  expressionText(encoded: Uint8Array): string
  /** An expression as it goes over the wire. */
  expressionBytes(encoded: Uint8Array): Buffer
  /** Gives handle, addresses and names of nodes. A failure of the system: its name, and why. */
  clusterStart(slot: Slot, options: unknown): void
  clusterStop(cluster: number, slot: Slot): void
  clusterKill(cluster: number, slot: Slot, node: number): void
  clusterRestart(cluster: number, slot: Slot, node: number): void
  clusterInject(cluster: number, slot: Slot, node: number, faults: unknown): void
  clusterClearFaults(cluster: number, slot: Slot, node: number): void
  clusterTruncate(
    cluster: number,
    slot: Slot,
    namespace: string,
    set: string | null | undefined,
  ): void
  clusterSettled(cluster: number): boolean
  clusterAlive(cluster: number, node: number): boolean
  /** Numbers in the order of `NodeStats`. */
  clusterStats(cluster: number, node: number): number[]
  /** A query; nothing is sent. */
  query(
    client: Handle,
    space: Space,
    options: unknown,
    after: unknown,
    index: readonly unknown[] | undefined,
  ): QueryHandle
  /**
   * More records; `undefined` where they have to be waited for, `null` where there are none.
   * `taken`, here and below: how many more of those that were given are with the caller. `page`:
   * how many are wanted in all; 0: some.
   */
  queryRead(query: QueryHandle, taken: number, page: number): QueryRun | null | undefined
  /** Settles the promise when there may be more. */
  queryWait(query: QueryHandle, taken: number, slot: Slot): void
  /** How far the caller came. */
  queryCursor(query: QueryHandle, taken: number): Buffer
  /** Whether it is known that there are no more. */
  queryOver(query: QueryHandle, taken: number): boolean
  /** Ends it; how far the caller came. */
  queryClose(query: QueryHandle, taken: number): Buffer
  /** A node's answer to an info command. */
  info(client: Handle, slot: Slot, command: string, node: string | undefined): void
  truncate(
    client: Handle,
    slot: Slot,
    namespace: string,
    set: string | null | undefined,
    before: Date | undefined,
  ): void
  /** An administrative command is not waited for any more. */
  giveUp(client: Handle, slot: Slot): void
  /** Gives the name. Without a timeout the index is not waited for; 0: no limit. */
  indexCreate(
    client: Handle,
    slot: Slot,
    namespace: string,
    set: string | null | undefined,
    bin: unknown,
    kind: string,
    of: string | undefined,
    name: string | undefined,
    ctx: unknown,
    timeout: number | undefined,
  ): void
  indexWait(client: Handle, slot: Slot, namespace: string, name: string, timeout: number): void
  indexList(client: Handle, slot: Slot, namespace: string): void
  indexDrop(
    client: Handle,
    slot: Slot,
    namespace: string,
    set: string | null | undefined,
    name: string,
  ): void
  moduleRegister(client: Handle, slot: Slot, name: string, source: string, timeout: number): void
  moduleList(client: Handle, slot: Slot): void
  moduleSource(client: Handle, slot: Slot, name: string): void
  moduleRemove(client: Handle, slot: Slot, name: string): void
  /**
   * Many records as one table: in parts, or as an Arrow stream; or the number of a row that failed,
   * nothing, and its error.
   */
  getColumns(
    client: Handle,
    slot: Slot,
    ...given: [
      ...rows: SentRows,
      bins: unknown,
      options: unknown,
      schema: unknown[] | undefined,
      key: unknown,
      generation: unknown,
      ttl: unknown,
      lenient: boolean,
      asStream: boolean,
    ]
  ): void
  /** The tables of a query. A schema is names and types, in turns. */
  tables(
    query: QueryHandle,
    schema: unknown[] | undefined,
    rows: unknown,
    key: unknown,
    generation: unknown,
    ttl: unknown,
  ): number
  /**
   * The next table; `undefined`: it has to be waited for; `false`: others should have their turn;
   * `null`: there are no more.
   */
  tablesRead(tables: number, asStream: boolean): unknown[] | Buffer | undefined | false | null
  /** Checks the parts of an `IndexRange`. */
  indexRange(parts: readonly unknown[]): void
  /** Gives the number by which it can be given up. */
  aggregate(
    client: Handle,
    slot: Slot,
    space: Space,
    options: unknown,
    after: unknown,
    index: unknown,
    module: string,
    name: string,
    args: unknown,
  ): number
  aggregateGiveUp(aggregation: number): void
  /** Gives a job's number here, and its id on the nodes. */
  jobStart(
    client: Handle,
    slot: Slot,
    space: Space,
    kind: string,
    what: unknown,
    options: unknown,
    index: readonly unknown[] | undefined,
  ): void
  jobProgress(client: Handle, slot: Slot, job: number): void
  jobWait(client: Handle, slot: Slot, job: number, timeout: number | undefined): void
  jobAbort(client: Handle, slot: Slot, job: number): void
  /** Nothing here holds it any more. */
  release(resource: number): void
}

/** The native part of this copy of the package. */
export const native = load() as Native
