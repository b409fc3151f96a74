/**
 * CPU time of statements of Cassandra in Node.js: of the session, of the drop-in for npm
 * cassandra-driver, and of that driver if it is in node/peers; in short interleaved rounds.
 *
 *     spikewire cassandra --canned --port 19042          # in another terminal: costs next to nothing
 *     node benches/cassandra.mjs 127.0.0.1:19042 [--rounds 25] [--in-flight 32] [--package FOLDER]
 *
 * Each client has a process of its own. Each line has the microseconds (user and system time) per
 * call that one round in ten is below, which other programs on the machine disturb least, the median,
 * and the median of the ratio to the session by round; then the median of the calls per second, and
 * that of the ratio to the last client by round. FOLDER is another build of the npm package,
 * such as one of an earlier commit, which is measured beside this one.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const HERE = fileURLToPath(import.meta.url)
const NODE = join(HERE, '../../node')
const DRIVER = join(NODE, 'peers/node_modules/cassandra-driver')
const CALLS = 8000
const TABLE = 'spikewire_bench.items'
const STATEMENTS = {
  insert: `INSERT INTO ${TABLE} (id, number, payload) VALUES (?, ?, ?)`,
  select: `SELECT id, number, payload FROM ${TABLE} WHERE id = ?`,
}
const require = createRequire(HERE)

/** The function that executes a statement with a client. */
async function executing([name, folder], at, statement) {
  if (name === 'session') {
    const session = await require(join(folder, 'dist/cql.js')).connect(at)
    const prepared = await session.prepare(statement)
    return (values) => session.execute(prepared, values)
  }
  const module = name === 'drop-in' ? join(folder, 'dist/compat/cassandra-driver/index.js') : folder
  const client = new (require(module).Client)({ contactPoints: [at], localDataCenter: 'dc1' })
  await client.connect()
  return (values) => client.execute(statement, values, { prepare: true })
}

/** Measures rounds as the parent asks for them. */
async function work(client, at, operation, inFlight) {
  const execute = await executing(client, at, STATEMENTS[operation])
  const rows = Array.from({ length: 4096 }, (_, n) => {
    const row = [`user:${String(n).padStart(8, '0')}`, n, Buffer.alloc(100, n)]
    return operation === 'insert' ? row : row.slice(0, 1)
  })
  process.on('message', async () => {
    let left = CALLS
    const [began, start] = [process.cpuUsage(), process.hrtime.bigint()]
    const task = async () => {
      while (left-- > 0) await execute(rows[left & 4095])
    }
    await Promise.all(Array.from({ length: inFlight }, task))
    const { user, system } = process.cpuUsage(began)
    const seconds = Number(process.hrtime.bigint() - start) / 1e9
    process.send([(user + system) / CALLS, CALLS / seconds])
  })
  process.on('disconnect', () => process.exit(0))
  process.send([0, 0])
}

const part = (times, share) => [...times].sort((a, b) => a - b)[Math.floor(times.length * share)]

async function main(at, { rounds, inFlight, other }) {
  const { connect } = require(join(NODE, 'dist/cql.js'))
  const session = await connect(at)
  const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
  const keyspace = `spikewire_bench WITH replication = ${replication}`
  await session.execute(`CREATE KEYSPACE IF NOT EXISTS ${keyspace}`)
  const columns = 'id text PRIMARY KEY, number int, payload blob'
  await session.execute(`CREATE TABLE IF NOT EXISTS ${TABLE} (${columns})`)
  await session.close()
  const clients = [
    ...[NODE, ...(other === undefined ? [] : [resolve(other)])].flatMap((folder) => [
      ['session', folder],
      ['drop-in', folder],
    ]),
    ...(existsSync(DRIVER) ? [['driver', DRIVER]] : []),
  ]
  for (const operation of Object.keys(STATEMENTS)) {
    const all = clients.map((client) => ({
      client,
      times: [],
      rates: [],
      child: fork(HERE, ['--work', JSON.stringify([client, at, operation, inFlight])]),
    }))
    await Promise.all(all.map(({ child }) => once(child, 'message')))
    // The first rounds compile the code.
    for (let round = -3; round < rounds; round++) {
      for (const { child, times, rates } of all) {
        child.send('round')
        const [[time, rate]] = await once(child, 'message')
        if (round < 0) continue
        times.push(time)
        rates.push(rate)
      }
    }
    const ratioOf = (own, others) =>
      part(
        own.map((value, at) => value / others[at]),
        0.5,
      ).toFixed(2)
    for (const { client, times, rates, child } of all) {
      const name = client[1] === resolve(other ?? '') ? `${client[0]} before` : client[0]
      const [low, middle] = [part(times, 0.1), part(times, 0.5)].map((time) => time.toFixed(2))
      const cost = `${low} us  ${middle} us  x${ratioOf(times, all[0].times)}`
      const speed = `${part(rates, 0.5).toFixed(0)}/s  x${ratioOf(rates, all.at(-1).rates)}`
      console.log(`${operation} ${name.padEnd(14)} ${cost}  ${speed}`)
      child.disconnect()
    }
  }
}

if (process.argv[2] === '--work') {
  await work(...JSON.parse(process.argv[3]))
} else {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '25' },
      'in-flight': { type: 'string', default: '32' },
      package: { type: 'string' },
    },
  })
  if (positionals.length !== 1) throw new Error('which server? HOST:PORT')
  const [rounds, inFlight] = [Number(values.rounds), Number(values['in-flight'])]
  await main(positionals[0], { rounds, inFlight, other: values.package })
}
