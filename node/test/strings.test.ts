/** Operations on strings, in `operate` and in expressions, on an embedded cluster of 8.2. */

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Client, ctx, type Dataset, exp, FeatureUnavailable, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let texts: Dataset

before(async () => {
  cluster = await Cluster.start({ build: '8.2' })
  client = await Client.connect(cluster.seeds)
  texts = client.dataset('test', 'texts')
})

after(async () => {
  await client?.close()
  await cluster?.close()
})

beforeEach(async () => {
  await texts.delete('k')
  await texts.put('k', { b: 'Zoé-12' })
})

test('strings are read', async () => {
  const record = await texts.operate('k', [
    op.string.length('b'),
    op.string.substring('b', 1, 3),
    op.string.substring('b', -2),
    op.string.find('b', '-'),
    op.string.contains('b', 'e\u0301'),
    op.string.isNumeric('b', 'int'),
    op.string.split('b', '-'),
    op.string.split('b'),
    op.string.matches('b', '^z', { ignoreCase: true }),
    op.string.toText('b'),
  ])
  assert.deepEqual(record.results, [
    6,
    'oé',
    '12',
    3,
    true,
    false,
    ['Zoé', '12'],
    ['Z', 'o', 'é', '-', '1', '2'],
    true,
    'Zoé-12',
  ])
})

test('strings are changed, also inside lists and maps', async () => {
  await texts.put('k', { m: { k: 'ab' }, l: ['x', 'y'], x: Buffer.from('hi') })
  const record = await texts.operate('k', [
    op.string.replaceMatches('b', '[0-9]', '#', { every: true }),
    op.string.upper('b'),
    op.string.concat('b', ['a', 'b']),
    op.string.snip('b', 0, 1),
    op.string.repeat('b', -1, { noFail: true }),
    op.get('b'),
    op.string.upper('m', { ctx: [ctx.mapKey('k')] }),
    op.get('m'),
    op.list.join('l', ', '),
    op.bit.base64('x'),
    op.bit.base64('x', 0, 1, { fromEnd: true }),
  ])
  const last = ['OÉ-##ab', null, { k: 'AB' }, 'x, y', 'aGk=', 'aA==']
  assert.deepEqual(record.results, [null, null, null, null, null, ...last])
})

test('expressions compute with strings', async () => {
  const b = exp.bin('b')
  const record = await texts.operate('k', [
    op.read('a', exp.string.length(b)),
    op.read('c', exp.string.lower(b).eq('zoé-12')),
    op.read('d', exp.string.replace(b, '1', 'x')),
    op.read('e', exp.value(5).toText()),
    op.read('f', '$.b.substr(0, 3).upper()'),
  ])
  assert.deepEqual(record.results, [6, true, 'Zoé-x2', '5', 'ZOÉ'])
})

test('bad arguments throw, and an older server is not asked', async () => {
  assert.throws(() => op.string.contains('b', 5 as never), /needle must be a string, not number/)
  assert.throws(() => op.string.concat('b', ['a', 5] as never), /values\[1\] must be a string/)
  assert.throws(() => op.string.charAt('b', 2 ** 30), /index must be from -134217728/)
  await using older = await Cluster.start()
  const other = await Client.connect(older.seeds)
  const call = other.dataset('test', 's').operate('k', [op.string.length('b')])
  await assert.rejects(call, (error: Error) => {
    assert.ok(error instanceof FeatureUnavailable)
    assert.match(error.message, /string operations: needs server 8\.2; node BB9\w+ has 8\.1\.2\.0/)
    return true
  })
  await other.close()
})
