/** Results of every form, of statements in flight together, on a real Cassandra. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'spikewire/compat/cassandra-driver'
import type { Session } from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'
import { output, PACKAGE } from './support/programs.js'

const skip = { skip: withoutCassandra }
/** More columns than are passed as arguments. */
const WIDE = 70
const names = Array.from({ length: WIDE }, (_, at) => `c${at}`)

let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_replies')
  await session.execute('CREATE TABLE rows (part int, n int, text text, PRIMARY KEY (part, n))')
  const columns = names.map((name) => `${name} int`).join(', ')
  await session.execute(`CREATE TABLE wide (id int PRIMARY KEY, ${columns})`)
  for (const n of [1, 2, 3]) {
    await session.execute('INSERT INTO rows (part, n, text) VALUES (3, ?, ?)', [n, `text ${n}`])
  }
  const list = ['id', ...names].join(', ')
  const values = [7, ...names.map((_, at) => at)].join(', ')
  await session.execute(`INSERT INTO wide (${list}) VALUES (${values})`)
})

after(() => session?.close())

test('each of many statements in flight gets its own result', skip, async () => {
  const insert = await session.prepare('INSERT INTO rows (part, n, text) VALUES (?, ?, ?)')
  const select = await session.prepare('SELECT n, text FROM rows WHERE part = ? AND n = ?')
  const whole = await session.prepare('SELECT n FROM rows WHERE part = ?')
  const wide = await session.prepare('SELECT * FROM wide WHERE id = ?')
  const all = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const [written, read, none, several, broad] = await Promise.all([
        session.execute(insert, [1, n, n % 3 === 0 ? null : `text ${n}`]),
        session.execute(select, [3, 1 + (n % 3)]),
        session.execute(select, [4, n]),
        session.execute(whole, [3]),
        session.execute(wide, [7]),
      ])
      assert.deepEqual([written.length, written.columns, written.applied], [0, [], null])
      assert.deepEqual(read.rows, [{ n: 1 + (n % 3), text: `text ${1 + (n % 3)}` }])
      assert.deepEqual([none.length, none.columns.length], [0, 2])
      assert.deepEqual(several.rows, [{ n: 1 }, { n: 2 }, { n: 3 }])
      assert.deepEqual([broad.length, broad.first()?.['c69']], [1, 69])
      for (const { node, attempts, schemaAgreed, pagingState, warnings } of [written, read]) {
        assert.deepEqual([node, attempts, schemaAgreed], [session.nodes[0]?.address, 1, true])
        assert.deepEqual([pagingState, warnings], [null, []])
      }
      return written
    }),
  )
  // Nobody shares a result that may be changed.
  assert.equal(new Set(all.map(({ rows }) => rows)).size, all.length)
})

test('a value that cannot be decoded rejects its statement alone', skip, async () => {
  // The largest timestamp has more milliseconds than a Date.
  const text =
    'SELECT n, (timestamp) 9223372036854775807 AS late FROM rows WHERE part = ? AND n = ?'
  const select = await session.prepare(text)
  const [late, fine] = await Promise.allSettled([
    session.execute(select, [3, 1]),
    session.execute('SELECT n FROM rows WHERE part = ? AND n = ?', [3, 2]),
  ])
  assert.equal(
    late.status === 'fulfilled' ? typeof late.value.first()?.['late'] : 'rejected',
    'bigint',
  )
  assert.deepEqual(fine.status === 'fulfilled' && fine.value.rows, [{ n: 2 }])
})

const PROGRAM = `
const assert = require('node:assert/strict')
const { connect } = require('spikewire/cql')
assert.throws(() => new Function('return 1'), EvalError)
async function main() {
  const session = await connect(process.argv[1], { keyspace: 'node_replies' })
  const one = await session.execute('SELECT n, text FROM rows WHERE part = ? AND n = ?', [3, 2])
  const all = await session.execute('SELECT n FROM rows WHERE part = ?', [3])
  console.log(JSON.stringify([one.rows, all.rows]))
  await session.close()
}
main()
`

test('rows are made without compiling anything', skip, async () => {
  const flag = '--disallow-code-generation-from-strings'
  const printed = await output(process.execPath, [flag, '-e', PROGRAM, AT as string], {
    cwd: PACKAGE,
  })
  assert.equal(printed.trim(), '[[{"n":2,"text":"text 2"}],[{"n":1},{"n":2},{"n":3}]]')
})

test('the drop-in tells metrics of responses only while someone listens', skip, async () => {
  const client = new Client({
    contactPoints: [AT as string],
    localDataCenter: session.nodes[0]?.datacenter as string,
    keyspace: 'node_replies',
  })
  await client.connect()
  try {
    const read = async () => {
      const text = 'SELECT n FROM rows WHERE part = ? AND n = ?'
      const { rows, info } = await client.execute(text, [3, 1], { prepare: true })
      assert.deepEqual(
        rows.map(({ n }) => n as number),
        [1],
      )
      assert.deepEqual(Object.values(info.triedHosts), [null])
      // Results do not share what a program may change.
      info.triedHosts['other'] = 1
    }
    const seen: number[][] = []
    const listener = (latency: number[]) => seen.push(latency)
    const { responses } = client.metrics as unknown as {
      responses: NodeJS.EventEmitter & { success: NodeJS.EventEmitter }
    }
    await read()
    responses.on('increment', listener)
    await read()
    responses.off('increment', listener)
    responses.success.on('increment', listener)
    await read()
    responses.success.off('increment', listener)
    await read()
    assert.equal(seen.length, 2)
    for (const [seconds, nanoseconds] of seen) {
      assert.ok((seconds as number) === 0 && (nanoseconds as number) > 0)
    }
  } finally {
    await client.shutdown()
  }
})
