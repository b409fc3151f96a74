/**
 * A smoke test, as a plain program that is run on each version of Node.js, Bun and Deno.
 *
 * The program must end by itself: unclosed objects must not keep a runtime alive.
 */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import {
  Client,
  Delete,
  GenerationMismatch,
  GeoJSON,
  index,
  op,
  Read,
  RecordExists,
  RecordNotFound,
  Timeout,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

/** A record with bins of every type. */
async function values(client: Client): Promise<void> {
  const records = client.dataset('test', 'values')
  const bins = {
    integer: 2 ** 40,
    long: 2n ** 62n,
    float: 0.5,
    text: 'Grüße 🎈',
    bytes: Buffer.from([0, 255]),
    list: [1, 'two', [3n ** 35n], { four: null }],
    map: new Map([[1, 'one']]),
    yes: true,
    place: new GeoJSON('{"type":"Point","coordinates":[1,2]}'),
  }
  await records.put('all', bins)
  assert.deepEqual((await records.get('all')).bins, bins)
}

/** Many concurrent calls, and rejected writes. */
async function verbs(client: Client): Promise<void> {
  const numbers = client.dataset<{ n: number }>('test', 'numbers')
  const many = Array.from({ length: 1000 }, (_, n) => n)
  await Promise.all(many.map((n) => numbers.put(n, { n })))
  const results = await Promise.all(many.map((n) => numbers.get(n)))
  assert.deepEqual(
    results.map(({ bins }) => bins.n),
    many,
  )

  const { generation } = await numbers.get(1)
  await numbers.operate(1, [op.add('n', 1), op.get('n')])
  await assert.rejects(numbers.put(1, { n: 0 }, { generation }), GenerationMismatch)
  await assert.rejects(numbers.get('nothing'), RecordNotFound)
  await assert.rejects(numbers.put(1, { n: undefined as never }), /bin "n"/)
  assert.equal(await numbers.delete(1), true)
  const called = await new Promise((resolve) => numbers.exists(1, (_, there) => resolve(there)))
  assert.equal(called, false)
}

/** Batches, with a failed row. */
async function batches(client: Client): Promise<void> {
  const numbers = client.dataset<{ n: number; s?: string }>('test', 'batches')
  const many = Array.from({ length: 500 }, (_, n) => n)
  const written = await numbers.putMany(many.map((n) => [n, { n, s: `text ${n}` }]))
  assert.equal(written.raiseForErrors().found, many.length)
  const results = await numbers.getMany([...many, 'nothing'])
  assert.deepEqual(
    [...results].map((record) => record?.bins.n),
    [...many, undefined],
  )
  assert.deepEqual([results[7]?.bins.s, results[500], results[7]?.key.key], ['text 7', null, 7])
  const done = await numbers.batch([
    new Read('nothing'),
    new Write(1, { n: 0 }, { exists: 'create' }),
    new Write(2, [op.add('n', 1), op.get('n')]),
    new Delete(3),
  ])
  assert.deepEqual(
    [[...done.codes], done[2]?.results],
    [
      [2, 5, 0, 0],
      [null, 3],
    ],
  )
  assert.throws(() => done[1], RecordExists)
  await assert.rejects(numbers.getMany([1, 1.5]), /row 1/)
  assert.equal((await numbers.deleteMany(many)).found, many.length - 1)
}

/** Queries, an index, and cancelled calls. */
async function queries(client: Client): Promise<void> {
  const ages = client.dataset<{ age: number }>('test', 'ages')
  const rows = Array.from({ length: 500 }, (_, n) => [n, { age: n % 90 }] as const)
  ;(await ages.putMany(rows)).raiseForErrors()
  let seen = 0
  for await (const { bins } of ages.query({ where: '$.age < 10' })) seen += bins.age < 10 ? 1 : 0
  assert.equal(seen, 60)
  for await (const _ of ages.query()) break
  const page = await ages.query({ pageSize: 200 }).page()
  let rest = 0
  for await (const batch of ages.query({ resume: page.cursor }).batches(90)) rest += batch.length
  assert.equal(page.length + rest, 500)

  await client.indexes.create('test', 'ages', 'age', 'numeric')
  let between = 0
  for await (const _ of ages.query({ index: index.between('age', 20, 29) })) between += 1
  assert.equal(between, 60)
  const aborted = ages.get(1, { signal: AbortSignal.abort() })
  await assert.rejects(aborted, (error: Error) => error.name === 'AbortError')
}

/** A stream, columns, and a query that is cancelled while it waits. */
async function scans(client: Client): Promise<void> {
  const scanned = client.dataset<{ n: number }>('test', 'scanned')
  const many = Array.from({ length: 3000 }, (_, n) => n)
  await Promise.all(many.map((n) => scanned.put(n, { n })))
  let count = 0
  for await (const _ of scanned.query().stream()) count++
  assert.equal(count, many.length)
  let total = 0
  for await (const table of scanned.query().columns({ schema: { n: 'float64' } })) {
    for (const n of table.get('n')?.values ?? []) total += Number(n)
  }
  assert.equal(total, (many.length * (many.length - 1)) / 2)
  const abort = new AbortController()
  const slow = scanned.query({ recordsPerSecond: 1, signal: abort.signal }).batches(3000)
  setTimeout(() => abort.abort(new Error('given up')), 100)
  await assert.rejects(slow.next(), /given up/)
}

/** A node whose reply is late. */
async function faults(cluster: Cluster, client: Client): Promise<void> {
  const records = client.dataset('test', 'faults')
  await cluster.inject(0, { drop: 1 })
  await assert.rejects(records.get(1, { timeout: 50 }), Timeout)
  await cluster.clearFaults(0)
  await assert.rejects(records.get(1), RecordNotFound)
}

/** In a worker thread: the same with its own client. */
async function inWorker(seeds: string): Promise<void> {
  const client = await Client.connect(seeds)
  await verbs(client)
  await batches(client)
  await client.close()
}

async function main(): Promise<void> {
  const required = createRequire(import.meta.url)('spikewire')
  assert.equal(required.Client, Client)
  const cluster = await Cluster.start({ nodes: 1 })
  const client = await Client.connect(cluster.seeds, { timeout: 60_000 })
  await values(client)
  await verbs(client)
  await batches(client)
  await queries(client)
  await scans(client)
  await faults(cluster, client)
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: cluster.seeds })
  const code = await new Promise((resolve, reject) => {
    worker.on('exit', resolve)
    worker.on('error', reject)
  })
  assert.equal(code, 0)
  await client.close()
  await cluster.close()
  console.log('smoke: all is well')
}

await (isMainThread ? main() : inWorker(workerData))
