/** The real Cassandra for tests, and npm `cassandra-driver` for comparison. */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { connect, type Session, type SessionOptions } from 'spikewire/cql'
import { PACKAGE } from './programs.js'

/** The node's address: `make test-node` starts one (`tools/with_cassandra.py`). */
export const AT = process.env['SPIKEWIRE_CASSANDRA_AT'] ?? ''

/** Why there is no node; `false` if there is one. */
export const withoutCassandra: string | false =
  AT === '' &&
  (process.env['SPIKEWIRE_NO_CASSANDRA'] ?? 'SPIKEWIRE_CASSANDRA_AT is not set: use make test-node')

/** Opens a session with its own empty keyspace. */
export async function sessionIn(keyspace: string, options: SessionOptions = {}): Promise<Session> {
  const maker = await connect(AT, { timeout: 60_000 })
  try {
    await maker.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`)
    await maker.execute(
      `CREATE KEYSPACE ${keyspace} WITH replication = ` +
        "{'class': 'SimpleStrategy', 'replication_factor': 1}",
    )
  } finally {
    await maker.close()
  }
  return connect(AT, { timeout: 60_000, keyspace, ...options })
}

const FOLDER = join(PACKAGE, 'peers/node_modules/cassandra-driver')

/** Why npm `cassandra-driver` is unavailable; `false` if it is available. */
export const withoutDriver: string | false =
  !existsSync(FOLDER) && 'npm cassandra-driver is not installed: make node-peers'

/** The module, which has no types here. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const driver = (): any => createRequire(import.meta.url)(FOLDER)

/** Connects a client of it. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export async function connectDriver(keyspace: string): Promise<any> {
  const [host, port] = AT.split(',')[0]?.split(':') ?? []
  const client = new (driver().Client)({
    contactPoints: [host],
    protocolOptions: { port: Number(port) },
    localDataCenter: 'dc1',
    keyspace,
    socketOptions: { readTimeout: 60_000, connectTimeout: 20_000 },
    encoding: { set: Set, map: Map, useBigIntAsLong: true, useBigIntAsVarint: true },
  })
  await client.connect()
  return client
}
