/** Operations and expressions on the embedded cluster: the cases of the Python client's tests. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  BinExists,
  BinNotFound,
  BinTypeError,
  type BinValue,
  Client,
  ctx,
  type Dataset,
  Double,
  ElementExists,
  ElementNotFound,
  exp,
  GeoJSON,
  HyperLogLog,
  type Operation,
  OpNotApplicable,
  op,
  RecordNotFound,
  ServerError,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { build, cases, type OperationCase, plain, sorted, withoutPython } from './cases.js'

const LIST = [3, 1, 2, 1]
const MAP = { a: 3, b: 1, c: 2 }

let cluster: Cluster
let client: Client
let data: Dataset

before(async () => {
  cluster = await Cluster.start()
  client = await Client.connect(cluster.seeds)
  data = client.dataset('test', 'operations')
})

after(async () => {
  await client?.close()
  await cluster?.close()
})

async function results(...operations: Operation[]): Promise<readonly unknown[]> {
  return (await data.operate('k', operations)).results
}

test('operations of the Python tests have the same results', { skip: withoutPython }, async (t) => {
  const all = await cases()
  const families: [OperationCase[], never][] = [
    [all.lists, LIST as never],
    [all.maps, MAP as never],
    [all.bits, Buffer.from([0x0f, 0xf1]) as never],
  ]
  for (const [of, start] of families) {
    for (const one of of) {
      await t.test(one.python, async () => {
        await data.put('k', { b: start }, { exists: 'replace' })
        const [result, left] = await results(build(one.make) as Operation, op.get('b'))
        assert.deepEqual(plain(result), sorted(one.result))
        assert.deepEqual(plain(left), sorted(one.left))
      })
    }
  }
  await t.test('expressions are evaluated', async (of) => {
    await data.put(
      'k',
      {
        l: LIST,
        m: { a: 1, b: 'x', c: [4, 5] },
        n: 2,
        b: Buffer.from([0x0f, 0xf1]),
        g: GeoJSON.point(1, 2),
      },
      { exists: 'replace' },
    )
    await results(op.hll.add('h', ['a', 'b', 'c'], 12))
    for (const one of all.evaluated) {
      await of.test(one.python, async () => {
        const expression = build(one.make) as exp.Expression
        const [value] = await results(op.read('r', expression, { noFail: true }))
        assert.deepEqual(plain(value), sorted(one.value))
      })
    }
  })
  const errors: { [name: string]: unknown } = {
    BinExists,
    BinNotFound,
    BinTypeError,
    ElementExists,
    ElementNotFound,
    OpNotApplicable,
  }
  for (const one of all.invalid) {
    await t.test(`invalid: ${one.python}`, async () => {
      await data.put('k', { l: [1], m: { a: 1 }, b: Buffer.from('x') }, { exists: 'replace' })
      const invalid = results(build(one.make) as Operation)
      await assert.rejects(invalid, errors[one.error] as typeof ServerError)
    })
  }
})

test('sketch operations return their results', async () => {
  await data.delete('k')
  const first = await results(
    op.hll.init('h', 12, 16),
    op.hll.add('h', ['a', 'b', 3, 1.5, null]),
    op.hll.add('other', ['a', 'c'], 12, 16, { createOnly: true }),
    op.hll.getCount('h'),
    op.hll.describe('h'),
    op.hll.mayContain('h', ['a', 3]),
    op.hll.mayContain('h', ['z']),
    op.hll.refreshCount('h'),
    op.hll.init('h', 4, undefined, { noFail: true, createOnly: true }),
    op.get('other'),
  )
  assert.deepEqual(first.slice(0, -1), [null, 5, 2, 5, [12, 16], 1, 0, 5, null])
  const other = first.at(-1)
  assert.ok(other instanceof HyperLogLog)
  const [union, count, both, alike] = await results(
    op.hll.getUnion('h', [other]),
    op.hll.getUnionCount('h', [other]),
    op.hll.getIntersectCount('h', [other]),
    op.hll.getSimilarity('h', [other]),
  )
  assert.deepEqual([count, both], [6, 1])
  assert.ok(Math.abs((alike as number) - 0.17) < 0.01)
  assert.deepEqual(await results(op.hll.setUnion('h', [other]), op.hll.getCount('h')), [null, 6])
  const sketch = (await data.get('k')).bins['h']
  assert.ok(sketch instanceof HyperLogLog && union instanceof HyperLogLog)
  assert.deepEqual(sketch.bytes.subarray(11), union.bytes.subarray(11), 'all but the kept count')
  const hundred = Array.from({ length: 100 }, (_, at) => at)
  await results(op.hll.add('plain', hundred, 10), op.hll.fold('plain', 6))
  assert.deepEqual(await results(op.hll.describe('plain')), [[6, 0]])
})

test('operations reach nested lists and maps', async () => {
  const bins = { b: { m: { x: [1, [5, 6]] } }, l: [[1], { y: 2 }] }
  await data.put('k', bins, { exists: 'replace' })
  const path = [ctx.mapKey('m'), ctx.mapKey('x')]
  const outcome = await results(
    op.list.append('b', 7, { ctx: path }),
    op.list.getByValue('b', 6, { returning: 'index', ctx: [...path, ctx.listIndex(1)] }),
    op.list.size('b', { ctx: [ctx.mapIndex(0), ctx.mapRank(0)] }),
    op.map.getByKey('l', 'y', { ctx: [ctx.listRank(-1)] }),
    op.list.get('l', 0, { ctx: [ctx.listValue([1])] }),
    op.list.get('l', 0, { ctx: [ctx.index(0)] }),
    op.map.size('b', { ctx: [ctx.rank(0)] }),
    op.map.put('b', 'z', 1, { ctx: [ctx.mapValue({ x: [1, [5, 6], 7] })] }),
  )
  assert.deepEqual(outcome, [3, [1], 3, 2, 1, 1, 1, 2])
})

test('maps are looked for in the order of servers', async () => {
  const inner = [{ y: 2, x: 1 }]
  const unordered = new Map<BinValue, BinValue>([
    [Buffer.from('z'), 3],
    ['ab', inner],
    ['a', 2],
    [300, 1],
    [-1, 0],
  ])
  await data.put(
    'k',
    { l: [0, unordered, [1, unordered]], m: { k: unordered, z: 0 } },
    { exists: 'replace' },
  )
  const outcome = await results(
    op.list.getByValue('l', unordered, { returning: 'index' }),
    op.list.getByValue('l', [1, unordered], { returning: 'index' }),
    op.list.getByValueList('l', [0, unordered], { returning: 'count' }),
    op.map.size('l', { ctx: [ctx.listValue(unordered)] }),
    op.list.size('l', { ctx: [ctx.listValue([1, unordered])] }),
    op.map.getByValue('m', unordered, { returning: 'key' }),
    op.map.size('m', { ctx: [ctx.mapValue(unordered)] }),
    op.map.getByValue('m', inner, { returning: 'key', ctx: [ctx.mapKey('k')] }),
    op.list.removeByValue('l', unordered, { returning: 'count' }),
    op.map.removeByValue('m', unordered, { returning: 'count' }),
  )
  assert.deepEqual(outcome, [[1], [2], 2, 5, 2, ['k'], 5, ['ab'], 1, 1])
})

test('steps create missing paths', async () => {
  await data.delete('k')
  await results(
    op.map.put('m', 'k', 1, { order: 'key', ctx: [ctx.mapKeyCreate('a', 'key')] }),
    op.list.append('l', 1, { ctx: [ctx.listIndexCreate(2, 'unordered', { pad: true })] }),
    op.list.create('made', 'ordered', { ctx: [ctx.mapKey('x')] }),
    op.list.appendItems('made', [3, 1, 2], { ctx: [ctx.mapKey('x')] }),
    op.map.create('top', 'key_value', { persistIndex: true }),
    op.list.create('gap', 'unordered', { pad: true, ctx: [ctx.listIndex(1)] }),
    op.map.create('deep', 'unordered', { ctx: [ctx.mapKeyCreate('a'), ctx.mapKey('b')] }),
  )
  assert.deepEqual((await data.get('k')).bins, {
    m: { a: { k: 1 } },
    l: [null, null, [1]],
    made: { x: [1, 2, 3] },
    top: {},
    gap: [null, []],
    deep: { a: { b: {} } },
  })
})

test('operations take and return values of every type', async () => {
  await data.delete('k')
  const values = [
    1,
    2n ** 62n,
    -1.5,
    'ü€',
    true,
    null,
    Buffer.from([0, 255]),
    [1, [2]],
    { a: { b: null } },
    GeoJSON.point(1, 2),
  ]
  await results(op.list.appendItems('l', values), op.list.append('l', new Double(3)))
  const [list, floats] = await results(
    op.get('l'),
    op.list.getByValue('l', new Double(3), { returning: 'count' }),
  )
  assert.deepEqual((list as unknown[]).slice(0, -1), values)
  assert.equal(floats, 1)
  await results(
    op.map.putItems(
      'm',
      new Map<string | number | Buffer, number>([
        [1, 1],
        ['a', 2],
        [Buffer.from('b'), 3],
      ]),
    ),
  )
  const [map] = await results(op.map.getByIndexRange('m', 0, undefined, { returning: 'key' }))
  assert.deepEqual(map, [1, 'a', Buffer.from('b')])
})

test('expressions read and write bins', async () => {
  await data.put('k', { n: 5, l: [1, 2, 3], s: 'abc' }, { exists: 'replace' })
  const record = await data.operate('k', [
    op.read('twice', exp.bin('n').mul(2)),
    op.read('text', '$.n + 1'),
    op.read('given', ['$.n + ?0', 10]),
    op.read('none', exp.bin('no', 'int').add(1), { noFail: true }),
    op.write('sum', exp.bin('n', 'int').add(exp.list.get(exp.bin('l'), -1))),
    op.write('n', 'when($.n > 3 => 0, default => 1)', { updateOnly: true }),
    op.get('sum'),
    op.write('n', exp.value(null), { allowDelete: true }),
    op.get('n'),
  ])
  assert.deepEqual(record.results, [10, 6, 15, null, null, null, 8, null, null])
  assert.deepEqual(record.bins, { twice: 10, text: 6, given: 15, sum: 8 })
  const invalid: [Operation, unknown][] = [
    [op.read('r', exp.bin('no', 'int').add(1)), OpNotApplicable],
    [op.write('sum', exp.value(1), { createOnly: true }), BinExists],
    [op.write('new', exp.value(1), { updateOnly: true }), BinNotFound],
  ]
  for (const [operation, error] of invalid) {
    await assert.rejects(results(operation), error as typeof ServerError)
  }
  assert.deepEqual(await results(op.write('new', exp.bin('no', 'int'), { noFail: true })), [null])
  assert.ok(!('new' in (await data.get('k')).bins))
})

test('several operations on one bin return their results in order', async () => {
  await data.delete('k')
  const record = await data.operate('k', [
    op.list.append('l', 1),
    op.list.append('l', 2),
    op.list.clear('l'),
    op.list.size('l'),
  ])
  assert.deepEqual([record.results, record.bins['l']], [[1, 2, null, 0], 0])
  const last = await data.operate('k', [op.list.append('l', 3), op.list.clear('l')])
  assert.deepEqual([last.results, last.bins['l']], [[1, null], 1], 'the last that gives something')
})

test('operations change, read and remove whole bins and records', async () => {
  await data.put('k', { n: 1, s: 'b' }, { exists: 'replace' })
  assert.deepEqual(
    await results(
      op.add('n', 2),
      op.append('s', 'c'),
      op.prepend('s', 'a'),
      op.put('f', new Double(2)),
      op.get('n'),
      op.get('s'),
      op.get('f'),
    ),
    [null, null, null, null, 3, 'abc', 2],
  )
  assert.deepEqual((await data.operate('k', [op.touch(), op.get()])).bins, { n: 3, s: 'abc', f: 2 })
  await results(op.delete(), op.put('only', 1))
  assert.deepEqual((await data.get('k')).bins, { only: 1 })
  await results(op.delete())
  await assert.rejects(data.operate('k', [op.touch()]), RecordNotFound)
})

test('a bin may have an empty name', async () => {
  await data.put('empty', { '': 1, n: 2 }, { exists: 'replace' })
  const { bins } = await data.get('empty')
  assert.deepEqual(bins, { '': 1, n: 2 })
  await data.put('empty', bins)
  await data.operate('empty', [op.add('', 4)])
  assert.deepEqual((await data.get('empty', { bins: [''] })).bins, { '': 5 })
  assert.throws(() => op.get(''), /no name means every bin/)
  await data.put('empty', { '': null })
  assert.deepEqual((await data.get('empty')).bins, { n: 2 })
})

test('operate with reads only writes nothing', async () => {
  await data.delete('k')
  await data.put('k', { l: [1], m: { a: 1 }, b: Buffer.from('x') })
  const reads = [
    op.list.get('l', 0),
    op.map.getByKey('m', 'a'),
    op.bit.count('b', 0, 8),
    op.read('r', exp.ttl()),
  ]
  const record = await data.operate('k', reads)
  assert.equal(record.generation, 1)
  assert.deepEqual(record.results.slice(0, 3), [1, 1, 4])
  await assert.rejects(data.operate('k', reads, { ttl: 10 }), /only read/)
  await assert.rejects(data.operate('missing', reads), RecordNotFound)
  const [size] = (await data.operate('missing', [op.list.append('l', 1)])).results
  assert.equal(size, 1)
  await data.delete('missing')
})

test('invalid operations are rejected, and nothing is sent', async () => {
  await data.delete('k')
  // biome-ignore lint/suspicious/noExplicitAny: values that plain JavaScript may pass
  const wrong: [any, RegExp][] = [
    ['x', /operations must be an array of operations from op, not string/],
    [op.put('a', 1), /operations must be an array of operations from op, not Operation/],
    [[op.put('a', 1), 5], /operations\[1\] must be an operation from op, not number/],
    [[{ encoded: Buffer.from('x') }], /operations\[0\] must be an operation from op/],
    [[exp.bin('a')], /operations\[0\] must be an operation from op, not Expression/],
    [[null], /operations\[0\] must be an operation from op, not null/],
  ]
  for (const [operations, message] of wrong) {
    await assert.rejects(data.operate('k', operations), { name: 'TypeError', message })
  }
  for (const other of [
    op.get('a'),
    op.list.size('l'),
    op.list.append('l', 1),
    op.read('r', '$.a + 1'),
  ]) {
    await assert.rejects(data.operate('k', [op.get(), other]), /every bin/)
  }
  await assert.rejects(data.operate('k', []), { name: 'RangeError' })
  assert.equal(await data.exists('k'), false)
})

test('wildcards and infinity can be searched for but not stored', async () => {
  const pairs = [
    ['a', 1],
    ['b', 2],
    ['a', 3, 4],
  ]
  await data.put('k', { l: pairs, m: { x: ['a', 1], y: ['b', 2] } }, { exists: 'replace' })
  const outcome = await results(
    op.list.getByValue('l', ['a', op.WILDCARD]),
    op.list.getByValueRange('l', ['a', 2], ['a', op.INFINITY]),
    op.list.getByValue('l', op.WILDCARD, { returning: 'count' }),
    op.map.getByValue('m', ['a', op.WILDCARD], { returning: 'key' }),
  )
  assert.deepEqual(outcome, [
    [
      ['a', 1],
      ['a', 3, 4],
    ],
    [['a', 3, 4]],
    3,
    ['x'],
  ])
  await assert.rejects(data.put('k', { l: [1, op.WILDCARD as never] }), {
    name: 'TypeError',
    message: /bin "l"\[1\]: op\.WILDCARD cannot be stored/,
  })
  await assert.rejects(results(op.list.append('l', op.WILDCARD as never)), (error: ServerError) => {
    assert.equal(error.code, 4)
    return error instanceof ServerError
  })
})

test('empty lists select nothing', async () => {
  await data.put('k', { l: [1, 2], m: { a: 1 } }, { exists: 'replace' })
  const outcome = await results(
    op.list.getByValueList('l', [], { inverted: true }),
    op.map.getByKeyList('m', []),
    op.map.getByKeyList('m', [], { inverted: true, returning: 'count' }),
    op.map.removeByValueList('m', [], { inverted: true }),
    op.map.size('m'),
  )
  assert.deepEqual(outcome, [[1, 2], [], 1, null, 0])
})

test('operations can be reused', async () => {
  await data.delete('k')
  const append = op.list.append('l', 'x')
  for (let at = 1; at < 5; at++)
    assert.deepEqual(await results(append, append), [at * 2 - 1, at * 2])
})
