/** Operations on whole bins. */

import type { Theirs } from '../support/aerospike-pair.js'
import { type Case, Cases, shown } from './case.js'

export function plainCases(module: Theirs): Case[] {
  const { operations, Double, GeoJSON } = module
  const cases = new Cases()
  const values = [
    ...[5, 1.5, -0, 2 ** 60, 1e300, Number.NaN, 'x', null, undefined, true],
    ...[new Double(2), Buffer.from('ab'), GeoJSON.Point(1, 2), new Date(0)],
    ...[[1, 'a', null, undefined, 2.5, true, 2n ** 60n, GeoJSON.Point(1, 2)], [], {}],
    ...[
      { a: 1, b: [new Double(3)] },
      new Map<unknown, unknown>([
        [1, 'a'],
        ['b', 2],
      ]),
    ],
  ]
  for (const value of values) {
    cases.on(1, `write ${shown(value)}`, () => operations.write('b', value))
  }
  cases.on(7, 'read', () => operations.read('b'))
  cases.on(7, 'read a bin that is missing', () => operations.read('missing'))
  for (const amount of [1, -2, 1.5, new Double(2), 'x', undefined, null]) {
    cases.on(7, `incr ${shown(amount)}`, () => operations.incr('b', amount))
    cases.on(1.25, `add to a float ${shown(amount)}`, () => operations.add('b', amount))
    cases.on('x', `add to a string ${shown(amount)}`, () => operations.add('b', amount))
    cases.on(undefined, `add to nothing ${shown(amount)}`, () => operations.add('b', amount))
  }
  for (const value of ['xy', Buffer.from('zz'), 5, null, undefined, {}]) {
    for (const start of ['abc', Buffer.from('abc'), 5, undefined]) {
      const name = `${shown(value)} to ${shown(start)}`
      cases.on(start, `append ${name}`, () => operations.append('b', value))
      cases.on(start, `prepend ${name}`, () => operations.prepend('b', value))
    }
  }
  cases.each(1, 'the record', {
    touch: () => operations.touch(100),
    'touch without a time': () => operations.touch(),
    delete: () => operations.delete(),
    'delete and write': () => [operations.delete(), operations.write('c', 2)],
    'several bins': () => [operations.incr('b', 1), operations.write('c', 2), operations.read('b')],
    'no operations': () => [],
    'an unknown operation': () => [{ op: 0x900, bin: 'b' }],
    'an operation without a number': () => [{ op: 'x', bin: 'b' }],
    'an object': () => [{ op: 0, bin: 'b', value: 3 }],
    'a long name': () => operations.write('abcdefghijklmnop', 1),
    'reading a long name': () => operations.read('abcdefghijklmnop'),
    'a number for a name': () => operations.write(5, 1),
  })
  sequences(cases, module)
  return cases.all
}

/** Several operations on the same bins. */
function sequences(cases: Cases, { operations, lists, maps, exp }: Theirs): void {
  const { read, write } = operations
  const sum = () => exp.operations.read('s', exp.add(exp.int(1), exp.int(2)), 0)
  cases.each([1, 2], 'on a list:', {
    'append, read': () => [lists.append('b', 3), read('b')],
    'read, append': () => [read('b'), lists.append('b', 3)],
    'read, clear': () => [read('b'), lists.clear('b')],
    'size, set': () => [lists.size('b'), lists.set('b', 0, 9)],
    'two elements': () => [lists.get('b', 0), lists.get('b', 1)],
    'an element, and one that is none': () => [lists.get('b', 0), lists.get('b', 7)],
    'write, an expression': () => [write('c', 1), sum(), read('b')],
    'read a bin that is missing, an expression': () => [read('missing'), sum()],
  })
  cases.each({ a: 1 }, 'on a map:', {
    'put, read': () => [maps.put('b', 'z', 3), read('b')],
    'read, put': () => [read('b'), maps.put('b', 'z', 3)],
    'read, clear': () => [read('b'), maps.clear('b')],
    'get, remove': () => [
      maps.getByKey('b', 'a', maps.returnType.VALUE),
      maps.removeByKey('b', 'a'),
    ],
    'write, put': () => [write('c', 1), maps.put('b', 'z', 3)],
    'append to a list, put': () => [lists.append('l', 1), maps.put('b', 'z', 3)],
    'keys and values, twice': () => [
      maps.getByIndexRange('b', 0, 9, maps.returnType.KEY_VALUE),
      maps.getByIndexRange('b', 0, 9).andReturn(maps.returnType.KEY_VALUE),
    ],
  })
}
