/** The cache for hot keys. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { op } from 'spikewire'
import { boxed, failure, range } from './support/faulty.js'

/** Every key is hot, and nothing gets old. */
const ALWAYS = { nearCache: 1 << 20, nearCacheHeat: 0, nearCacheStaleness: 3_600_000 }

test('hot records are answered without a request, and own writes are seen', () =>
  boxed(1, ALWAYS, async ({ cluster, client, data }) => {
    await data.put(1, { n: 1 })
    const reads = () => cluster.stats(0).reads
    const read = async () => [
      (await data.get(1)).bins.n,
      (await data.get(1, { bins: ['n'] })).bins.n,
      await data.exists(1),
      await data.get(2, { default: null }),
      [...(await data.getMany([1]))][0]?.bins.n,
    ]
    const first = await read()
    assert.deepEqual(first, [1, 1, true, null, 1])
    const before = reads()
    for (const _ of range(20)) assert.deepEqual(await read(), first)
    assert.equal((await failure(data.get(2))).code, 2)
    assert.equal(reads(), before)

    await data.put(1, { n: 2 })
    assert.deepEqual(await read(), [2, 2, true, null, 2])
    await data.operate(1, [op.add('n', 1)])
    assert.equal((await data.get(1)).bins.n, 3)
    await data.putMany([[1, { n: 4 }]])
    assert.equal((await data.get(1)).bins.n, 4)
    await data.delete(1)
    assert.equal(await data.exists(1), false)
    await data.put(1, { n: 5 })
    assert.equal((await data.get(1)).bins.n, 5)
    await client.truncate('test', 'faults')
    assert.equal(await data.exists(1), false)
  }))

test('others of the event loop have their turns', () =>
  boxed(1, ALWAYS, async ({ data }) => {
    await data.put(1, { n: 1 })
    let isOver = false
    const reading = (async () => {
      while (!isOver) await data.get(1)
    })()
    for (const _ of range(20)) await turn()
    isOver = true
    await reading
  }))

test('contradictions are refused', async () => {
  for (const [name, value] of [
    ['replica', 'master'],
    ['readMode', 'session'],
  ] as const) {
    await assert.rejects(
      boxed(1, { ...ALWAYS, [name]: value }, async () => {}),
      (error: Error) => /near_?cache/i.test(error.message) && error.message.includes('contradict'),
    )
  }
})
