/** Operations on lists. */

import type { Theirs } from '../support/aerospike-pair.js'
import { type Case, Cases, shown } from './case.js'

const LIST = [3, 1, 2, 1, 'x', [1, 2]]

const POLICIES = [
  ...[undefined, null, {}, { order: 0 }, { order: 1 }, { order: 5 }, { order: 'x' }],
  ...[{ order: 0, writeFlags: 1 }, { writeFlags: 2 }, { writeFlags: 5 }, { writeFlags: 6 }],
  ...[{ writeFlags: 13 }, { writeFlags: 64 }, { writeFlags: 'x' }],
]

export function listCases(module: Theirs): Case[] {
  const cases = new Cases()
  writes(cases, module)
  selections(cases, module)
  return cases.all
}

function writes(cases: Cases, { lists, cdt, GeoJSON }: Theirs): void {
  for (const order of [0, 1, 7, undefined]) {
    cases.on(LIST, `lists.setOrder ${order}`, () => lists.setOrder('b', order))
    for (const [pad, persist] of [[], [true], [false, true], ['x'], [true, 5]] as const) {
      const name = `lists.create ${order} ${pad} ${persist}`
      cases.on(undefined, name, () => lists.create('b', order, pad, persist))
    }
  }
  for (const flags of [0, 1, 2, 3, undefined]) {
    cases.on(LIST, `lists.sort ${flags}`, () => lists.sort('b', flags))
  }
  for (const policy of POLICIES) {
    for (const start of [LIST, undefined]) {
      cases.each(start, `lists, ${shown(policy)}, ${start ? 'a list' : 'nothing'}:`, {
        append: () => lists.append('b', 3, policy),
        'append a new value': () => lists.append('b', 99, policy),
        appendItems: () => lists.appendItems('b', [3, 99, 98], policy),
        insert: () => lists.insert('b', 1, 3, policy),
        'insert far': () => lists.insert('b', 9, 77, policy),
        insertItems: () => lists.insertItems('b', 1, [3, 99], policy),
        'insertItems far': () => lists.insertItems('b', 10, [98, 99], policy),
        set: () => lists.set('b', 1, 3, policy),
        'set far': () => lists.set('b', 9, 33, policy),
        increment: () => lists.increment('b', 1, 2, policy),
      })
    }
  }
  const values = [undefined, null, 'x', { a: [1] }, [[]], Buffer.from('a'), true, 1.5]
  for (const value of [...values, new Map([[2, 3]]), GeoJSON.Point(1, 2), []]) {
    cases.each(LIST, `lists, ${shown(value)}:`, {
      append: () => lists.append('b', value),
      appendItems: () => lists.appendItems('b', value),
      getByValue: () => lists.getByValue('b', value, lists.returnType.COUNT),
      getByValueList: () => lists.getByValueList('b', value, lists.returnType.COUNT),
      increment: () => lists.increment('b', 1, value),
    })
  }
  cases.on([[1]], 'lists.create by path', () =>
    lists.create('b', 0, true, false, new cdt.Context().addListIndex(3)),
  )
  cases.on([[1]], 'lists.create by path without pad', () =>
    lists.create('b', 0, false, false, new cdt.Context().addListIndex(3)),
  )
  cases.on(LIST, 'a list operation without a context', () => lists.size('b').withContext(5))
}

function selections(cases: Cases, { lists }: Theirs): void {
  for (const start of [LIST, undefined, 5]) {
    cases.on(start, `lists.clear ${shown(start)}`, () => lists.clear('b'))
    cases.on(start, `lists.size ${shown(start)}`, () => lists.size('b'))
  }
  const one = ['pop', 'remove', 'get', 'getByIndex', 'removeByIndex', 'getByRank', 'removeByRank']
  const ranges = ['popRange', 'removeRange', 'getRange', 'trim', 'getByIndexRange']
  const more = ['removeByIndexRange', 'getByRankRange', 'removeByRankRange']
  for (const index of [0, -1, 2, 9, -9, 1.7, 'x', undefined]) {
    for (const kind of one) {
      cases.on(LIST, `lists.${kind} ${index}`, () => lists[kind]('b', index))
    }
    for (const kind of [...ranges, ...more]) {
      for (const count of [0, 2, 99, -1, 'x', null, undefined]) {
        const name = `lists.${kind} ${index} ${count}`
        cases.on(LIST, name, () => lists[kind]('b', index, count))
      }
    }
  }
  const { returnType } = lists
  const types = [...Object.values(returnType), undefined, null, 'x', 6, 8, 9, 12, 99]
  for (const type of [...types, returnType.COUNT | returnType.INVERTED]) {
    for (const inverted of [false, true]) {
      const of = (operation: Theirs) => (inverted ? operation.invertSelection() : operation)
      for (const kind of ['getBy', 'removeBy']) {
        const call = (name: string, ...args: unknown[]) => {
          const title = `lists.${kind}${name} ${shown(args)}, ${type}, ${inverted}`
          cases.on(LIST, title, () => of(lists[kind + name]('b', ...args, type)))
        }
        call('IndexRange', 1, 2)
        call('IndexRange', 1, undefined)
        call('RankRange', 1, 2)
        call('RankRange', -2, undefined)
        call('Value', 1)
        call('ValueList', [1, 2, 99])
        call('ValueRange', 1, 3)
        call('ValueRange', 2, undefined)
        call('ValueRange', undefined, 2)
        call('ValueRange', undefined, undefined)
        call('ValueRange', 1, null)
        call('ValueRelRankRange', 2, -1, 2)
        call('ValueRelRankRange', 2, 0, undefined)
        call('Index', 1)
        call('Rank', 1)
      }
    }
  }
  cases.on(LIST, 'lists.getByIndex andReturn', () =>
    lists.getByIndex('b', 1).andReturn(returnType.RANK),
  )
}
