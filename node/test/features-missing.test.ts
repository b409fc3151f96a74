/**
 * Everything that a newer server can do, asked of older ones and of clusters where only some are
 * newer: the error names what is missing, and no node receives anything.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Batch,
  Client,
  ctx,
  type Dataset,
  Delete,
  exp,
  FeatureUnavailable,
  type Operation,
  op,
  Read,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

/** What needs a feature, and the last version without it. */
interface Examples {
  before: string
  since: RegExp
  reads: Operation[]
  writes: Operation[]
  filters: exp.Where[]
}

const s = exp.bin('b', 'string')
const l = exp.bin('l', 'list')
const m = exp.bin('m', 'map')
const above = [ctx.allChildren('@ > 1')]
const filtered = [ctx.mapKey('a'), ctx.andWhere('@ > 1')]
/** Whether a list has one element; selections by path can be maps, too. */
const one = (list: unknown): exp.Where => exp.list.size(list as exp.Expression<'list'>).eq(1)

const FEATURES: Record<string, Examples> = {
  paths: {
    before: '8.1.0',
    since: /needs server 8\.1\.1; node BB9/,
    reads: [op.path.select('l', above), op.read('r', '$.l.[*].modify(@ + @index)')],
    writes: [
      op.path.modify('l', above, '@ + 1'),
      op.path.remove('l', above),
      op.write('w', exp.path.select(l, above)),
    ],
    filters: [
      '$.l.[?(@ > 1)].exists()',
      one(exp.path.select(l, above)),
      one(exp.path.modify(l, above, '@ + 1')),
      one(exp.path.remove(l, above)),
    ],
  },
  path_keys: {
    before: '8.1.1',
    since: /needs server 8\.1\.2; node BB9/,
    reads: [op.path.select('m', [ctx.mapKeysIn(['a'])]), op.read('r', exp.mapKeys(m))],
    writes: [op.path.remove('m', filtered), op.write('w', exp.mapValues(m))],
    filters: [
      exp.value(1).isIn(l),
      one(exp.mapKeys(m)),
      one(exp.mapValues(m)),
      one(exp.path.select(m, [ctx.mapKeysIn(['a'])])),
      one(exp.path.select(m, filtered)),
    ],
  },
  strings: {
    before: '8.1.2',
    since: /needs server 8\.2; node BB9/,
    reads: [
      op.string.length('b'),
      op.string.substring('b', 1),
      op.string.charAt('b', 0),
      op.string.find('b', 'x'),
      op.string.contains('b', 'x'),
      op.string.startsWith('b', 'x'),
      op.string.endsWith('b', 'x'),
      op.string.toInt('b'),
      op.string.toFloat('b'),
      op.string.byteLength('b'),
      op.string.isNumeric('b'),
      op.string.isUpper('b'),
      op.string.isLower('b'),
      op.string.toBlob('b'),
      op.string.split('b'),
      op.string.fromBase64('b'),
      op.string.matches('b', 'x'),
      op.string.toText('b'),
      op.list.join('l', ','),
      op.bit.base64('x'),
      op.read('r', '$.b.substr(0, 3).lower()'),
    ],
    writes: [
      op.string.insert('b', 0, 'x'),
      op.string.overwrite('b', 0, 'x'),
      op.string.concat('b', ['x']),
      op.string.snip('b', 0),
      op.string.replace('b', 'x', 'y'),
      op.string.replaceAll('b', 'x', 'y'),
      op.string.upper('b'),
      op.string.lower('b'),
      op.string.foldCase('b'),
      op.string.normalize('b'),
      op.string.trim('b'),
      op.string.trimStart('b'),
      op.string.trimEnd('b'),
      op.string.padStart('b', 9, 'x'),
      op.string.padEnd('b', 9, 'x'),
      op.string.repeat('b', 2),
      op.string.replaceMatches('b', 'x', 'y'),
      op.string.append('b', 'x'),
      op.string.prepend('b', 'x'),
      op.string.upper('m', { ctx: [ctx.mapKey('a')] }),
      op.write('w', exp.list.join(l)),
    ],
    filters: [
      exp.string.length(s).eq(1),
      exp.string.contains(s, 'x'),
      exp.string.upper(s).eq('X'),
      exp.string.replace(s, 'x', 'y').eq('y'),
      exp.bin('n', 'int').toText().eq('1'),
      exp.list.join(exp.string.split(s, 'x'), ',').eq('x'),
      "$.b.substr(0, 3).lower() == 'x'",
    ],
  },
}
/**
 * Nodes are asked for details and compression only where they have them; transactions are refused
 * below; no call sends text.
 */
const OTHERS = ['error_details', 'compression', 'transactions', 'text_filters']

const received = (cluster: Cluster): number =>
  cluster.seeds
    .split(',')
    .map((_, node) => cluster.stats(node).requests)
    .reduce((sum, more) => sum + more)

/** Waits until the nodes have received so many: they count after they have answered. */
async function expectReceived(cluster: Cluster, count: number): Promise<void> {
  const end = Date.now() + 30_000
  while (received(cluster) < count && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.equal(received(cluster), count)
}

/** A key whose node lacks what the filter needs. */
async function keyOfOlderNode(data: Dataset, where: exp.Where): Promise<number> {
  for (let key = 0; key < 1000; key++) {
    const refused = await data.exists(key, { where }).then(
      () => false,
      () => true,
    )
    if (refused) return key
  }
  throw new Error('every node is asked')
}

/** The error of the only row. */
async function ofRow(batch: Promise<Batch>): Promise<never> {
  const [error] = (await batch).errors.values()
  throw error
}

/** Reads a query to its end. */
async function every(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of records);
}

type Calls = (data: Dataset, key: number) => Promise<unknown>[]

/** The calls that use an operation, or a filter. */
const ofOperation =
  (operation: Operation, writes: boolean): Calls =>
  (data, key) => [
    data.operate(key, [op.get('n'), operation]),
    ofRow(data.operateMany([key], [operation])),
    ofRow(data.batch([writes ? new Write(key, [operation]) : new Read(key, { ops: [operation] })])),
    writes ? data.operateAll([operation]) : every(data.query({ operations: [operation] })),
  ]

const ofFilter =
  (where: exp.Where): Calls =>
  (data, key) => [
    data.get(key, { where }),
    data.exists(key, { where }),
    data.put(key, { n: 2 }, { where }),
    data.add(key, { n: 2 }, { where }),
    data.append(key, { b: 'x' }, { where }),
    data.prepend(key, { b: 'x' }, { where }),
    data.touch(key, { where }),
    data.delete(key, { where }),
    data.operate(key, [op.add('n', 1)], { where }),
    data.apply(key, 'module', 'function', [], { where }),
    ofRow(data.getMany([key], { where })),
    ofRow(data.existsMany([key], { where }) as Promise<unknown> as Promise<Batch>),
    ofRow(data.putMany([[key, { n: 2 }]], { where })),
    ofRow(data.deleteMany([key], { where }) as Promise<unknown> as Promise<Batch>),
    ofRow(data.operateMany([key], [op.add('n', 1)], { where })),
    ofRow(data.applyMany([key], 'module', 'function', [], { where })),
    ofRow(data.batch([new Read(key, { where })])),
    ofRow(data.batch([new Write(key, { n: 2 }, { where })])),
    ofRow(data.batch([new Delete(key, { where })])),
    every(data.query({ where })),
    data.operateAll([op.add('n', 1)], { where }),
    data.deleteAll({ where }),
    data.touchAll({ where }),
    data.applyAll('module', 'function', [], { where }),
  ]

test('every feature has examples', async () => {
  const cluster = await Cluster.start({ build: '8.2', edition: 'enterprise' })
  const client = await Client.connect(cluster.seeds)
  const known = client.nodes[0]?.features ?? []
  assert.deepEqual([...known].sort(), [...Object.keys(FEATURES), ...OTHERS].sort())
  await client.close()
  await cluster.close()
})

for (const [name, { before, since, reads, writes, filters }] of Object.entries(FEATURES)) {
  // 8.0 lacks paths altogether, so that it is not asked for their keys.
  const older = name === 'path_keys' ? [] : ['8.0.0']
  for (const build of [before, ...older, `8.2,${before}`]) {
    test(`${name} are not asked of ${build}`, async () => {
      const cluster = await Cluster.start({ nodes: build.split(',').length, build })
      const client = await Client.connect(cluster.seeds)
      const data = client.dataset('test', 'older')
      const key = await keyOfOlderNode(data, filters[0] as exp.Where)
      const start = received(cluster)
      await data.put('known', { n: 1 })
      const all = [
        ...reads.map((operation) => ofOperation(operation, false)),
        ...writes.map((operation) => ofOperation(operation, true)),
        ...filters.map(ofFilter),
      ]
      for (const calls of all) {
        for (const [at, outcome] of (await Promise.allSettled(calls(data, key))).entries()) {
          assert.equal(outcome.status, 'rejected', `call ${at} of ${calls}`)
          const { reason } = outcome as PromiseRejectedResult
          assert.ok(reason instanceof FeatureUnavailable, `call ${at}: ${reason}`)
          assert.match(reason.message, since)
        }
      }
      assert.deepEqual((await data.get('known')).bins, { n: 1 })
      await expectReceived(cluster, start + 2)
      await client.close()
      await cluster.close()
    })
  }
}

test('values that look like newer expressions are sent', async () => {
  const cluster = await Cluster.start({ build: '8.0.0' })
  const client = await Client.connect(cluster.seeds)
  const data = client.dataset('test', 'older')
  await data.put('k', { m: { k: [] } })
  const at = { ctx: [ctx.mapKey('k')] }
  const { results } = await data.operate('k', [
    op.list.appendItems('m', [99, 100], at),
    op.list.insertItems('m', 0, [100, 101], at),
  ])
  assert.deepEqual(results, [2, 4])
  await client.close()
  await cluster.close()
})

test('calls of transactions are not sent to the Community Edition', async () => {
  const cluster = await Cluster.start({ build: '8.2' })
  const client = await Client.connect(cluster.seeds)
  const inside = client.dataset('test', 'older').within(client.transaction())
  const calls = [inside.get(1), inside.put(1, { n: 1 }), inside.delete(1)]
  for (const outcome of await Promise.allSettled(calls)) {
    assert.equal(outcome.status, 'rejected')
    const { reason } = outcome as PromiseRejectedResult
    assert.ok(reason instanceof FeatureUnavailable)
    assert.match(reason.message, /transactions: needs server 8.0 Enterprise Edition/)
  }
  await expectReceived(cluster, 0)
  await client.close()
  await cluster.close()
})
