/** Connecting has threads of its own: it and the program's work in libuv's pool do not delay each other. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE } from './support/programs.js'

let cluster: Cluster

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
})

after(() => cluster.close())

/** Runs a program whose pool has one thread. */
const run = (text: string) =>
  output(process.execPath, ['--input-type=module', '-e', text], {
    cwd: PACKAGE,
    env: { UV_THREADPOOL_SIZE: '1' },
    timeout: 60_000,
  })

test('a busy pool does not delay connecting, embedded clusters or closing', async () => {
  const printed = await run(`
    import { pbkdf2 } from 'node:crypto'
    import { Client } from 'spikewire'
    import { Cluster } from 'spikewire/testing'
    const order = []
    // As long as it takes: each of these keeps the pool's only thread for a moment.
    let busy = true
    const rounds = () => pbkdf2('a', 'b', 300_000, 64, 'sha512', () => busy && rounds())
    rounds()
    rounds()
    const own = await Cluster.start({ nodes: 1 })
    for (const seeds of [${JSON.stringify(cluster.seeds)}, own.seeds]) {
      const client = await Client.connect(seeds)
      await client.dataset('test', 'pool').put(1, { n: 1 })
      await client.close()
      order.push('closed')
    }
    await own.close()
    console.log(order.join(), busy)
    busy = false`)
  assert.equal(printed, 'closed,closed true\n')
})

test('clients that wait for a silent server delay neither others nor files', async () => {
  // Accepts connections and never answers.
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    const printed = await run(`
      import { readFile } from 'node:fs/promises'
      import { Client } from 'spikewire'
      const failed = []
      const waiting = Array.from({ length: 12 }, () =>
        Client.connect('127.0.0.1:${port}', { connectTimeout: 4000 }).catch((error) => {
          failed.push(error.name)
        }),
      )
      await readFile(process.execPath, { length: 1 })
      const client = await Client.connect(${JSON.stringify(cluster.seeds)})
      await client.close()
      console.log(failed.length)
      const began = performance.now()
      await Promise.all(waiting)
      // All at the same time, not one after the other.
      console.log(failed.length, new Set(failed), performance.now() - began < 20_000)`)
    assert.match(printed, /^0\n12 Set\(1\) { '(Timeout|ConnectionFailed)' } true\n$/)
  } finally {
    silent.close()
  }
})
