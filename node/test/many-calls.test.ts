/** Verbs on many records: invalid arguments, callbacks, cancelled calls, closed clients. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Batch,
  Client,
  ClientClosed,
  type Dataset,
  Key,
  NamespaceNotFound,
  op,
  type UserKey,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Row = { n?: number; s?: string; [bin: string]: unknown }

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

function fresh(): Dataset<Row> {
  return client.dataset<Row>('test', `many${sets++}`)
}

const NUMBERS = Array.from({ length: 300 }, (_, n) => n)

async function filled(): Promise<Dataset<Row>> {
  const data = fresh()
  const written = await data.putMany(NUMBERS.map((n) => [n, { n, s: String(n) }]))
  assert.equal(written.raiseForErrors().found, NUMBERS.length)
  return data
}

const _binsOf = (batch: Batch<Row>) => [...batch].map((record) => record && { ...record.bins })

const KEYS: [keys: unknown, error: typeof TypeError, message: RegExp][] = [
  ['abc', TypeError, /^keys must be an iterable, such as an array, not string$/],
  [Buffer.from('abc'), TypeError, /^keys must be an iterable, .* not Buffer$/],
  [5, TypeError, /^keys must be an iterable, .* not number$/],
  [null, TypeError, /^keys must be an iterable, .* not null$/],
  [undefined, TypeError, /^keys must be an iterable, .* not undefined$/],
  [[1, 1.5], RangeError, /^row 1: a key must be a whole number up to 2\^53 - 1, .* not 1\.5$/],
  [[0, 1, Number.NaN], RangeError, /^row 2: a key must be .* not NaN$/],
  [['a', 1.5], RangeError, /^row 1: a key must be .* not 1\.5$/],
  [[0, 1, 2n ** 63n], RangeError, /^row 2: /],
  [[0, null], TypeError, /^row 1: a key must be .* not null$/],
  [[0, undefined], TypeError, /^row 1: a key must be .* not undefined$/],
  [[0, {}], TypeError, /^row 1: a key must be .* not Object$/],
  [[0, [1]], TypeError, /^row 1: a key must be .* not Array$/],
  [['a', 'b\ud800'], RangeError, /^row 1: .*surrogate/],
  [[1, new Key('test', 'another', 1)], RangeError, /^row 1: .*does not belong/],
]

test('invalid keys are rejected', async () => {
  const data = await filled()
  for (const [keys, error, message] of KEYS) {
    await assert.rejects(data.getMany(wrong(keys)), (raised: Error) => {
      assert.equal(raised.constructor, error, raised.message)
      assert.match(raised.message, message)
      return true
    })
  }
  await assert.rejects(client.getMany(wrong([5])), /^TypeError: row 0: .*take a Key, not number/)
  assert.equal((await data.getMany([1])).found, 1)
})

const RECORDS: [records: unknown, error: typeof TypeError, message: RegExp][] = [
  [
    [
      [1, { n: 1 }],
      [2, { n: new Set() }],
    ],
    TypeError,
    /^row 1: bin "n": cannot store/,
  ],
  [
    [
      [1, { n: 1 }],
      [2, { n: undefined }],
    ],
    TypeError,
    /^row 1: bin "n": /,
  ],
  [[[1, {}]], RangeError, /^row 0: bins must not be empty/],
  [
    [
      [1, { n: 1 }],
      [2, { ['x'.repeat(16)]: 1 }],
    ],
    RangeError,
    /^row 1: .*bin name/,
  ],
  [[[1, 5]], TypeError, /^row 0: bins must be an object/],
  [[1, 2], TypeError, /^row 0: records must be pairs of key and bins, not number/],
  [[[1, { n: 1 }, 3]], TypeError, /^row 0: records must be pairs of key and bins/],
  [
    [
      [1, { n: 1 }],
      [1.5, { n: 1 }],
    ],
    RangeError,
    /^row 1: a key must be/,
  ],
  ['ab', TypeError, /^records must be a Map, an object or an iterable of pairs, not string/],
  [5, TypeError, /^records must be .* not number/],
  [Buffer.from('ab'), TypeError, /^records must be .* not Buffer/],
  [new Date(), TypeError, /^records must be .* not Date/],
]

test('invalid records are rejected', async () => {
  const data = fresh()
  for (const [records, error, message] of RECORDS) {
    await assert.rejects(data.putMany(wrong(records)), (raised: Error) => {
      assert.equal(raised.constructor, error, raised.message)
      assert.match(raised.message, message)
      return true
    })
  }
  async function* broken(): AsyncGenerator<[UserKey, Row]> {
    yield [1, { n: 1 }]
    throw new Error('the source')
  }
  await assert.rejects(data.putMany(broken()), /the source/)
  assert.equal((await data.getMany([1, 2])).found, 0, 'nothing is sent before all is checked')
})

test('unknown options are rejected', async () => {
  const data = fresh()
  await assert.rejects(data.getMany([1], wrong({ binz: [] })), /^TypeError: unknown option binz/)
  await assert.rejects(data.getMany([1], wrong({ ttl: 1 })), /unknown option ttl/)
  await assert.rejects(data.getMany([1], { bins: wrong('n') }), /^TypeError: bins must be an array/)
  await assert.rejects(data.existsMany([1], { timeout: Number.NaN }), /timeout/)
  await assert.rejects(data.deleteMany([1], wrong({ generation: 'x' })), /^TypeError: generation/)
  for (const options of [{ ttl: 5 }, { exists: 'create' }]) {
    await assert.rejects(data.deleteMany([1], wrong(options)), /^TypeError: unknown option/)
    await assert.rejects(data.delete(1, wrong(options)), /^TypeError: unknown option/)
  }
  for (const options of [{ generation: 5 }, { exists: 'create' }]) {
    await assert.rejects(data.applyMany([1], 'm', 'f', [], wrong(options)), /unknown option/)
    await assert.rejects(data.apply(1, 'm', 'f', [], wrong(options)), /^TypeError: unknown option/)
  }
  await assert.rejects(data.touch(1, wrong({ durable: true })), /unknown option durable/)
  await assert.rejects(data.operateMany([1], []), /^RangeError: operations must not be empty/)
  await assert.rejects(data.operateMany([1], wrong([5])), /^TypeError: operations\[0\] must be/)
  await assert.rejects(data.putMany([], wrong({ exists: 'x' })), /^RangeError: exists must be/)
  await assert.rejects(data.applyMany([1], wrong(5), 'f'), /^TypeError: module must be a string/)
})

test('an unknown namespace fails its row only', async () => {
  const data = await filled()
  const keys = [data.key(1), new Key('nowhere', 's', 1), data.key(2)]
  const results = await client.getMany(keys)
  assert.deepEqual([results[0]?.bins['n'], results[2]?.bins['n']], [1, 2])
  assert.deepEqual([...results.errors.keys()], [1])
  const error = results.errors.get(1)
  assert.ok(error instanceof NamespaceNotFound)
  assert.match(error.message, /nowhere/)
  assert.equal(error.key?.namespace, 'nowhere')
})

test('callbacks run after the call has returned', async () => {
  const data = await filled()
  type Outcome = [error: Error | null, batch: Batch<Row> | undefined]
  const withCallback = (
    call: (callback: (error: Error | null, batch?: Batch<Row>) => void) => unknown,
  ) =>
    new Promise<Outcome>((resolve) => {
      let returned = false
      const value = call((error, batch) => {
        assert.ok(returned)
        resolve([error, batch])
      })
      returned = true
      assert.equal(value, undefined)
    })
  const good = await Promise.all([
    withCallback((callback) => data.getMany([1], callback)),
    withCallback((callback) => data.getMany([1], { bins: ['n'] }, callback)),
    withCallback((callback) => data.existsMany([1], callback)),
    withCallback((callback) => data.putMany([[1, { n: 5 }]], callback)),
    withCallback((callback) => data.operateMany([1], [op.get('n')], callback)),
    withCallback((callback) => data.batch([], callback)),
    withCallback((callback) => data.deleteMany([1], {}, callback)),
  ])
  for (const [error, batch] of good) assert.ok(error === null && batch instanceof Batch)
  const [error, batch] = await withCallback((callback) => data.getMany(wrong('abc'), callback))
  assert.ok(error instanceof TypeError && batch === undefined)
})

test('cancelled calls are rejected', async () => {
  const data = await filled()
  const aborted = AbortSignal.abort(new Error('never mind'))
  await assert.rejects(data.getMany([1], { signal: aborted }), /never mind/)
  await assert.rejects(data.putMany([[1, { n: -1 }]], { signal: aborted }), /never mind/)
  for (let at = 0; at < 50; at++) {
    const abort = new AbortController()
    const doomed = data.getMany(NUMBERS, { signal: abort.signal })
    abort.abort(new Error(`doomed ${at}`))
    await assert.rejects(doomed, new RegExp(`doomed ${at}`))
    const results = await data.getMany([at, at + 1])
    assert.deepEqual(
      [...results].map((record) => record?.bins.n),
      [at, at + 1],
    )
  }
  // A source that never yields.
  const abort = new AbortController()
  async function* stuck(): AsyncGenerator<[UserKey, Row]> {
    yield [1, { n: -1 }]
    await new Promise(() => {})
  }
  const doomed = data.putMany(stuck(), { signal: abort.signal })
  setImmediate(() => abort.abort(new Error('enough')))
  await assert.rejects(doomed, /enough/)
  assert.equal((await data.get(1)).bins.n, 1)
})

test('a closed client rejects calls', async () => {
  const other = await Client.connect(cluster.seeds, { timeout: 30_000 })
  const data = other.dataset('test', 's')
  const pending = Promise.allSettled(NUMBERS.map((n) => data.getMany([n, n + 1])))
  await other.close()
  for (const outcome of await pending) {
    if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof ClientClosed)
    else assert.ok([...outcome.value.errors.values()].every((e) => e instanceof ClientClosed))
  }
  await assert.rejects(data.getMany([1]), (error: ClientClosed) => {
    assert.ok(error instanceof ClientClosed)
    assert.equal(error.key, null)
    return true
  })
})
