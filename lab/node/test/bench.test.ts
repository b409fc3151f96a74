/** `spikewire-bench`: measurements, rejected flags, exit behaviour; and the lab's worker. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Timeout } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { inner, LAB, run, temporaryFolder, withoutAerospike } from './programs.js'

const PROGRAM = join(LAB, 'dist/main.js')
const bench = (...flags: string[]) => run(process.execPath, [PROGRAM, ...flags])
/** Our client, its builder and our drop-in for npm `aerospike`. */
const OURS = ['spikewire', 'spikewire/builder', 'spikewire/compat']
const QUICK = ['-k', '300', '-d', '0.2', '--warmup', '0.05', '--pause', '0', '--nodes', '2']

interface Line {
  client: string
  inFlight: number
  processes: number
  rounds: number
  errors: number
  timeouts: number
  failures: string[]
  rate: number
  cpu: number
  samples: number
  within: { [milliseconds: string]: number }
  loopDelay: { p50: number; p99: number }
  percentiles: { p50: number; p99: number; max: number }
}

interface Report {
  interrupted: boolean
  cells: Line[]
  skipped: { client: string; unavailable: string }[]
}

const report = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Report

test('a comparison prints a table and writes a file with a line per client', async (t) => {
  const path = join(temporaryFolder(t), 'bench.json')
  const ran = await bench(...QUICK, '-z', '1,4', '--rounds', '2', '--json', path)
  assert.equal(ran.code, 0, ran.stdout + ran.stderr)
  assert.match(ran.stdout, /^single records, 1 in flight, Node\.js .*, cluster embedded, nodes: 2/m)
  assert.match(ran.stdout, /^single records, 4 in flight/m)
  const { cells, skipped, interrupted } = report(path)
  const clients = withoutAerospike ? OURS : [...OURS, 'aerospike']
  assert.deepEqual(
    cells.map(({ client, inFlight }) => [client, inFlight]),
    [1, 4].flatMap((inFlight) => clients.map((client) => [client, inFlight])),
  )
  assert.equal(skipped.length, withoutAerospike ? 1 : 0)
  assert.equal(interrupted, false)
  for (const line of cells) {
    assert.deepEqual([line.rounds, line.errors, line.failures], [2, 0, []])
    assert.ok(line.rate > 0 && line.cpu > 0 && line.samples > 0)
    const shares = ['1', '2', '4', '8', '16'].map((bound) => line.within[bound] as number)
    assert.deepEqual(
      shares,
      [...shares].sort((a, b) => a - b),
    )
    assert.ok(line.percentiles.p50 > 0 && line.percentiles.p50 <= line.percentiles.p99)
    assert.ok(line.percentiles.p99 <= line.percentiles.max)
    assert.ok(line.loopDelay.p50 <= line.loopDelay.p99)
  }
})

test('batches run in several processes at once', async (t) => {
  const path = join(temporaryFolder(t), 'bench.json')
  const flags = ['--batch', '16', '-z', '2', '--processes', '2', '--clients', 'spikewire']
  const ran = await bench(...QUICK, ...flags, '--json', path)
  assert.equal(ran.code, 0, ran.stdout + ran.stderr)
  assert.match(ran.stdout, /^batches of 16, 2 in flight, 2 processes/m)
  const [line] = report(path).cells
  assert.equal(line?.processes, 2)
  assert.equal(line?.errors, 0)
})

test('an unavailable client is skipped, with the reason', async (t) => {
  const folder = temporaryFolder(t)
  cpSync(join(LAB, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(join(LAB, 'node_modules'), join(folder, 'node_modules'))
  const program = join(folder, 'dist/main.js')
  const ran = await run(process.execPath, [program, ...QUICK], { cwd: folder })
  assert.equal(ran.code, 0, ran.stdout + ran.stderr)
  assert.match(ran.stdout, /^skipped: aerospike: aerospike is not installed$/m)
  const alone = await run(process.execPath, [program, '--clients', 'aerospike'], { cwd: folder })
  assert.equal(alone.code, 1)
})

test('scans are measured by way and consumer, with their memory', async (t) => {
  const path = join(temporaryFolder(t), 'bench.json')
  const flags = ['--scan', '700', '--record-size', '100', '-d', '0.01', '--pause', '0']
  const ran = await bench(...flags, '--nodes', '2', '--json', path)
  assert.equal(ran.code, 0, ran.stdout + ran.stderr)
  assert.match(ran.stdout, /^scans of 700 records of 100 bytes, Node\.js/m)
  const cells = report(path).cells as unknown as {
    [name: string]: string | number
  }[]
  const own = ['iterate', 'stream', 'iterate', 'scan', 'query']
  const ways = withoutAerospike ? own : [...own, 'scan', 'query']
  assert.deepEqual(
    cells.map(({ way, consumer }) => [way, consumer]),
    ways.flatMap((way) => ['no-op', 'file', 'sleep'].map((consumer) => [way, consumer])),
  )
  for (const { records, rate, cpu, grown, checked } of cells) {
    assert.equal(records, 700)
    assert.equal(checked, 'by key')
    // The system's accounting of memory is inexact: a scan of so few records may seem to free some.
    assert.ok(
      Number(rate) > 0 && Number(cpu) >= 0 && Number.isFinite(grown),
      `${rate} ${cpu} ${grown}`,
    )
  }
})

test('a scan with a record of another key fails, and so does one that lacks records', () => {
  const { Check } = inner('./scan-check.js')
  const { valuePool, parseBins } = inner('./workload.js')
  const pool = valuePool(parseBins('I4,S8'), 1)
  const digest = (key: number) =>
    createHash('ripemd160')
      .update('set')
      .update(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, key]))
      .digest()
  const verdict = (seen: [number, number][]) => {
    const check = new Check(pool, 'set', 2)
    for (const [key, record] of seen) check.seen(digest(key), pool[record])
    try {
      check.end()
      return 'right'
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.equal(
    verdict([
      [1, 1],
      [0, 0],
    ]),
    'right',
  )
  assert.equal(
    verdict([
      [0, 1],
      [1, 0],
    ]),
    'a scan gave another record for key 0 than was written there',
  )
  assert.equal(verdict([[0, 0]]), 'a scan did not give 1 records')
  const twice = verdict([
    [0, 0],
    [0, 0],
  ])
  assert.match(twice, /^a scan gave the record with digest [0-9a-f]{40} twice, or it has no such/)
})

test('a memory peak that was not reset and unchecked records are noted', () => {
  const { notes } = inner('./scans.js')
  const line = { client: 'a', way: 'b', consumer: 'c', grown: 1, grownExact: true }
  assert.deepEqual(notes({ ...line, checked: 'by key' }), [])
  assert.deepEqual(notes({ ...line, grownExact: false, checked: 'not, as it is' }), [
    'a b c: +MB is from ten samples a second: an earlier peak could not be reset',
    'a b c: records were not compared with what was written: not, as it is',
  ])
})

test('an existing cluster is measured, and one without the records is rejected', async () => {
  await using cluster = await Cluster.start({ nodes: 2 })
  const common = ['--clients', 'spikewire', '-H', cluster.seeds]
  const empty = await bench(...QUICK, ...common, '--no-populate')
  assert.equal(empty.code, 1)
  assert.match(empty.stdout, /a round failed: RecordNotFound/)
  const filled = await bench(...QUICK, ...common, '-w', 'I')
  assert.equal(filled.code, 0, filled.stdout + filled.stderr)
  assert.match(filled.stdout, /cluster given by -H/)
  const read = await bench(...QUICK, ...common, '--no-populate', '-w', 'RU,100')
  assert.equal(read.code, 0, read.stdout + read.stderr)
  const other = await bench(...QUICK, ...common, '--no-populate', '-o', 'S5')
  assert.match(other.stdout, /key 0 reads back as .*, not as /)
})

for (const [flags, reason] of [
  ['-z 0', "--in-flight: '0' is not a whole number of 1 or more"],
  [
    '--clients other',
    "--clients: 'other' is none of spikewire, spikewire/builder, spikewire/compat, aerospike",
  ],
  ['-d 0', '--duration 0: no time'],
  ['--warmup soon', "--warmup: 'soon' is not a number of seconds"],
  ['-o I9', "the size in 'I9' must be 1 to 8"],
  ['-o F4', 'must be F8'],
  ['-o X1', "'X1' is not I<bytes>"],
  ['-w RU,101', 'must be 0 to 100'],
  ['-w XY', 'only RU,<read percent> and I'],
  ['-w I --batch 4', 'nothing to read for --batch'],
  ['-w I --processes 2', 'it takes one process'],
  ['-k 10 -z 32', '--keys 10: fewer than 32'],
  ['-H a:0', "'a:0' is not HOST"],
  ['--scan 5 -z 4', '--in-flight is not for --scan'],
  ['--record-size 100', '--record-size is for --scan'],
  ['--scan 5 --record-size 39', '--record-size 39: must be 40 to'],
  ['--fast', "Unknown option '--fast'"],
] as const) {
  test(`invalid flags are rejected: ${flags}`, async () => {
    const ran = await bench(...flags.split(' '))
    assert.equal(ran.code, 2)
    assert.ok(ran.stderr.includes(reason), ran.stderr)
    assert.equal(ran.stdout, '')
  })
}

test('help is printed', async () => {
  const ran = await bench('--help')
  assert.equal(ran.code, 0)
  assert.match(ran.stdout, /--in-flight N,\.\.\./)
})

test('Ctrl-C ends everything and shows partial results', async (t) => {
  const path = join(temporaryFolder(t), 'bench.json')
  const flags = ['-k', '300', '-d', '0.1', '--warmup', '0', '--rounds', '1000', '--json', path]
  const child = spawn(process.execPath, [PROGRAM, ...flags, '--clients', 'spikewire'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  const measured = new Promise<void>((resolve) => {
    child.stderr.on('data', (data) => {
      texts.stderr += data
      if (texts.stderr.includes('[2/1000]')) resolve()
    })
  })
  child.stdout.on('data', (data) => {
    texts.stdout += data
  })
  // The pipes are closed once its own processes have ended, too.
  const closed = once(child, 'close')
  await Promise.race([measured, closed])
  child.kill('SIGINT')
  assert.deepEqual(await closed, [130, null], texts.stderr)
  assert.match(texts.stdout, /^spikewire \d/m)
  assert.match(texts.stdout, /interrupted: the results above are incomplete/)
  assert.equal(report(path).interrupted, true)
})

test('streams have exactly their share of reads, and values fit their bins', () => {
  const workload = inner('./workload.js') as {
    parseBins(text: string): object[]
    valuePool(bins: object[], seed: number): { [bin: string]: unknown }[]
    matches(bins: object[], record: unknown): boolean
    isRecord(expected: object, record: unknown): boolean
    mixedStream(...a: [number, object[], number, number, number, number]): [number, unknown][]
    batchStream(...a: [undefined, ...number[]]): [number[], undefined][]
  }
  const bins = workload.parseBins('I1,I8,F8,S20,B7')
  const pool = workload.valuePool(bins, 1)
  assert.ok(pool.every((record) => workload.matches(bins, record)))
  assert.ok(new Set(pool.map((record) => record['b3'])).size > 1000)
  assert.ok(workload.isRecord(pool[7] as object, { ...pool[7] }))
  assert.ok(!workload.isRecord(pool[7] as object, pool[8]))
  // The same values as in lab/tests/test_bench_workload.py.
  assert.deepEqual(workload.valuePool(workload.parseBins('I1,I8,S20,B9,F8'), 1)[7], {
    b0: 119,
    b1: 4818969551014600434n,
    b2: '282967c7324d9c432829',
    b3: Buffer.from('258da20c1ad0683825', 'hex'),
    b4: 0.6982434007420005,
  })
  const stream = workload.mixedStream(75, pool, 1000, 1, 0, 4)
  assert.equal(stream.filter(([, written]) => written === undefined).length * 4, stream.length * 3)
  assert.ok(stream.every(([key]) => Number.isInteger(key) && key >= 0 && key < 1000))
  assert.ok(new Set(stream.map(([key]) => key)).size > 900)
  assert.deepEqual(stream, workload.mixedStream(75, pool, 1000, 1, 0, 4))
  assert.notDeepEqual(stream, workload.mixedStream(75, pool, 1000, 1, 1, 4))
  for (const [keys] of workload.batchStream(undefined, 200, 1, 0, 4, 128)) {
    assert.equal(new Set(keys).size, 128)
  }
  for (const wrong of [
    { b0: 128 },
    { b0: -1 },
    { b0: 1.5 },
    { b0: '1' },
    {},
    null,
    { b0: 1, b1: 1 },
  ]) {
    assert.equal(workload.matches(workload.parseBins('I1'), wrong), false)
  }
})

test('a sleeping consumer sleeps for a bounded time, however many records there are', () => {
  const { SlowConsumer } = inner('./consumers.js') as {
    SlowConsumer: new () => { due(count: number): number }
  }
  const slow = new SlowConsumer()
  let slept = 0
  for (let count = 1; count <= 100_000; count++) slept += slow.due(count)
  assert.equal(slept, 500 + 100 * 5)
})

test('calls that fail immediately do not block the event loop', { timeout: 60_000 }, async () => {
  const { runLoops, singles } = inner('./loop.js') as {
    runLoops(loops: object[], seconds: number, repeat: boolean): Promise<{ tried: number } & Line>
    singles(client: object, operations: [number, undefined][], every: number): object
  }
  const client = { get: () => Promise.reject(new RangeError('no connection left')) }
  const done = await runLoops([singles(client, [[1, undefined]], 1)], 0.05, true)
  assert.ok(done.tried > 0)
  assert.equal(done.errors, done.tried)
})

test('the last calls of slow workers do not count against the others', async () => {
  const { runLoops, singles } = inner('./loop.js') as {
    runLoops(
      loops: object[],
      seconds: number,
      repeat: boolean,
    ): Promise<{ tried: number; rate: number }>
    singles(client: object, operations: [number, undefined][], every: number): object
  }
  const taking = (milliseconds: number) => ({
    get: () => new Promise((resolve) => setTimeout(resolve, milliseconds, { bins: {} })),
  })
  const loops = [taking(20), taking(1200)].map((client) => singles(client, [[1, undefined]], 1))
  const began = performance.now()
  const done = await runLoops(loops, 0.2, true)
  const elapsed = (performance.now() - began) / 1000
  // The fast worker ended long before.
  assert.ok(done.rate > 1.5 * (done.tried / elapsed), `${done.rate} of ${done.tried / elapsed}`)
})

test('timeouts are distinguished from other errors by class and by code', async () => {
  const { isTimeout, runLoops, singles } = inner('./loop.js') as {
    isTimeout(error: unknown): boolean
    runLoops(loops: object[], seconds: number, repeat: boolean): Promise<Line & { tried: number }>
    singles(client: object, operations: [number, undefined][], every: number): object
  }
  class Late extends Timeout {}
  assert.ok(isTimeout(new Late('too late')))
  assert.ok(isTimeout(Object.assign(new Error('late'), { code: 9 })))
  for (const other of [
    new RangeError('9'),
    Object.assign(new Error(), { code: 2 }),
    'Timeout',
    9,
  ]) {
    assert.ok(!isTimeout(other), String(other))
  }
  let calls = 0
  const client = {
    get: () => Promise.reject(calls++ % 3 === 0 ? new Timeout('late') : new Error('no')),
  }
  const done = await runLoops([singles(client, [[1, undefined]], 1)], 0.05, true)
  assert.equal(done.errors, done.tried)
  assert.equal(done.timeouts, Math.ceil(done.tried / 3))
})

interface Series {
  interval: number
  operations: number[]
  errors: number[]
  timeouts: number[]
  max_ns: (number | null)[]
  p99_ns: (number | null)[]
  rss: number[]
  read?: Float64Array[]
}

test('a stall does not affect the intervals before it', () => {
  const { Marks, seriesOf, summed, finished, intervalOf } = inner('./series.js') as {
    Marks: new () => {
      edge: number
      begin(began: number, interval: number): void
      passed(before: number[], now: number[], last: number): void
      tried(instant: number): number
      samplesUntil(instant: number): number
    }
    seriesOf(
      sources: object[],
      began: number,
      ended: number,
      interval: number,
      rows: number,
      rss: number[],
    ): Series
    summed(parts: Series[]): Series
    finished(series: Series, histograms: boolean): Series
    intervalOf(seconds: number): number
  }
  assert.deepEqual([0.1, 1, 3, 10, 20, 600].map(intervalOf), [5, 50, 1000 / 7, 500, 1000, 1000])
  const marks = new Marks()
  marks.begin(1000, 100)
  // A block of 16 calls started at 1090, its timed call took 7 ms, and the next block started at
  // 1410.
  marks.passed([1090, 64, 0], [1410, 80, 1], 7e6)
  assert.equal(marks.edge, 1500)
  marks.passed([1410, 80, 1], [1480, 85, 1], 7e6)
  const tried = [1045, 1090, 1097, 1100, 1200, 1300, 1400, 1410, 1480, 9999]
  assert.deepEqual(
    tried.map((instant) => marks.tried(instant)),
    [32, 64, 65, 65, 69, 74, 79, 80, 85, 85],
  )
  const source = {
    counts: (instant: number) => [marks.tried(instant), instant < 1450 ? 0 : 2, 0],
    latencies: (start: number, end: number) =>
      start < 0 ? undefined : marks.samplesUntil(start) < marks.samplesUntil(end) ? [-7e6] : [],
  }
  const series = seriesOf([source], 1000, 1480, 100, 10, [1, 2, 3, 4, 5, 6])
  assert.deepEqual(series.operations, [650, 40, 50, 50, 40])
  assert.deepEqual(series.errors, [0, 0, 0, 0, 2])
  assert.deepEqual(series.rss, [1, 2, 3, 4, 5])
  assert.equal(series.max_ns[0], null, 'overwritten')
  const known = {
    ...source,
    latencies: (_: number, end: number) => (end < 1150 ? [-7e6, 5e6] : []),
  }
  const other = seriesOf([known], 1000, 1480, 100, 10, [1])
  assert.equal(other.max_ns[0], 7e6)
  const both = summed([other, other])
  assert.deepEqual(both.operations, [1300, 80, 100, 100, 80])
  assert.deepEqual(both.rss, [2])
  assert.deepEqual(finished(both, true).read?.[0], Float64Array.of(5e6, 5e6))
  assert.ok(!('read' in finished(both, false)) && !('latencies' in finished(both, false)))
  assert.equal(summed([other, series]).max_ns[0], null)
})

test('intervals have all operations, errors and timeouts of a run', async () => {
  const { runLoops, singles } = inner('./loop.js') as {
    runLoops(
      loops: object[],
      seconds: number,
      repeat: boolean,
      interval: number,
    ): Promise<{
      tried: number
      errors: number
      timeouts: number
      began: number
      ended: number
      samples: object[]
    }>
    singles(client: object, operations: [number, undefined][], every: number): object
  }
  const { seriesOf } = inner('./series.js') as {
    seriesOf(...of: unknown[]): Series
  }
  let calls = 0
  const get = () => {
    calls++
    if (calls % 7 === 0) return Promise.reject(new Timeout('late'))
    if (calls % 5 === 0) return Promise.reject(new Error('no'))
    return new Promise((resolve) => setTimeout(resolve, 1, { bins: {} }))
  }
  const done = await runLoops(
    [1, 4].map((every) => singles({ get }, [[1, undefined]], every)),
    0.2,
    true,
    10,
  )
  const series = seriesOf(done.samples, done.began, done.ended, 10, 1, [])
  const sum = (all: number[]) => all.reduce((total, one) => total + one, 0)
  assert.equal(sum(series.operations), done.tried - done.errors)
  assert.equal(sum(series.errors), done.errors)
  assert.equal(sum(series.timeouts), done.timeouts)
  assert.ok(done.timeouts > 0 && done.errors > done.timeouts)
  assert.ok(series.operations.length >= 20)
})

test('each second is reported once, and late calls in the next one', () => {
  const { Lines } = inner('./lines.js') as {
    Lines: new (
      sources: object[],
      began: number,
      part: number,
      rows: number,
      say: (text: string) => void,
    ) => { end(): void }
  }
  const printed: string[] = []
  let known = 0
  const source = {
    counts: () => {
      known += 10
      return [known, 2, 1]
    },
    latencies: (start: number) => (start < 500 ? [-1e6, 1e6 + 100, 3e6] : []),
  }
  // The window opened 2.5 s ago, on a clock that started long before.
  const lines = new Lines([source], performance.now() - 2500, 1, 10, (text) => printed.push(text))
  lines.end()
  const seconds = printed.map((text) => {
    assert.match(text, /^spikewire-bench \{.*\}\n$/)
    return JSON.parse(text.slice('spikewire-bench '.length)) as {
      second: number
      part: number
      operations: number
      errors: number
      timeouts: number
    }
  })
  assert.deepEqual(
    seconds.map((one) => [one.second, one.part, one.operations, one.errors, one.timeouts]),
    [
      [1, 1, 80, 2, 1],
      [2, 1, 100, 0, 0],
    ],
  )
})

test('rounds are summarised as medians, samples as percentiles and shares', () => {
  const { summarise, withRatios } = inner('./summary.js') as {
    summarise(cell: object, rounds: object[]): Line & { spread: number }
    withRatios(lines: object[], ours: string): (Line & { rateRatio?: number; cpuRatio?: number })[]
  }
  const round = (operations: number, elapsed: number, read: number[], errors = 0) => ({
    version: '1',
    operations,
    elapsed,
    errors,
    timeouts: Math.min(errors, 2),
    first_error: errors ? 'Error: no' : null,
    cpu: { user: 0.006, system: 0.004 },
    server_cpu: null,
    latency: { read, write: [], samples: read.length, overwritten: 0, max_ns: Math.max(...read) },
    loop_delay: { p50: 1000, p99: 2000, max: 3000 },
    memory: { bare: 1, ready: 2, peak: 3 },
  })
  const cell = (client: string) => ({ client, inFlight: 1, processes: 1 })
  const rounds = [round(1000, 1, [1e6, 2e6]), round(3000, 1, [3e6]), round(500, 1, [17e6], 3)]
  const line = summarise(cell('spikewire'), rounds)
  assert.deepEqual([line.errors, line.timeouts], [3, 2])
  assert.equal(line.rate, 1000)
  assert.equal(line.spread, 250)
  assert.equal(line.cpu, 10)
  assert.deepEqual(line.within, { 1: 25, 2: 50, 4: 75, 8: 75, 16: 75 })
  assert.equal(line.percentiles.p50, 2000)
  assert.equal(line.percentiles.max, 17_000)
  assert.deepEqual(line.loopDelay, { p50: 1, p99: 2 })
  const peer = summarise(cell('aerospike'), [round(250, 1, [1e6]), { failed: 'no luck' }])
  assert.deepEqual(peer.failures, ['no luck'])
  assert.equal(withRatios([line, peer], 'spikewire')[0]?.rateRatio, undefined)
  const good = summarise(cell('aerospike'), [round(250, 1, [1e6])])
  assert.deepEqual(
    withRatios([line, good], 'spikewire').map(({ rateRatio, cpuRatio }) => [rateRatio, cpuRatio]),
    [
      [4, 0.25],
      [1, 1],
    ],
  )
})
