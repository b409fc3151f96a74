/** Batches that mix reads, writes, deletes and Lua functions. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Apply,
  type Batch,
  Client,
  type Dataset,
  Delete,
  exp,
  GenerationMismatch,
  Key,
  NamespaceNotFound,
  newer,
  op,
  Read,
  RecordExists,
  type Row,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Bins = { n?: number; s?: string }

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

function fresh(): Dataset<Bins> {
  return client.dataset<Bins>('test', `batch${sets++}`)
}

async function filled(): Promise<Dataset<Bins>> {
  const data = fresh()
  const records = Array.from({ length: 20 }, (_, n) => [n, { n, s: String(n) }] as const)
  await data.putMany(records).then((batch) => batch.raiseForErrors())
  return data
}

const binsOf = (batch: Batch<Bins>) => [...batch].map((record) => record && { ...record.bins })

test('rows of all kinds, in input order', async () => {
  const data = await filled()
  const done = await data.batch([
    new Read(1),
    new Write(100, { n: 100 }),
    new Delete(2),
    new Read('nobody'),
    new Write(3, [op.add('n', 10), op.get('n')]),
    new Read(4, { bins: ['s'] }),
    new Delete('nobody'),
    new Read(5, { ops: [op.get('n'), op.get('zz')] }),
    new Read(6, { bins: [] }),
  ])
  assert.deepEqual(binsOf(done), [
    ...[{ n: 1, s: '1' }, {}, {}, null, { n: 13 }, { s: '4' }, null, { n: 5 }, {}],
  ])
  assert.deepEqual([...done.codes], [0, 0, 0, 2, 0, 0, 2, 0, 0])
  assert.deepEqual(done[4]?.results, [null, 13])
  assert.deepEqual(done[7]?.results, [5, null])
  assert.equal(done[0]?.results, undefined)
  assert.deepEqual([done[1]?.generation, done.errors.size, done.inDoubt], [1, 0, []])
  const keys = [1, 100, 2, 'nobody', 3, 4, 'nobody', 5, 6]
  assert.deepEqual(
    done.keys.map(({ key }) => key),
    keys,
  )
  assert.deepEqual([done[4]?.key.key, done[8]?.key.key], [3, 6])
  const after = await data.getMany([100, 2, 3])
  assert.deepEqual(binsOf(after), [{ n: 100 }, null, { n: 13, s: '3' }])
})

test('rows of one record run in order', async () => {
  const data = fresh()
  const done = await data.batch([
    new Write('k', { n: 1 }),
    new Write('k', [op.add('n', 1)]),
    new Read('k'),
    new Delete('k'),
    new Read('k'),
  ])
  assert.deepEqual([done[2]?.bins, [...done.codes]], [{ n: 2 }, [0, 0, 0, 0, 2]])
})

const ONE: [row: () => Row, code: number, expected: Bins | null][] = [
  [() => new Read(1), 0, { n: 1, s: '1' }],
  [() => new Read(1, { bins: ['n'] }), 0, { n: 1 }],
  [() => new Read(1, { ops: [op.get('n')] }), 0, { n: 1 }],
  [() => new Read(1, { ops: [op.get()] }), 0, { n: 1, s: '1' }],
  [() => new Write(1, { n: 2 }), 0, {}],
  [() => new Write(1, [op.put('n', 5), op.get('n')]), 0, { n: 5 }],
  [() => new Delete(1), 0, {}],
  [() => new Delete(999), 2, null],
  [() => new Read(1, { where: '$.n > 5' }), 27, null],
]

for (const [make, code, expected] of ONE) {
  test(`one row, alone and between others: ${code} ${JSON.stringify(expected)}`, async () => {
    const data = await filled()
    const alone = await data.batch([make()])
    assert.deepEqual([[...alone.codes], binsOf(alone)], [[code], [expected]])
    await data.put(1, { n: 1, s: '1' })
    const between = await data.batch([new Read(7), make(), new Read(8)])
    assert.deepEqual([[...between.codes], binsOf(between)[1]], [[0, code, 0], expected])
  })
}

test('rows may be none, any iterable, or thousands', async () => {
  const data = await filled()
  assert.equal((await data.batch([])).length, 0)
  assert.equal((await data.batch(new Set([new Read(1), new Delete(2)]))).found, 2)
  const numbers = Array.from({ length: 6000 }, (_, n) => n)
  const writes = numbers.map((n) => new Write(n, n % 3 ? { n } : [op.put('n', n)]))
  const written = await data.batch(writes)
  written.raiseForErrors()
  const done = await data.batch(numbers.map((n) => (n % 2 ? new Read(n) : new Delete(n))))
  assert.deepEqual(
    [...done].map((record) => record?.bins.n),
    numbers.map((n) => (n % 2 ? n : undefined)),
  )
  assert.equal((await data.getMany(numbers)).found, 3000)
})

test('rows of several sets go through the client', async () => {
  const [a, b] = [fresh(), fresh()]
  const done = await client.batch([
    new Write(a.key('k'), { n: 1 }),
    new Write(b.key('k'), { n: 2 }),
    new Read(b.key('k')),
  ])
  assert.deepEqual(done[2]?.bins, { n: 2 })
  assert.deepEqual((await a.get('k')).bins, { n: 1 })
})

test('writing rows have their own options', async () => {
  const data = await filled()
  const done = await data.batch([
    new Write(1, { n: 0 }, { exists: 'create' }),
    new Write(2, { n: 0 }, { exists: 'replace', ttl: 500 }),
    new Write(3, { n: 0 }, { generation: 9 }),
    new Write(4, { n: 0 }, { generation: newer(2) }),
    new Write(5, { n: 0 }, { where: exp.bin('n').gt(100) }),
    new Write(6, { n: 0 }, { where: ['$.n == ?0', 6] }),
    new Write(50, { n: 0 }, { exists: 'update' }),
    new Write(51, { n: 0 }, { sendKey: true }),
    new Write(7, wrong({ n: null, s: null }), { durable: true }),
  ])
  assert.deepEqual([...done.codes], [5, 0, 3, 0, 27, 0, 2, 0, 25])
  assert.ok(done.errors.get(0) instanceof RecordExists)
  assert.ok(done.errors.get(2) instanceof GenerationMismatch)
  assert.deepEqual([...done.errors.keys()], [0, 2, 8])
  const record = await data.get(2)
  assert.deepEqual(record.bins, { n: 0 })
  assert.ok(Number(record.ttl) > 400)
  assert.ok(await data.exists(51, { where: exp.key('int').eq(51) }))
  assert.equal((await data.get(5)).bins.n, 5)
})

test('reading and deleting rows have their own options', async () => {
  const data = await filled()
  const done = await data.batch([
    new Read(1, { where: '$.n > 100' }),
    new Read(2, { bins: ['n'], where: '$.n > 1' }),
    new Read(3, { ops: [op.get('n')], where: '$.n > 100' }),
    new Read(4, { readMode: 'linearize' }),
    new Read(5, { readMode: 'all', readTouch: 50 }),
    new Delete(6, { generation: 2 }),
    new Delete(7, { generation: 1, sendKey: true }),
    new Delete(8, { where: '$.n > 100' }),
    new Delete(9, { durable: true }),
  ])
  assert.deepEqual([...done.codes], [27, 0, 27, 25, 0, 3, 0, 27, 25])
  assert.deepEqual([...(await data.existsMany([6, 7, 8, 9])).codes], [0, 2, 0, 0])
})

test('options of the client apply to rows', async () => {
  const options = { sendKey: true, readMode: 'linearize', timeout: 30_000 } as const
  const other = await Client.connect(cluster.seeds, options)
  const data = other.dataset('test', `batch${sets++}`)
  const rows = [new Write(1, { n: 1 }), new Write(2, { n: 1 }, { sendKey: false }), new Read(1)]
  assert.deepEqual([...(await data.batch(rows)).codes], [0, 0, 25])
  const stored = await data.getMany([1, 2], { where: exp.keyExists(), readMode: 'one' })
  assert.deepEqual([...stored.codes], [0, 27])
  await other.close()
})

test('rows keep their arguments and are immutable', () => {
  const options = { ttl: 5 }
  const row = new Write('k', { n: 1 }, options)
  options.ttl = 6
  assert.deepEqual([row.key, row.what, row.options], ['k', { n: 1 }, { ttl: 5 }])
  assert.throws(() => (wrong(row).key = 5), TypeError)
  assert.throws(() => (wrong(row.options).ttl = 6), TypeError)
  assert.deepEqual(new Read('k', { bins: ['a'] }), new Read('k', { bins: ['a'] }))
  assert.notDeepEqual(new Read('k'), new Read('other'))
})

const BAD: [row: unknown, error: typeof TypeError, message: RegExp][] = [
  [5, TypeError, /a row must be a Read, Write, Delete or Apply, not number/],
  [{ key: 1 }, TypeError, /a row must be a Read, Write, Delete or Apply, not Object/],
  [new Read(1.5), RangeError, /a key must be a whole number/],
  [new Read(wrong(null)), TypeError, /a key must be .* not null/],
  [new Read(new Key('test', 'other', 1)), RangeError, /does not belong/],
  [new Read(1, { bins: wrong('abc') }), TypeError, /bins must be an array/],
  [new Read(1, { bins: ['a'], ops: [op.get('a')] }), RangeError, /bins and ops exclude each other/],
  [new Read(1, { ops: [op.add('a', 1)] }), RangeError, /ops of a Read must only read/],
  [new Read(1, { ops: [] }), RangeError, /operations must not be empty/],
  [new Read(1, { where: wrong(5) }), TypeError, /where/],
  [new Read(1, { readTouch: 500 }), RangeError, /readTouch must be/],
  [new Read(1, { readMode: wrong('x') }), RangeError, /readMode must be/],
  [new Write(1, {}), RangeError, /bins must not be empty/],
  [new Write(1, wrong(5)), TypeError, /bins must be an object/],
  [new Write(1, { a: wrong(new Set([3])) }), TypeError, /bin "a": cannot store/],
  [new Write(1, [op.get('a')]), RangeError, /operations of a Write must write/],
  [new Write(1, wrong([5])), TypeError, /operations\[0\] must be an operation/],
  [new Write(1, { a: 1 }, { ttl: -5 }), RangeError, /ttl must be/],
  [new Write(1, { a: 1 }, { generation: wrong('x') }), TypeError, /generation must be/],
  [new Write(1, { a: 1 }, { exists: wrong('x') }), RangeError, /exists must be/],
  [new Delete(1, { generation: -1 }), RangeError, /generation must be/],
  [new Apply(1, wrong(5), 'f'), TypeError, /module must be a string/],
  [new Apply(1, 'm', 'f', wrong('abc')), TypeError, /args must be an array/],
]

test('an invalid row is named, and nothing is sent', async () => {
  const data = fresh()
  for (const [row, error, message] of BAD) {
    const rows = [new Write('a', { n: 1 }), new Read('b'), wrong(row)]
    await assert.rejects(data.batch(rows), (raised: Error) => {
      assert.equal(raised.constructor, error, raised.message)
      assert.match(raised.message, new RegExp(`^row 2: .*${message.source}`))
      return true
    })
  }
  assert.equal(await data.exists('a'), false)
})

test('invalid rows and unknown options are rejected', async () => {
  const data = fresh()
  for (const rows of [5, 'abc', null, new Read(1)]) {
    await assert.rejects(data.batch(wrong(rows)), /^TypeError: rows must be an iterable/)
  }
  await assert.rejects(data.batch([], { replica: wrong('x') }), /^RangeError: replica must be/)
  await assert.rejects(data.batch([], { timeout: wrong('x') }), /^TypeError: timeout must be/)
  await assert.rejects(
    data.batch([], wrong({ generation: 5 })),
    /^TypeError: unknown option generation/,
  )
  for (const make of [
    () => new Read(1, wrong({ tll: 1 })),
    () => new Write(1, { n: 1 }, wrong({ tll: 1 })),
    () => new Delete(1, wrong({ ttl: 1 })),
    () => new Apply(1, 'm', 'f', [], wrong({ generation: 1 })),
  ]) {
    assert.throws(make, /^TypeError: unknown option/)
  }
})

test('an unknown namespace fails its row', async () => {
  const data = fresh()
  await data.put(1, { n: 1 })
  const done = await client.batch([
    new Read(data.key(1)),
    new Write(new Key('nowhere', 's', 1), { n: 1 }),
    new Write(data.key(2), { n: 2 }),
  ])
  const error = done.errors.get(1)
  assert.ok(error instanceof NamespaceNotFound)
  assert.match(error.message, /nowhere/)
  assert.deepEqual([error.key?.namespace, error.inDoubt], ['nowhere', false])
  assert.deepEqual([done[0]?.bins, done[2]?.generation], [{ n: 1 }, 1])
})

test('a missing function fails its row', async () => {
  const data = await filled()
  const done = await data.batch([new Read(1), new Apply(2, 'nothing', 'f', [1]), new Read(3)])
  assert.deepEqual([done[0]?.bins.n, done[2]?.bins.n], [1, 3])
  assert.deepEqual([...done.errors.keys()], [1])
  const many = await data.applyMany([1, 2], 'nothing', 'f', ['a'])
  assert.deepEqual([...many.errors.keys()], [0, 1])
  assert.equal(many.errors.get(1)?.constructor, done.errors.get(1)?.constructor)
})
