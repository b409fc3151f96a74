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
  return cases.all
}
