/** The builder: results, strategies, copies, chains. `builder-cases.test.ts` has the table of cases. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import {
  BinTypeError,
  type builder,
  Client,
  type Dataset,
  exp,
  FilteredOut,
  GenerationMismatch,
  type OperatedRecord,
  op,
  Profile,
  type Record,
  RecordNotFound,
  Timeout,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type User = { age?: number; name?: string; visits?: number; n?: number }

let cluster: Cluster
let client: Client
let session: builder.Builder
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  session = client.session()
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

function fresh(): Dataset<User> {
  return client.dataset<User>('test', `builder${sets++}`)
}

/** The compiler's view of a value must be exactly this type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function typed<_ extends true>(): void {}

test('types follow the chain', async () => {
  const users = fresh()
  const key = users.key(1)
  const written = await session.upsert<User>(key).set('age', 28).set('name', null).execute()
  typed<Same<typeof written, undefined>>()
  assert.equal(written, undefined)
  const operated = await session.update<User>(key).set('name', 'A').add('age', 1).execute()
  typed<Same<typeof operated, OperatedRecord<User>>>()
  const collected = await session.update<User>(key).add('age', 1).execute({ onError: 'collect' })
  typed<Same<typeof collected, builder.Results<User>>>()
  const several = await session.upsert<User>([key]).add('age', 1).execute()
  typed<Same<typeof several, builder.Results<User>>>()
  const record = await session.query<User>(key).bins('age').first()
  typed<Same<typeof record, Record<User>>>()
  assert.equal(record.bins.age, 31)
  const none = await session.query<User>(key).firstOrNone()
  typed<Same<typeof none, Record<User> | null>>()
  const deleted = await session.delete(users.key(9)).execute()
  typed<Same<typeof deleted, boolean>>()
  const touched = await session.touch(key).execute()
  typed<Same<typeof touched, undefined>>()
  const exists = await session.exists([key]).execute()
  typed<Same<typeof exists, builder.Results>>()
  type Other = { other: string }
  const mixed = await session.query<User>(key).query<Other>(key).execute()
  typed<Same<typeof mixed, builder.Results<User | Other>>>()
  const scanned = await session.query(users).first()
  typed<Same<typeof scanned, Record<User>>>()
  // @ts-expect-error: there is no such bin
  session.query<User>(key).bins('ages')
  // @ts-expect-error: the bin has another type
  session.upsert<User>(key).set('age', 'old')
  // @ts-expect-error: a scan has no steps after it
  assert.equal(session.query(users).delete, undefined)
  // @ts-expect-error: and no options of calls on records
  assert.equal(session.query(users).hedge, undefined)
})

test('records are written, filtered and expire', async () => {
  const users = fresh()
  const key = users.key('k')
  await session.upsert<User>(key).set('age', 20).ttl(3600).sendKey().execute()
  const { ttl } = await session.query(key).first()
  assert.ok(ttl !== null && ttl > 3500 && ttl <= 3600)
  await session.touch(key).ttl(7200).execute()
  const record = await session.query(key).replica('master').readMode('all').timeout(9000).first()
  assert.deepEqual([record.generation, (record.ttl ?? 0) > 3600], [2, true])
  await assert.rejects(
    session.update(key).set('age', 21).generation(1).execute(),
    GenerationMismatch,
  )
  await session.update(key).set('age', 21).generation(2).execute()
  const conditions = [
    ['$.age > ?', 30],
    ['$.age > ?0', 30],
    [exp.bin('age', 'int').gt(30)],
  ] as const
  for (const where of conditions) {
    const [condition, ...parameters] = where
    assert.equal(
      await session
        .query(key)
        .where(condition, ...parameters)
        .firstOrNone(),
      null,
    )
    await assert.rejects(
      session
        .query(key)
        .where(condition, ...parameters)
        .first(),
      FilteredOut,
    )
    const update = session
      .update(key)
      .set('age', 1)
      .where(condition, ...parameters)
    await assert.rejects(update.execute(), FilteredOut)
  }
  assert.equal(await session.delete(key).where('$.age > ? and $.age < ?', 3, 5).execute(), false)
  const hedged = session.query(key).hedge('p99').shareReads('unsent').retries(1, { sleep: 10 })
  assert.equal((await hedged.first()).bins['age'], 21)
  assert.equal(await session.delete(key).generation(3).execute(), true)
})

test('results know their rows', async () => {
  const users = fresh()
  await session
    .upsert<User>(users.keys([8, 9]))
    .add('visits', 1)
    .execute()
  const keys = users.keys([8, 9, 10, 11])
  const results = await session.query<User>(keys).bins('visits').execute()
  assert.deepEqual(
    [...results].map(({ key, ok, missing }) => [key.key, ok, missing]),
    [
      [8, true, false],
      [9, true, false],
      [10, false, true],
      [11, false, true],
    ],
  )
  assert.equal(results.length, 4)
  assert.deepEqual(
    results.toList().map(({ bins }) => bins.visits),
    [1, 1],
  )
  assert.equal(results.first().bins.visits, 1)
  assert.equal(results.at(-1)?.row, 3)
  assert.deepEqual(
    [results.at(4), results.at(-5), results.at(0.5)],
    [undefined, undefined, undefined],
  )
  assert.deepEqual({ ...results.at(0)?.unwrap().bins }, { visits: 1 })
  assert.throws(
    () => results.at(3)?.unwrap(),
    (error: RecordNotFound) => error instanceof RecordNotFound && error.key?.key === 11,
  )
  assert.deepEqual([results.count(), results.errors, results.batch.length], [2, [], 4])
  assert.equal(inspect(results), 'Results(4 rows, 2 records, 0 failed)')
  const none = await session.query(users.keys([1, 2])).execute()
  assert.throws(() => none.first(), RecordNotFound)
  assert.equal(none.firstOrNone(), null)
  await assert.rejects(
    session.query(users.key(1)).first(),
    (error: RecordNotFound) => error.key?.key === 1 && error.code === 2,
  )
})

test('failed rows are thrown, collected, skipped or handled', async () => {
  const users = fresh()
  const keys = users.keys([0, 1, 2])
  await session
    .upsert(keys[1] as never)
    .set('n', 'text')
    .execute()
  const step = session.upsert(keys).add('n', 1)
  await assert.rejects(
    step.execute(),
    (error: BinTypeError) => error instanceof BinTypeError && error.key?.key === 1,
  )
  const results = await step.execute({ onError: 'collect' })
  assert.deepEqual(
    results.errors.map(({ row, record, ok, missing }) => [row, record, ok, missing]),
    [[1, null, false, false]],
  )
  assert.throws(() => results.toList(), BinTypeError)
  assert.throws(() => results.at(1)?.unwrap(), BinTypeError)
  assert.equal(results.count(), 2)
  const seen: builder.Result[] = []
  const others = await step.execute({ onError: (result) => seen.push(result) })
  assert.deepEqual(
    [...others].map(({ row }) => row),
    [0, 2],
  )
  assert.deepEqual(
    seen.map(({ row, key, record }) => [row, key.key, record]),
    [[1, 1, null]],
  )
  class Stop extends Error {}
  const stop = () => {
    throw new Stop()
  }
  await assert.rejects(step.execute({ onError: stop }), Stop)
  const filtered = await session
    .update(users.keys([9, 0]))
    .set('n', 3)
    .where('$.n > ?', 50)
    .execute({ onError: 'collect', missing: 'error' })
  assert.deepEqual(
    [...filtered].map(({ error }) => error?.code),
    [2, 27],
  )
  const handler = async () => {}
  await assert.rejects(step.execute({ onError: handler }), /must be a plain function/)
  await assert.rejects(step.execute(wrong({ onErr: 'skip' })), /unknown option onErr/)
  assert.throws(() => step.stream(wrong({ windows: 5 })), /unknown option windows/)
})

test('counting leaves the step as it is', async () => {
  const users = fresh()
  await users.put(1, { n: 1 })
  for (const step of [session.query(users.key(1)), session.query(users.keys([1]))]) {
    assert.equal(await step.count(), 1)
    assert.deepEqual({ ...(await step.first()).bins }, { n: 1 })
  }
})

test('a step can be executed again, and copied', async () => {
  const users = fresh()
  const key = users.key(1)
  const template = session.upsert<User>(key).set('age', 1).ttl(500)
  await template.copy().set('n', 2).timeout(20_000).execute()
  assert.deepEqual({ ...(await users.get(1)).bins }, { age: 1, n: 2 })
  await template.set('age', 3).execute()
  const record = await users.get(1)
  assert.deepEqual({ ...record.bins }, { age: 3, n: 2 })
  assert.ok((record.ttl ?? 0) > 400)
  const counting = session.update<User>(key).add('age', 1)
  assert.equal((await counting.copy().get('age').first()).bins.age, 4)
  assert.deepEqual({ ...(await counting.first()).bins }, {})
  const reading = session.query<User>(key).get('age')
  assert.deepEqual((await reading.copy().get('n').first()).results, [5, 2])
  assert.deepEqual((await reading.first()).results, [5])
  const named = session.query<User>(key).bins('age').where('$.age == 5')
  assert.deepEqual({ ...(await named.copy().bins('n').first()).bins }, { n: 2 })
  assert.throws(() => named.copy().where('$.n == 1'), /where is set already/)
  assert.equal(await session.exists(key).copy().execute(), true)
  assert.equal(await session.query(users).copy().limit(5).count(), 1)
  const chain = session.touch(key).delete(key)
  assert.equal((await chain.copy().execute()).count(), 2)
  assert.throws(
    () => session.query(users.keys([1]).values()).copy(),
    /only one step can read: give an array/,
  )
})

test('two chains go on from one step', async () => {
  const users = fresh()
  const start = session.upsert<User>(users.key(1)).add('n', 1)
  const one = start.upsert<User>(users.key(2)).set('n', 1)
  const other = start.upsert<User>(users.key(3)).set('n', 1)
  assert.deepEqual([(await one.execute()).length, (await other.execute()).length], [2, 2])
  assert.equal((await users.get(1)).bins.n, 2)
})

test('a chain checks generations, and has options by row', async () => {
  const users = fresh()
  await session
    .upsert<User>(users.keys([1, 2]))
    .set('n', 1)
    .execute()
  const results = await session
    .update<User>(users.key(1))
    .set('n', 2)
    .generation(5)
    .update<User>(users.key(2))
    .set('n', 2)
    .generation(1)
    .ttl(500)
    .sendKey()
    .timeout(9000)
    .exists(users.keys([1]))
    .delete(users.key(3))
    .durableDelete(false)
    .touch(users.key(1))
    .ttl(900)
    .execute({ onError: 'collect' })
  assert.deepEqual(
    [...results].map(({ ok, error }) => [ok, error?.constructor.name]),
    [
      [false, 'GenerationMismatch'],
      [true, undefined],
      [true, undefined],
      [false, undefined],
      [true, undefined],
    ],
  )
  const ttls = [(await users.get(1)).ttl ?? 0, (await users.get(2)).ttl ?? 0]
  assert.ok((ttls[0] as number) > 800 && (ttls[1] as number) > 400 && (ttls[1] as number) <= 500)
})

test('a long chain is one call', async () => {
  const users = fresh()
  let chain: builder.WriteMany<User> | builder.DeleteMany = session.delete([users.key(0)])
  for (let n = 1; n < 5000; n++) chain = chain.upsert<User>(users.key(n)).set('n', n) as never
  const results = await (chain as builder.WriteMany<User>).execute()
  assert.equal(results.count(), 4999)
  assert.equal(await session.query(users).count(), 4999)
})

test('bins have any name, and come from objects and maps', async () => {
  const users = client.dataset('test', `builder${sets++}`)
  const key = users.key(1)
  await session
    .upsert(key)
    .set('__proto__', 1)
    .put(new Map([['a', 2]]))
    .put({ b: 3 })
    .execute()
  const { bins } = await users.get(1)
  assert.deepEqual(Object.entries(bins).sort(), [
    ['__proto__', 1],
    ['a', 2],
    ['b', 3],
  ])
  for (const value of [null, ['a'], 5, undefined, 'x']) {
    assert.throws(
      () => session.upsert(key).put(wrong(value)),
      /bins must be an object of bin names/,
    )
  }
  assert.throws(() => session.upsert(key).set(wrong(1), 1), /a bin name must be a string/)
  await assert.rejects(
    session
      .upsert(key)
      .set('a', 2n ** 63n)
      .execute(),
    RangeError,
  )
})

test('columns and arrow of several keys', async () => {
  const users = fresh()
  await users.putMany([
    [3, { age: 3 }],
    [5, { age: 5 }],
  ])
  const step = session.query<User>(users.keys([3, 99, 5])).bins('age')
  const ages = (await step.toColumns()).get('age')
  assert.deepEqual([ages?.get(0), ages?.get(1), ages?.get(2)], [3n, null, 5n])
  const floats = await session.query(users.keys([3, 5])).toColumns({ schema: { age: 'float64' } })
  assert.deepEqual(floats.get('age')?.values, new Float64Array([3, 5]))
  assert.ok(Buffer.isBuffer(await step.toArrow()))
  await assert.rejects(session.query(users.key(1)).get('age').toColumns(), /reads by operations/)
  await assert.rejects(
    session.delete(users.key(1)).query(users.key(1)).toArrow(),
    /ends with execute/,
  )
})

test('calls reject, and methods of steps throw', async () => {
  const users = fresh()
  const key = users.key(1)
  const rejected = session.upsert(key).execute()
  await assert.rejects(rejected, /must not be empty/)
  const cancelled = AbortSignal.abort(new RangeError('enough'))
  await assert.rejects(session.query(key).signal(cancelled).first(), /enough/)
  await assert.rejects(session.query([key]).signal(cancelled).toList(), /enough/)
  await assert.rejects(session.delete(key).delete(key).signal(cancelled).execute(), /enough/)
  assert.throws(() => session.query(key).where(exp.bin('a', 'int').gt(1), 5), /of type Expression/)
  assert.throws(() => session.query(key).retries(1, wrong({ sleeps: 1 })), /unknown option sleeps/)
  for (const value of [null, undefined, 1.5, {}, Promise.resolve(key)]) {
    assert.throws(
      () => session.query(wrong(value)),
      /query takes a Key or an iterable of them, not/,
    )
    assert.throws(() => session.delete(key).exists(wrong(value)), /exists takes a Key/)
  }
  assert.throws(() => session.query([key], key), /query takes a Key/)
  const other = await Client.connect(cluster.seeds)
  try {
    assert.throws(() => session.query(other.dataset('test', 's')), /a dataset of another client/)
    assert.throws(() => session.query(wrong(other)), /not a client/)
  } finally {
    await other.close()
  }
})

test('options that are undefined are as if they had not been set', async () => {
  const users = fresh()
  const keys = users.keys([1])
  await session.upsert(keys).set('n', 1).ttl(5).ttl(undefined).generation(undefined).execute()
  assert.equal((await users.get(1)).ttl, null)
  const step = session.query(keys).hedge(undefined).shareReads(undefined).deadline(undefined)
  assert.equal(await step.where(undefined).where('$.n == 1').count(), 1)
})

test('keys of an iterator are read once', async () => {
  const users = fresh()
  await session
    .upsert<User>(users.keys([0, 1, 2]))
    .set('n', 1)
    .execute()
  const again = /the keys came from an iterator, which an earlier call has read/
  const step = session.query(users.keys([0, 1, 2]).values())
  assert.equal(await step.count(), 3)
  await assert.rejects(step.count(), again)
  await assert.rejects(step.toList(), again)
  await assert.rejects(step.execute(), again)
  await assert.rejects(step.toColumns(), again)
  assert.throws(() => step.stream(), again)
  const chain = session.query(users.keys([0]).values()).exists(users.keys([1]))
  assert.equal((await chain.execute()).length, 2)
  await assert.rejects(chain.execute(), again)
})

test('steps and sessions show what they are', () => {
  const users = client.dataset('test', 'shown')
  assert.equal(inspect(session.query(users.key(1))), '<query of Key(test, shown, 1)>')
  assert.equal(inspect(session.upsert(users.keys([1]))), '<upsert of Array of keys>')
  assert.equal(inspect(session.query(users)), '<query of Dataset(test, shown)>')
  assert.match(inspect(session), /^<Builder of Client\(/)
})

test('keys of a dataset', () => {
  const users = client.dataset('test', 'keys')
  const values = [1, 'a', 5n, Buffer.from('b'), users.key(7)]
  assert.deepEqual(
    users.keys(values).map(({ key }) => key),
    [1, 'a', 5n, Buffer.from('b'), 7],
  )
  assert.throws(() => users.keys(wrong([1, 2, 1.5])), /row 2/)
  assert.throws(() => users.keys(wrong('alice')), /keys must be an iterable of keys, not string/)
  assert.throws(
    () => users.keys([client.dataset('test', 'other').key(1)]),
    /row 0: .*does not belong/,
  )
})

test('results say which rows are late', async () => {
  const slow = await Cluster.start({ nodes: 3, replicationFactor: 1 })
  const own = await Client.connect(slow.seeds, { timeout: 10_000 })
  try {
    const users = own.dataset<User>('test', 'late')
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    await users.putMany(numbers.map((n) => [n, { n }]))
    await slow.inject(1, { delay: 8000 })
    const query = () => own.session().query<User>(users.keys(numbers)).deadline(600)
    const results = await query().execute()
    const late = [...results].filter((result) => result.late)
    assert.ok(late.length > 0 && late.length < 60)
    assert.deepEqual(
      late.map(({ row }) => row),
      [...results.batch.late],
    )
    for (const result of late) {
      assert.deepEqual([result.ok, result.missing, result.error], [false, false, null])
      assert.throws(() => result.unwrap(), Timeout)
    }
    assert.equal(results.count(), 60 - late.length)
    assert.equal((await query().toList()).length, 60 - late.length)
    const only = own
      .session()
      .query([(late[0] as builder.Result).key])
      .deadline(600)
    await assert.rejects(only.first(), (error: Timeout) => /late/.test(error.message))
    const streamed: number[] = []
    for await (const { row, late } of query().stream({ window: 20, ordered: true })) {
      if (late) streamed.push(row)
    }
    assert.deepEqual(
      streamed,
      late.map(({ row }) => row),
    )
  } finally {
    await own.close()
    await slow.close()
  }
})

test('operations run in order', async () => {
  const users = client.dataset('test', `builder${sets++}`)
  const key = users.key(1)
  const record = await session
    .upsert(key)
    .set('n', 1)
    .get('n')
    .add('n', 4)
    .op(op.list.append('l', 'x'), op.map.put('m', 'k', 2))
    .write('double', '$.n * 2')
    .read('seen', exp.bin('double', 'int').add(1))
    .execute()
  assert.equal(record.results[1], 1)
  assert.equal(record.bins['seen'], 11)
  assert.deepEqual({ ...(await users.get(1)).bins }, { n: 5, l: ['x'], m: { k: 2 }, double: 10 })
})

test('a session with a profile uses its options, in scans, too', async () => {
  const users = client.dataset<User>('test', `builder${sets++}`)
  const profile = new Profile('keys', { write: { sendKey: true } })
  await client.session().upsert(users.key(1)).set('n', 1).execute()
  await client.session(profile).upsert(users.key(2)).set('n', 2).execute()
  const scan = client.session(profile).query(users)
  const stored = (await scan.toList()).map(({ key }) => key.key)
  assert.deepEqual(new Set(stored), new Set([null, 2]))
  assert.equal((scan as unknown as { dataset: Dataset }).dataset.profile, profile)
  assert.throws(() => client.session({} as Profile), /profile must be a Profile/)
})
