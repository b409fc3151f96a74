/** Types of operations and expressions: the compiler accepts and rejects what it should. */

import { ctx, Double, exp, op } from 'spikewire'

/** Never called. */
export function types(): unknown[] {
  const adult = exp
    .bin('age')
    .ge(18)
    .and(exp.bin('country').eq('US'), exp.not(exp.bin('banned')))
  const filters: exp.Where[] = [
    adult,
    exp.bin('flag'),
    exp.map.getByKey(exp.bin('m'), 'k'),
    exp.map.getByKey(exp.bin('m'), 'k', { kind: 'bool' }),
    exp.value(3).isIn(exp.bin('l')),
    '$.age > 25',
    ['$.age > ?0', 25],
    // @ts-expect-error a filter is true or false
    exp.bin('a', 'int').add(1),
    // @ts-expect-error the same
    exp.map.getByKey(exp.bin('m'), 'k', { kind: 'int' }),
    // @ts-expect-error a text comes first
    [25, '$.age > ?0'],
  ]
  const expressions: exp.Expression<never>[] = [
    // @ts-expect-error an integer is compared with an integer
    exp.bin('a', 'int').eq('x'),
    // @ts-expect-error a string is not a list
    exp.list.size('x'),
    // @ts-expect-error an integer is not a list
    exp.list.size(exp.bin('n', 'int')),
    // @ts-expect-error there is no such type
    exp.bin('n', 'number'),
    exp.list.size(exp.bin('l')).gt(5).or(true),
    exp.list.size(exp.map.getByKey(exp.bin('m'), 'k')),
    exp.list.get(exp.bin('l'), 0, { kind: 'int' }).add(1),
    exp.list.get(exp.bin('l'), exp.bin('n'), { ctx: [ctx.index(0)] }).eq('x'),
    exp.list.size(exp.list.append(exp.bin('l'), 1)),
    exp.bin('f', 'float').div(2).gt(exp.ttl().toFloat()),
    exp.bin('f', 'float').eq(new Double(2)),
    exp.cond(exp.bin('a').gt(3), 'many', 'few').eq('few'),
    exp.let({ x: exp.bin('a').add(1) }, exp.var('x').gt(5)),
    exp.ttl().lt(exp.minimum(60, exp.bin('a'))),
    exp.within(exp.map.getByKey(exp.bin('m'), 'k'), exp.bin('g', 'geo')),
    exp.hll.getUnion(exp.bin('h'), exp.bin('g')),
  ]
  const operations: op.Integer[] | unknown[] = [
    op.read('r', exp.ttl()),
    op.read('r', ['$.n + ?0', 10]),
    op.list.getByValue('l', ['a', op.WILDCARD]),
    op.list.get('l', 2n),
    op.map.putItems('m', { a: 1, b: [1, { c: null }] }),
    op.map.putItems('m', new Map<string | number, number>([[1, 2]])),
    op.map.getByKeyRange('m', null, 'b'),
    // @ts-expect-error there is no such word
    op.list.append('l', 1, { order: 'key' }),
    // @ts-expect-error a list has no keys
    op.list.getByIndex('l', 0, { returning: 'key' }),
    // @ts-expect-error there is no such option
    op.list.append('l', 1, { uniq: true }),
    // @ts-expect-error bits take no path
    op.bit.get('b', 0, 8, { ctx: [] }),
    // @ts-expect-error a count comes before options
    op.list.getByRankRange('l', -3, { returning: 'count' }),
    // @ts-expect-error functions are not stored
    op.list.append('l', () => 1),
    // @ts-expect-error a bin has a name
    op.put(5, 1),
  ]
  return [filters, expressions, operations]
}
