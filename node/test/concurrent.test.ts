/** `concurrent`: order, limits, errors, early ends. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, ClientClosed, type Dataset, RecordNotFound } from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Row = { n?: number }

let cluster: Cluster
let client: Client
let sets = 0
const unhandled: unknown[] = []

before(async () => {
  process.on('unhandledRejection', (error) => unhandled.push(error))
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
  assert.deepEqual(unhandled, [])
})

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

function fresh(): Dataset<Row> {
  return client.dataset<Row>('test', `concurrent${sets++}`)
}

const NUMBERS = Array.from({ length: 500 }, (_, n) => n)

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const result of results) list.push(result)
  return list
}

/** Counts calls in flight, which end in their turn. */
class Gauge {
  inFlight = 0
  highest = 0
  started = 0
  readonly call = async (n: number, wait = (n * 7) % 5): Promise<number> => {
    this.started++
    this.highest = Math.max(this.highest, ++this.inFlight)
    await sleep(wait)
    this.inFlight--
    return n
  }
}

for (const limit of [1, 2, 7, 128, 10_000]) {
  test(`results are in input order, ${limit} at once`, async () => {
    const users = fresh()
    const puts = NUMBERS.map((n) => () => users.put(n, { n }))
    assert.equal((await all(client.concurrent(puts, { limit }))).length, 500)
    const records = await all(client.concurrent(NUMBERS, (n) => users.get(n), { limit }))
    assert.deepEqual(
      records.map((record) => record.bins.n),
      NUMBERS,
    )
  })
}

test('up to limit calls are in flight, and results may come as calls end', async () => {
  for (const ordered of [true, false]) {
    const gauge = new Gauge()
    const options = { limit: 8, ordered }
    const results = await all(
      client.concurrent(NUMBERS.slice(0, 60), (n) => gauge.call(n), options),
    )
    assert.equal(gauge.highest, 8)
    assert.deepEqual(
      [...results].sort((a, b) => a - b),
      NUMBERS.slice(0, 60),
    )
  }
  const gauge = new Gauge()
  const waits = [40, 1, 20]
  const calls = waits.map((wait) => () => gauge.call(wait, wait))
  assert.deepEqual(await all(client.concurrent(calls, { ordered: false })), [1, 20, 40])
  assert.deepEqual(await all(client.concurrent(calls)), waits)
})

test('the default limit is 128', async () => {
  const gauge = new Gauge()
  await all(client.concurrent(NUMBERS, (n) => gauge.call(n, 5)))
  assert.equal(gauge.highest, 128)
})

test('calls may return values, and take their number', async () => {
  assert.deepEqual(await all(client.concurrent(['a', 'b'], (item, at) => `${item}${at}`)), [
    'a0',
    'b1',
  ])
  assert.deepEqual(await all(client.concurrent([])), [])
  const calls = new Set([() => 1, async () => 2])
  assert.deepEqual(await all(client.concurrent(calls)), [1, 2])
})

test('calls are read as results are consumed', async () => {
  const users = fresh()
  let read = 0
  function* endless() {
    for (;;) yield read++
  }
  let results = 0
  for await (const exists of client.concurrent(endless(), (n) => users.exists(n), { limit: 10 })) {
    assert.equal(exists, false)
    if (++results === 100) break
  }
  assert.ok(read >= 100 && read <= 111, String(read))
})

test('calls may come from an asynchronous iterable', async () => {
  const users = fresh()
  const gauge = new Gauge()
  let closed = false
  async function* messages() {
    try {
      for (const n of NUMBERS) {
        if (n % 100 === 0) await sleep(2)
        yield n
      }
    } finally {
      closed = true
    }
  }
  await all(client.concurrent(messages(), (n) => users.put(n, { n })))
  assert.ok(closed)
  closed = false
  let last = -1
  for await (const n of client.concurrent(messages(), (n) => gauge.call(n, 0), { limit: 4 })) {
    assert.equal(n, last + 1)
    last = n
    if (n === 50) break
  }
  assert.ok(closed)
  assert.ok(gauge.highest <= 4)
  assert.equal(gauge.inFlight, 0)
})

test('results come while an asynchronous iterable is waited for', async () => {
  let next = (_: IteratorResult<number>) => {}
  let left = false
  const slow: AsyncIterableIterator<number> = {
    [Symbol.asyncIterator]: () => slow,
    next: () => new Promise((resolve) => (next = resolve)),
    return: async () => {
      left = true
      return { done: true, value: undefined }
    },
  }
  const results = client.concurrent(slow, (n) => n * 2)
  const first = results.next()
  await sleep(0)
  next({ done: false, value: 21 })
  assert.deepEqual(await first, { done: false, value: 42 })
  // The iterable is still producing an item, which is not waited for.
  await results.return()
  assert.ok(left)
})

test('the first error is thrown, in input order', async () => {
  const users = fresh()
  for (const n of [0, 1, 3]) await users.put(n, { n })
  const seen: unknown[] = []
  await assert.rejects(
    async () => {
      for await (const record of client.concurrent([0, 1, 2, 3, 4], (n) => users.get(n))) {
        seen.push(record.bins.n)
      }
    },
    (error: RecordNotFound) => error instanceof RecordNotFound && error.key?.key === 2,
  )
  assert.deepEqual(seen, [0, 1])
  const invalid = () => users.put(1, { n: wrong(2n ** 64n) })
  await assert.rejects(all(client.concurrent([invalid])), RangeError)
  const thrown = () => {
    throw new LookupError('here')
  }
  await assert.rejects(all(client.concurrent([thrown])), LookupError)
})

class LookupError extends Error {}

test('errors may take the place of results', async () => {
  const users = fresh()
  await users.put(1, { n: 1 })
  const calls = [
    () => users.get(0),
    () => users.get(1),
    () => users.put(1, wrong({ n: Symbol('x') })),
    () => {
      throw new LookupError('here')
    },
  ]
  const [missing, record, invalid, thrown] = await all(
    client.concurrent<unknown>(calls, { errors: 'return' }),
  )
  assert.ok(missing instanceof RecordNotFound)
  assert.equal((record as { bins: Row }).bins.n, 1)
  assert.ok(invalid instanceof TypeError)
  assert.ok(thrown instanceof LookupError)
})

test('an error of the iterable is thrown after the results before it', async () => {
  function* failing() {
    yield* [1, 2, 3]
    throw new LookupError('the end')
  }
  async function* failingLater() {
    yield* failing()
  }
  for (const items of [failing, failingLater]) {
    const seen: number[] = []
    await assert.rejects(async () => {
      for await (const n of client.concurrent(items(), (n) => n)) seen.push(n)
    }, LookupError)
    assert.deepEqual(seen, [1, 2, 3])
  }
})

test('an early end leaves nothing behind', async () => {
  const gauge = new Gauge()
  let closed = false
  function* endless() {
    try {
      for (let n = 0; ; n++) yield n
    } finally {
      closed = true
    }
  }
  const failing = async (n: number) => {
    await gauge.call(n, 3)
    if (n > 20) throw new LookupError(String(n))
    return n
  }
  for await (const n of client.concurrent(endless(), failing, { limit: 64 })) if (n === 10) break
  assert.deepEqual([gauge.inFlight, closed], [0, true])
  closed = false
  const started = gauge.started
  await assert.rejects(all(client.concurrent(endless(), failing, { limit: 16 })), LookupError)
  assert.deepEqual([gauge.inFlight, closed], [0, true])
  assert.ok(gauge.started > started)
  const unread = client.concurrent(endless(), failing)
  await unread.return()
  assert.equal(gauge.inFlight, 0)
})

test('an aborted signal does not wait for calls in flight', async () => {
  const slow = await Cluster.start({ nodes: 1 })
  const own = await Client.connect(slow.seeds, { timeout: 60_000 })
  try {
    const users = own.dataset('test', 's')
    await slow.inject(0, { delay: 60_000 })
    const cancelling = new AbortController()
    const { signal } = cancelling
    const running = all(own.concurrent([1, 2, 3], (n) => users.exists(n, { signal }), { signal }))
    setTimeout(() => cancelling.abort(new LookupError('enough')), 20)
    await assert.rejects(running, LookupError)
    // Without a signal of its own, a call goes on unobserved, and its error is handled.
    const others = new AbortController()
    const more = all(own.concurrent([4], (n) => users.exists(n), { signal: others.signal }))
    setTimeout(() => others.abort(), 20)
    await assert.rejects(more, { name: 'AbortError' })
    await assert.rejects(all(own.concurrent([1], (n) => n, { signal })), LookupError)
  } finally {
    await own.close()
    await slow.close()
  }
  await sleep(5)
  assert.deepEqual(unhandled, [])
})

test('closing the client ends it', async () => {
  const slow = await Cluster.start({ nodes: 1 })
  const own = await Client.connect(slow.seeds, { timeout: 60_000 })
  try {
    const users = own.dataset('test', 's')
    const call = (n: number) => {
      if (n === 30) void own.close()
      return users.exists(n)
    }
    await assert.rejects(all(own.concurrent(NUMBERS, call, { limit: 20 })), ClientClosed)
  } finally {
    await own.close()
    await slow.close()
  }
})

test('invalid arguments are rejected at once, and invalid calls by their number', async () => {
  for (const [options, error, message] of [
    [{ limit: 0 }, RangeError, /limit must be at least 1, not 0/],
    [{ limit: 1.5 }, TypeError, /limit must be a whole number, not 1.5/],
    [{ errors: 'ignore' }, RangeError, /errors must be "raise" or "return", not 'ignore'/],
    [{ ordered: 1 }, TypeError, /ordered must be true or false/],
    [{ signal: {} }, TypeError, /signal must be an AbortSignal/],
    [{ limits: 5 }, TypeError, /unknown option limits; there are: errors, limit, ordered, signal/],
    [5, TypeError, /options must be an object/],
  ] as const) {
    const check = (thrown: Error) => thrown instanceof error && message.test(thrown.message)
    assert.throws(() => client.concurrent([], wrong(options)), check)
    assert.throws(() => client.concurrent([], (n) => n, wrong(options)), check)
  }
  for (const calls of ['abc', 5, null, undefined, () => 1, Buffer.from('abc')]) {
    assert.throws(() => client.concurrent(wrong(calls)), /calls must be an iterable of calls, not/)
  }
  for (const call of [null, 5, [1, 2], Promise.resolve(1)]) {
    for (const errors of ['raise', 'return'] as const) {
      const calls = wrong([() => 1, call])
      await assert.rejects(
        all(client.concurrent(calls, { errors })),
        /call 1: must be a function that makes a call/,
      )
    }
  }
})
