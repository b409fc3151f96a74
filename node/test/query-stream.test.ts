/** Queries as streams, and back-pressure. */

import assert from 'node:assert/strict'
import { createReadStream, createWriteStream } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Dataset, QueryClosed, QueryPaused, type Record } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { temporaryFolder } from './support/programs.js'

type Row = { n: number; text: string }
/**
 * So many that the system's buffers, which grow to several megabytes each, hold only a small part.
 */
const COUNT = 60_000
const TEXT = 'x'.repeat(1000)

let cluster: Cluster
let client: Client
let rows: Dataset<Row>
let relay: Server
/** Bytes sent by the node. */
let sent = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
  const [host, port] = cluster.seeds.split(':')
  relay = createServer((socket) => {
    const node = connect(Number(port), host)
    socket.pipe(node)
    node.on('data', (data) => {
      sent += data.length
    })
    node.pipe(socket)
    socket.on('error', () => node.destroy())
    node.on('error', () => socket.destroy())
  })
  await new Promise<void>((ready) => relay.listen(0, '127.0.0.1', ready))
  client = await Client.connect(`127.0.0.1:${(relay.address() as AddressInfo).port}`, {
    timeout: 20_000,
  })
  rows = client.dataset<Row>('test', 'rows')
  for (let from = 0; from < COUNT; from += 1000) {
    const some = Array.from({ length: 1000 }, (_, at) => from + at)
    await Promise.all(some.map((n) => rows.put(n, { n, text: TEXT })))
  }
})

after(async () => {
  await client?.close()
  relay?.close()
  await cluster?.close()
})

/** The bytes sent once the node has stopped sending. */
async function settled(): Promise<number> {
  for (;;) {
    const before = sent
    await sleep(200)
    if (sent === before) return sent
  }
}

/** Far more than the buffers on the way, and far less than all records. */
const LITTLE = (COUNT * 1000) / 2

test('a consumer that takes no records makes the node wait', async () => {
  const begun = sent
  const query = rows.query()
  await query.next()
  const much = (await settled()) - begun
  assert.ok(much < LITTLE, `${much} bytes were sent for one record`)
  let count = 1
  for await (const _ of query) count++
  assert.equal(count, COUNT)
  assert.ok(sent - begun > COUNT * 1000)
})

test('a paused stream makes the node wait', async () => {
  const begun = sent
  const stream = rows.query().stream({ highWaterMark: 10 })
  let count = 0
  stream.on('data', () => {
    if (++count === 100) stream.pause()
  })
  while (count < 100) await sleep(10)
  const much = (await settled()) - begun
  assert.equal(count, 100)
  assert.ok(much < LITTLE, `${much} bytes were sent for 100 records`)
  assert.ok(stream.readableLength <= 10)
  stream.resume()
  await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject))
  assert.equal(count, COUNT)
})

test('a slow writable slows its pipeline', async () => {
  const begun = sent
  let count = 0
  let sentAtFirst = 0
  const slow = new Writable({
    objectMode: true,
    highWaterMark: 4,
    write(_, __, done) {
      count++
      if (count === 50) {
        settled().then((now) => {
          sentAtFirst = now - begun
          done()
        })
      } else done()
    },
  })
  await pipeline(rows.query().stream(), slow)
  assert.equal(count, COUNT)
  assert.ok(sentAtFirst < LITTLE, `${sentAtFirst} bytes were sent for 50 records`)
})

test('a pipeline writes every record to a file', async (t) => {
  const file = join(temporaryFolder(t), 'rows.jsonl')
  const lines = new Transform({
    writableObjectMode: true,
    transform(record: Record<Row>, _, done) {
      done(null, `${JSON.stringify(record.bins)}\n`)
    },
  })
  await pipeline(rows.query({ limit: 5000 }).stream(), lines, createWriteStream(file))
  const seen = new Set<number>()
  for await (const line of createInterface(createReadStream(file))) seen.add(JSON.parse(line).n)
  assert.equal(seen.size, 5000)
})

test('destroying a stream ends its query', async () => {
  const query = rows.query()
  const stream = query.stream()
  await new Promise((resolve) => stream.once('data', resolve))
  stream.destroy()
  await new Promise((resolve) => stream.once('close', resolve))
  await assert.rejects(query.next(), QueryClosed)
  const broken = rows.query().stream()
  const failure = new Error('the consumer fails')
  await assert.rejects(async () => {
    for await (const _ of broken) throw failure
  }, failure)
  assert.ok(broken.destroyed)
})

test('an error of the query is the error of the stream', async () => {
  const stream = client.query('missing', 'set').stream()
  await assert.rejects(
    async () => {
      for await (const _ of stream);
    },
    { name: 'NamespaceNotFound' },
  )
})

test('an aborted signal destroys the stream with its reason', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  const stream = rows.query({ signal: abort.signal }).stream()
  stream.once('data', () => abort.abort(reason))
  await assert.rejects(pipeline(stream, new Writable({ objectMode: true, write() {} })), reason)
})

test('a query is resumed after a pause that was too long for the node', async () => {
  const query = rows.query({ socketTimeout: 300 })
  const numbers = new Set<number>()
  let cursor: Buffer | undefined
  await assert.rejects(
    async () => {
      for await (const { bins } of query) {
        numbers.add(bins.n)
        if (numbers.size === 100) await sleep(3000)
      }
    },
    (error) => {
      assert.ok(error instanceof QueryPaused, `${error}`)
      cursor = error.cursor
      return true
    },
  )
  const before = numbers.size
  assert.ok(before < COUNT)
  for await (const { bins } of rows.query({ resume: cursor })) numbers.add(bins.n)
  assert.equal(numbers.size, COUNT)
})

test('other tasks run during a query', async () => {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  let count = 0
  for await (const _ of rows.query()) count++
  isOver = true
  // Records arrive in runs of at most 256, with a turn of the loop after each.
  assert.ok(turns >= Math.floor(count / 256) - 1, `${turns} turns`)
})
