/**
 * CPU time of calls through the Node.js builder, compared with the verb, in this process.
 *
 *     node benches/builder.mjs [--rounds 31] [WORD...]   # only cases with such a word in their names
 *
 * Verb and builder alternate; the embedded cluster is another process. Each line has the median of
 * both in microseconds (user and system time) per call, or per row where there are several, and the
 * median of their ratio by round. TASKS calls are in flight. The last line compares `concurrent` with
 * `Promise.all`. Needs the built package (`make node`).
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, op, Read, Write } from '../node/dist/index.mjs'
import { Cluster } from '../node/dist/testing.mjs'

const CALLS = 6400
const TASKS = 32
const ROWS = 128

if (process.argv[2] === '--serve') {
  const cluster = await Cluster.start({ nodes: 1 })
  process.send(cluster.seeds)
  process.on('disconnect', () => cluster.close().then(() => process.exit(0)))
} else {
  await main()
}

/** The cases: a name, the rows of a call, the verb, the builder. */
function casesOf(client) {
  const session = client.session()
  const users = client.dataset('test', 'cost')
  const key = users.key('alice')
  const keys = users.keys(Array.from({ length: ROWS }, (_, n) => n))
  const each = () => {
    let step = session
    keys.forEach((key, n) => {
      step = step.upsert(key).put({ n, m: 'text' })
    })
    return step.execute()
  }
  const mixed = () => {
    let step = session
    for (let n = 0; n < ROWS; n += 4) {
      step = step.upsert(keys[n]).set('n', n).set('m', 'text')
      step = step.query(keys[n + 1]).bins('n')
      step = step.update(keys[n + 2]).add('n', 1).get('n')
      step = step.exists(keys[n + 3])
    }
    return step.execute({ onError: 'collect' })
  }
  const batch = () => {
    const rows = []
    for (let n = 0; n < ROWS; n += 4) {
      rows.push(new Write(keys[n], { n, m: 'text' }))
      rows.push(new Read(keys[n + 1], { bins: ['n'] }))
      rows.push(new Write(keys[n + 2], [op.add('n', 1), op.get('n')], { exists: 'update' }))
      rows.push(new Read(keys[n + 3], { bins: [] }))
    }
    return client.batch(rows)
  }
  const concurrent = async () => {
    for await (const _ of client.concurrent(keys, (key) => client.get(key))) {
    }
  }
  const puts = () => [op.put('n', 1), op.put('m', 'text')]
  let turn = 0
  const next = () => turn++ % ROWS
  return [
    ['get', 1, () => client.get(key), () => session.query(key).first()],
    [
      ...['get of one bin', 1],
      () => client.get(key, { bins: ['n'] }),
      () => session.query(key).bins('n').first(),
    ],
    [
      ...['get by a new key', 1],
      () => users.get(next()),
      () => session.query(users.key(next())).first(),
    ],
    [
      ...['put by a new key', 1],
      () => users.put(next(), { n: 1, m: 2 }),
      () => session.upsert(users.key(next())).put({ n: 1, m: 2 }).execute(),
    ],
    ['put', 1, () => client.put(key, { n: 1 }), () => session.upsert(key).set('n', 1).execute()],
    [
      ...['put with ttl', 1],
      () => client.put(key, { n: 1, m: 2 }, { ttl: 3600 }),
      () => session.upsert(key).set('n', 1).set('m', 2).ttl(3600).execute(),
    ],
    [
      ...['operate', 1],
      () => client.operate(key, [op.add('n', 1), op.get('n')]),
      () => session.upsert(key).add('n', 1).get('n').execute(),
    ],
    ['exists', 1, () => client.exists(key), () => session.exists(key).execute()],
    ['touch', 1, () => client.touch(key), () => session.touch(key).execute()],
    [
      ...['same for all', ROWS],
      () => client.operateMany(keys, puts()),
      () => session.upsert(keys).set('n', 1).set('m', 'text').execute(),
    ],
    ['read all', ROWS, () => client.getMany(keys), () => session.query(keys).execute()],
    [
      ...['each its own', ROWS],
      () => client.batch(keys.map((key, n) => new Write(key, { n, m: 'text' }))),
      each,
    ],
    ['mixed', ROWS, batch, mixed],
    ['concurrent', ROWS, () => Promise.all(keys.map((key) => client.get(key))), concurrent],
  ]
}

/** Microseconds of CPU time per row. */
async function cost(call, rows) {
  const count = Math.max(Math.floor(CALLS / rows), 64)
  const began = process.cpuUsage()
  let left = count
  const task = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: rows === 1 ? TASKS : 2 }, task))
  const { user, system } = process.cpuUsage(began)
  return (user + system) / count / rows
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

async function main() {
  const args = process.argv.slice(2)
  const at = args.indexOf('--rounds')
  const rounds = at < 0 ? 31 : Number(args.splice(at, 2)[1])
  const server = fork(fileURLToPath(import.meta.url), ['--serve'])
  const [seeds] = await once(server, 'message')
  const client = await Client.connect(seeds, { timeout: 30_000 })
  try {
    const users = client.dataset('test', 'cost')
    await users.put('alice', { n: 1, m: 2 })
    await users.putMany(Array.from({ length: ROWS }, (_, n) => [n, { n, m: 'text' }]))
    for (const [name, rows, verb, builder] of casesOf(client)) {
      if (args.length > 0 && !args.some((word) => name.includes(word))) continue
      await cost(verb, rows)
      await cost(builder, rows)
      const pairs = []
      for (let turn = 0; turn < rounds; turn++) {
        if (turn % 2) pairs.push([await cost(verb, rows), await cost(builder, rows)])
        else pairs.push([await cost(builder, rows), await cost(verb, rows)].reverse())
      }
      const [ofVerb, ofBuilder] = [0, 1].map((which) => median(pairs.map((pair) => pair[which])))
      const ratio = median(pairs.map(([one, other]) => other / one))
      console.log(
        `${name.padEnd(15)}  verb ${ofVerb.toFixed(2).padStart(6)} us  ` +
          `builder ${ofBuilder.toFixed(2).padStart(6)} us  ratio ${ratio.toFixed(3)}`,
      )
    }
  } finally {
    await client.close()
    server.disconnect()
  }
}
