/** Batches as columns, and small bytes that share memory. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import { type Bins, Client, codec, type Dataset, op, Read, Write } from 'spikewire'
import { Cluster } from 'spikewire/testing'

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

// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value
const fresh = (): Dataset<Bins> => client.dataset('test', `columns${sets++}`)
const NUMBERS = Array.from({ length: 300 }, (_, n) => n)

async function filled(): Promise<Dataset<Bins>> {
  const data = fresh()
  await data.putMany(
    NUMBERS.map((n) => [
      n,
      { n, f: n + 0.5, text: `ä${n}`, ok: n % 2 === 0, list: [n, n + 1], map: { k: n } },
    ]),
  )
  return data
}

test('a batch has the columns that getColumns has', async () => {
  const data = await filled()
  const keys = [5, 1000, ...NUMBERS]
  const batch = await data.getMany(keys)
  for (const options of [
    {},
    { key: 'id', generation: 'g', ttl: 't' },
    { schema: { n: 'int16', f: 'float32', none: 'utf8' } as const },
  ]) {
    const mine = batch.toColumns(options)
    const theirs = await data.getColumns(keys, options)
    assert.equal(mine.length, keys.length)
    assert.deepEqual(mine.names, theirs.names)
    for (const { name, type, ...column } of theirs) {
      if (name === 't') continue
      assert.equal(mine.get(name)?.type, type)
      assert.deepEqual(mine.get(name)?.toArray(), theirs.get(name)?.toArray(), name)
      assert.deepEqual(mine.get(name)?.values, column.values)
    }
  }
  const table = tableFromIPC(batch.toArrow({ key: 'id' }))
  assert.equal(table.numRows, keys.length)
  assert.deepEqual([table.get(1)?.['id'], table.get(1)?.['n']], [1000n, null])
  assert.equal(table.get(2)?.['text'], 'ä0')
  const again = fresh()
  assert.equal(
    (
      await again.putMany(
        batch.toArrow({ key: 'id', schema: { id: 'int64', n: 'int64' } }).subarray(),
        { key: 'id', nulls: 'remove' },
      )
    ).found >= 300,
    true,
  )
})

test('rows that failed raise, or are null', async () => {
  const data = await filled()
  const batch = await data.batch([
    new Read(1, { bins: ['n'] }),
    new Write(2, { n: 1 }, { exists: 'create' }),
    new Read(3, { bins: ['n'] }),
    new Read(4, { ops: [op.get('n')] }),
  ])
  assert.throws(() => batch.toColumns(), /exists/)
  assert.deepEqual(batch.toColumns({ errors: 'mask' }).get('n')?.toArray(), [1n, null, 3n, 4n])
  const mixed = await fresh().getMany([])
  assert.equal(mixed.toColumns().length, 0)
})

test('values that do not fit, and invalid options', async () => {
  const data = fresh()
  await data.putMany([
    [1, { n: 1 }],
    [2, { n: 'text' }],
    [3, { n: 2.5 }],
  ])
  const all = await data.getMany([1, 2])
  assert.throws(() => all.toColumns(), /^TypeError: row 1 of the table, "n": /)
  const numbers = await data.getMany([1, 3])
  assert.throws(() => numbers.toColumns(), /row 1 of the table, "n"/)
  const floats = numbers.toColumns({ schema: { n: 'float64' } })
  assert.deepEqual(floats.get('n')?.values, Float64Array.of(1, 2.5))
  assert.throws(() => all.toColumns(wrong({ rows: 5 })), /unknown option rows/)
  assert.throws(() => all.toColumns(wrong({ errors: 'x' })), /errors must be 'raise' or 'mask'/)
  assert.throws(() => all.toArrow({ schema: wrong({ n: 'int7' }) }), /"n" must be/)
})

test('a codec does not apply to columns', async () => {
  const data = client.dataset('test', `columns${sets++}`, {
    codec: { bins: { at: codec.timestamp('ms') } },
  })
  await data.put(1, { at: wrong(new Date(1234)) })
  const batch = await data.getMany([1])
  assert.ok((batch[0]?.bins['at'] as unknown) instanceof Date)
  assert.deepEqual(batch.toColumns().get('at')?.toArray(), [1234n])
})

test('small bytes share memory, and each is its own', async () => {
  const data = fresh()
  const sizes = [0, 1, 2, 127, 128, 129, 5000]
  const of = (n: number, size: number) => Buffer.alloc(size, n % 251)
  const bins = (n: number): Bins => ({
    n,
    a: of(n, sizes[n % sizes.length] as number),
    b: of(n + 1, n % 100),
    ...(n % 10 === 0 ? { extra: of(n, 8) } : {}),
    ...(n % 13 === 0 ? { a: n } : {}),
    list: [of(n, 4)],
  })
  await data.putMany(NUMBERS.map((n) => [n, bins(n)]))
  for (const keys of [NUMBERS, [7], [1000, 3, 1001, 4], [...NUMBERS].reverse()]) {
    const batch = await data.getMany(keys)
    for (const [row, n] of keys.entries()) {
      if (n >= 1000) assert.equal(batch[row], null)
      else assert.deepEqual({ ...batch[row]?.bins }, bins(n), String(n))
    }
  }
  const batch = await data.getMany(NUMBERS)
  const first = batch[1]?.bins['a'] as Buffer
  const second = batch[2]?.bins['a'] as Buffer
  assert.ok(Buffer.isBuffer(first) && Object.getPrototypeOf(first) === Buffer.prototype)
  assert.equal(first.buffer, second.buffer)
  assert.ok(first.buffer.byteLength < 96 * 128)
  first.fill(255)
  assert.deepEqual(second, of(2, 2))
  // What others use cannot be taken away from them.
  try {
    structuredClone(first, { transfer: [first.buffer as ArrayBuffer] })
  } catch {
    // Newer versions of Node.js reject this, others do not transfer it.
  }
  assert.deepEqual(second, of(2, 2))
  const large = batch[6]?.bins['a'] as Buffer
  assert.equal(large.buffer.byteLength, 5000)
  const one = (await data.get(1)).bins['a'] as Buffer
  assert.equal(one.buffer.byteLength, 1)
})
