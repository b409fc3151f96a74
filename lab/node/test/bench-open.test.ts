/** Open loops of the benchmark's worker, with a simulated clock. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Timeout } from 'spikewire'
import { inner } from './programs.js'

interface Phase {
  seconds: number
  due: number[]
}

interface Schedule {
  rate: number
  arrivals: string
  overtime: number
  pacing: Phase
  warmup: Phase
  measured: Phase
}

interface CallTimes {
  begun: number[]
  ended: number[]
  failures: number[]
}

interface Calls extends CallTimes {
  sent: number
  start: number
  firstError: string | null
  run(call: (at: number) => Promise<unknown>, most: number, clock: Played): Promise<void>
}

interface CallLog {
  counts(instant: number): number[]
  latencies(start: number, end: number): number[]
}

/** From a module of the benchmark, which the package does not export. */
const { Calls, CallLog, share, mergeCallTimes } = inner('./open-loop.js') as {
  CallLog: new (calls: Calls, opened: number) => CallLog
  Calls: new (schedule: Schedule, planned: Phase) => Calls
  share(schedule: Schedule, part: number, parts: number): Schedule
  mergeCallTimes(all: object[]): CallTimes
}

const MS = 1e6

/**
 * A simulated clock: waiting takes no time, but advances it to the next time somebody waits for.
 */
class Played {
  #now = 0
  #waiting: { at: number; call: () => void }[] = []

  now(): number {
    return this.#now
  }

  alarm(call: () => void) {
    const at = (instants: readonly number[]) => {
      for (const instant of instants) this.#waiting.push({ at: instant, call })
    }
    return Promise.resolve({ at, close: () => {} })
  }

  /** Resolves after this long. */
  reply(nanoseconds: number): Promise<void> {
    return new Promise((call) => this.#waiting.push({ at: this.#now + nanoseconds, call }))
  }

  /** Blocks the event loop. */
  block(nanoseconds: number): void {
    this.#now += nanoseconds
  }

  async play(done: Promise<void>): Promise<void> {
    let over = false
    done.finally(() => {
      over = true
    })
    for (await turn(); !over; await turn()) {
      const next = this.#waiting.reduce((least, one) => (one.at < least.at ? one : least))
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#now = Math.max(this.#now, next.at)
      next.call()
    }
    await done
  }
}

function scheduleOf(rate: number, seconds: number): Schedule {
  const due = Array.from({ length: rate * seconds }, (_, at) => Math.round((at * 1e9) / rate))
  const planned = { seconds, due }
  const shares = { pacing: planned, warmup: planned, measured: planned }
  return { rate, arrivals: 'constant', overtime: 1, ...shares }
}

test('a stall of the event loop is charged to every call that it delayed', async () => {
  const clock = new Played()
  const plan = scheduleOf(1000, 1)
  const calls = new Calls(plan, plan.measured)
  const call = (at: number) => {
    if (at === 300) clock.block(200 * MS)
    return clock.reply(0.5 * MS)
  }
  await clock.play(calls.run(call, 512, clock))
  assert.equal(calls.sent, 1000)
  const longer = (from: number[]) =>
    calls.ended.filter((ended, at) => ended - (from[at] as number) > 0.51 * MS).length
  assert.equal(longer(plan.measured.due), 200)
  assert.equal(longer(calls.begun), 1)
})

test('calls not started within twice the time are dropped, and errors are classified', async () => {
  const clock = new Played()
  const plan = scheduleOf(10, 1)
  const calls = new Calls(plan, plan.measured)
  const call = async (at: number) => {
    await clock.reply(500 * MS)
    if (at === 2) throw new Timeout('too long')
    if (at > 2) throw new RangeError('no connection left')
  }
  await clock.play(calls.run(call, 1, clock))
  assert.equal(calls.sent, 5)
  assert.deepEqual(calls.failures, [0, 0, 2, 1, 1, 0, 0, 0, 0, 0])
  assert.deepEqual(calls.begun.slice(5), [-1, -1, -1, -1, -1])
  assert.equal(calls.firstError, 'Timeout: too long')
  const ended = new CallLog(calls, 7000)
  assert.deepEqual(
    [7499, 7500, 8500, 9500].map((instant) => ended.counts(instant)),
    [
      [0, 0, 0],
      [1, 0, 0],
      [3, 1, 1],
      [5, 3, 1],
    ],
  )
  assert.deepEqual(ended.latencies(7500, 8500), [900 * MS])
})

test('calls are counted by the time they ended while others continue', async () => {
  const clock = new Played()
  const plan = scheduleOf(10, 1)
  const calls = new Calls(plan, plan.measured)
  const ended = new CallLog(calls, 0)
  const seen: number[][] = []
  const call = async (at: number) => {
    // Every second call takes 250 ms, so that two others end meanwhile.
    await clock.reply(at % 2 === 0 ? 250 * MS : 1 * MS)
    if (at === 5) seen.push(ended.counts(clock.now() / MS), ended.latencies(100, 450))
  }
  await clock.play(calls.run(call, 16, clock))
  // At 501 ms: 0, 1, 2 and 3 are over.
  assert.deepEqual(seen, [
    [4, 0, 0],
    [1 * MS, 250 * MS, 1 * MS, 250 * MS],
  ])
  assert.deepEqual(ended.counts(2000), [10, 0, 0])
})

test('several processes share the calls in turn', () => {
  const plan = scheduleOf(5, 1)
  const parts = [0, 1].map((part) => share(plan, part, 2).measured.due)
  assert.deepEqual(parts, [
    [0, 400 * MS, 800 * MS],
    [200 * MS, 600 * MS],
  ])
  const raws = parts.map((due) => ({ begun: due, ended: due, failures: due, writes: due, now: 1 }))
  assert.deepEqual(
    mergeCallTimes(raws.map((raw) => ({ ...raw, pacing_calls: 0, pacing_cpu: 0 }))).begun,
    plan.measured.due,
  )
})
