/** Streams of the builder, `getStream`, and scans. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BinTypeError,
  type builder,
  Client,
  type Dataset,
  index,
  type Key,
  op,
  Page,
  RecordNotFound,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type User = { n?: number; age?: number }

let cluster: Cluster
let client: Client
let session: builder.Builder
let sets = 0
const unhandled: unknown[] = []

before(async () => {
  process.on('unhandledRejection', (error) => unhandled.push(error))
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  session = client.session()
})

after(async () => {
  await client.close()
  await cluster.close()
  assert.deepEqual(unhandled, [])
})

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

const NUMBERS = Array.from({ length: 60 }, (_, n) => n)

async function filled(count = 50): Promise<Dataset<User>> {
  const users = client.dataset<User>('test', `streams${sets++}`)
  await users.putMany(NUMBERS.slice(0, count).map((n) => [n, { n, age: n }]))
  return users
}

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const result of results) list.push(result)
  return list
}

class LookupError extends Error {}

test('windows come as they complete, in input order each', async () => {
  const users = await filled()
  const keys = users.keys(NUMBERS).values()
  const results = await all(session.query(keys).stream({ window: 7, limit: 2 }))
  const rows = results.map(({ row }) => row)
  assert.deepEqual(
    [...rows].sort((a, b) => a - b),
    NUMBERS,
  )
  assert.ok(results.every(({ row, key }) => key.key === row))
  assert.deepEqual(
    rows.filter((row) => row >= 21 && row < 28),
    [21, 22, 23, 24, 25, 26, 27],
  )
  const ordered = await all(session.query(users.keys(NUMBERS)).stream({ window: 7, ordered: true }))
  assert.deepEqual(
    ordered.map(({ row }) => row),
    NUMBERS,
  )
  assert.equal(
    (await all(session.query(users.keys(NUMBERS)).stream({ missing: 'skip' }))).length,
    50,
  )
  await assert.rejects(
    all(
      session
        .update(users.keys([99]))
        .set('n', 1)
        .stream(),
    ),
    RecordNotFound,
  )
  assert.deepEqual(
    (await all(session.query(users.key(1)).stream())).map(({ ok }) => ok),
    [true],
  )
})

test('a chain is one window', async () => {
  const users = await filled(0)
  const chain = session.upsert(users.key(1)).set('n', 1).query(users.key(1))
  assert.deepEqual(
    (await all(chain.stream())).map(({ row, ok }) => [row, ok]),
    [
      [0, true],
      [1, true],
    ],
  )
  const failing = session.upsert(users.key(1)).set('n', 'x').update(users.key(1)).add('n', 1)
  const [, failed] = await all(failing.stream({ onError: 'collect' }))
  assert.ok(failed?.error instanceof BinTypeError)
})

test('a stream reads no more than it needs', async () => {
  const users = await filled()
  let read = 0
  let closed = false
  function* endless() {
    try {
      for (;;) yield users.key(read++)
    } finally {
      closed = true
    }
  }
  let seen = 0
  for await (const _ of session.query(endless()).stream({ window: 4, limit: 3 })) {
    if (++seen === 6) break
  }
  assert.ok(read >= 8 && read <= 24, String(read))
  assert.ok(closed)
})

test('keys of a stream may come from an asynchronous iterable', async () => {
  const users = await filled(0)
  async function* messages() {
    for (const n of NUMBERS) {
      if (n % 20 === 0) await sleep(2)
      yield users.key(n)
    }
  }
  const written = await all(session.upsert<User>(messages()).set('n', 1).stream())
  assert.equal(written.length, 60)
  assert.ok(written.every(({ ok }) => ok))
  assert.equal(await session.query(users).count(), 60)
  await assert.rejects(session.query(messages()).execute(), /are read by stream\(\), and no batch/)
  await assert.rejects(session.query(messages()).count(), /are read by stream\(\), and no batch/)
  assert.throws(() => session.query(messages()).delete(users.key(1)), /for a stream of one step/)
  assert.throws(
    () => session.query(users.key(1)).delete(wrong(messages())),
    /delete takes a Key.*asynchronous ones begin a chain, by themselves/,
  )
})

test('windows are full while an asynchronous iterable does not wait, and are sent when it does', async () => {
  const users = await filled()
  const windowSizes: number[] = []
  const counting = client.dataset<User>('test', users.set)
  const getMany = counting.getMany.bind(counting)
  counting.getMany = wrong((keys: Key[], options: object) => {
    windowSizes.push(keys.length)
    return getMany(keys, options)
  })
  async function* messages() {
    yield* NUMBERS.slice(0, 50)
    await sleep(20)
    yield* NUMBERS.slice(50)
  }
  const results = await all(counting.getStream(messages(), { window: 20 }))
  assert.deepEqual(
    results.map(({ row, ok }) => [row, ok]),
    NUMBERS.map((n) => [n, n < 50]),
  )
  assert.deepEqual(windowSizes, [20, 20, 10, 10])
})

test('getStream takes the options of getMany', async () => {
  const users = await filled()
  const results = await all(users.getStream(NUMBERS, { bins: ['n'], window: 8, limit: 3 }))
  assert.deepEqual(
    results.map(({ row }) => row),
    NUMBERS,
  )
  assert.deepEqual(
    { ...results[3]?.record?.bins },
    {
      n: 3,
    },
  )
  assert.ok(results[55]?.missing)
  const few = users.getStream(NUMBERS, { where: '$.n < 5', missing: 'skip', ordered: false })
  assert.equal((await all(few)).length, 5)
  const whole = await all(client.getStream(users.keys([1, 2, 99])))
  assert.deepEqual(
    whole.map(({ ok }) => ok),
    [true, true, false],
  )
  await assert.rejects(all(users.getStream([99], { missing: 'error' })), RecordNotFound)
  const failed: number[] = []
  const handled = users.getStream([99, 1], {
    missing: 'error',
    onError: ({ row }) => failed.push(row),
  })
  assert.deepEqual([(await all(handled)).length, failed], [1, [0]])
})

test('what is rejected ends the input, after the results before it', async () => {
  const users = await filled()
  for (const ordered of [true, false]) {
    const seen: number[] = []
    const stream = users.getStream(wrong([1, 2, 3, 4, {}, 5]), { window: 2, ordered })
    await assert.rejects(
      async () => {
        for await (const { row } of stream) seen.push(row)
      },
      (error: Error) => error instanceof TypeError && /^row 4: /.test(error.message),
    )
    assert.deepEqual(
      seen.sort((a, b) => a - b),
      [0, 1, 2, 3],
    )
  }
  function* failing() {
    yield* [1, 2, 3]
    throw new LookupError('the end')
  }
  async function* failingLater() {
    yield* failing()
  }
  for (const keys of [failing, failingLater]) {
    let seen = 0
    await assert.rejects(async () => {
      for await (const _ of users.getStream(keys(), { window: 2 })) seen++
    }, LookupError)
    assert.equal(seen, 3)
  }
  for (const options of [
    [{ window: 0 }, /window must be a whole number from 1, not 0/],
    [{ limit: 1.5 }, /limit must be a whole number from 1, not 1.5/],
    [{ ordered: 1 }, /ordered must be true or false, not number/],
    [{ onError: 'ignore' }, /onError must be "raise"/],
    [{ windows: 5 }, /unknown option windows/],
  ] as const) {
    const [given, message] = options
    assert.throws(() => users.getStream([], wrong(given)), message)
  }
  for (const keys of ['abc', 5, null, Buffer.from('a')]) {
    assert.throws(() => users.getStream(wrong(keys)), /keys must be an iterable of keys, not/)
  }
  await assert.rejects(all(users.getStream([1], wrong({ timeout: -1 }))), RangeError)
  await assert.rejects(all(users.getStream([1], { signal: AbortSignal.abort() })), {
    name: 'AbortError',
  })
})

test('an aborted signal ends a stream whose input waits', async () => {
  const users = await filled()
  const aborting = new AbortController()
  async function* silent() {
    yield users.key(1)
    await sleep(60_000, undefined, { signal: aborting.signal }).catch(() => {})
  }
  const running = all(session.query(silent()).signal(aborting.signal).stream())
  setTimeout(() => aborting.abort(new LookupError('enough')), 30)
  await assert.rejects(running, LookupError)
})

test('a dataset is scanned with filter, limit and partitions', async () => {
  const users = await filled(40)
  const adults = await all(session.query(users).where('$.age > ?', 25).limit(100).stream())
  assert.deepEqual(
    adults.map(({ bins }) => bins.age as number).sort((a, b) => a - b),
    NUMBERS.slice(26, 40),
  )
  assert.equal((await session.query(users).where('$.age > ?', 25).limit(5).toList()).length, 5)
  assert.equal((await session.query(users).where('$.age == 7').first()).bins.age, 7)
  assert.equal(await session.query(users).where('$.age == 70').firstOrNone(), null)
  const parts = await Promise.all(
    [0, 2048].map((first) => session.query(users).partitions({ first, count: 2048 }).count()),
  )
  assert.equal((parts[0] as number) + (parts[1] as number), 40)
  assert.equal(await session.query(users).bins('age').count(), 40)
  const [size] = await session.query(users).op(op.get('age')).op(op.get('n')).limit(1).toList()
  assert.equal(size?.results.length, 2)
  await client.indexes.create('test', users.set, 'age', 'numeric')
  const results = await session
    .query(users)
    .index(index.between('age', 5, 9))
    .toList()
  assert.deepEqual(
    results.map(({ bins }) => bins.age as number).sort((a, b) => a - b),
    [5, 6, 7, 8, 9],
  )
  const page = await session.query(users).pageSize(15).stream().page()
  assert.ok(page instanceof Page)
  assert.equal(page.records.length, 15)
  assert.equal((await session.query(users).pageSize(15).resume(page.cursor).toList()).length, 25)
  const executed = await all(session.query(users).concurrentNodes(1).timeout(9000).execute())
  assert.equal(executed.length, 40)
  await assert.rejects(session.query(users).limit(-1).toList(), RangeError)
  assert.throws(() => session.query(users).limit(-1).stream(), RangeError)
})
