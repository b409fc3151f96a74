/** What the version of a node cannot do is refused before anything is sent to it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, exp, FeatureUnavailable, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'

/** A filter that needs 8.1.2. */
const NEWER = exp.value(1).isIn(exp.bin('l'))

function check(error: unknown): boolean {
  assert.ok(error instanceof FeatureUnavailable)
  assert.match(error.message, /needs server 8\.1\.2; node BB9\w+ has 8\.1\.1\.0/)
  return true
}

test('nodes say what they can do', async () => {
  const cluster = await Cluster.start({ nodes: 2, build: '8.1.1,8.2' })
  const client = await Client.connect(cluster.seeds)
  const nodes = client.nodes.sort((a, b) => a.build.localeCompare(b.build))
  assert.deepEqual(
    nodes.map((node) => node.build),
    ['8.1.1.0', '8.2.0.0'],
  )
  assert.deepEqual(nodes[0]?.features, ['paths'])
  assert.ok(nodes[1]?.features.includes('strings'))
  await client.close()
  await cluster.close()
})

test('what a node cannot do is not sent to it', async () => {
  const cluster = await Cluster.start({ build: '8.1.1' })
  const client = await Client.connect(cluster.seeds)
  const data = client.dataset('test', 's')
  await data.put('k', { l: [1] })
  await assert.rejects(data.get('k', { where: NEWER }), check)
  await assert.rejects(data.operate('k', [op.read('r', NEWER)]), check)
  const { errors } = await data.getMany(['k', 'other'], { where: NEWER })
  assert.equal(errors.size, 2)
  errors.forEach(check)
  assert.deepEqual((await data.get('k')).bins, { l: [1] })
  await client.close()
  await cluster.close()
})
