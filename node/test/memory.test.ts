/** Memory of results: it belongs to the program for as long as that keeps it, on every runtime. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, type Column, type HyperLogLog, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 60_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

type Bytes = { buffer: ArrayBufferLike; byteLength: number; byteOffset: number }

const copyOf = (bytes: Bytes) =>
  Uint8Array.from(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))

/** Runs the garbage collector where the runtime has a function for it, or fills memory. */
function collect(): void {
  const { Bun } = globalThis as { Bun?: { gc(force: boolean): void } }
  if (Bun !== undefined) Bun.gc(true)
  else if (globalThis.gc !== undefined) globalThis.gc()
  else for (let n = 0; n < 200; n++) Buffer.alloc(1 << 20, n)
}

/** Everything with memory of its own that calls return. */
async function results(): Promise<{ [what: string]: Bytes }> {
  const records = client.dataset('test', 'memory')
  const bytes = (n: number, size: number) => Buffer.alloc(size, n)
  await records.putMany(
    Array.from({ length: 200 }, (_, n) => [n, { n, small: bytes(n, 3), large: bytes(n, 5_000) }]),
  )
  const keys = Array.from({ length: 200 }, (_, n) => n)
  const { bins, key } = await records.get(7)
  const batch = await records.getMany(keys)
  const columns = await records.getColumns(keys, { schema: { n: 'float64', small: 'binary' } })
  const numbers = columns.get('n') as Column
  const query = records.query()
  const tables: Column[] = []
  for await (const table of query.columns({ schema: { n: 'int32' } })) {
    tables.push(table.get('n') as Column)
  }
  const streams: Buffer[] = []
  for await (const stream of records.query().arrow({ schema: { n: 'int64' } })) streams.push(stream)
  await records.operate('sketch', [op.hll.add('h', ['a', 'b'], 8)])
  const sketch = (await records.get('sketch')).bins['h'] as HyperLogLog
  return {
    small: bins['small'] as Buffer,
    large: bins['large'] as Buffer,
    digest: key.digest,
    'a row of a batch': batch[100]?.bins['large'] as Buffer,
    codes: batch.codes,
    'a column of a batch': numbers.values as Float64Array,
    'a column of a query': tables[0]?.values as Int32Array,
    'an Arrow stream of a batch': await records.getArrow(keys, { schema: { n: 'int64' } }),
    'an Arrow stream of a query': streams[0] as Buffer,
    cursor: query.cursor,
    sketch: sketch.bytes,
  }
}

test('what calls return stays as it was, whatever comes later', async () => {
  const values = await results()
  const copies = Object.entries(values).map(([what, bytes]) => [what, copyOf(bytes)] as const)
  for (let round = 0; round < 5; round++) {
    await results()
    collect()
  }
  for (const [what, copy] of copies) {
    const bytes = values[what] as Bytes
    assert.ok(bytes.byteLength > 0, what)
    assert.notEqual((bytes.buffer as { detached?: boolean }).detached, true, what)
    assert.deepEqual(copyOf(bytes), copy, what)
  }
})

test('results share no memory', async () => {
  const [one, two] = [await results(), await results()]
  for (const [what, bytes] of Object.entries(one)) {
    const other = copyOf(two[what] as Bytes)
    new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).fill(0xee)
    assert.deepEqual(copyOf(two[what] as Bytes), other, what)
  }
  assert.deepEqual(
    (await client.dataset('test', 'memory').get(7)).bins['small'],
    Buffer.alloc(3, 7),
  )
})

test('columns can be handed over to another thread', async () => {
  const { 'a column of a batch': column } = await results()
  const values = column as Float64Array<ArrayBuffer>
  const moved = structuredClone(values, { transfer: [values.buffer] })
  assert.equal(values.length, 0)
  assert.deepEqual([moved[0], moved[199]], [0, 199])
})
