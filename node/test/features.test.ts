/** What the version of a node cannot do is refused before anything is sent to it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinValue, Client, exp, FeatureUnavailable, op } from 'spikewire'
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

function nested(levels: number): BinValue[] {
  let value: BinValue[] = []
  for (let level = 1; level < levels; level += 1) value = [value]
  return value
}

test('values nested too deep for 8.2 and requests that 8.1.2 does not withstand are not sent', async () => {
  for (const build of ['8.2', '8.1.2']) {
    const cluster = await Cluster.start({ build })
    const client = await Client.connect(cluster.seeds)
    const data = client.dataset('test', 's')
    await data.put('k', { a: nested(64) })
    const deep = () => data.put('k', { n: 1, a: nested(65) })
    const rows = () => data.putMany([['k', { a: nested(65) }]])
    const append = () => data.operate('k', [op.list.append('a', nested(66))])
    const divide = () => data.get('k', { where: '$.i / -1 == 5', default: null })
    if (build === '8.2') {
      for (const call of [deep, append])
        await assert.rejects(call, (error: unknown) => {
          assert.ok(error instanceof FeatureUnavailable)
          assert.match(error.message, /bin "a": lists and maps nested more than 64 levels/)
          return true
        })
      assert.equal((await rows()).errors.size, 1)
      assert.equal((await data.get('k')).generation, 1)
      assert.equal(await divide(), null)
    } else {
      await deep()
      await append()
      assert.equal((await rows()).errors.size, 0)
      await assert.rejects(divide, /servers of 8\.1\.1 and 8\.1\.2 end if it is the smallest one/)
      const bold = await Client.connect(cluster.seeds, { protectServers: false })
      assert.equal(
        await bold.dataset('test', 's').get('k', { where: '$.i / -1 == 5', default: null }),
        null,
      )
      await bold.close()
    }
    await client.close()
    await cluster.close()
  }
})
