/** Retries, hedged reads and the limit on commands in flight. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxed, failure, range } from './support/faulty.js'

test('a call sets its number of retries', () =>
  boxed(1, { maxRetries: 1 }, async ({ cluster, data }) => {
    await cluster.inject(0, { error: 1, code: 18 })
    assert.equal((await failure(data.get(1))).attempts, 2)
    assert.equal((await failure(data.get(1, { maxRetries: 4 }))).attempts, 5)
    assert.equal((await failure(data.put(1, { n: 1 }, { maxRetries: 0 }))).attempts, 1)
    const batch = await data.getMany([1, 2], { maxRetries: 3 })
    assert.deepEqual(
      [...batch.errors.values()].map((error) => error.attempts),
      [4, 4],
    )
  }))

test('pauses grow up to the longest', () =>
  boxed(1, { replica: 'master', maxRetries: 3, maxErrorRate: 0 }, async ({ cluster, data }) => {
    await cluster.inject(0, { error: 1, code: 18 })
    const began = performance.now()
    const pauses = { sleepBetweenRetries: 20, sleepMultiplier: 2, maxSleepBetweenRetries: 50 }
    assert.equal((await failure(data.get(1, pauses))).attempts, 4)
    assert.ok(performance.now() - began > 109)
  }))

test('writes in doubt are retried if the call says so', () =>
  boxed(1, {}, async ({ cluster, data }) => {
    await data.put(1, { n: 0 })
    await cluster.inject(0, { cut: 1 })
    assert.equal((await failure(data.add(1, { n: 1 }, { retryInDoubt: true }))).attempts, 3)
    await cluster.clearFaults(0)
    assert.equal((await data.get(1)).bins.n, 3)
  }))

test('a slow node does not delay a hedged read', () =>
  boxed(2, { hedge: 20, hedgePercent: 100 }, async ({ cluster, data }) => {
    await Promise.all(range(20).map((key) => data.put(key, { v: key })))
    await cluster.inject(1, { delay: 3000 })
    const began = performance.now()
    const records = await Promise.all(range(20).map((key) => data.get(key)))
    assert.deepEqual(
      records.map((record) => record.bins.v),
      range(20),
    )
    assert.ok(performance.now() - began < 2000)
    await cluster.clearFaults(1)
    assert.equal((await data.get(3, { hedge: 'p99' })).bins.v, 3)
  }))

test('calls beyond the limit wait', () =>
  boxed(1, { maxInFlight: 2, queueLimit: 0 }, async ({ cluster, data }) => {
    await Promise.all(range(100).map((key) => data.put(key, { v: key })))
    await cluster.inject(0, { delay: 100 })
    const began = performance.now()
    await Promise.all(range(8).map((key) => data.get(key)))
    assert.ok(performance.now() - began > 390, 'two at a time')
  }))

test('invalid options are rejected before anything is sent', () =>
  boxed(1, {}, async ({ data }) => {
    const invalid: [object, RegExp][] = [
      [{ maxRetries: 1001 }, /maxRetries must be from 0 to 1000, got 1001/],
      [{ sleepMultiplier: 0.5 }, /sleepMultiplier must be from 1 to 100, got 0.5/],
      [{ sleepBetweenRetries: 'soon' }, /sleepBetweenRetries must be milliseconds as a number/],
      [{ sleepJitter: 1 }, /sleepJitter must be boolean/],
      [{ hedge: 0.5 }, /hedge must be from 0.001 s to 600 s, or 0 for none, got 0.5 ms/],
      [{ hedge: 'p20' }, /hedge must be a time, or a percentile from 'p50' to 'p99.9'/],
      [{ retryInDoubt: true }, /unknown option retryInDoubt/],
    ]
    for (const [options, message] of invalid) {
      await assert.rejects(async () => data.get(1, options), message)
    }
    await assert.rejects(async () => data.put(1, {}, { hedge: 20 } as object), /unknown option/)
  }))
