/** Queries when nodes fail, processes end and threads are terminated. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Client, type Dataset, SpikewireError, Timeout } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE, run } from './support/programs.js'

type Row = { n: number; text: string }
const COUNT = 6000

async function withRows(
  nodes: number,
  work: (cluster: Cluster, rows: Dataset<Row>) => Promise<void>,
): Promise<void> {
  const cluster = await Cluster.start({ nodes })
  try {
    const client = await Client.connect(cluster.seeds, { timeout: 20_000 })
    try {
      const rows = client.dataset<Row>('test', 'rows')
      const text = 'x'.repeat(1000)
      await Promise.all(Array.from({ length: COUNT }, (_, n) => rows.put(n, { n, text })))
      await work(cluster, rows)
    } finally {
      await client.close()
    }
  } finally {
    await cluster.close()
  }
}

test('a node is killed in the midst of a scan: no record is lost or returned twice', () =>
  withRows(3, async (cluster, rows) => {
    const numbers = new Set<number>()
    let count = 0
    for await (const { bins } of rows.query()) {
      numbers.add(bins.n)
      if (++count === 500) await cluster.kill(1)
    }
    assert.equal(count, COUNT)
    assert.equal(numbers.size, COUNT)
  }))

test('truncated, slow and late replies lose no record', () =>
  withRows(2, async (cluster, rows) => {
    for (const faults of [{ cut: 0.3, seed: 7 }, { delay: 100 }, { lateEnd: 100 }]) {
      await cluster.inject(0, faults)
      const numbers = new Set<number>()
      for await (const { bins } of rows.query()) numbers.add(bins.n)
      assert.equal(numbers.size, COUNT, JSON.stringify(faults))
      await cluster.clearFaults(0)
    }
  }))

test('a query has its own time limit and reports it', () =>
  withRows(1, async (cluster, rows) => {
    await cluster.inject(0, { delay: 60_000 })
    const begun = Date.now()
    await assert.rejects(rows.query({ timeout: 300 }).next(), Timeout)
    assert.ok(Date.now() - begun < 20_000)
    await cluster.clearFaults(0)
  }))

test('a query without a node left is rejected', () =>
  withRows(1, async (cluster, rows) => {
    const query = rows.query({ timeout: 5000 })
    await query.next()
    await cluster.kill(0)
    await assert.rejects(async () => {
      for await (const _ of query);
    }, SpikewireError)
    await assert.rejects(rows.query({ timeout: 1000 }).next(), SpikewireError)
    await cluster.restart(0)
  }))

const HEAD = (seeds: string) => `
import { Client } from 'spikewire'
const client = await Client.connect(${JSON.stringify(seeds)})
const rows = client.dataset('test', 'rows')
`
const module = (text: string) => ['--input-type=module', '-e', text]
const here = { cwd: PACKAGE, timeout: 60_000 }

test('a process may end during a query', () =>
  withRows(2, async ({ seeds }) => {
    const programs: [string, number, string][] = [
      // No record is awaited, so nothing keeps the process alive.
      ["const q = rows.query(); await q.next(); console.log('left')", 0, 'left\n'],
      ['for await (const r of rows.query()) { console.log(r.generation); break }', 0, '1\n'],
      ['let n = 0; for await (const r of rows.query()) if (++n === 700) process.exit(7)', 7, ''],
      ['rows.query().next(); process.exit(7)', 7, ''],
      ['rows.query().next(); setImmediate(() => process.exit(7))', 7, ''],
      ['let n = 0; for await (const r of rows.query()) n++; console.log(n)', 0, `${COUNT}\n`],
      ['rows.query().stream().once("data", () => { console.log(1); client.close() })', 1, '1\n'],
    ]
    for (const [text, code, stdout] of programs) {
      const ran = await run(process.execPath, module(HEAD(seeds) + text), here)
      assert.equal(ran.stdout, stdout, `${text}: ${ran.stderr}`)
      assert.equal(ran.code, code, `${text}: ${ran.stderr}`)
      assert.equal(ran.signal, null)
    }
  }))

test('unreachable queries are ended', () =>
  withRows(1, async ({ seeds }) => {
    const text = `${HEAD(seeds)}
      import { readdirSync } from 'node:fs'
      const open = () => readdirSync('/proc/self/fd').length
      const before = open()
      for (let at = 0; at < 200; at++) {
        await rows.query().next()
        // Nodes limit their number of queries.
        if (at % 20 === 0) gc()
      }
      for (let at = 0; at < 1000 && open() > before + 20; at++) {
        gc()
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      console.log(open() - before <= 20)
      await client.close()`
    const args = ['--expose-gc', ...module(text)]
    assert.equal(await output(process.execPath, args, here), 'true\n')
  }))

test('each worker thread has its own queries and can be terminated', () =>
  withRows(2, async ({ seeds }) => {
    const code = `
      const { parentPort, workerData } = require('node:worker_threads')
      const { Client } = require(${JSON.stringify(`${PACKAGE}dist/index.js`)})
      ;(async () => {
        const client = await Client.connect(workerData)
        for (;;) {
          let n = 0
          for await (const _ of client.query('test', 'rows')) n++
          parentPort.postMessage(n)
        }
      })()`
    const workers = Array.from({ length: 3 }, () => {
      const worker = new Worker(code, { eval: true, workerData: seeds })
      return { worker, first: new Promise((resolve) => worker.once('message', resolve)) }
    })
    for (const { worker, first } of workers) {
      assert.equal(await first, COUNT)
      await sleep(5)
      await worker.terminate()
    }
  }))
