/**
 * Batches shared with npm aerospike and the Python client: each reads and writes the other's
 * records.
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { Client, Double } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { PYTHON, withoutPython } from './cases.js'
import { aerospike, connectAerospike, withoutAerospike } from './support/aerospike.js'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 3 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** The record of each client. */
const BINS = {
  int: -5,
  large: 2 ** 53 - 1,
  float: 1.5,
  text: 'ä€😀',
  bytes: Buffer.from([0, 255]),
  flag: true,
  list: [1, 'a', [2.5, null]],
  map: { a: 1, b: { c: [true] } },
}

const KEYS = [0, -7, 123_456_789, 'text', 'ключ', Buffer.from([1, 2, 3])]

test("npm aerospike and this client read each other's batches", {
  skip: withoutAerospike,
}, async () => {
  const { BatchPolicy, Key, batchType, operations } = aerospike()
  const peer = await connectAerospike(cluster.seeds, {
    batch: new BatchPolicy({ totalTimeout: 30_000 }),
    batchParentWrite: new BatchPolicy({ totalTimeout: 30_000 }),
  })
  try {
    const ours = client.dataset('test', 'ours')
    const records = KEYS.map((key) => [key, { ...BINS, whole: new Double(3) }] as const)
    const written = await ours.putMany(records, { sendKey: true, ttl: 5000 })
    written.raiseForErrors()
    const rows = KEYS.map((key) => ({
      key: new Key('test', 'ours', key),
      readAllBins: true,
    }))
    for (const { status, record } of await peer.batchRead(rows)) {
      assert.equal(status, 0)
      assert.deepEqual(record.bins, { ...BINS, whole: 3 })
      assert.ok(record.ttl > 4000 && record.gen === 1)
    }

    const theirs = client.dataset('test', 'theirs')
    const results = await peer.batchWrite(
      KEYS.map((key) => ({
        type: batchType.BATCH_WRITE,
        key: new Key('test', 'theirs', key),
        ops: Object.entries(BINS).map(([name, value]) => operations.write(name, value)),
      })),
    )
    assert.ok(results.every(({ status }: { status: number }) => status === 0))
    const reply = await theirs.getMany([...KEYS, 'none'])
    assert.deepEqual([...reply.codes], [...KEYS.map(() => 0), 2])
    for (const row of KEYS.keys()) assert.deepEqual(reply[row]?.bins, BINS)
  } finally {
    peer.close()
  }
})

const SCRIPT = `
import sys, spikewire
seeds, = sys.argv[1:]
with spikewire.Client(seeds, timeout=30) as client:
    node, python = (client.dataset("test", f"of_{name}") for name in ("node", "python"))
    batch = node.get_many([*range(200), "k", b"\\x01\\x02"])
    batch.raise_for_errors()
    python.put_many(
        {key.key: {**record.bins, "from": "python"} for key, record in zip(batch.keys, batch)}
    ).raise_for_errors()
    node.delete_many(range(100)).raise_for_errors()
`

test('the Python client and this one share a data set', { skip: withoutPython }, async () => {
  const node = client.dataset('test', 'of_node')
  const keys = [...Array.from({ length: 200 }, (_, n) => n), 'k', Buffer.from([1, 2])]
  const written = await node.putMany(keys.map((key, n) => [key, { ...BINS, n }] as const))
  written.raiseForErrors()
  await promisify(execFile)(PYTHON, ['-c', SCRIPT, cluster.seeds])
  const python = await client.dataset('test', 'of_python').getMany(keys)
  for (const row of keys.keys()) {
    assert.deepEqual(python[row]?.bins, { ...BINS, n: row, from: 'python' })
  }
  const left = await node.existsMany(keys)
  assert.deepEqual(
    [...left].map((record) => record !== null),
    keys.map((_, row) => row >= 100),
  )
})
