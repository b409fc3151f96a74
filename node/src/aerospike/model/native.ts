/** Types of the native functions for Aerospike, exported by `crates/spikewire-node`. */

import { type Handle, type NativePart, nativePart, type Slot } from '../../addon/native.js'
import type { ErrorDetails } from './details.js'

/** The number of a set; see `spaceNumber` in `key.ts`. */
export type Space = number
/** The set common to all rows of a batch, or one per row. */
export type Spaces = Space | readonly Space[]
/**
 * The rows of a batch. If all keys are numbers, or all are strings, they are passed a second time:
 * as numbers, or as concatenated text with the keys' lengths. See `gather.ts`.
 */
export type SentRows = [
  spaces: Spaces,
  keys: readonly unknown[],
  numbers: Float64Array | undefined,
  text: string | undefined,
]
/** The number of a query. */
export type QueryHandle = number

/**
 * Records of a query: whether the page is complete; the records; the digests of those without a
 * user key, as strings; the user keys; and the names of their sets, where they differ from the
 * previous record's.
 */
export type QueryRun = [
  whole: boolean,
  records: unknown[],
  digests: (string | undefined)[],
  keys: unknown[],
  sets: (string | undefined)[],
]

/** What a recording holds. */
export type RecordingFields = [
  state: 'running' | 'stopped' | 'full' | 'closed' | 'failed',
  calls: number,
  dropped: number,
  bytes: number,
  seconds: number,
]

/** The functions that the native part calls; see `hooks.ts`. */
export type Hooks = [
  settle: (slot: Slot, value: unknown) => void,
  fail: (slot: Slot, error: unknown) => void,
  done: (...slots: Slot[]) => void,
  makeError: (
    className: string,
    code: number,
    message: string,
    node: string | null,
    attempts: number,
    inDoubt: boolean,
    details: ErrorDetails | null,
  ) => unknown,
  makeFactory: (names: string[]) => unknown,
  makeRecord: (
    generation: number,
    ttl: number | null,
    names: string[],
    values: unknown[],
    results: unknown[] | null,
  ) => unknown,
  makeBatch: (codes: Int32Array, inDoubt: Int32Array | null, late: Int32Array | null) => unknown,
  makeRows: (
    names: string[],
    results: number | null,
    most: number,
    shared: readonly boolean[] | null,
  ) => unknown,
  failRow: (batch: unknown, row: number, error: unknown) => void,
  classify: (value: unknown) => number,
  unwrap: (value: unknown) => unknown,
  wrap: (sort: number, content: unknown) => unknown,
  postpone: (slot: Slot) => void,
  handOver: (handOver: number) => void,
]

/**
 * Native functions, with positional arguments. They throw on invalid input. Those with a slot
 * settle its promise later.
 */
export interface AerospikeNative extends NativePart {
  /** Passes the functions that the native part calls; must be called once. */
  setup(...hooks: Hooks): void
  /** The number of a set. */
  space(namespace: string, set: string | undefined): Space
  /**
   * Settles the slot with a client's handle; returns the number to abandon it with. Options are the
   * engine's names, and values.
   */
  connect(
    slot: Slot,
    seeds: string,
    names: string[],
    values: unknown[],
    bigints: boolean,
    doubles: boolean,
    maps: boolean,
  ): number
  /** What is wrong with a profile, and where; its settings: section, option, place, value. */
  profileCompile(sections: unknown): [place: string | null, message: string | null, flat: unknown[]]
  /**
   * What is wrong with a file, its line and the key; names and settings of its profiles in turn:
   * section, option, place, value, source.
   */
  profileFile(
    bytes: Uint8Array,
    name: string,
  ): [message: string | null, line: number | null, key: string, flat: unknown[]]
  /** Verb, whether it writes, mode and numbers of settings, for sections and options in turn. */
  profileCalls(places: string[]): unknown[]
  /** Option, number of its source and default, for the names of options that are set. */
  profileExplain(
    verb: string,
    writing: boolean,
    valued: string[],
    empty: string[],
    ofProfile: string[],
    ofClient: string[],
  ): unknown[]
  /** Rejects options that a verb does not take, and invalid values. */
  profileCheck(verb: string, option: string, value: unknown): void
  /** Whether any of the operations writes. */
  operationsWrite(operations: readonly unknown[]): boolean
  /** Whether a namespace is strongly consistent; `null`: there is none of this name. */
  isStrong(client: Handle, namespace: string): boolean | null
  /** Closes every connection of a client. */
  close(client: Handle, slot: Slot): void
  /** Names and addresses of the nodes, alternating. */
  nodes(client: Handle): string[]
  /** Whether calls that are made from now on return lists and maps of bins as encoded Buffers. */
  encodedCollections(client: Handle, encoded: boolean): void
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
  /**
   * put, add, append or prepend, by the number of the verb. The shape is a number or the bin names.
   */
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
  /**
   * `shapes` is the number of a list of bin names for all rows, or a number or the names for each.
   */
  putMany(
    client: Handle,
    slot: Slot,
    ...args: [
      ...rows: SentRows,
      shapes: number | readonly (number | string[])[],
      values: readonly unknown[],
      options: unknown,
    ]
  ): void
  /** Writes some rows of a table, from one on; returns their keys. */
  putTable(
    client: Handle,
    slot: Slot,
    space: Space,
    table: Handle,
    key: string,
    bins: readonly string[] | undefined,
    removes: boolean,
    from: number,
    options: unknown,
  ): unknown[]
  /** Each row has five elements; see `rows.ts`. */
  batch(
    client: Handle,
    slot: Slot,
    ...args: [...rows: SentRows, rows: readonly unknown[], options: unknown]
  ): void
  getMany(
    client: Handle,
    slot: Slot,
    ...args: [...rows: SentRows, bins: unknown, options: unknown]
  ): void
  existsMany(client: Handle, slot: Slot, ...args: [...rows: SentRows, options: unknown]): void
  removeMany(client: Handle, slot: Slot, ...args: [...rows: SentRows, options: unknown]): void
  operateMany(
    client: Handle,
    slot: Slot,
    ...args: [...rows: SentRows, operations: unknown, options: unknown]
  ): void
  applyMany(
    client: Handle,
    slot: Slot,
    ...args: [...rows: SentRows, module: string, name: string, args: unknown, options: unknown]
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
  plainOperation(kind: string, ...args: readonly unknown[]): Buffer
  /** The encoding of an operation that reads or writes the value of an expression. */
  expressionOperation(
    kind: 'read' | 'write',
    bin: unknown,
    expression: unknown,
    flags: readonly unknown[],
  ): Buffer
  /** The encoding of an operation on the elements at the end of a path. */
  pathOperation(
    kind: string,
    bin: unknown,
    path: unknown,
    returning: unknown,
    value: unknown,
    noFail: unknown,
  ): Buffer
  /** The encoding of a step of a path to several elements. */
  severalStep(kind: string, keys?: unknown): Buffer
  /** The encoding of a step of a path that has a filter. */
  filterStep(kind: string, filter: unknown): Buffer
  /** The encoding of a step of a path. */
  step(kind: string, at: unknown, create: unknown, pad: unknown, persist: unknown): Buffer
  /** The encoding of an expression. */
  expression(form: string, args: readonly unknown[]): Buffer
  /** The type of an expression's value. */
  expressionKind(encoded: Uint8Array): string | undefined
  /** An expression as text. */
  expressionText(encoded: Uint8Array): string
  /** The wire format of an expression. */
  expressionBytes(encoded: Uint8Array): Buffer
  /** Creates a query; nothing is sent yet. */
  query(
    client: Handle,
    space: Space,
    options: unknown,
    after: unknown,
    index: readonly unknown[] | undefined,
  ): QueryHandle
  /**
   * Returns more records, `undefined` if they must be waited for, or `null` if there are no more.
   * `consumed`, here and below: how many more of the records returned have been consumed. `page`:
   * how many records are requested in total; 0: any number.
   */
  queryRead(query: QueryHandle, consumed: number, page: number): QueryRun | null | undefined
  /** Settles the slot when there may be more records. */
  queryWait(query: QueryHandle, consumed: number, slot: Slot): void
  /** The cursor behind the records consumed. */
  queryCursor(query: QueryHandle, consumed: number): Buffer
  /** Whether it is certain that there are no more records. */
  queryOver(query: QueryHandle, consumed: number): boolean
  /** Ends the query and returns the cursor. */
  queryClose(query: QueryHandle, consumed: number): Buffer
  queryAborted(client: Handle, namespace: string, first: number, count: number): void
  /** The number of a recording that has begun, or the system's error name and the message. */
  transactionBegin(client: Handle, timeout: number | undefined): Handle
  transactionFacts(transaction: Handle): [id: string, state: string, namespace: string]
  /** `how`: by a call, or at the end of a block that has succeeded or failed. */
  transactionEnd(
    transaction: Handle,
    slot: Slot,
    how: 'commit' | 'abort' | 'succeeded' | 'failed',
  ): void
  transactionRetries(attempts: number | undefined, limit: number | undefined): Handle
  /** Milliseconds until the next attempt after an error; `undefined` if there is none. */
  transactionPause(
    retries: Handle,
    code: number,
    part: string | undefined,
    inDoubt: boolean,
  ): number | undefined
  /** Throws the error for what is no part of transactions. */
  transactionOutside(what: 'query' | 'job' | 'client'): never
  transactionRelease(transactionOrRetries: Handle): void
  recordingStart(
    client: Handle,
    path: string,
    options: unknown,
  ): Handle | [code: string, message: string]
  recordingSummary(recording: Handle): RecordingFields
  /** Settles the slot with its fields, or with the system's error name and the message. */
  recordingStop(recording: Handle, slot: Slot): void
  /** A node's answer to an info command. */
  info(client: Handle, slot: Slot, command: string, node: string | undefined): void
  truncate(
    client: Handle,
    slot: Slot,
    namespace: string,
    set: string | null | undefined,
    before: Date | undefined,
  ): void
  /** A call in flight, which nobody waits for any more, does not keep the process alive. */
  abandon(client: Handle, slot: Slot): void
  /** Stops waiting for an administrative command. */
  giveUp(client: Handle, slot: Slot): void
  /**
   * Settles the slot with the index's name. Without a timeout, does not wait for the index; 0: no
   * limit.
   */
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
  indexCreateOnSet(
    client: Handle,
    slot: Slot,
    namespace: string,
    set: string,
    name: string | undefined,
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
  userCreate(
    client: Handle,
    slot: Slot,
    name: string,
    password: string | null | undefined,
    roles: readonly string[],
    timeout: number,
  ): void
  userDrop(client: Handle, slot: Slot, name: string, timeout: number): void
  userSetPassword(client: Handle, slot: Slot, name: string, password: string, timeout: number): void
  userChangePassword(client: Handle, slot: Slot, password: string, timeout: number): void
  userGrant(
    client: Handle,
    slot: Slot,
    name: string,
    roles: readonly string[],
    timeout: number,
  ): void
  userRevoke(
    client: Handle,
    slot: Slot,
    name: string,
    roles: readonly string[],
    timeout: number,
  ): void
  userGet(client: Handle, slot: Slot, name: string, timeout: number): void
  userList(client: Handle, slot: Slot, timeout: number): void
  roleCreate(
    client: Handle,
    slot: Slot,
    name: string,
    privileges: readonly unknown[],
    allow: readonly string[],
    readQuota: number | undefined,
    writeQuota: number | undefined,
    timeout: number,
  ): void
  roleDrop(client: Handle, slot: Slot, name: string, timeout: number): void
  roleGrant(
    client: Handle,
    slot: Slot,
    name: string,
    privileges: readonly unknown[],
    timeout: number,
  ): void
  roleRevoke(
    client: Handle,
    slot: Slot,
    name: string,
    privileges: readonly unknown[],
    timeout: number,
  ): void
  roleSetAllowed(
    client: Handle,
    slot: Slot,
    name: string,
    allow: readonly string[],
    timeout: number,
  ): void
  roleSetQuotas(
    client: Handle,
    slot: Slot,
    name: string,
    read: number | undefined,
    write: number | undefined,
    timeout: number,
  ): void
  roleGet(client: Handle, slot: Slot, name: string, timeout: number): void
  roleList(client: Handle, slot: Slot, timeout: number): void
  /**
   * Reads many records as one table: its parts, or an Arrow stream. If a row failed: its number,
   * undefined, and its error.
   */
  getColumns(
    client: Handle,
    slot: Slot,
    ...args: [
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
  /**
   * Records as one table: its parts, or an Arrow stream. `shapes` as for `putMany`, `null` for rows
   * without a record; `heads` has generation and seconds to live, alternating.
   */
  recordColumns(
    shapes: readonly (number | string[] | null)[],
    values: readonly unknown[],
    heads: readonly (number | null)[],
    keys: readonly unknown[],
    schema: unknown[] | undefined,
    key: unknown,
    generation: unknown,
    ttl: unknown,
    asStream: boolean,
  ): unknown[] | Buffer
  /** Creates the tables of a query. A schema is names and types, alternating. */
  tables(
    query: QueryHandle,
    schema: unknown[] | undefined,
    rows: unknown,
    key: unknown,
    generation: unknown,
    ttl: unknown,
  ): number
  /**
   * Returns the next table; `undefined`: it must be waited for; `false`: other tasks should run
   * first; `null`: there are no more.
   */
  tablesRead(tables: number, asStream: boolean): unknown[] | Buffer | undefined | false | null
  /** Validates the parts of an `IndexRange`. */
  indexRange(parts: readonly unknown[]): void
  /** Returns the number by which the aggregation can be cancelled. */
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
  /** Cancels an aggregation, or a wait for a plan. */
  aggregateGiveUp(aggregation: number): void
  /** Settles the slot with the parts of a `QueryPlan`; returns the number to cancel it with. */
  explain(
    client: Handle,
    slot: Slot,
    space: Space,
    options: unknown,
    after: unknown,
    index: unknown,
  ): number
  /** Settles the slot with the job's local number and its id on the nodes. */
  jobStart(
    client: Handle,
    slot: Slot,
    space: Space,
    kind: string,
    what: unknown,
    options: unknown,
    index: readonly unknown[] | undefined,
  ): void
  /** The local number of a job by its id on the nodes, whoever has started it. */
  jobOfId(client: Handle, id: number): number
  jobProgress(client: Handle, slot: Slot, job: number): void
  jobWait(client: Handle, slot: Slot, job: number, timeout: number | undefined): void
  jobAbort(client: Handle, slot: Slot, job: number): void
}

/** The native part of this copy of the package. */
export const native = nativePart as AerospikeNative
