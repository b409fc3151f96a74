/** npm `aerospike` and this client read each other's values. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, Double, GeoJSON, HyperLogLog, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { aerospike, connectAerospike, withoutAerospike } from './support/aerospike.js'
import { VALUES } from './support/values.js'

let cluster: Cluster
let client: Client
// biome-ignore lint/suspicious/noExplicitAny: the module has no types here
let peer: any

before(async () => {
  if (withoutAerospike) return
  cluster = await Cluster.start()
  client = await Client.connect(cluster.seeds, { doubles: 'double' })
  peer = await connectAerospike(cluster.seeds)
})

after(async () => {
  await peer?.close()
  await client?.close()
  await cluster?.close()
})

/** A value in the form that npm aerospike takes. */
function asPeerInput(value: unknown): unknown {
  const theirs = aerospike()
  if (value instanceof Double) return new theirs.Double(value.value)
  if (value instanceof GeoJSON) return new theirs.GeoJSON(value.text)
  return value
}

/** A value in the form that npm aerospike returns; it does not distinguish some types. */
function asRead(value: unknown): unknown {
  if (value instanceof Double) return value.value
  if (value instanceof GeoJSON) return value.text
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, item]) => [String(key), item]))
  }
  return value
}

for (const [name, value] of Object.entries(VALUES)) {
  // It truncates strings at the first NUL.
  const input = typeof value === 'string' ? value.replace('\0', '') : value
  test(name, { skip: withoutAerospike }, async () => {
    const { Key } = aerospike()
    const records = client.dataset('test', 'values')
    await records.put(`ours-${name}`, { b: input })
    const { bins } = await peer.get(new Key('test', 'values', `ours-${name}`))
    assert.deepEqual(bins.b, asRead(input))
    // It writes -0 as 0.
    if (name === 'minus_zero') return
    await peer.put(new Key('test', 'values', `theirs-${name}`), { b: asPeerInput(input) })
    assert.deepEqual((await records.get(`theirs-${name}`)).bins['b'], input)
  })
}

test('sketches of npm aerospike are read and written', { skip: withoutAerospike }, async () => {
  const { Key, hll } = aerospike()
  const sketches = client.dataset('test', 'sketches')
  const key = new Key('test', 'sketches', 'one')
  await sketches.operate('one', [op.hll.add('h', ['x', 'y', 'z'], 10)])
  assert.equal((await peer.operate(key, [hll.getCount('h')])).bins.h, 3)
  await peer.operate(key, [hll.add('h', ['w'], 10)])
  assert.deepEqual((await sketches.operate('one', [op.hll.getCount('h')])).results, [4])
  const { bins } = await sketches.get('one')
  assert.ok(bins['h'] instanceof HyperLogLog)
  await sketches.put('two', { h: bins['h'] })
  assert.equal(
    (await peer.operate(new Key('test', 'sketches', 'two'), [hll.getCount('h')])).bins.h,
    4,
  )
})

test('keys of every type are the same as those of npm aerospike', {
  skip: withoutAerospike,
}, async () => {
  const { Key } = aerospike()
  const keys = client.dataset('test', 'keys')
  for (const key of [7, '7', Buffer.from('7'), -5, 2n ** 62n]) {
    await keys.put(key, { ours: true })
    await peer.put(new Key('test', 'keys', key), { theirs: true })
    assert.deepEqual((await keys.get(key)).bins, { ours: true, theirs: true })
  }
})
