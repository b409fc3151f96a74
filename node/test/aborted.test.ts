/** Calls whose signal was aborted: they keep no process alive, and affect no other call. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE } from './support/programs.js'

/** A program with a call that takes a minute, and another one that is answered. */
const program = (call: string) => `
  import { Client, op } from 'spikewire'
  import { Cluster } from 'spikewire/testing'
  const cluster = await Cluster.start({ nodes: 1 })
  const client = await Client.connect(cluster.seeds, { timeout: 60_000 })
  const records = client.dataset('test', 'aborted')
  await records.put(1, { n: 1 })
  await cluster.inject(0, { delay: 60_000 })
  const controller = new AbortController()
  const { signal } = controller
  setTimeout(() => controller.abort(), 30)
  await ${call}.catch((error) => console.log(error.name))
  console.log('over')`

const CALLS = {
  get: 'records.get(1, { signal })',
  put: 'records.put(1, { n: 1 }, { signal })',
  operate: "records.operate(1, [op.add('n', 1)], { signal })",
  getMany: 'records.getMany([1, 2, 3], { signal })',
  putMany: 'records.putMany([[1, { n: 1 }]], { signal })',
  'indexes.wait': "client.indexes.wait('test', 'none', { signal, timeout: 0 })",
  touchAll: 'records.touchAll({ signal })',
  query: 'records.query({ signal }).next()',
}

for (const [name, call] of Object.entries(CALLS)) {
  test(`the process ends after an aborted ${name}`, async () => {
    const args = ['--input-type=module', '-e', program(call)]
    const began = performance.now()
    const printed = await output(process.execPath, args, { cwd: PACKAGE, timeout: 50_000 })
    assert.equal(printed, 'AbortError\nover\n')
    assert.ok(performance.now() - began < 30_000)
  })
}

test('the process ends after connecting was aborted', async () => {
  // Accepts connections and never answers.
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const at = JSON.stringify(`127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const text = `
    import { Client } from 'spikewire'
    import { connect } from 'spikewire/cql'
    const options = { connectTimeout: 60_000, signal: AbortSignal.timeout(50) }
    const calls = [Client.connect(${at}, options), connect(${at}, options)]
    for (const call of calls) await call.catch((error) => console.log(error.name))`
  const began = performance.now()
  try {
    const printed = await output(process.execPath, ['--input-type=module', '-e', text], {
      cwd: PACKAGE,
      timeout: 50_000,
    })
    assert.equal(printed, 'TimeoutError\nTimeoutError\n')
    assert.ok(performance.now() - began < 30_000)
  } finally {
    silent.close()
  }
})

test('other calls in flight keep the process alive', async () => {
  const text = `
    import { Client } from 'spikewire'
    import { Cluster } from 'spikewire/testing'
    const cluster = await Cluster.start({ nodes: 1 })
    const client = await Client.connect(cluster.seeds, { timeout: 60_000 })
    const records = client.dataset('test', 'aborted')
    await records.put(1, { n: 1 })
    await cluster.inject(0, { delay: 500 })
    for (let n = 0; n < 20; n++) {
      const controller = new AbortController()
      const { signal } = controller
      records.get(n, { signal }).catch(() => undefined)
      records.getMany([1, 2, n], { signal }).catch(() => undefined)
      setImmediate(() => controller.abort())
    }
    void Promise.all([1, 2, 3].map((n) => records.put(n, { n }))).then(() => console.log('written'))
    void records.get(1).then(() => console.log('read'))`
  const printed = await output(process.execPath, ['--input-type=module', '-e', text], {
    cwd: PACKAGE,
  })
  assert.deepEqual(printed.trim().split('\n').sort(), ['read', 'written'])
})

test('aborting a call that has been answered affects no later call', async () => {
  const cluster = await Cluster.start({ nodes: 1 })
  const client = await Client.connect(cluster.seeds, { timeout: 20_000 })
  try {
    const records = client.dataset('test', 'answered')
    await records.put(1, { n: 1 })
    for (let round = 0; round < 50; round++) {
      const controller = new AbortController()
      const later: Promise<unknown>[] = []
      // Their replies come together. The first one starts other calls, which take over what belonged
      // to the third; the second one aborts the third, whose reply is there by then.
      const first = records.get(1).then(() => {
        later.push(...Array.from({ length: 3 }, () => records.get(1)))
      })
      const second = records.get(1).then(() => controller.abort(new Error('too late')))
      const third = records.get(1, { signal: controller.signal })
      await Promise.all([first, second, third.catch(() => undefined)])
      assert.equal((await Promise.all(later)).length, 3)
    }
  } finally {
    await client.close()
    await cluster.close()
  }
})
