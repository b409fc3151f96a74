/** The store for Keyv, under Keyv itself. */

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Keyv, type KeyvStoreAdapter } from 'keyv'
import { Client, type SpikewireError } from 'spikewire'
import { KeyvSpikewire } from 'spikewire/keyv'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let set = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

beforeEach(() => {
  set++
})

const records = () => client.dataset('test', `keyv${set}`)

/** A Keyv with a store of its own in the set of this test. */
function open(options: { namespace?: string; ttl?: number } = {}) {
  const store: KeyvStoreAdapter = new KeyvSpikewire(records())
  const keyv = new Keyv({ store, throwOnErrors: true, ...options })
  keyv.on('error', () => undefined)
  return keyv
}

async function entries(keyv: Keyv): Promise<[string, unknown][]> {
  const all: [string, unknown][] = []
  for await (const entry of keyv.iterator?.(undefined) ?? []) all.push(entry)
  return all.sort()
}

test('values of all kinds are stored, read and deleted', async () => {
  const keyv = open()
  const values = ['text', 0, false, null, [1, { a: 2 }], { deep: { x: 'y' } }, Buffer.from('bytes')]
  for (const [n, value] of values.entries()) {
    assert.equal(await keyv.set(`key ${n}`, value), true)
    assert.deepEqual(await keyv.get(`key ${n}`), value)
  }
  assert.equal(await keyv.get('none'), undefined)
  assert.equal(await keyv.has('key 0'), true)
  assert.equal(await keyv.has('none'), false)
  assert.equal(await keyv.delete('key 0'), true)
  assert.equal(await keyv.delete('key 0'), false)
  assert.equal(await keyv.get('key 0'), undefined)
  await keyv.disconnect()
  assert.equal(client.isOpen, true)
})

test('many entries go in one batch', async () => {
  const keyv = open({ namespace: 'many' })
  const many = Array.from({ length: 50 }, (_, n) => ({ key: `k${n}`, value: { n } }))
  const requests = () => cluster.stats(0).requests + cluster.stats(1).requests
  const before = requests()
  await keyv.setMany(many)
  assert.ok(requests() - before < 10)
  const keys = [...many.map(({ key }) => key), 'none']
  assert.deepEqual(await keyv.getMany(keys), [...many.map(({ value }) => value), undefined])
  assert.deepEqual(await keyv.hasMany(['k0', 'none', 'k49']), [true, false, true])
  assert.equal(await keyv.deleteMany(['k0', 'none']), true)
  assert.equal(await keyv.deleteMany(['k0', 'none']), false)
  assert.ok(requests() - before < 40)
})

test('entries expire to the millisecond, and records with them', async () => {
  const keyv = open({ ttl: 60_000 })
  await keyv.set('short', 1, 150)
  await keyv.set('default', 2)
  await keyv.set('long', 3, 7_200_500)
  await keyv.setMany([
    { key: 'short too', value: 4, ttl: 150 },
    { key: 'for ever', value: 5, ttl: 0 },
  ])
  assert.deepEqual(await keyv.hasMany(['short', 'short too']), [true, true])
  const ttl = async (key: string) => (await records().get(`keyv::keyv:${key}`)).ttl
  assert.deepEqual([await ttl('short'), await ttl('default'), await ttl('long')], [1, 60, 7201])
  assert.equal(await ttl('for ever'), null)
  await sleep(200)
  assert.deepEqual(await keyv.hasMany(['short', 'short too']), [false, false])
  assert.equal(await keyv.has('short'), false)
  assert.deepEqual(await keyv.getMany(['short', 'default', 'short too']), [undefined, 2, undefined])
  const store = new KeyvSpikewire(records())
  assert.equal(await store.get('short too'), undefined)
  // A value without a limit replaces one with a limit.
  await keyv.set('default', 6, 0)
  assert.equal(await ttl('default'), null)
})

test('namespaces in one set do not see each other', async () => {
  const [one, two] = [open({ namespace: 'one' }), open({ namespace: 'two' })]
  await one.set('a', 1)
  await two.set('a', 2)
  await two.set('b', 3)
  assert.deepEqual([await one.get('a'), await two.get('a'), await one.get('b')], [1, 2, undefined])
  assert.deepEqual(await entries(one), [['a', 1]])
  assert.deepEqual(await entries(two), [
    ['a', 2],
    ['b', 3],
  ])
  await two.clear()
  assert.deepEqual(await entries(two), [])
  assert.deepEqual(await entries(one), [['a', 1]])
  await new KeyvSpikewire(records()).clear()
  assert.equal(await one.get('a'), undefined)
})

test('a namespace cannot be mistaken for another one', () => {
  for (const namespace of ['a::b', 'a:']) {
    assert.throws(() => new KeyvSpikewire(records(), { namespace }), /RangeError: a namespace must/)
  }
  assert.throws(() => new KeyvSpikewire(client.dataset('test')), /TypeError: .*needs a dataset/)
  assert.throws(() => new KeyvSpikewire(undefined as never), /TypeError: .*needs a dataset/)
})

test('Keyv without serialization stores values as they are', async () => {
  const store = new KeyvSpikewire(records())
  await store.set('plain', { list: [1, 2n], bytes: Buffer.from('b') })
  assert.deepEqual(await store.get('plain'), { list: [1, 2], bytes: Buffer.from('b') })
  const keyv = new Keyv({ store })
  keyv.serialize = undefined
  keyv.deserialize = undefined
  await keyv.set('a', { n: 1 })
  assert.deepEqual(await keyv.get('a'), { n: 1 })
})

test('errors reach the program', async () => {
  const keyv = open()
  const errors: unknown[] = []
  keyv.on('error', (error) => errors.push(error))
  const isTooBig = (error: SpikewireError) => error.name === 'RecordTooBig'
  await assert.rejects(keyv.set('big', 'x'.repeat(9_000_000)), isTooBig)
  await assert.rejects(keyv.setMany([{ key: 'big', value: 'x'.repeat(9_000_000) }]), isTooBig)
  assert.equal(errors.length, 2)
  const quiet = new Keyv({ store: new KeyvSpikewire(records()) })
  quiet.on('error', () => undefined)
  assert.equal(await quiet.set('big', 'x'.repeat(9_000_000)), false)
})
