/** Expressions on lists, maps, bits and sketches. */

import { HyperLogLog } from 'spikewire'
import type { Theirs } from '../support/aerospike-pair.js'
import type { Sketches } from './bits.js'
import { type Case, Cases, shown } from './case.js'

const BINS = {
  l: [3, 1, 2, 1, 'x', [1, 2]],
  m: { a: 3, b: 1, c: 2, d: { e: [1] } },
  o: Buffer.from([0x0f, 0xf1, 0x80, 0x00]),
}

type Expressions = { [name: string]: () => Theirs }

export function collectionCases(module: Theirs): Case[] {
  const { exp, lists, maps, cdt } = module
  const { int, str, list } = exp
  const cases = new Cases()
  const add = (name: string, make: () => Theirs) =>
    cases.bins(BINS, name, () => exp.operations.read('r', make(), 0))
  const all = (kind: string, expressions: { [name: string]: () => Theirs[] }, ends: Theirs[][]) => {
    for (const [name, args] of Object.entries(expressions)) {
      for (const end of ends) {
        const title = `exp.${kind}.${name}, ${shown(end)}`
        const bin = () => (kind === 'lists' ? exp.binList('l') : exp.binMap('m'))
        add(title, () => exp[kind][name](bin(), ...args(), ...end))
      }
    }
  }
  const returns = [...new Set([...Object.values(maps.returnType), 99])]
  const several = returns.flatMap((type) => [[type], [Number(type) | maps.returnType.INVERTED]])
  const { NIL, INT, STR, LIST, AUTO } = exp.type
  const one = [NIL, INT, STR, LIST, AUTO, 99].flatMap((of) => returns.map((type) => [of, type]))
  all('lists', { getByIndex: () => [int(1)], getByRank: () => [int(0)] }, one)
  all(
    'lists',
    {
      getByValue: () => [int(1)],
      getByValueRange: () => [int(1), int(3)],
      getByValueList: () => [list([1, 2, 9])],
      getByRelRankRangeToEnd: () => [int(2), int(0)],
      getByRelRankRange: () => [int(2), int(-1), int(2)],
      getByIndexRangeToEnd: () => [int(2)],
      getByIndexRange: () => [int(1), int(2)],
      getByRankRangeToEnd: () => [int(2)],
      getByRankRange: () => [int(1), int(2)],
    },
    several,
  )
  const { COUNT } = lists.returnType
  all('lists', { getByValueRange: () => [int(2), exp.inf()] }, [[COUNT]])
  all('lists', { getByValueRange: () => [exp.nil(), int(2)] }, [[COUNT]])
  all('lists', { getByValue: () => [exp.wildcard()] }, [[COUNT]])
  all('lists', { getByValue: () => [exp.add(int(0), int(1))] }, [[COUNT]])
  all(
    'maps',
    { getByKey: () => [str('b')], getByIndex: () => [int(1)], getByRank: () => [int(1)] },
    one,
  )
  all(
    'maps',
    {
      getByKeyRange: () => [str('c'), str('a')],
      getByKeyList: () => [list(['a', 'c', 'missing'])],
      getByKeyRelIndexRangeToEnd: () => [int(0), str('b')],
      getByKeyRelIndexRange: () => [int(1), int(0), str('b')],
      getByValue: () => [int(1)],
      getByValueRange: () => [int(3), int(1)],
      getByValueList: () => [list([1, 3])],
      getByValueRelRankRangeToEnd: () => [int(0), int(2)],
      getByValueRelRankRange: () => [int(2), int(-1), int(2)],
      getByIndexRangeToEnd: () => [int(1)],
      getByIndexRange: () => [int(2), int(1)],
      getByRankRangeToEnd: () => [int(1)],
      getByRankRange: () => [int(2), int(1)],
    },
    several,
  )
  all('maps', { getByValueRange: () => [exp.inf(), exp.wildcard()] }, [[COUNT]])
  const inner = { list: new cdt.Context().addListIndex(5), map: new cdt.Context().addMapKey('d') }
  all('lists', { size: () => [], clear: () => [] }, [[], [null], [inner.list]])
  all('maps', { size: () => [], clear: () => [] }, [[], [null], [inner.map]])
  all('lists', { sort: () => [] }, [[0], [2]])
  const policies = [[], [null], [null, inner.list]]
  all(
    'lists',
    {
      append: () => [int(9)],
      appendItems: () => [list([9, 8])],
      insert: () => [int(9), int(1)],
      insertItems: () => [list([9, 8]), int(1)],
      increment: () => [int(9), int(1)],
      set: () => [int(9), int(1)],
    },
    policies,
  )
  all('lists', { append: () => [int(9)] }, [[{}], [{ order: 0, writeFlags: 0 }]])
  all(
    'maps',
    {
      put: () => [int(9), str('z')],
      putItems: () => [exp.map({ z: 1 })],
      increment: () => [int(9), str('a')],
    },
    [[], [null], [null, inner.map]],
  )
  all('maps', { put: () => [int(9), str('z')] }, [[{}], [{ order: 0, writeFlags: 0 }]])
  all(
    'lists',
    {
      removeByValue: () => [int(1)],
      removeByValueList: () => [list([1, 2])],
      removeByValueRange: () => [int(3), int(1)],
      removeByRelRankRangeToEnd: () => [int(0), int(2)],
      removeByRelRankRange: () => [int(1), int(0), int(2)],
      removeByIndex: () => [int(1)],
      removeByIndexRangeToEnd: () => [int(2)],
      removeByIndexRange: () => [int(2), int(1)],
      removeByRank: () => [int(0)],
      removeByRankRangeToEnd: () => [int(2)],
      removeByRankRange: () => [int(2), int(1)],
    },
    [[], [inner.list], [null, lists.returnType.NONE]],
  )
  all(
    'maps',
    {
      removeByKey: () => [str('a')],
      removeByKeyList: () => [list(['a', 'b'])],
      removeByKeyRange: () => [str('c'), str('a')],
      removeByKeyRelIndexRangeToEnd: () => [int(0), str('b')],
      removeByKeyRelIndexRange: () => [int(1), int(0), str('b')],
      removeByValue: () => [int(1)],
      removeByValueList: () => [list([1, 2])],
      removeByValueRange: () => [int(3), int(1)],
      removeByValueRelRankRangeToEnd: () => [int(0), int(2)],
      removeByValueRelRankRange: () => [int(1), int(0), int(2)],
      removeByIndex: () => [int(1)],
      removeByIndexRangeToEnd: () => [int(2)],
      removeByIndexRange: () => [int(2), int(1)],
      removeByRank: () => [int(0)],
      removeByRankRangeToEnd: () => [int(2)],
      removeByRankRange: () => [int(2), int(1)],
    },
    [[], [inner.map], [null, maps.returnType.INVERTED]],
  )
  return cases.all
}

export function bitExpressionCases({ exp }: Theirs): Case[] {
  const { bit, int } = exp
  const cases = new Cases()
  const add = (name: string, make: () => Theirs) =>
    cases.bins(BINS, `exp.bit.${name}`, () => exp.operations.read('r', make(), 0))
  const bin = () => exp.binBlob('o')
  const more = () => exp.bytes(Buffer.of(0xaa, 0x55), 2)
  const flags = [undefined, null, { flags: 0 }, { flags: 1 }, { flags: 4 }, { flags: 8 }]
  for (const policy of [...flags, { flags: 64 }]) {
    const functions: Expressions = {
      reSize: () => bit.reSize(bin(), 0, int(6), policy),
      'reSize at the front': () => bit.reSize(bin(), 1, int(6), policy),
      insert: () => bit.insert(bin(), more(), int(1), policy),
      remove: () => bit.remove(bin(), int(2), int(1), policy),
      'remove far': () => bit.remove(bin(), int(4), int(3), policy),
      set: () => bit.set(bin(), more(), int(10), int(4), policy),
      or: () => bit.or(bin(), more(), int(10), int(4), policy),
      xor: () => bit.xor(bin(), more(), int(10), int(4), policy),
      and: () => bit.and(bin(), more(), int(10), int(4), policy),
      not: () => bit.not(bin(), int(10), int(4), policy),
      lShift: () => bit.lShift(bin(), int(3), int(10), int(4), policy),
      rShift: () => bit.rShift(bin(), int(3), int(10), int(4), policy),
      setInt: () => bit.setInt(bin(), int(300), int(10), int(4), policy),
    }
    for (const [name, make] of Object.entries(functions)) add(`${name}, ${shown(policy)}`, make)
    for (const action of [0, 1, 2, 4, 7]) {
      const [big, at] = [int(250), int(4)]
      add(`add ${action}, ${shown(policy)}`, () => bit.add(bin(), action, big, int(8), at, policy))
      const subtract = () => bit.subtract(bin(), action, big, int(8), int(0), policy)
      add(`subtract ${action}, ${shown(policy)}`, subtract)
    }
  }
  add('get', () => bit.get(bin(), int(10), int(4)))
  add('get far', () => bit.get(bin(), int(10), int(40)))
  add('get of a sum', () => bit.get(bin(), exp.add(int(4), int(4)), int(4)))
  add('count', () => bit.count(bin(), int(10), int(4)))
  for (const value of [true, false]) {
    add(`lScan ${value}`, () => bit.lScan(bin(), exp.bool(value), int(10), int(4)))
    add(`rScan ${value}`, () => bit.rScan(bin(), exp.bool(value), int(10), int(4)))
    add(`getInt ${value}`, () => bit.getInt(bin(), value, int(10), int(4)))
  }
  add('lScan of an integer', () => bit.lScan(bin(), int(1), int(10), int(4)))
  return cases.all
}

export function sketchExpressionCases({ exp, HyperLogLog: Sketch }: Theirs, of: Sketches): Case[] {
  const { hll, list } = exp
  const cases = new Cases()
  const bin = () => exp.binHll('b')
  const others = () => list([new Sketch(of.plain)])
  const functions: Expressions = {
    getCount: () => hll.getCount(bin()),
    describe: () => hll.describe(bin()),
    mayContain: () => hll.mayContain(bin(), list(['a'])),
    'mayContain what is not there': () => hll.mayContain(bin(), list(['zz'])),
    add: () => hll.getCount(hll.add(bin(), 8, list(['x', 'y']))),
    addMH: () => hll.getCount(hll.addMH(bin(), 20, 8, list(['x', 'y']))),
    update: () => hll.getCount(hll.update(bin(), list(['x', 'y']))),
    init: () => hll.describe(hll.init(bin(), 10)),
    'init with flags': () => hll.describe(hll.init(bin(), 10, { flags: 1 })),
    initMH: () => hll.describe(hll.initMH(bin(), 20, 10)),
    getUnion: () => hll.getUnion(bin(), others()),
    getUnionCount: () => hll.getUnionCount(bin(), others()),
    'getUnionCount of nothing': () => hll.getUnionCount(bin(), list([])),
    getIntersectCount: () => hll.getIntersectCount(bin(), others()),
    getSimilarity: () => hll.getSimilarity(bin(), others()),
  }
  for (const [what, bytes] of Object.entries(of)) {
    for (const [name, make] of Object.entries(functions)) {
      const read = () => exp.operations.read('r', make(), 0)
      cases.on(new HyperLogLog(bytes), `exp.hll.${name}, ${what}`, read)
    }
  }
  return cases.all
}
