/** The Python client and this one share data sets: values, keys, sketches, cursors. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { PYTHON, withoutPython } from './cases.js'
import { output, PACKAGE } from './support/programs.js'
import { VALUES } from './support/values.js'

const SCRIPT = join(PACKAGE, 'test', 'python_records.py')

test('each client reads records of the other', { skip: withoutPython }, async () => {
  const cluster = await Cluster.start({ nodes: 2 })
  const client = await Client.connect(cluster.seeds, { doubles: 'double', timeout: 20_000 })
  try {
    const ours = client.dataset('test', 'fromnode')
    for (const [name, value] of Object.entries(VALUES)) await ours.put(name, { b: value })
    const keys = client.dataset('test', 'keys')
    const all = [7, '7', Buffer.from('7'), -(2n ** 63n), 2n ** 53n + 1n]
    for (const key of all) await keys.put(key, { key })
    const sketches = client.dataset('test', 'sketches')
    await sketches.operate('a', [op.hll.add('h', ['x', 'y', 'z'], 10)])
    const numbers = client.dataset<{ n: number }>('test', 'numbers')
    await Promise.all(Array.from({ length: 1000 }, (_, n) => numbers.put(n, { n })))
    const page = await numbers.query({ pageSize: 400 }).page()

    const args = [SCRIPT, cluster.seeds, page.cursor.toString('hex')]
    const [cursor, ...seen] = (await output(PYTHON, args)).trim().split(' ')

    const theirs = client.dataset('test', 'frompython')
    for (const [name, value] of Object.entries(VALUES)) {
      assert.deepEqual((await theirs.get(name)).bins['b'], value, name)
    }
    for (const key of all) assert.deepEqual((await keys.get(key)).bins, { key, visits: 1 })

    const values = [...page].map(({ bins }) => bins.n).concat(seen.map(Number))
    const resume = Buffer.from(cursor ?? '', 'hex')
    for await (const { bins } of numbers.query({ resume })) values.push(bins.n)
    assert.equal(seen.length, 300)
    assert.deepEqual(
      values.sort((a, b) => a - b),
      Array.from({ length: 1000 }, (_, n) => n),
    )
  } finally {
    await client.close()
    await cluster.close()
  }
})
