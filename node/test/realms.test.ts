/** Input of another realm: test runners and `vm` have a Map, a Date and a Uint8Array of their own. */

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { Client, HyperLogLog, Key, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { temporaryFolder } from './support/programs.js'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** The value of an expression in another realm. */
const foreign = <T>(expression: string, names: object = {}): T =>
  vm.runInNewContext(`(${expression})`, { ...names }) as T

test('keys, digests and sketches are bytes of another realm', async () => {
  const records = client.dataset('test', 'realms')
  await records.put(foreign<Uint8Array>('new Uint8Array([1, 2])'), { n: 1 })
  assert.equal((await records.get(Buffer.from([1, 2]))).bins['n'], 1)
  const digest = foreign<Uint8Array>('new Uint8Array(20).fill(7)')
  await client.put(Key.fromDigest('test', 'realms', digest), { n: 2 })
  assert.equal(
    (await client.get(Key.fromDigest('test', 'realms', Buffer.alloc(20, 7)))).bins['n'],
    2,
  )
  assert.equal(new HyperLogLog(foreign('new Uint8Array([1, 2, 3])')).bytes.length, 3)
})

test('options, iterables and times are those of another realm', async (context) => {
  const records = client.dataset('test', 'realms')
  await records.putMany(foreign('new Map([["a", { n: 1 }], ["b", { n: 2 }]])'))
  await records.putMany(foreign('(function* () { yield ["c", { n: 3 }] })()'))
  await records.putMany(foreign('(async function* () { yield ["d", { n: 4 }] })()'))
  assert.equal((await records.getMany(foreign('new Set(["a", "b", "c", "d"])'))).found, 4)
  assert.deepEqual((await records.get('a', foreign<object>('{ bins: ["n"] }'))).bins, { n: 1 })
  await records.touch('a', { ttl: foreign('new Date(Date.now() + 1000_000)') })
  assert.ok(((await records.get('a')).ttl ?? 0) > 900)
  assert.ok(await records.exists('a', { where: foreign('["$.n == ?0", 1]') }))
  await records.operate('a', foreign<(item: unknown) => never>('(item) => [item]')(op.add('n', 1)))
  const own = await Client.connect(
    foreign<string[]>(`[${JSON.stringify(cluster.seeds)}]`),
    foreign<object>('{}'),
  )
  await own.close()
  const query = records.query({ pageSize: 2 })
  const { cursor } = await query.page()
  query.close()
  const resume = foreign<Uint8Array>('Uint8Array.from(numbers)', { numbers: [...cursor] })
  const rest = records.query({ pageSize: 10, resume })
  assert.ok((await rest.page()).length >= 2)
  await client.truncate('test', 'realms', { before: foreign<Date>('new Date(2020, 1, 1)') })
  const file = join(temporaryFolder(context), 'realm.lua')
  writeFileSync(file, 'function f(record) return 1 end')
  const href = pathToFileURL(file).href
  await client.modules.register(foreign<URL>('({ href, protocol: "file:" })', { href }))
  assert.equal(await records.apply('a', 'realm', 'f'), 1)
})

test('a signal of another realm cancels', async () => {
  const controller = new AbortController()
  // As an environment of a test runner has it: the same methods, another class.
  const signal = foreign<AbortSignal>(
    `({
      get aborted() { return inner.aborted },
      get reason() { return inner.reason },
      throwIfAborted: () => inner.throwIfAborted(),
      addEventListener: (...all) => inner.addEventListener(...all),
      removeEventListener: (...all) => inner.removeEventListener(...all),
    })`,
    { inner: controller.signal },
  )
  await cluster.inject(0, { delay: 60_000 })
  const call = client.dataset('test', 'realms').get('a', { signal })
  controller.abort(new Error('enough'))
  await assert.rejects(call, /enough/)
  await cluster.clearFaults(0)
})
