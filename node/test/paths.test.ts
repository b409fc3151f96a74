/** Path expressions: many elements of nested lists and maps. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  BinTypeError,
  Client,
  ctx,
  type Dataset,
  exp,
  type Operation,
  op,
  ServerError,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

const M = { a: { v: 1, n: 'x' }, b: { v: 5, n: 'y' }, c: { v: 9 } }

let cluster: Cluster
let client: Client
let users: Dataset

before(async () => {
  cluster = await Cluster.start()
  client = await Client.connect(cluster.seeds)
  users = client.dataset('test', 'paths')
  await users.put('k', { m: M, l: [10, 20, 30, 40] })
})

after(async () => {
  await client.close()
  cluster.close()
})

async function results(...operations: Operation[]): Promise<readonly unknown[]> {
  return (await users.operate('k', operations)).results
}

test('paths select elements', async () => {
  const above = ctx.allChildren('@.v > 2')
  const even = ctx.allChildren(exp.loop.index().mod(2).eq(0))
  const some = [ctx.mapKeysIn(['a', 'b', 'z']), ctx.andWhere(['@.v > ?', 2]), ctx.mapKey('v')]
  assert.deepEqual(
    await results(
      op.path.select('m', [ctx.allChildren(), ctx.mapKey('v')]),
      op.path.select('m', [above], { returning: 'key' }),
      op.path.select('m', [above], { returning: 'tree' }),
      op.path.select('m', some),
      op.path.select('l', [even]),
      op.path.select('l', [ctx.allChildren("@ == 'x'")], { noFail: true }),
      op.read('count', '$.m:MAP.*[?(@.v > 2)].count()'),
      op.read('keys', exp.path.select(exp.bin('m', 'map'), [above], { returning: 'key' })),
    ),
    [[1, 5, 9], ['b', 'c'], { b: M.b, c: M.c }, [5], [10, 30], [], 2, ['b', 'c']],
  )
  assert.ok(await users.get('k', { where: ['$.l.[?(@ > ?)].exists()', 35] }))
})

test('paths modify and remove elements', async () => {
  await users.put('k', { l: [10, 20, 30, 40] })
  const sum = exp.loop.value('int').add(exp.loop.index())
  const changed = await results(op.path.modify('l', [ctx.allChildren()], sum), op.get('l'))
  assert.deepEqual(changed, [null, [10, 21, 32, 43]])
  const left = await results(op.path.remove('l', [ctx.allChildren('@ > 25')]), op.get('l'))
  assert.deepEqual(left, [null, [10, 21]])
})

test('failures of paths have the codes of servers', async () => {
  const code = (expected: number) => (error: unknown) =>
    error instanceof ServerError && error.code === expected
  await assert.rejects(results(op.path.select('m', [ctx.listIndex(0)])), code(4))
  await assert.rejects(results(op.path.modify('m', [ctx.allChildren()], '@ + 1')), code(1))
  await assert.rejects(
    results(op.path.select('l', [ctx.allChildren()], { returning: 'key' })),
    BinTypeError,
  )
})

test('bad paths are refused when they are made', () => {
  const all = ctx.allChildren()
  const cases: [() => unknown, RegExp][] = [
    [() => op.path.select('b', []), /1 to 64 steps, not 0/],
    [
      () =>
        op.path.select(
          'b',
          Array.from({ length: 65 }, () => all),
        ),
      /not 65/,
    ],
    [() => op.path.select('b', all as never), /path must be an array/],
    [() => op.path.select('b', [all], { returning: 'count' as never }), /'key_value' or 'tree'/],
    [() => op.path.select('b', [all], { ctx: [] } as never), /unknown option "ctx"/],
    [() => op.path.remove('b', [ctx.andWhere('@ > 1')]), /must follow/],
    [() => op.path.remove('b', [ctx.mapKeyCreate('a')]), /create nothing/],
    [() => ctx.allChildren('$.a > 1'), /ctx\.allChildren: .*not the record/],
    [() => ctx.andWhere(5 as never), /an expression is/],
    [() => ctx.mapKeysIn('ab' as never), /keys must be/],
    [() => op.path.modify('b', [all], '@'), /of which type/],
    [() => op.list.size('b', { ctx: [all] }), /ctx\[0\]: allChildren names several elements/],
    [() => op.read('b', exp.loop.value('int')), /only in a filter of a path/],
    [() => exp.loop.key('float' as never), /map key/],
    [() => exp.path.select(exp.bin('b', 'int') as never, [all]), /exp\.path\.select/],
  ]
  for (const [make, message] of cases) assert.throws(make, { message })
})

test('steps and operations of paths show the call that made them', () => {
  const above = ctx.allChildren('@.v > 2')
  assert.equal(String(above), "ctx.allChildren('@.v > 2')")
  assert.ok(above.equals(ctx.allChildren('@.v > 2')))
  assert.equal(
    String(op.path.remove('b', [ctx.allChildren()], { noFail: true })),
    "op.path.remove('b', [ ctx.allChildren() ], { noFail: true })",
  )
})
