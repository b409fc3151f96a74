/** Reads of many records with a deadline: what has come by then is there, and the rest is late. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  type Batch,
  Client,
  type Dataset,
  Late,
  op,
  Read,
  type Record,
  type Row,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

type Bins = { n: number }

const ROWS = 60
const range = (count: number) => Array.from({ length: count }, (_, n) => n)
/** Generous, because machines that run tests are busy. */
const SLACK = 2000

/** A cluster of three nodes with records of this many copies, all of whose nodes have answered. */
async function withRecords(
  copies: number,
  work: (data: Dataset<Bins>, cluster: Cluster, client: Client) => Promise<void>,
): Promise<void> {
  const cluster = await Cluster.start({ nodes: 3, replicationFactor: copies })
  const client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  try {
    assert.ok(await cluster.waitSettled())
    const data = client.dataset<Bins>('test', 'deadlines')
    const written = await data.putMany(range(ROWS).map((key) => [key, { n: key }]))
    written.raiseForErrors()
    await data.getMany(range(ROWS))
    await work(data, cluster, client)
  } finally {
    await client.close()
    await cluster.close()
  }
}

const numbers = (batch: Batch<Bins, Late>) =>
  [...batch].map((row) => (row === null || row instanceof Late ? row : row.bins.n))

test('late rows are neither missing nor failed', async () => {
  await withRecords(1, async (data, cluster) => {
    await cluster.inject(1, { drop: 1 })
    const begun = performance.now()
    const rows = await data.getMany([...range(ROWS), -1], { deadline: 200 })
    const took = performance.now() - begun
    // The clocks differ by less than a millisecond.
    assert.ok(took > 199 && took < 200 + SLACK, `${took} ms`)
    assert.ok(rows.late.length > 0 && rows.late.length < ROWS)
    assert.equal(rows.errors.size, 0)
    const late = new Set(rows.late)
    const expected = range(ROWS).map((n) => (late.has(n) ? Late.row : n))
    assert.deepEqual(numbers(rows), [...expected, null])
    for (const row of late) {
      assert.equal(rows[row], Late.row)
      assert.equal(rows.at(row), Late.row)
      assert.equal(rows.codes[row], -16)
    }
    assert.equal(rows.found, ROWS - late.size)
    assert.equal(rows.toMap().size, ROWS - late.size)
    assert.equal(rows.raiseForErrors(), rows)
    assert.match(inspect(rows), new RegExp(`0 failed, ${late.size} late\\)$`))
    assert.equal(rows.keys.length, ROWS + 1)
  })
})

test('rows of a slow node come from another', async () => {
  for (const faults of [{ drop: 1 }, { delay: 5000 }, { stall: 1 }]) {
    await withRecords(2, async (data, cluster) => {
      await cluster.inject(1, faults)
      const begun = performance.now()
      const rows = await data.getMany(range(ROWS), { deadline: 20_000 })
      assert.ok(performance.now() - begun < 5000)
      assert.deepEqual(numbers(rows), range(ROWS))
      assert.deepEqual(rows.late, [])
      await cluster.clearFaults(1)
      assert.deepEqual(numbers(await data.getMany(range(ROWS))), range(ROWS))
    })
  }
})

test('every verb that reads many records has a deadline', async () => {
  await withRecords(1, async (data, cluster, client) => {
    await cluster.inject(1, { delay: 30_000 })
    const options = { deadline: 100 }
    const { late } = await data.getMany(range(ROWS), options)
    assert.deepEqual((await data.existsMany(range(ROWS), options)).late, late)
    assert.deepEqual((await data.operateMany(range(ROWS), [op.get('n')], options)).late, late)
    const reads: Row[] = range(ROWS).map((n) => new Read(data.key(n)))
    assert.deepEqual((await client.batch(reads, options)).late, late)
    const columns = await data.getColumns(range(ROWS), { ...options, schema: { n: 'int32' } })
    const values = [...range(ROWS)].map((n) => (late.includes(n) ? null : n))
    assert.deepEqual([...(columns.get('n') as Iterable<unknown>)], values)
    assert.ok((await data.getArrow(range(ROWS), options)).length > 0)
  })
})

test('calls that cannot have a deadline are refused', async () => {
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds, { timeout: 1000 })
  const data = client.dataset<Bins>('test', 'deadlines')
  try {
    const refused: [() => Promise<unknown>, RegExp][] = [
      [() => data.getMany([1], { deadline: 2000 }), /deadline must not be longer than timeout/],
      [() => data.getMany([1], { deadline: 200, timeout: 100 }), /deadline.*timeout/],
      [() => data.getMany([1], { deadline: 0 }), /deadline must be positive/],
      [() => data.getMany([1], { deadline: -1 }), /deadline/],
      [() => data.operateMany([1], [op.add('n', 1)], { deadline: 100 }), /deadline and writes/],
      [
        () => client.batch([new Write(data.key(1), { n: 1 })], { deadline: 100 }),
        /deadline and writes.*row 0/,
      ],
    ]
    for (const [call, message] of refused) {
      await assert.rejects(call, { name: 'RangeError', message })
    }
    const options = { deadline: 100 } as object
    await assert.rejects(() => data.get(1, options), /deadline/)
    await assert.rejects(() => data.putMany([[1, { n: 1 }]], options), /deadline/)
    const rows = await data.getMany([1], { deadline: 2000, timeout: 0 })
    const row: Record<Bins> | Late | null | undefined = rows.at(0)
    assert.equal(row, null)
  } finally {
    await client.close()
    await cluster.close()
  }
})
