/** Node.js and Python send the same bytes for the same calls. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type exp, type Operation } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { build, cases, withoutPython } from './cases.js'
import { Recorder } from './recorder.js'

/** The remaining time, in the header of a request. */
const TIME_LEFT = [14, 18] as const

test('requests are the same bytes as those of Python', { skip: withoutPython }, async () => {
  const cluster = await Cluster.start({ build: '8.2' })
  const recorder = await Recorder.start(cluster.seeds)
  try {
    const { sent, filters } = await cases(recorder.seeds)
    const python = recorder.requests.map(timeless)
    recorder.requests = []
    const client = await Client.connect(recorder.seeds)
    const data = client.dataset('test', 'wire')
    for (const { make } of sent) {
      await data.operate('k', [build(make) as Operation]).catch(() => {})
    }
    for (const { make } of filters) await data.exists('k', { where: build(make) as exp.Where })
    await client.close()
    const node = recorder.requests.map(timeless)
    assert.equal(python.length, sent.length + filters.length)
    for (const [at, one] of [...sent, ...filters].entries()) {
      assert.equal(node[at], python[at], one.python)
    }
    assert.equal(node.length, python.length)
  } finally {
    recorder.close()
    await cluster.close()
  }
})

function timeless(request: Buffer): string {
  return Buffer.from(request)
    .fill(0, ...TIME_LEFT)
    .toString('hex')
}
