// CPU per call and per row: of the session of spikewire/cql, of the drop-in for npm cassandra-driver, and of
// the driver, against a running Cassandra whose datacenter is dc1.
//
//  node tools/driver_calls_node.cjs HOST:PORT
//
// Needs the built package (make node) and the clients in node/peers. Calls read one row by its key, 32 in
// flight; rows have four columns (int, bigint, text, uuid), 5,000 per page.

'use strict'

const { execFileSync } = require('node:child_process')
const path = require('node:path')

const NODE = path.join(__dirname, '..', 'node')
const [at, which] = process.argv.slice(2)
const CALLS = 20_000
const PAGES = 40
const ROWS = 5000
const SELECT = 'SELECT * FROM driver_calls.items WHERE id = ?'
const PAGE = `SELECT * FROM driver_calls.items LIMIT ${ROWS}`

/** Makes the table and its rows. */
async function fill() {
  const { connect } = require(path.join(NODE, 'dist', 'cql.js'))
  const session = await connect(at, { timeout: 60_000 })
  const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
  await session.execute(`CREATE KEYSPACE IF NOT EXISTS driver_calls WITH replication = ${replication}`)
  await session.execute('DROP TABLE IF EXISTS driver_calls.items')
  await session.execute(
    'CREATE TABLE driver_calls.items (id int PRIMARY KEY, sold bigint, name text, code uuid)',
  )
  const code = '00000000-0000-4000-8000-000000000001'
  const rows = Array.from({ length: ROWS }, (_, id) => [id, id * 1000, `name${id}`, code])
  const insert = 'INSERT INTO driver_calls.items (id, sold, name, code) VALUES (?, ?, ?, ?)'
  await session.executeMany(insert, rows, { results: false })
  await session.close()
}

/** What reads a row, what reads a page, and what closes it. */
async function clientOf(name) {
  if (name === 'session') {
    const { connect } = require(path.join(NODE, 'dist', 'cql.js'))
    const session = await connect(at)
    const [one, page] = [await session.prepare(SELECT), await session.prepare(PAGE)]
    return [(id) => session.page(one, [id]), () => session.page(page), () => session.close()]
  }
  const from =
    name === 'drop-in'
      ? path.join(NODE, 'dist', 'compat', 'cassandra-driver', 'index.js')
      : path.join(NODE, 'peers', 'node_modules', 'cassandra-driver')
  const { Client } = require(from)
  const client = new Client({ contactPoints: [at], localDataCenter: 'dc1' })
  await client.connect()
  const prepare = { prepare: true }
  return [
    (id) => client.execute(SELECT, [id], prepare),
    () => client.execute(PAGE, [], prepare),
    () => client.shutdown(),
  ]
}

/** Microseconds of CPU that so many calls take, each. */
async function measured(call, calls, atOnce) {
  const start = process.cpuUsage()
  let next = 0
  const worker = async () => {
    while (next < calls) await call(next++ % ROWS)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

async function measure(name) {
  const [one, page, close] = await clientOf(name)
  await measured(one, 3000, 32)
  await measured(page, 5, 1)
  const call = await measured(one, CALLS, 32)
  const row = (await measured(page, PAGES, 1)) / ROWS
  console.log(`${name}: ${call.toFixed(1)} us per call, ${row.toFixed(2)} us per row`)
  await close()
}

async function main() {
  if (at === undefined) throw new Error('usage: driver_calls_node.cjs HOST:PORT')
  if (which !== undefined) return measure(which)
  await fill()
  for (const name of ['session', 'drop-in', 'driver', 'session', 'drop-in', 'driver']) {
    execFileSync(process.execPath, [__filename, at, name], { stdio: 'inherit' })
  }
}

main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
