/** Nodes that have more to do than they can, and retries that must not add to it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Overloaded, Timeout, TooBusy } from 'spikewire'
import { boxed, failure, range, settled } from './support/faulty.js'

/** Replies come in small pieces: about two milliseconds for each record. */
const SLOWLY = { drip: [40, 1] as [number, number] }

test('calls that cannot be answered in time are refused', () =>
  boxed(1, { connectionsPerNode: 1 }, async ({ cluster, data }) => {
    await Promise.all(range(10).map((key) => data.put(key, { v: key })))
    for (const key of range(30)) await data.get(key % 10)
    await cluster.inject(0, SLOWLY)
    const calls: Promise<unknown>[] = []
    for (const turn of range(300)) {
      for (const key of range(10)) calls.push(settled(data.get(key, { timeout: 100 })))
      if (turn % 2 === 1) await sleep(2)
    }
    const answers = await Promise.all(calls)
    const refusals = answers.filter((answer) => answer instanceof Overloaded)
    assert.ok(refusals.length > 0 && refusals.length < answers.length)
    const [refusal] = refusals as Overloaded[]
    assert.ok(refusal instanceof TooBusy)
    assert.match(refusal.message, /commands wait for it.*was not sent/)
    assert.deepEqual([refusal.inDoubt, refusal.attempts], [false, 0])
    await cluster.clearFaults(0)
    assert.equal((await data.get(3, { timeout: 30_000 })).bins.v, 3)
  }))

test('retries are a share of the calls', () =>
  boxed(1, {}, async ({ cluster, data }) => {
    await cluster.inject(0, { error: 1, code: 9 })
    assert.equal((await failure(data.get(1))).attempts, 3, 'a single call')
    const answers = await Promise.all(range(1000).map((key) => failure(data.get(key))))
    const retries = answers.reduce((sum, error) => sum + error.attempts - 1, 0)
    assert.ok(answers.every((error) => error instanceof Timeout))
    assert.ok(retries > 50 && retries < 400, `${retries} retries`)
    assert.ok(answers.some((error) => /retry_budget is used up/.test(error.message)))
  }))

test('a budget of zero means no retries, and null any number', async () => {
  for (const [retryBudget, attempts] of [
    [0, 1],
    [null, 3],
  ] as const) {
    await boxed(1, { retryBudget }, async ({ cluster, data }) => {
      await cluster.inject(0, { error: 1, code: 9 })
      const answers = await Promise.all(range(300).map((key) => failure(data.get(key))))
      assert.ok(answers.every((error) => error.attempts === attempts))
    })
  }
})

test('priorities and budgets are checked', () =>
  boxed(1, { adaptiveLimits: false }, async ({ cluster, data }) => {
    await data.put(1, { v: 1 }, { priority: 'background' })
    assert.equal((await data.get(1, { priority: 'interactive' })).bins.v, 1)
    await assert.rejects(
      async () => data.get(1, { priority: 'high' as 'background' }),
      /priority must be 'interactive' or 'background', got "high"/,
    )
    await assert.rejects(Client.connect(cluster.seeds, { retryBudget: -1 }), /retry_?[bB]udget/)
    await assert.rejects(
      Client.connect(cluster.seeds, { hedge: 20, retryBudget: 0 }),
      /hedge needs a retryBudget above 0/,
    )
  }))
