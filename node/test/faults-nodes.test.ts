/** Nodes die and come back under load: no call hangs, and no acknowledged write is lost. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  ClientClosed,
  ConnectionFailed,
  NodeUnavailable,
  ProtocolError,
  Record,
  SpikewireError,
  Timeout,
} from 'spikewire'
import { Cluster, type Faults } from 'spikewire/testing'
import {
  atOnce,
  boxed,
  failure,
  range,
  recovers,
  settled,
  until,
  type Values,
} from './support/faulty.js'

const WORKERS = 8
const KEYS = 40

/** A deterministic random generator. */
function dice(seed: number): (sides: number) => number {
  let state = seed + 1
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >> 8) % sides
  }
}

/** The writes of one worker and their outcomes. */
class Journal {
  readonly acknowledged = new Map<number, number>()
  /** Later values that may or may not have been applied. */
  readonly open = new Map<number, Set<number>>()
  successes = 0
  slowest = 0

  wrote(key: number, value: number): void {
    this.acknowledged.set(key, value)
    this.open.delete(key)
  }

  read(key: number, version: number | undefined): void {
    const allowed = [this.acknowledged.get(key), ...(this.open.get(key) ?? [])]
    assert.ok(allowed.includes(version), `key ${key}: ${version} is none of ${allowed}`)
  }

  failed(error: SpikewireError, key: number, value: number, write: boolean): void {
    assert.ok(!(error instanceof ProtocolError || error instanceof ClientClosed), String(error))
    assert.ok(write || !error.inDoubt)
    if (!error.inDoubt) return
    const open = this.open.get(key) ?? new Set()
    this.open.set(key, open.add(value))
  }
}

test('a node dies and comes back, twice', () =>
  boxed(3, { timeout: 1000 }, async ({ cluster, data }) => {
    let stopping = false
    const journals = range(WORKERS).map(() => new Journal())
    const works = journals.map(async (journal, worker) => {
      const roll = dice(worker)
      for (let turn = 0; !stopping; turn++) {
        const [key, write] = [worker * 1000 + roll(KEYS), roll(2) === 0]
        const began = performance.now()
        const ended = await settled<unknown>(
          write ? data.put(key, { n: turn }) : data.get(key, { default: null }),
        )
        if (ended instanceof SpikewireError) {
          journal.failed(ended, key, turn, write)
          await sleep(2)
        } else {
          if (write) journal.wrote(key, turn)
          else journal.read(key, (ended as Record<Values> | null)?.bins.n)
          journal.successes += 1
        }
        journal.slowest = Math.max(journal.slowest, performance.now() - began)
      }
    })
    const successes = () => journals.reduce((sum, journal) => sum + journal.successes, 0)
    const began = performance.now()
    for (const node of [1, 2]) {
      await cluster.kill(node)
      await sleep(500)
      const before = successes()
      await until(() => successes() > before + WORKERS * 10, 'the load does not carry on')
      await cluster.restart(node)
      assert.ok(await cluster.waitSettled())
      await sleep(300)
    }
    const took = performance.now() - began
    stopping = true
    await Promise.all(works)
    for (const journal of journals) {
      assert.ok(journal.acknowledged.size > 0)
      assert.ok(journal.slowest < took, 'a call waited until both nodes were back')
      for (const key of journal.acknowledged.keys()) {
        journal.read(key, (await data.get(key, { timeout: 30_000 })).bins.n)
      }
    }
  }))

test('the whole cluster dies and comes back', () =>
  boxed(2, { timeout: 1000 }, async ({ cluster, data }) => {
    await data.put(1, { n: 1 }, { timeout: 30_000 })
    await Promise.all([cluster.kill(0), cluster.kill(1)])
    for (const _ of range(5)) {
      const error = await failure(data.get(1))
      const kinds = [ConnectionFailed, NodeUnavailable, Timeout]
      assert.ok(
        kinds.some((kind) => error instanceof kind),
        String(error),
      )
      assert.equal(error.inDoubt, false)
    }
    await Promise.all([cluster.restart(0), cluster.restart(1)])
    await recovers(() => data.put(1, { n: 2 }))
    assert.equal((await data.get(1, { timeout: 30_000 })).bins.n, 2)
  }))

test('calls in flight end when their node dies', () =>
  boxed(1, { timeout: 0, replica: 'master' }, async ({ cluster, data }) => {
    await data.put(1, { n: 1 })
    await cluster.inject(0, { delay: 600_000 })
    const calls = atOnce<unknown>([data.get(1), data.put(1, { n: 2 }), data.exists(1)])
    // Wait until the calls have been sent.
    await sleep(500)
    await cluster.kill(0)
    const [read, written, exists] = (await calls) as SpikewireError[]
    for (const error of [read, written, exists]) assert.ok(error instanceof SpikewireError)
    assert.deepEqual([read?.inDoubt, written?.inDoubt, exists?.inDoubt], [false, true, false])
  }))

test('a write that times out half sent is never finished', async () => {
  const cluster = await Cluster.start({ maxRecordSize: 120 << 20 })
  const client = await Client.connect(cluster.seeds, { timeout: 60_000, connectionsPerNode: 1 })
  try {
    const data = client.dataset<{ b: Uint8Array }>('test', 'half')
    const other = Buffer.alloc(200_000)
    await data.put('other', { b: other })
    const large = Buffer.alloc(100 << 20)
    let late = 0
    for (const timeout of [5, 20, 60]) {
      const error = await settled(data.put('k', { b: large }, { timeout }))
      if (error instanceof Timeout) late += 1
      await data.put('k', { b: Buffer.from('new') })
      // A later write on the same connection, which must not complete the earlier one.
      await data.put('other', { b: other })
      assert.equal(String((await data.get('k')).bins.b), 'new')
    }
    assert.ok(late > 0)
  } finally {
    await client.close()
    await cluster.close()
  }
})

/** How long a delayed reply takes (ms): many times a call's timeout. */
const DELAY = 30_000

test('a storm of all faults: a typed error or the right value, in time', () =>
  boxed(3, { timeout: 400 }, async ({ cluster, data }) => {
    const roll = dice(1)
    const one = <T>(of: readonly T[]): T => of[roll(of.length)] as T
    await Promise.all(range(50).map((key) => data.put(key, { v: key }, { timeout: 20_000 })))
    for (const turn of range(8)) {
      for (const node of range(3)) {
        const seed = turn * 3 + node
        const faults: Faults[] = [
          { delay: one([10, 100, DELAY]) },
          { cut: 0.2 },
          { error: 0.3, code: one([9, 11, 18]) },
          { drip: [20, 5] },
          { refuse: one(['close', 'port'] as const) },
          {},
        ]
        await cluster.inject(node, { ...one(faults), seed })
      }
      const began = performance.now()
      const reads = atOnce(range(50).map((key) => data.get(key)))
      const writes = atOnce(range(50).map((key) => data.put(key, { v: key })))
      for (const [key, ended] of (await reads).entries()) {
        if (ended instanceof Record) assert.deepEqual([ended.bins.v, ended.key.key], [key, key])
        else assert.deepEqual([ended.key?.key, ended.inDoubt], [key, false])
      }
      for (const [key, ended] of (await writes).entries()) {
        if (ended !== undefined) assert.equal((ended as SpikewireError).key?.key, key)
      }
      assert.ok(performance.now() - began < DELAY)
    }
    for (const node of range(3)) await cluster.clearFaults(node)
    await recovers(() => Promise.all(range(50).map((key) => data.get(key, { timeout: 1000 }))))
    for (const key of range(50)) {
      assert.equal((await data.get(key, { timeout: 20_000 })).bins.v, key)
    }
  }))

test('closing a client ends calls in flight at once', () =>
  boxed(2, {}, async ({ cluster, client, data }) => {
    for (const node of range(2)) await cluster.inject(node, { delay: DELAY })
    const calls = atOnce<unknown>([
      ...range(50).map((key) => data.get(key)),
      ...range(50).map((key) => data.put(key, { n: 1 })),
    ])
    await sleep(20)
    const began = performance.now()
    await client.close()
    for (const ended of await calls) assert.ok(ended instanceof ClientClosed)
    assert.ok(performance.now() - began < DELAY)
    assert.ok((await failure(data.get(1))) instanceof ClientClosed)
  }))
