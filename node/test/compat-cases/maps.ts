/** Operations on maps, and paths to nested lists and maps. */

import type { Theirs } from '../support/aerospike-pair.js'
import { type Case, Cases, shown } from './case.js'

const MAP = { a: 3, b: 1, c: 2, d: { e: [1] } }

const POLICIES = [
  ...[undefined, null, 'x', {}, { order: 1 }, { order: 3 }, { order: 'x' }, { writeMode: 1 }],
  ...[{ writeMode: 2 }, { writeMode: 9 }, { writeMode: 'x' }, { writeFlags: 1 }, { writeFlags: 2 }],
  ...[{ writeFlags: 5 }, { writeFlags: 6 }, { writeFlags: 13 }, { writeFlags: 14 }],
  ...[{ writeFlags: 64 }, { writeFlags: 'x' }, { order: 1, writeFlags: 0, writeMode: 2 }],
]

export function mapCases(module: Theirs): Case[] {
  const cases = new Cases()
  writes(cases, module)
  selections(cases, module)
  return cases.all
}

function writes(cases: Cases, { maps, cdt, GeoJSON }: Theirs): void {
  for (const policy of POLICIES) {
    for (const start of [MAP, undefined]) {
      cases.each(start, `maps, ${shown(policy)}, ${start ? 'a map' : 'nothing'}:`, {
        setPolicy: () => maps.setPolicy('b', policy),
        put: () => maps.put('b', 'a', 9, policy),
        'put a new key': () => maps.put('b', 'n', 9, policy),
        putItems: () => maps.putItems('b', { a: 9, n: 8 }, policy),
        increment: () => maps.increment('b', 'a', 9, policy),
        'increment a new key': () => maps.increment('b', 'n', 9, policy),
        decrement: () => maps.decrement('b', 'a', 9, policy),
        'decrement a new key': () => maps.decrement('b', 'n', 9, policy),
      })
    }
  }
  const values = [undefined, null, 'x', { a: [1] }, [[]], Buffer.from('a'), true, 1.5]
  for (const value of [...values, new Map([[2, 3]]), GeoJSON.Point(1, 2), []]) {
    cases.each(MAP, `maps, ${shown(value)}:`, {
      put: () => maps.put('b', 'z', value),
      'put with this key': () => maps.put('b', value, 1),
      putItems: () => maps.putItems('b', value),
      increment: () => maps.increment('b', 'a', value),
      decrement: () => maps.decrement('b', 'a', value),
      getByKeyList: () => maps.getByKeyList('b', value, maps.returnType.COUNT),
      getByValueList: () => maps.getByValueList('b', value, maps.returnType.COUNT),
    })
  }
  for (const order of [0, 1, 3, 9, undefined]) {
    for (const persist of [undefined, true, 'x']) {
      const name = `maps.create ${order} ${persist}`
      cases.on(undefined, name, () => maps.create('b', order, persist))
    }
  }
  cases.on(MAP, 'maps.create by path', () =>
    maps.create('b', 1, false, new cdt.Context().addMapKey('q')),
  )
  for (const start of [MAP, undefined, 5]) {
    cases.on(start, `maps.clear ${shown(start)}`, () => maps.clear('b'))
    cases.on(start, `maps.size ${shown(start)}`, () => maps.size('b'))
  }
}

function selections(cases: Cases, { maps }: Theirs): void {
  const { returnType } = maps
  const types = [...Object.values(returnType), undefined, null, 'x', 9, 12, 99]
  for (const type of [...types, returnType.COUNT | returnType.INVERTED]) {
    for (const kind of ['getBy', 'removeBy']) {
      const call = (name: string, ...args: unknown[]) => {
        const title = `maps.${kind}${name} ${shown(args)}, ${type}`
        cases.on(MAP, title, () => maps[kind + name]('b', ...args, type))
      }
      call('Key', 'b')
      call('Key', 'missing')
      call('KeyList', ['a', 'c', 'missing'])
      call('KeyRange', 'a', 'c')
      call('KeyRange', 'b', undefined)
      call('KeyRange', undefined, 'c')
      call('KeyRange', undefined, undefined)
      call('KeyRange', null, null)
      call('KeyRelIndexRange', 'b', -1, 2)
      call('KeyRelIndexRange', 'b', 0, undefined)
      call('Value', 1)
      call('Value', 99)
      call('ValueList', [1, 3, 99])
      call('ValueRange', 1, 3)
      call('ValueRange', 2, undefined)
      call('ValueRange', undefined, 2)
      call('ValueRange', undefined, undefined)
      call('ValueRange', 1, null)
      call('ValueRelRankRange', 2, -1, 2)
      call('ValueRelRankRange', 2, 0, undefined)
      call('Index', 1)
      call('Index', -1)
      call('Index', 9)
      call('IndexRange', 1, 2)
      call('IndexRange', 1, undefined)
      call('Rank', 1)
      call('Rank', -1)
      call('RankRange', 1, 2)
      call('RankRange', -2, undefined)
    }
  }
}

const NESTED = { l: [1, [5, 6], { k: [7] }], m: { x: { y: 1 }, z: [3] } }

export function contextCases({ lists, maps, cdt }: Theirs): Case[] {
  const cases = new Cases()
  const paths: { [name: string]: (path: Theirs) => unknown } = {
    key: (path) => path.addMapKey('l'),
    'key and index': (path) => path.addMapKey('l').addListIndex(1),
    index: (path) => path.addMapIndex(0),
    rank: (path) => path.addMapRank(0),
    value: (path) => path.addMapValue(NESTED.l),
    'list rank': (path) => path.addMapKey('l').addListRank(-1).addMapKey('k'),
    'list value': (path) => path.addMapKey('l').addListValue([5, 6]),
    missing: (path) => path.addMapKey('q'),
    far: (path) => path.addMapKey('l').addListIndex(9),
    'create unordered': (path) => path.addMapKeyCreate('q', 0),
    'create ordered': (path) => path.addMapKeyCreate('q', 1),
    'create ordered by value': (path) => path.addMapKeyCreate('q', 3),
    'list create': (path) => path.addMapKey('l').addListIndexCreate(3, 0, false),
    'list create far': (path) => path.addMapKey('l').addListIndexCreate(5, 0, false),
    'list create pad': (path) => path.addMapKey('l').addListIndexCreate(5, 0, true),
    'list create ordered': (path) => path.addMapKey('l').addListIndexCreate(3, 1, false),
    'float key': (path) => path.addMapKey(1.5),
    'null key': (path) => path.addMapKey(null),
    'several keys': (path) => path.addMapKeysIn(['l']),
    children: (path) => path.addAllChildren(),
  }
  for (const [name, path] of Object.entries(paths)) {
    const functions = {
      'lists.size': () => lists.size('b'),
      'lists.append': () => lists.append('b', 9),
      'lists.set': () => lists.set('b', 0, 9),
      'lists.clear': () => lists.clear('b'),
      'lists.setOrder': () => lists.setOrder('b', 1),
      'maps.put': () => maps.put('b', 'w', 9),
      'maps.size': () => maps.size('b'),
      'maps.getByKey': () => maps.getByKey('b', 'z', maps.returnType.VALUE),
      'maps.setPolicy': () => maps.setPolicy('b', { order: 1 }),
    }
    for (const [title, make] of Object.entries(functions)) {
      cases.on(NESTED, `path ${name}: ${title}`, () => make().withContext(path))
    }
  }
  cases.on(NESTED, 'a path that is a Context', () =>
    lists.size('b').withContext(new cdt.Context().addMapKey('l')),
  )
  cases.on(NESTED, 'no path', () => maps.size('b').withContext(undefined))
  return cases.all
}
