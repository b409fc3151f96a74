/** The Cassandra clients under test, used as their users would. */

import { join } from 'node:path'
import { connect, type Prepared, type Session } from 'spikewire/cql'
import { spikewireOptions } from './access.js'
import type { CqlJob } from './cql-job.js'

/** The id, number and blob of an item. */
export type Item = [id: string, number: number, payload: Uint8Array]

/** A connected client with a prepared statement. */
export interface CqlClient {
  insert(item: Item): Promise<unknown>
  /** Reads an item; every value is accessed. */
  select(id: string): Promise<Item>
  /** Reads a page; every value of every row is accessed. Returns the number of rows. */
  page(partition: number, columns: readonly string[]): Promise<number>
  /** The version of the protocol in use. */
  protocol(): string
  close(): Promise<void>
}

/** A client that can be measured if it is installed. */
export interface CqlCandidate {
  readonly name: string
  /** The type of a row as callers see it. */
  readonly rowType: string
  /** Loads the client and returns its version. Throws if it cannot be used. */
  load(): Promise<string>
  /** Connects and prepares the statement of an operation; requires `load`. */
  open(job: CqlJob, operation: CqlJob['operation']): Promise<CqlClient>
}

interface ItemRow {
  id: string
  number: number
  payload: Uint8Array
}

type AnyRow = { [column: string]: unknown }

/** Accesses every value of every row; throws if one is missing. */
function lookAtRows(rows: readonly AnyRow[], columns: readonly string[]): number {
  for (const row of rows) {
    for (const column of columns) {
      if (row[column] === undefined) throw new Error(`a row has no ${column}`)
    }
  }
  return rows.length
}

class SpikewireSession implements CqlClient {
  readonly #session: Session
  readonly #statement: Prepared
  readonly #pageSize: number

  constructor(session: Session, statement: Prepared, pageSize: number) {
    this.#session = session
    this.#statement = statement
    this.#pageSize = pageSize
  }

  insert(item: Item): Promise<unknown> {
    return this.#session.execute(this.#statement, item)
  }

  async select(id: string): Promise<Item> {
    const row = (await this.#session.execute<ItemRow>(this.#statement, [id])).first()
    if (row === undefined) throw new Error(`there is no item ${id}`)
    return [row.id, row.number, row.payload]
  }

  async page(partition: number, columns: readonly string[]): Promise<number> {
    const options = { pageSize: this.#pageSize }
    const { rows } = await this.#session.execute<AnyRow>(this.#statement, [partition], options)
    return lookAtRows(rows, columns)
  }

  protocol(): string {
    return `v${this.#session.protocolVersion}`
  }

  close(): Promise<void> {
    return this.#session.close()
  }
}

/** A session of this package's client. */
function sessionOf(job: CqlJob): Promise<Session> {
  const { user, password, tls } = spikewireOptions(job.access)
  const login = user === undefined ? {} : { user, password }
  return connect(`${job.host}:${job.port}`, { ...login, ...(tls && { tls }) })
}

/** The name of the server's data centre, which users of cassandra-driver know. */
async function datacenterOf(job: CqlJob): Promise<string> {
  const session = await sessionOf(job)
  try {
    return session.nodes[0]?.datacenter ?? ''
  } finally {
    await session.close()
  }
}

const SPIKEWIRE: CqlCandidate = {
  name: 'spikewire',
  rowType: 'object',
  load() {
    const { version } = require('spikewire/package.json') as { version: string }
    return Promise.resolve(version)
  },
  async open(job, operation) {
    const session = await sessionOf(job)
    const statement = await session.prepare(job.statements[operation])
    return new SpikewireSession(session, statement, job.page.size)
  },
}

/** The part of cassandra-driver's API that is used here. */
interface Driver {
  Client: new (options: object) => DriverClient
}

interface DriverClient {
  connect(): Promise<void>
  execute(query: string, parameters: unknown[], options: object): Promise<{ rows: AnyRow[] }>
  shutdown(): Promise<void>
  controlConnection?: { protocolVersion?: number }
}

class DriverSession implements CqlClient {
  readonly #client: DriverClient
  readonly #query: string
  readonly #pageSize: number

  constructor(client: DriverClient, query: string, pageSize: number) {
    this.#client = client
    this.#query = query
    this.#pageSize = pageSize
  }

  insert(item: Item): Promise<unknown> {
    return this.#client.execute(this.#query, item, { prepare: true })
  }

  async select(id: string): Promise<Item> {
    const { rows } = await this.#client.execute(this.#query, [id], { prepare: true })
    const row = rows[0] as ItemRow | undefined
    if (row === undefined) throw new Error(`there is no item ${id}`)
    return [row.id, row.number, row.payload]
  }

  async page(partition: number, columns: readonly string[]): Promise<number> {
    const options = { prepare: true, fetchSize: this.#pageSize }
    const { rows } = await this.#client.execute(this.#query, [partition], options)
    return lookAtRows(rows, columns)
  }

  protocol(): string {
    const version = this.#client.controlConnection?.protocolVersion
    return version === undefined ? '' : `v${version}`
  }

  close(): Promise<void> {
    return this.#client.shutdown()
  }
}

/** Where it may be installed: with the running program, with the lab, or in a checkout. */
const FOLDERS = [process.cwd(), __dirname, join(__dirname, './../../../node/peers')]

/** cassandra-driver, or what has its API. */
function driver(name: string, module: string, version: string): CqlCandidate {
  let library: Driver | undefined
  return {
    name,
    rowType: 'Row',
    load() {
      let location: string
      try {
        location = require.resolve(module, { paths: FOLDERS })
      } catch {
        return Promise.reject(new Error(`${module} is not installed`))
      }
      library = require(location) as Driver
      const file = require.resolve(version, { paths: FOLDERS })
      return Promise.resolve((require(file) as { version: string }).version)
    },
    async open(job, operation) {
      if (library === undefined) throw new Error(`${name} is not loaded`)
      const { user = '', password = '', tls } = job.access ?? {}
      if (tls !== undefined) throw new RangeError('the lab gives this client no TLS options')
      const client = new library.Client({
        contactPoints: [`${job.host}:${job.port}`],
        localDataCenter: await datacenterOf(job),
        ...(user === '' ? {} : { credentials: { username: user, password } }),
      })
      await client.connect()
      return new DriverSession(client, job.statements[operation], job.page.size)
    },
  }
}

/** The clients by name. */
export const CQL_CANDIDATES: { readonly [name: string]: CqlCandidate } = {
  spikewire: SPIKEWIRE,
  'spikewire/compat': driver(
    'spikewire/compat',
    'spikewire/compat/cassandra-driver',
    'spikewire/package.json',
  ),
  'cassandra-driver': driver(
    'cassandra-driver',
    'cassandra-driver',
    'cassandra-driver/package.json',
  ),
}
