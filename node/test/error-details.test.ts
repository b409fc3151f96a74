/** What servers from 8.2 on say about errors beyond their codes. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, FilteredOut, index, OpNotApplicable, op, SpikewireError } from 'spikewire'
import { Cluster } from 'spikewire/testing'

const MESSAGE = 'the string is not a number of this kind'
const TO_INT = [op.string.toInt('s')]

/** The error of a call that fails. */
async function failure(call: () => Promise<unknown>): Promise<SpikewireError> {
  try {
    await call()
  } catch (error) {
    assert.ok(error instanceof SpikewireError)
    return error
  }
  throw new Error('the call did not fail')
}

test('errors have subcode, name, message and trace', async () => {
  const cluster = await Cluster.start({ build: '8.2' })
  const client = await Client.connect(cluster.seeds, { errorDetails: 'trace', timeout: 30_000 })
  const users = client.dataset('test', 'users')
  await users.put('k', { s: 'text', n: 7, zero: 0 })
  const error = await failure(() => users.operate('k', TO_INT))
  assert.ok(error instanceof OpNotApplicable)
  assert.deepEqual(error.details, {
    subcode: 10,
    subcodeName: 'string_conversion',
    message: MESSAGE,
    trace: null,
  })
  assert.deepEqual([error.subcode, error.subcodeName], [10, 'string_conversion'])
  assert.ok(error.message.includes(` [string_conversion 10: ${MESSAGE}] (code 26`), error.message)

  const filtered = await failure(() => users.get('k', { where: '$.n / $.zero > 2' }))
  assert.ok(filtered instanceof FilteredOut)
  assert.deepEqual(filtered.details?.trace, {
    phase: 'evaluation',
    offset: 2,
    op: '/',
    depth: 1,
    path: ['>', '/'],
    snippet: '$.n:INT / $.zero:INT',
    outcome: 'fault',
    language: 'msgpack',
    textOffset: null,
    textLength: null,
    line: null,
    column: null,
    operands: ['7', '0'],
  })
  const batch = await users.operateMany(['k', 'none', 'k'], TO_INT)
  assert.deepEqual(
    [...batch.errors.values()].map((row) => row.subcode),
    [10, 10],
  )
  const query = users.query({ index: index.between('nothing', 1, 2), pageSize: 10 })
  const missing = await failure(async () => query.page())
  assert.equal(missing.details?.message, 'no index fits the query')

  for (const level of ['off', 'subcode'] as const) {
    const other = await failure(() => users.operate('k', TO_INT, { errorDetails: level }))
    assert.equal(other.subcode, level === 'off' ? null : 10)
    assert.equal(other.details?.message ?? null, null)
  }
  const wrong = { errorDetails: 'all' as 'off' }
  const refused = /errorDetails must be 'off', 'subcode', 'message' or 'trace', got "all"/
  await assert.rejects(async () => users.get('k', wrong), refused)
  await assert.rejects(Client.connect(cluster.seeds, wrong), refused)
  await client.close()
  await cluster.close()
})

test('nodes before 8.2 say what they always said', async () => {
  const cluster = await Cluster.start({ nodes: 2, build: '8.2,8.1.2' })
  const client = await Client.connect(cluster.seeds, { errorDetails: 'trace', timeout: 30_000 })
  const builds = new Map(client.nodes.map((node) => [`${node.name} ${node.address}`, node.build]))
  const users = client.dataset('test', 'users')
  const seen = new Set<string>()
  for (let key = 0; key < 40; key++) {
    await users.put(key, { l: [1] })
    const error = await failure(() => users.operate(key, [op.list.get('l', 5)]))
    seen.add(`${builds.get(error.node ?? '')} ${error.subcode}`)
  }
  assert.deepEqual([...seen].sort(), ['8.1.2.0 null', '8.2.0.0 1'])
  await client.close()
  await cluster.close()
})

test('a node that is started again is silent until it is in sync', async () => {
  const cluster = await Cluster.start({ nodes: 2, build: '8.2', syncTime: 200 })
  const client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  const users = client.dataset('test', 'users')
  await cluster.kill(1)
  await cluster.restart(1)
  for (let key = 0; key < 20; key++) await users.put(key, { n: key })
  assert.ok(await cluster.waitSettled(30_000))
  assert.equal((await users.getMany([...Array(20).keys()])).found, 20)
  await client.close()
  await cluster.close()
})
