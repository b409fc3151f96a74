/** What a client knows of its cluster: keyspaces, tables, and where tokens are. */

import { outcome } from '../../../bridge/callbacks.js'
import type { Keyspace, Schema } from '../../../cql/schema.js'
import type { Session } from '../../../cql/session.js'
import { ArgumentError } from '../errors.js'
import { translated } from '../failures.js'
import type { Host } from '../hosts.js'
import { Token, type Tokenizer, TokenRange } from '../token.js'
import { type DataType, getDataTypeNameByCode } from '../types/constants.js'
import type { Uuid, ValueCallback } from '../types/uuid.js'
import { Ring } from './ring.js'
import {
  type Aggregate,
  aggregateOf,
  functionOf,
  type MaterializedView,
  type SchemaFunction,
  type TableMetadata,
  tableOf,
  viewOf,
} from './tables.js'
import { isSchemaAgreed, type QueryTrace, readTrace } from './traces.js'
import { type Udt, udtOf } from './types.js'

/** A keyspace. */
export interface KeyspaceMetadata {
  name: string
  durableWrites: boolean
  /** The class of its replication. */
  strategy: string | undefined
  strategyOptions: { [name: string]: string } | undefined
  virtual: boolean
}

function keyspaceOf({ name, replication, durableWrites, isVirtual }: Keyspace): KeyspaceMetadata {
  const { class: strategy, ...strategyOptions } = replication
  return {
    name,
    durableWrites,
    strategy,
    strategyOptions: isVirtual ? undefined : (strategyOptions as { [name: string]: string }),
    virtual: isVirtual,
  }
}

/** What a client knows of its cluster. */
export class Metadata {
  /** The keyspaces by name. */
  keyspaces: { [name: string]: KeyspaceMetadata } = {}
  /** Whether the client has connected. */
  initialized = false
  #session: Session | undefined
  #ring: Ring | undefined
  #clearPrepared: (() => void) | undefined

  /** @internal Called once connected. */
  _start(session: Session, clearPrepared: () => void): void {
    this.#session = session
    this.#clearPrepared = clearPrepared
    this.initialized = true
  }

  /** @internal Called when nodes have changed. */
  _setHosts(tokenizer: Tokenizer, hosts: readonly Host[]): void {
    this.#ring = new Ring(tokenizer, hosts)
  }

  /** @internal Reads the schema again. */
  async _refresh(): Promise<Schema> {
    const schema = await this.#connected()
      .schema()
      .catch((error: unknown) => {
        throw translated(error)
      })
    const all = [...schema.keyspaces.values()]
    this.keyspaces = Object.fromEntries(all.map((it) => [it.name, keyspaceOf(it)]))
    return schema
  }

  #connected(): Session {
    if (this.#session !== undefined && this.initialized) return this.#session
    throw new Error('the metadata is not known yet: connect the client first')
  }

  /** Whether the cluster is a managed one. */
  isDbaas(): boolean {
    return false
  }

  /** The tokenizer of the cluster. */
  get tokenizer(): Tokenizer | undefined {
    return this.#ring?.tokenizer
  }

  /** The tokens, in order. */
  get ring(): readonly Token[] | undefined {
    return this.#ring?.tokens
  }

  /** Prepared statements are prepared again when they are next used. */
  clearPrepared(): void {
    this.#clearPrepared?.()
  }

  refreshKeyspace(name: string): Promise<KeyspaceMetadata | null>
  refreshKeyspace(name: string, callback: ValueCallback<KeyspaceMetadata | null>): void
  refreshKeyspace(
    name: string,
    callback?: ValueCallback<KeyspaceMetadata | null>,
  ): Promise<KeyspaceMetadata | null> | undefined {
    return outcome(
      this.#keyspaces().then((all) => all[name] ?? null),
      callback,
    )
  }

  refreshKeyspaces(waitReconnect?: boolean): Promise<{ [name: string]: KeyspaceMetadata }>
  refreshKeyspaces(callback: ValueCallback<{ [name: string]: KeyspaceMetadata }>): void
  refreshKeyspaces(
    waitReconnect: boolean,
    callback: ValueCallback<{ [name: string]: KeyspaceMetadata }>,
  ): void
  refreshKeyspaces(
    waitReconnect?: boolean | ValueCallback<{ [name: string]: KeyspaceMetadata }>,
    callback?: ValueCallback<{ [name: string]: KeyspaceMetadata }>,
  ): Promise<{ [name: string]: KeyspaceMetadata }> | undefined {
    const onEnd = typeof waitReconnect === 'function' ? waitReconnect : callback
    return outcome(this.#keyspaces(), onEnd)
  }

  async #keyspaces(): Promise<{ [name: string]: KeyspaceMetadata }> {
    await this._refresh()
    return this.keyspaces
  }

  /**
   * The nodes with the replicas of a token, or of a partition key; `null` if they are not known.
   *
   * @param keyspace - without one, the node that owns the token
   */
  getReplicas(
    keyspace: string | null | undefined,
    token: Buffer | Token | TokenRange | unknown,
  ): Host[] | null {
    const ring = this.#ring
    if (ring === undefined || ring.tokens.length === 0) return null
    const about = keyspace ? this.keyspaces[keyspace] : undefined
    if (keyspace && about === undefined) return null
    let at = token
    if (Buffer.isBuffer(token)) at = ring.tokenizer.hash(token)
    else if (token instanceof TokenRange) at = token.end
    if (!(at instanceof Token)) throw new TypeError('a Buffer, a Token or a TokenRange is required')
    return ring.replicas(at, about)
  }

  getTokenRanges(): Set<TokenRange> {
    return new Set(this.#ring?.ranges)
  }

  /** The ranges that a node has replicas of; `null` if they are not known. */
  getTokenRangesForHost(keyspace: string, host: Host): Set<TokenRange> | null {
    if (this.#ring === undefined) return null
    if (keyspace && this.keyspaces[keyspace] === undefined) return null
    const all = [...this.#ring.ranges]
    if (all.length === 1) return new Set(all)
    return new Set(all.filter((range) => this.getReplicas(keyspace, range)?.includes(host)))
  }

  /** The token of the parts of a partition key, or of text. */
  newToken(components: Buffer[] | Buffer | string): Token {
    const tokenizer = this.#tokenizer()
    if (typeof components === 'string') return tokenizer.parse(components)
    return tokenizer.hash(Array.isArray(components) ? Buffer.concat(components) : components)
  }

  newTokenRange(start: Token, end: Token): TokenRange {
    return new TokenRange(start, end, this.#tokenizer())
  }

  #tokenizer(): Tokenizer {
    if (this.#ring !== undefined) return this.#ring.tokenizer
    throw new Error('the partitioner is not known yet: connect the client first')
  }

  async #in<T>(keyspace: string, find: (keyspace: Keyspace) => T, or: T): Promise<T> {
    this.#connected()
    const about = (await this._refresh()).keyspaces.get(keyspace)
    return about === undefined ? or : find(about)
  }

  getTable(keyspace: string, name: string): Promise<TableMetadata | null>
  getTable(keyspace: string, name: string, callback: ValueCallback<TableMetadata | null>): void
  getTable(
    keyspace: string,
    name: string,
    callback?: ValueCallback<TableMetadata | null>,
  ): Promise<TableMetadata | null> | undefined {
    const match = this.#in<TableMetadata | null>(
      keyspace,
      (about) => {
        const table = about.tables.get(name)
        return table === undefined ? null : tableOf(about, table)
      },
      null,
    )
    return outcome(match, callback)
  }

  getMaterializedView(keyspace: string, name: string): Promise<MaterializedView | null>
  getMaterializedView(
    keyspace: string,
    name: string,
    callback: ValueCallback<MaterializedView | null>,
  ): void
  getMaterializedView(
    keyspace: string,
    name: string,
    callback?: ValueCallback<MaterializedView | null>,
  ): Promise<MaterializedView | null> | undefined {
    const match = this.#in<MaterializedView | null>(
      keyspace,
      (about) => {
        const view = about.views.get(name)
        return view === undefined ? null : viewOf(about, view)
      },
      null,
    )
    return outcome(match, callback)
  }

  getUdt(keyspace: string, name: string): Promise<Udt | null>
  getUdt(keyspace: string, name: string, callback: ValueCallback<Udt | null>): void
  getUdt(
    keyspace: string,
    name: string,
    callback?: ValueCallback<Udt | null>,
  ): Promise<Udt | null> | undefined {
    const match = this.#in<Udt | null>(keyspace, (about) => udtOf(name, about), null)
    return outcome(match, callback)
  }

  async #functions(keyspace: string, name: string): Promise<SchemaFunction[]> {
    checkNames(keyspace, name, 'function')
    return this.#in<SchemaFunction[]>(
      keyspace,
      (about) =>
        [...about.functions.values()]
          .filter((it) => it.name === name)
          .map((it) => functionOf(about, it)),
      [],
    )
  }

  async #aggregates(keyspace: string, name: string): Promise<Aggregate[]> {
    checkNames(keyspace, name, 'aggregate')
    return this.#in<Aggregate[]>(
      keyspace,
      (about) =>
        [...about.aggregates.values()]
          .filter((it) => it.name === name)
          .map((it) => aggregateOf(about, it)),
      [],
    )
  }

  /** The user-defined functions of a name. */
  getFunctions(keyspace: string, name: string): Promise<SchemaFunction[]>
  getFunctions(keyspace: string, name: string, callback: ValueCallback<SchemaFunction[]>): void
  getFunctions(
    keyspace: string,
    name: string,
    callback?: ValueCallback<SchemaFunction[]>,
  ): Promise<SchemaFunction[]> | undefined {
    return outcome(this.#functions(keyspace, name), callback)
  }

  /** The user-defined function with these types of arguments, or `null`. */
  getFunction(
    keyspace: string,
    name: string,
    signature: readonly (string | DataType)[],
  ): Promise<SchemaFunction | null>
  getFunction(
    keyspace: string,
    name: string,
    signature: readonly (string | DataType)[],
    callback: ValueCallback<SchemaFunction | null>,
  ): void
  getFunction(
    keyspace: string,
    name: string,
    signature: readonly (string | DataType)[],
    callback?: ValueCallback<SchemaFunction | null>,
  ): Promise<SchemaFunction | null> | undefined {
    const match = async () => withSignature(signature, () => this.#functions(keyspace, name))
    return outcome(match(), callback)
  }

  /** The user-defined aggregates of a name. */
  getAggregates(keyspace: string, name: string): Promise<Aggregate[]>
  getAggregates(keyspace: string, name: string, callback: ValueCallback<Aggregate[]>): void
  getAggregates(
    keyspace: string,
    name: string,
    callback?: ValueCallback<Aggregate[]>,
  ): Promise<Aggregate[]> | undefined {
    return outcome(this.#aggregates(keyspace, name), callback)
  }

  /** The user-defined aggregate with these types of arguments, or `null`. */
  getAggregate(
    keyspace: string,
    name: string,
    signature: readonly (string | DataType)[],
  ): Promise<Aggregate | null>
  getAggregate(
    keyspace: string,
    name: string,
    signature: readonly (string | DataType)[],
    callback: ValueCallback<Aggregate | null>,
  ): void
  getAggregate(
    keyspace: string,
    name: string,
    signature: readonly (string | DataType)[],
    callback?: ValueCallback<Aggregate | null>,
  ): Promise<Aggregate | null> | undefined {
    const match = async () => withSignature(signature, () => this.#aggregates(keyspace, name))
    return outcome(match(), callback)
  }

  /**
   * The trace of a statement executed with `traceQuery: true`.
   *
   * @throws Error if it is not complete after five looks
   */
  getTrace(traceId: Uuid, consistency?: number | null): Promise<QueryTrace>
  getTrace(traceId: Uuid, callback: ValueCallback<QueryTrace>): void
  getTrace(traceId: Uuid, consistency: number | null, callback: ValueCallback<QueryTrace>): void
  getTrace(
    traceId: Uuid,
    consistency?: number | null | ValueCallback<QueryTrace>,
    callback?: ValueCallback<QueryTrace>,
  ): Promise<QueryTrace> | undefined {
    if (typeof consistency === 'function') return outcome(this.#trace(traceId, null), consistency)
    return outcome(this.#trace(traceId, consistency ?? null), callback)
  }

  async #trace(traceId: Uuid, consistency: number | null): Promise<QueryTrace> {
    return readTrace(this.#connected(), traceId, consistency)
  }

  /** Whether all nodes have the same version of the schema. */
  checkSchemaAgreement(): Promise<boolean>
  checkSchemaAgreement(callback: ValueCallback<boolean>): void
  checkSchemaAgreement(callback?: ValueCallback<boolean>): Promise<boolean> | undefined {
    return outcome(
      (async () => isSchemaAgreed(this.#connected()))().catch(() => false),
      callback,
    )
  }
}

function checkNames(keyspace: unknown, name: unknown, what: string): void {
  if (keyspace && name) return
  throw new ArgumentError(`a keyspace and the name of the ${what} are required`)
}

async function withSignature<T extends { signature: string[] }>(
  signature: readonly (string | DataType)[],
  find: () => Promise<T[]>,
): Promise<T | null> {
  if (!Array.isArray(signature)) throw new ArgumentError('a signature is an array of types')
  const expected = signature.map((type: string | DataType) =>
    typeof type === 'string' ? type : getDataTypeNameByCode(type),
  )
  const all = await find()
  return all.find((it) => it.signature.join(',') === expected.join(',')) ?? null
}
