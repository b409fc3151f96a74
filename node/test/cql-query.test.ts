/** Paging, on a real Cassandra. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, InvalidRequest, type Rows, type Session, SessionClosed } from 'spikewire/cql'
import { AT, sessionIn, withoutCassandra } from './support/cassandra.js'

const skip = { skip: withoutCassandra }
const COUNT = 1000
type Numbered = { part: number; n: number; text: string }

let session: Session

before(async () => {
  if (withoutCassandra) return
  session = await sessionIn('node_query')
  await session.execute('CREATE TABLE rows (part int, n int, text text, PRIMARY KEY (part, n))')
  const insert = await session.prepare('INSERT INTO rows (part, n, text) VALUES (?, ?, ?)')
  const all = Array.from({ length: COUNT }, (_, n) => n)
  await Promise.all(all.map((n) => session.execute(insert, [1, n, `text ${n}`])))
})

after(() => session?.close())

const SELECT = 'SELECT part, n, text FROM rows WHERE part = ?'

test('every row is returned once and in order, for any page size', skip, async () => {
  for (const pageSize of [1000, 999, 333, 7]) {
    let next = 0
    for await (const row of session.query<Numbered>(SELECT, [1], { pageSize })) {
      assert.deepEqual(row, { part: 1, n: next, text: `text ${next}` })
      next++
    }
    assert.equal(next, COUNT)
  }
  for await (const _ of session.query(SELECT, [2])) assert.fail('there are none')
})

test('execute collects all pages; page returns one and the next paging state', skip, async () => {
  const all = await session.execute<Numbered>(SELECT, [1], { pageSize: 90 })
  assert.deepEqual([all.length, all.pagingState], [COUNT, null])
  assert.equal(all.attempts, Math.ceil(COUNT / 90) + (COUNT % 90 === 0 ? 1 : 0))
  const seen: number[] = []
  let page: Rows<Numbered> | undefined
  do {
    const pagingState = page?.pagingState ?? undefined
    page = await session.page<Numbered>(SELECT, { part: 1 }, { pageSize: 400, pagingState })
    seen.push(...page.rows.map(({ n }) => n))
  } while (page.pagingState !== null)
  assert.deepEqual(
    seen,
    Array.from({ length: COUNT }, (_, n) => n),
  )
})

test('pages and streams return every row, and end when their reader leaves', skip, async () => {
  const lengths: number[] = []
  let state: Buffer | null = null
  for await (const page of session.query(SELECT, [1], { pageSize: 300 }).pages()) {
    lengths.push(page.length)
    if (lengths.length === 2) state = page.pagingState
  }
  assert.deepEqual(lengths, [300, 300, 300, 100])
  let rest = 0
  const pagingState = state ?? undefined
  for await (const _ of session.query(SELECT, [1], { pageSize: 300, pagingState })) rest++
  assert.equal(rest, 400)

  let streamed = 0
  for await (const row of session.query<Numbered>(SELECT, [1], { pageSize: 64 }).stream()) {
    assert.equal((row as Numbered).n, streamed++)
  }
  assert.equal(streamed, COUNT)

  const left = session.query<Numbered>(SELECT, [1], { pageSize: 10 })
  for await (const { n } of left) if (n === 5) break
  await assert.rejects(left.next(), SessionClosed)
  const stream = session.query(SELECT, [1], { pageSize: 10 }).stream()
  for await (const _ of stream) break
  assert.equal(stream.destroyed, true)
})

/** The number of requests the server has received from sessions of this application. */
async function requestsOf(application: string): Promise<number> {
  const clients = await session.execute<{ request_count: number; client_options: object }>(
    'SELECT request_count, client_options FROM system_views.clients',
  )
  const own = clients.rows.filter(({ client_options }) =>
    Object.values(client_options ?? {}).includes(application),
  )
  assert.ok(own.length > 0)
  return own.reduce((sum, { request_count }) => sum + request_count, 0)
}

test('pages are fetched only as rows are consumed', skip, async () => {
  const application = { APPLICATION_NAME: 'slow reader' }
  const own = await connect(AT, { keyspace: 'node_query', application, timeout: 60_000 })
  try {
    for (const asStream of [false, true]) {
      // There are 100 pages. One row more than the first page is taken, so only the first two are
      // fetched.
      const query = own.query(await own.prepare(SELECT), [1], { pageSize: 10 })
      const before = await requestsOf('slow reader')
      const rows = (asStream ? query.stream({ highWaterMark: 1 }) : query)[Symbol.asyncIterator]()
      for (let count = 0; count < 11; count++) assert.equal((await rows.next()).done, false)
      await sleep(300)
      const requests = (await requestsOf('slow reader')) - before
      assert.ok(requests >= 2 && requests < 10, `${requests} requests`)
      query.close()
    }
  } finally {
    await own.close()
  }
})

test('errors, signals and concurrent calls of next are handled', skip, async () => {
  await assert.rejects(session.query('SELECT * FROM nothing').next(), InvalidRequest)
  await assert.rejects(session.query(SELECT, ['x']).next(), /part: int takes an integer, not "x"/)
  assert.throws(() => session.query(SELECT, [1], { size: 5 } as never), /unknown option size/)
  assert.throws(() => session.query(SELECT, [1], { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  })
  const abort = new AbortController()
  const query = session.query<Numbered>(SELECT, [1], { pageSize: 10, signal: abort.signal })
  assert.equal((await query.next()).value?.n, 0)
  abort.abort(new Error('given up'))
  await assert.rejects(query.next(), /given up/)

  const together = session.query<Numbered>(SELECT, [1], { pageSize: 3 })
  const several = await Promise.all(Array.from({ length: 10 }, () => together.next()))
  assert.deepEqual(
    several.map(({ value }) => value?.n).sort((a, b) => (a ?? 0) - (b ?? 0)),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  together.close()
})
