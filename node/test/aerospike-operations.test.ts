/** The operations of npm `aerospike` have the same effects and results as those of this client. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BinValue, ctx, type Dataset, exp, HyperLogLog, type Operation, op } from 'spikewire'
import { aerospike, withoutAerospike } from './support/aerospike.js'
import { Pair, type Theirs } from './support/aerospike-pair.js'

const LIST = [3, 1, 2, 1, 'x', [1, 2]]
const MAP = { a: 3, b: 1, c: 2, d: { e: [1] } }
const BYTES = Buffer.from([0x0f, 0xf1, 0x80])

let pair: Pair
let data: Dataset
let peer: Theirs

before(async () => {
  if (withoutAerospike) return
  pair = await Pair.open('peers')
  ;({ data, peer } = pair)
})

after(() => pair?.close())

/** No operation here fails. */
async function compared(start: BinValue, ours: Operation, theirs: Theirs): Promise<void> {
  const { code } = await pair.compared({ b: start }, 'b', ours, theirs)
  assert.equal(code, undefined)
}

test('list operations agree with npm aerospike', { skip: withoutAerospike }, async (t) => {
  const { lists } = aerospike()
  const { COUNT, INDEX, RANK, REVERSE_RANK, VALUE, EXISTS } = lists.returnType
  const unique = { writeFlags: lists.writeFlags.ADD_UNIQUE | lists.writeFlags.NO_FAIL }
  const pairs: [Operation, Theirs][] = [
    [op.list.size('b'), lists.size('b')],
    [op.list.get('b', -2), lists.get('b', -2)],
    [op.list.getRange('b', 1, 2), lists.getRange('b', 1, 2)],
    [op.list.append('b', { z: [null] }), lists.append('b', { z: [null] })],
    [op.list.append('b', 3, { unique: true, noFail: true }), lists.append('b', 3, unique)],
    [op.list.appendItems('b', [1, 2.5]), lists.appendItems('b', [1, 2.5])],
    [op.list.insert('b', 1, 'y'), lists.insert('b', 1, 'y')],
    [op.list.insertItems('b', -1, [8, 9]), lists.insertItems('b', -1, [8, 9])],
    [op.list.set('b', 1, BYTES), lists.set('b', 1, BYTES)],
    [op.list.increment('b', 0, 5), lists.increment('b', 0, 5)],
    [op.list.pop('b', 0), lists.pop('b', 0)],
    [op.list.popRange('b', 1, 2), lists.popRange('b', 1, 2)],
    [op.list.remove('b', 0), lists.remove('b', 0)],
    [op.list.removeRange('b', 2), lists.removeRange('b', 2)],
    [op.list.trim('b', 1, 2), lists.trim('b', 1, 2)],
    [op.list.clear('b'), lists.clear('b')],
    [op.list.sort('b'), lists.sort('b', lists.sortFlags.DEFAULT)],
    [op.list.sort('b', { dropDuplicates: true }), lists.sort('b', lists.sortFlags.DROP_DUPLICATES)],
    [op.list.setOrder('b', 'ordered'), lists.setOrder('b', lists.order.ORDERED)],
    [op.list.getByIndex('b', 0, { returning: 'rank' }), lists.getByIndex('b', 0, RANK)],
    [op.list.getByIndexRange('b', 1, 2), lists.getByIndexRange('b', 1, 2, VALUE)],
    [op.list.getByRank('b', -1, { returning: 'index' }), lists.getByRank('b', -1, INDEX)],
    [op.list.getByRankRange('b', -3), lists.getByRankRange('b', -3, undefined, VALUE)],
    [op.list.getByValue('b', 1, { returning: 'index' }), lists.getByValue('b', 1, INDEX)],
    [
      op.list.getByValue('b', [1, 2], { returning: 'exists' }),
      lists.getByValue('b', [1, 2], EXISTS),
    ],
    [
      op.list.getByValueList('b', [1, 7], { returning: 'count', inverted: true }),
      lists.getByValueList('b', [1, 7], COUNT).invertSelection(),
    ],
    [op.list.getByValueRange('b', 2, 'a'), lists.getByValueRange('b', 2, 'a', VALUE)],
    [
      op.list.getByValueRelativeRank('b', 2, 0, 1, { returning: 'reverse_rank' }),
      lists.getByValueRelRankRange('b', 2, 0, 1, REVERSE_RANK),
    ],
    [op.list.removeByIndexRange('b', 1, 2), lists.removeByIndexRange('b', 1, 2)],
    [op.list.removeByRank('b', 0, { returning: 'value' }), lists.removeByRank('b', 0, VALUE)],
    [
      op.list.removeByValue('b', 1, { inverted: true, returning: 'count' }),
      lists.removeByValue('b', 1, COUNT).invertSelection(),
    ],
    [
      op.list.append('b', 9, { ctx: [ctx.listIndex(-1)] }),
      lists.append('b', 9).withContext((path: Theirs) => path.addListIndex(-1)),
    ],
  ]
  for (const [ours, theirs] of pairs) {
    await t.test(String(ours), () => compared(LIST, ours, theirs))
  }
})

test('map operations agree with npm aerospike', { skip: withoutAerospike }, async (t) => {
  const { maps } = aerospike()
  const { COUNT, KEY, VALUE, INDEX, REVERSE_RANK } = maps.returnType
  const ordered = { order: maps.order.KEY_ORDERED }
  const pairs: [Operation, Theirs][] = [
    [op.map.size('b'), maps.size('b')],
    [op.map.put('b', 'z', [1]), maps.put('b', 'z', [1])],
    [op.map.put('b', 5, 1, { order: 'key' }), maps.put('b', 5, 1, ordered)],
    [op.map.putItems('b', { y: 1, a: 0 }), maps.putItems('b', { y: 1, a: 0 })],
    [op.map.increment('b', 'a', 4), maps.increment('b', 'a', 4)],
    [op.map.decrement('b', 'a', 4), maps.decrement('b', 'a', 4)],
    [op.map.clear('b'), maps.clear('b')],
    [
      op.map.setOrder('b', 'key_value'),
      maps.setPolicy('b', { order: maps.order.KEY_VALUE_ORDERED }),
    ],
    [op.map.getByKey('b', 'a'), maps.getByKey('b', 'a', VALUE)],
    [op.map.getByKey('b', 'none'), maps.getByKey('b', 'none', VALUE)],
    [
      op.map.getByKeyList('b', ['a', 'q'], { returning: 'count' }),
      maps.getByKeyList('b', ['a', 'q'], COUNT),
    ],
    [
      op.map.getByKeyRange('b', 'b', 'd', { returning: 'key' }),
      maps.getByKeyRange('b', 'b', 'd', KEY),
    ],
    [
      op.map.getByKeyRelativeIndex('b', 'bb', -1, 1, { returning: 'key' }),
      maps.getByKeyRelIndexRange('b', 'bb', -1, 1, KEY),
    ],
    [op.map.getByIndex('b', -1, { returning: 'key' }), maps.getByIndex('b', -1, KEY)],
    [op.map.getByIndexRange('b', 0, 2), maps.getByIndexRange('b', 0, 2, VALUE)],
    [op.map.getByRank('b', 0, { returning: 'key' }), maps.getByRank('b', 0, KEY)],
    [
      op.map.getByRankRange('b', -2, undefined, { returning: 'key' }),
      maps.getByRankRange('b', -2, undefined, KEY),
    ],
    [op.map.getByValue('b', 2, { returning: 'key' }), maps.getByValue('b', 2, KEY)],
    [
      op.map.getByValueList('b', [1, 2], { returning: 'key' }),
      maps.getByValueList('b', [1, 2], KEY),
    ],
    [
      op.map.getByValueRange('b', 1, 3, { returning: 'index' }),
      maps.getByValueRange('b', 1, 3, INDEX),
    ],
    [
      op.map.getByValueRelativeRank('b', 2, 1, undefined, { returning: 'reverse_rank' }),
      maps.getByValueRelRankRange('b', 2, 1, undefined, REVERSE_RANK),
    ],
    [op.map.removeByKey('b', 'a', { returning: 'value' }), maps.removeByKey('b', 'a', VALUE)],
    [op.map.removeByKeyList('b', ['a', 'q']), maps.removeByKeyList('b', ['a', 'q'])],
    [
      op.map.removeByIndexRange('b', 1, 1, { returning: 'key' }),
      maps.removeByIndexRange('b', 1, 1, KEY),
    ],
    [
      op.map.removeByValueRange('b', null, 3, { returning: 'count' }),
      maps.removeByValueRange('b', null, 3, COUNT),
    ],
    [
      op.list.append('b', 2, { ctx: [ctx.mapKey('d'), ctx.mapKey('e')] }),
      aerospike()
        .lists.append('b', 2)
        .withContext((path: Theirs) => path.addMapKey('d').addMapKey('e')),
    ],
  ]
  for (const [ours, theirs] of pairs) {
    await t.test(String(ours), () => compared(MAP, ours, theirs))
  }
})

test('bit operations agree with npm aerospike', { skip: withoutAerospike }, async (t) => {
  const { bitwise } = aerospike()
  const ones = Buffer.from([0xff])
  const pairs: [Operation, Theirs][] = [
    [op.bit.resize('b', 5), bitwise.resize('b', 5)],
    [op.bit.insert('b', 1, ones), bitwise.insert('b', 1, ones)],
    [op.bit.remove('b', 0, 1), bitwise.remove('b', 0, 1)],
    [op.bit.set('b', 4, 8, ones), bitwise.set('b', 4, 8, ones)],
    [op.bit.or('b', 8, 8, ones), bitwise.or('b', 8, 8, ones)],
    [op.bit.xor('b', 0, 8, ones), bitwise.xor('b', 0, 8, ones)],
    [op.bit.and('b', 0, 8, ones), bitwise.and('b', 0, 8, ones)],
    [op.bit.not('b', 0, 16), bitwise.not('b', 0, 16)],
    [op.bit.lshift('b', 0, 16, 4), bitwise.lshift('b', 0, 16, 4)],
    [op.bit.rshift('b', 0, 16, 4), bitwise.rshift('b', 0, 16, 4)],
    [
      op.bit.add('b', 0, 8, 250, { overflow: 'saturate' }),
      bitwise.add('b', 0, 8, 250, false).onOverflow(bitwise.overflow.SATURATE),
    ],
    [
      op.bit.subtract('b', 8, 8, 1, { signed: true, overflow: 'wrap' }),
      bitwise.subtract('b', 8, 8, 1, true).onOverflow(bitwise.overflow.WRAP),
    ],
    [op.bit.get('b', 4, 8), bitwise.get('b', 4, 8)],
    // npm aerospike's lscan is left out: it scans from the right.
    [op.bit.rscan('b', 0, 16, false), bitwise.rscan('b', 0, 16, false)],
    [op.bit.getInt('b', 8, 8, { signed: true }), bitwise.getInt('b', 8, 8, true)],
  ]
  for (const [ours, theirs] of pairs) {
    await t.test(String(ours), () => compared(BYTES, ours, theirs))
  }
})

test("each client reads the other's sketches", { skip: withoutAerospike }, async () => {
  const { hll, Key, operations } = aerospike()
  const theirs = new Key('test', 'peers', 'sketch')
  await data.operate('sketch', [op.hll.add('ours', ['a', 'b', 'c'], 12)])
  await peer.operate(theirs, [hll.add('theirs', ['b', 'c', 'd'], 12)])
  const read = await peer.operate(theirs, [hll.getCount('ours'), operations.read('theirs')])
  assert.equal(read.bins.ours, 3)
  const { bins } = await data.get('sketch')
  const sketch = bins['theirs']
  assert.ok(sketch instanceof HyperLogLog)
  assert.deepEqual(sketch.bytes, read.bins.theirs)
  const counted = await data.operate('sketch', [
    op.hll.getUnionCount('ours', [sketch]),
    op.hll.getIntersectCount('ours', [sketch]),
  ])
  assert.deepEqual(counted.results, [4, 2])
})

test('expressions select the same records', { skip: withoutAerospike }, async (t) => {
  const { exp: their, Key } = aerospike()
  for (let at = 0; at < 20; at++) {
    const bins = { n: at, s: `s${at % 3}`, l: [at, 1], m: { k: at % 5 }, f: at / 2 + 0.25 }
    await data.put(at, bins)
  }
  const pairs: [exp.Where, Theirs][] = [
    [exp.bin('n').gt(10), their.gt(their.binInt('n'), their.int(10))],
    [exp.bin('s').eq('s1'), their.eq(their.binStr('s'), their.str('s1'))],
    [
      exp.bin('n').ge(5).and(exp.bin('n').lt(9)),
      their.and(
        their.ge(their.binInt('n'), their.int(5)),
        their.lt(their.binInt('n'), their.int(9)),
      ),
    ],
    ['not($.n == 3)', their.not(their.eq(their.binInt('n'), their.int(3)))],
    [exp.bin('f').gt(5.5), their.gt(their.binFloat('f'), their.float(5.5))],
    [
      exp.list.get(exp.bin('l'), 0).gt(12),
      their.gt(
        their.lists.getByIndex(
          their.binList('l'),
          their.int(0),
          their.type.INT,
          aerospike().lists.returnType.VALUE,
        ),
        their.int(12),
      ),
    ],
    [
      '$.m.k == 2',
      their.eq(
        their.maps.getByKey(
          their.binMap('m'),
          their.str('k'),
          their.type.INT,
          aerospike().maps.returnType.VALUE,
        ),
        their.int(2),
      ),
    ],
  ]
  for (const [ours, theirs] of pairs) {
    await t.test(String(ours), async () => {
      const mine: boolean[] = []
      const other: boolean[] = []
      for (let at = 0; at < 20; at++) {
        mine.push(await data.exists(at, { where: ours }))
        const key = new Key('test', 'peers', at)
        const policy = new (aerospike().ReadPolicy)({ filterExpression: theirs })
        const reply = await peer.get(key, policy).then(
          () => true,
          (error: { code: number }) => {
            assert.equal(error.code, aerospike().status.FILTERED_OUT)
            return false
          },
        )
        other.push(reply)
      }
      assert.deepEqual(mine, other)
      assert.ok(mine.includes(true) && mine.includes(false))
    })
  }
})
