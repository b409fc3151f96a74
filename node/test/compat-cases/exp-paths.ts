/** Operations and expressions by path. */

import type { Theirs } from '../support/aerospike-pair.js'
import { type Case, Cases } from './case.js'

const PRICES = { x: { p: 5, n: 'a' }, y: { p: 15, n: 'b' }, z: { p: 25, n: 'c' } }

export function pathCases({ exp, cdt, maps, operations }: Theirs): Case[] {
  const cases = new Cases()
  const { KEY, VALUE, INDEX } = exp.loopVarPart
  const { INT, LIST, MAP } = exp.type
  const isAbove = (price: number) => {
    const of = exp.maps.getByKey(exp.loopVarMap(VALUE), exp.str('p'), INT, maps.returnType.VALUE)
    return exp.gt(of, exp.int(price))
  }
  const path = () => new cdt.Context()
  const paths: { [name: string]: () => Theirs } = {
    children: () => path().addAllChildren(),
    'a key of children': () => path().addAllChildren().addMapKey('p'),
    filter: () => path().addAllChildrenWithFilter(isAbove(10)),
    'a key after a filter': () => path().addAllChildrenWithFilter(isAbove(10)).addMapKey('p'),
    'filter by key': () =>
      path()
        .addAllChildrenWithFilter(exp.eq(exp.loopVarStr(KEY), exp.str('y')))
        .addMapKey('n'),
    'several keys': () => path().addMapKeysIn(['x', 'z']).addMapKey('p'),
    'several keys and a filter': () => path().addMapKeysIn(['x', 'z']).addAndFilter(isAbove(10)),
    'one key': () => path().addMapKey('x'),
    'filter by index': () =>
      path().addAllChildrenWithFilter(exp.gt(exp.loopVarInt(INDEX), exp.int(0))),
    'filter of another type': () =>
      path().addAllChildrenWithFilter(exp.gt(exp.loopVarInt(VALUE), exp.int(0))),
  }
  /** Both packages would ask some versions of servers for what stops them. */
  const unsafe = ['a key of children', 'a key after a filter', 'filter by key', 'several keys']
  const more = () => exp.add(exp.loopVarInt(VALUE), exp.int(1))
  const read = (expression: Theirs) => exp.operations.read('r', expression, 0)
  for (const [name, to] of Object.entries(paths)) {
    const add = (title: string, make: () => Theirs) => cases.on(PRICES, `${title}, ${name}`, make)
    for (const flags of [0, 1, 2, 3, 4, 5, 8, 16]) {
      add(`selectByPath ${flags}`, () => operations.selectByPath('b', flags, to()))
      for (const type of [INT, LIST, MAP]) {
        add(`exp.selectByPath ${flags} ${type}`, () =>
          read(exp.selectByPath(exp.binMap('b'), type, flags, to())),
        )
      }
    }
    for (const flags of [0, 1, 4, 16, 20]) {
      add(`modifyByPath ${flags}`, () => operations.modifyByPath('b', more(), flags, to()))
      for (const type of [LIST, MAP]) {
        add(`exp.modifyByPath ${flags} ${type}`, () =>
          read(exp.modifyByPath(exp.binMap('b'), type, more(), flags, to())),
        )
      }
      if (unsafe.includes(name)) continue
      add(`removal ${flags}`, () => operations.modifyByPath('b', exp.removeResult(), flags, to()))
      add(`exp removal ${flags}`, () =>
        read(exp.modifyByPath(exp.binMap('b'), MAP, exp.resultRemove(), flags, to())),
      )
    }
  }
  cases.on(PRICES, 'selectByPath without a path', () => operations.selectByPath('b', 0, 'x'))
  cases.on(PRICES, 'modifyByPath without a path', () => operations.modifyByPath('b', more(), 0))
  cases.on(PRICES, 'exp.modifyByPath without flags', () =>
    exp.modifyByPath(exp.binMap('b'), MAP, more(), undefined, path().addAllChildren()),
  )
  return cases.all
}
