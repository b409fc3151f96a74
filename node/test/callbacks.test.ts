/** What is awaited can also be called with a callback, and each callback has its caller's context. */

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Callback, Client, type Page, type Query, type Record } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { temporaryFolder } from './support/programs.js'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000, tendInterval: 100 })
  const records = client.dataset('test', 'callbacks')
  await records.putMany(Array.from({ length: 10 }, (_, n) => [n, { n }] as const))
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Calls with a callback, which must not be called before the call has returned. */
function called<T>(call: (callback: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let returned = false
    const result: unknown = call((error, value) => {
      assert.ok(returned)
      if (error) reject(error)
      else resolve(value as T)
    })
    returned = true
    assert.equal(result, undefined)
  })
}

test('queries are read by callbacks, record by record and page by page', async () => {
  const query: Query = client.query('test', 'callbacks')
  const numbers: unknown[] = []
  for (;;) {
    const step = await called<IteratorResult<Record, undefined>>((callback) => query.next(callback))
    if (step.done) break
    numbers.push(step.value.bins['n'])
  }
  assert.deepEqual(numbers.sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  await assert.rejects(
    called((callback) => client.query('none', 's').next(callback)),
    { name: 'NamespaceNotFound' },
  )
  const paged = client.query('test', 'callbacks', { pageSize: 6 })
  const page = await called<Page>((callback) => paged.page(callback))
  assert.equal(page.length, 6)
  assert.equal((await called<Page>((callback) => paged.page(callback))).length, 4)
  await assert.rejects(
    called((callback) => client.query('test', 'callbacks').page(callback)),
    /RangeError: the query has no pageSize/,
  )
  assert.throws(() => query.next('x' as never), /TypeError: callback must be a function/)
  assert.throws(() => paged.page('x' as never), /TypeError: callback must be a function/)
})

test('clients and recordings end by callbacks', async (context) => {
  const own = await Client.connect(cluster.seeds)
  const recording = own.record(join(temporaryFolder(context), 'calls.trace'))
  const summary = await called<{ state: string }>((callback) => recording.stop(callback))
  assert.equal(summary.state, 'stopped')
  assert.equal(await called<void>((callback) => own.close(callback)), undefined)
  assert.equal(await called<void>((callback) => own.close(callback)), undefined)
  assert.equal(own.isOpen, false)
  assert.throws(() => own.close('x' as never), /TypeError: callback must be a function/)
})

test('events, streams and callbacks of queries run in the context of their caller', async () => {
  const storage = new AsyncLocalStorage<string>()
  const events: [string, string | undefined][] = []
  const ends = ['a', 'b'].map((name) =>
    storage.run(name, () => client.onEvent(() => events.push([name, storage.getStore()]))),
  )
  const stored: (string | undefined)[] = []
  const note = () => stored.push(storage.getStore())
  await storage.run('caller', async () => {
    await called((callback) =>
      client.query('test', 'callbacks').next((...outcome) => {
        note()
        callback(...outcome)
      }),
    )
    const stream = client.query('test', 'callbacks').stream()
    stream.on('data', note)
    await new Promise((resolve) => stream.on('end', resolve))
    note()
    for await (const _ of client.query('test', 'callbacks').batches(3)) note()
    await client.runInTransaction(note).catch(note)
    await client.indexes.list('test')
    note()
    await Client.connect(cluster.seeds).then((own) => own.close())
    note()
    await new Promise<void>((resolve) => {
      Client.connect(cluster.seeds, (_error, own) => {
        note()
        own?.close(() => {
          note()
          resolve()
        })
      })
    })
  })
  assert.deepEqual(new Set(stored), new Set(['caller']))
  assert.ok(stored.length >= 19)
  await cluster.kill(1)
  for (const over = Date.now() + 20_000; events.length < 2 && Date.now() < over; ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  for (const end of ends) end()
  assert.ok(events.length >= 2)
  for (const [name, store] of events) assert.equal(store, name)
})
