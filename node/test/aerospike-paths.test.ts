/** Path expressions of npm `aerospike` have the effects and results of those of this client. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BinValue, ctx, exp, type Operation, op } from 'spikewire'
import { aerospike, withoutAerospike } from './support/aerospike.js'
import { type Outcome, Pair, type Theirs } from './support/aerospike-pair.js'

const BINS: Record<string, BinValue> = {
  m: { a: { v: 1, n: 'x' }, b: { v: 5, n: 'y' }, c: { v: 9 } },
  l: [10, 20, 30, 40],
  ll: [[1, 2], [3], [], [4, 5, 6]],
  s: ['bob', 'tom', 'harry'],
  f: { a: 1.5, b: 3, c: 4.5 },
  mix: { a: 1, b: [1, 2], c: { v: 3 } },
}

let pair: Pair

before(async () => {
  if (!withoutAerospike) pair = await Pair.open('paths')
})

after(() => pair?.close())

const compared = (bin: string, ours: Operation, theirs: Theirs): Promise<Outcome> =>
  pair.compared(BINS, bin, ours, theirs)

test('paths agree with npm aerospike', { skip: withoutAerospike }, async (t) => {
  const { cdt, exp: their, operations } = aerospike()
  const { pathSelectFlags: select, pathModifyFlags: modify, loopVarPart: part } = their
  const all = ctx.allChildren()
  const children = () => new cdt.Context().addAllChildren()
  const where = (filter: Theirs) => new cdt.Context().addAllChildrenWithFilter(filter)
  const value = their.loopVarInt(part.VALUE)
  const index = their.loopVarInt(part.INDEX)
  const late = their.gt(index, their.int(1))
  const notB = their.ne(their.loopVarStr(part.KEY), their.str('b'))
  const bob = their.eq(their.loopVarStr(part.VALUE), their.str('bob'))
  const high = their.gt(their.loopVarFloat(part.VALUE), their.float(2))
  const pick = (bin: string, flags: number, path: Theirs) =>
    operations.selectByPath(bin, flags, path)
  const pairs: [string, Operation, Theirs][] = [
    ['l', op.path.select('l', [all]), pick('l', select.VALUE, children())],
    ['ll', op.path.select('ll', [all, all]), pick('ll', select.VALUE, children().addAllChildren())],
    [
      'l',
      op.path.select('l', [ctx.allChildren('@index > 1')]),
      pick('l', select.VALUE, where(late)),
    ],
    [
      's',
      op.path.select('s', [ctx.allChildren("@ == 'bob'")]),
      pick('s', select.VALUE, where(bob)),
    ],
    ['f', op.path.select('f', [ctx.allChildren('@ > 2.0')]), pick('f', select.VALUE, where(high))],
    [
      'm',
      op.path.select('m', [ctx.allChildren("@key != 'b'")], { returning: 'key' }),
      pick('m', select.MAP_KEY, where(notB)),
    ],
    [
      'm',
      op.path.select('m', [ctx.allChildren("@key != 'b'")], { returning: 'tree' }),
      pick('m', select.MATCHING_TREE, where(notB)),
    ],
    [
      'm',
      op.path.select('m', [all, ctx.mapKey('v')]),
      pick('m', select.VALUE, children().addMapKey('v')),
    ],
    [
      'mix',
      op.path.select('mix', [all, ctx.mapKey('v')], { noFail: true }),
      pick('mix', select.VALUE | select.NO_FAIL, children().addMapKey('v')),
    ],
    ['none', op.path.select('none', [all]), pick('none', select.VALUE, children())],
    [
      'l',
      op.path.modify('l', [all], exp.loop.value('int').add(exp.loop.index())),
      operations.modifyByPath('l', their.add(value, index), modify.DEFAULT, children()),
    ],
    [
      'l',
      op.path.remove('l', [ctx.allChildren('@index > 1')]),
      operations.modifyByPath('l', their.removeResult(), modify.DEFAULT, where(late)),
    ],
    [
      'mix',
      op.path.modify('mix', [all], '@ + 1'),
      operations.modifyByPath('mix', their.add(value, their.int(1)), modify.DEFAULT, children()),
    ],
    [
      'mix',
      op.path.modify('mix', [all], '@ + 1', { noFail: true }),
      operations.modifyByPath('mix', their.add(value, their.int(1)), modify.NO_FAIL, children()),
    ],
  ]
  const outcomes: Outcome[] = []
  for (const [bin, ours, theirs] of pairs) {
    await t.test(String(ours), async () => {
      outcomes.push(await compared(bin, ours, theirs))
    })
  }
  assert.ok(outcomes.some(({ code }) => code !== undefined))
  assert.ok(outcomes.some(({ result }) => Array.isArray(result) && result.length > 0))
})

test('paths in expressions agree with npm aerospike', { skip: withoutAerospike }, async () => {
  const { cdt, exp: their } = aerospike()
  const above = their.gt(their.loopVarInt(their.loopVarPart.VALUE), their.int(15))
  const path = new cdt.Context().addAllChildrenWithFilter(above)
  const flags = their.pathSelectFlags.VALUE
  const theirs = their.selectByPath(their.binList('l'), their.type.LIST, flags, path)
  const ours = exp.path.select(exp.bin('l', 'list'), [ctx.allChildren('@ > 15')])
  const read = await compared('r', op.read('r', ours), their.operations.read('r', theirs, 0))
  assert.deepEqual(read, { result: [20, 30, 40] })
})
