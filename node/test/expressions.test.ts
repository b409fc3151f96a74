/** Expressions: creation, validation, text form, reuse, and the same bytes as in Python. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { ctx, Double, exp, GeoJSON } from 'spikewire'
import { build, cases, withoutPython } from './cases.js'

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

const AGE = exp.bin('age')
const LIST = exp.bin('l')
const MAP = exp.bin('m')

test('expressions have the bytes and texts of Python', { skip: withoutPython }, async (t) => {
  const { printed, nested, evaluated } = await cases()
  for (const one of [...printed, ...nested, ...evaluated]) {
    await t.test(one.python, () => {
      const expression = build(one.make) as exp.Expression
      assert.equal(String(expression), one.text)
      assert.equal(inspect(expression), `Expression(${one.text})`)
      if (one.bytes === null) {
        assert.throws(() => expression.toBytes(), { name: 'TypeError', message: /of which type/ })
        return
      }
      assert.equal(expression.toBytes().toString('hex'), one.bytes)
      assert.ok(exp.Expression.fromBytes(Buffer.from(one.bytes, 'hex')).sameAs(expression))
    })
  }
})

test('every function and option encodes as in Python', { skip: withoutPython }, async () => {
  const { every } = await cases()
  for (const { make, python, text, bytes, compared } of every) {
    if (text === null) {
      assert.throws(() => build(make), /type|operand/i, python)
      continue
    }
    const expression = build(make) as exp.Expression
    assert.equal(String(expression), text)
    if (bytes !== null) assert.equal(expression.toBytes().toString('hex'), bytes, python)
    if (compared) assert.equal(expression.eq(1).toBytes().toString('hex'), compared, python)
    assert.ok(bytes !== null || compared, python)
  }
})

const SHOWN: [exp.Expression<never>, string][] = [
  [exp.bin('f', 'float').div(2).gt(1), '($.f:FLOAT / 2.0) > 1.0'],
  [exp.bin('f').div(new Double(2)).gt(1), '($.f:FLOAT / 2.0) > 1.0'],
  [exp.bin('f').pow(2), '$.f:FLOAT ** 2.0'],
  [exp.log(exp.bin('f'), 10), 'log($.f:FLOAT, 10.0)'],
  [exp.minimum(2, exp.bin('f', 'float')), 'min(2.0, $.f:FLOAT)'],
  [exp.cond(exp.bin('a').gt(1), 1, 2.5), 'when($.a:INT > 1 => 1.0, default => 2.5)'],
  [AGE.gt(2n ** 62n), `$.age:INT > ${2n ** 62n}`],
  [AGE.eq(-0), '$.age:FLOAT == -0.0'],
  [exp.and(AGE.gt(1), AGE.lt(9), exp.bin('ok')), '$.age:INT > 1 and $.age:INT < 9 and $.ok:BOOL'],
  [AGE.gt(1).or(AGE.lt(9), false), '$.age:INT > 1 or $.age:INT < 9 or false'],
  [exp.not(exp.bin('ok')), 'not($.ok:BOOL)'],
  [AGE.bitXor(3).bitNot(), '~($.age:INT ^ 3)'],
  [exp.bitScan(AGE, true, { fromRight: true }), 'findBitRight($.age:INT, true)'],
  [exp.value('x').isIn(LIST), "'x' in $.l:LIST"],
  [AGE.eq(new Map([[1, 'x']])), "$.age:MAP == {1: 'x'}"],
]

test('forms that only JavaScript has encode as their equivalents', () => {
  for (const [expression, text] of SHOWN) assert.equal(String(expression), text)
})

type InvalidCase = [make: () => unknown, error: typeof TypeError, message: RegExp]

const INVALID: InvalidCase[] = [
  [() => exp.bin('a', 'int').eq(wrong('x')), TypeError, /INT and STRING/],
  [() => exp.bin('a', 'int').and(true), TypeError, /takes BOOL, not INT/],
  [() => exp.bin('a', 'int').gt(2.5), TypeError, /INT and FLOAT/],
  [() => exp.bin('a', 'float').gt(wrong(2n ** 53n + 1n)), TypeError, /FLOAT and INT/],
  [() => exp.bin('g', 'geo').eq(exp.bin('h')), TypeError, /does not compare/],
  [() => AGE.gt(2n ** 63n), RangeError, /the second operand: .*64 bits/],
  [() => AGE.eq(wrong(new Set())), TypeError, /the second operand: .*Set/],
  [() => AGE.eq(wrong(undefined)), TypeError, /the second operand: .*undefined/],
  [() => AGE.eq([wrong(exp.bin('b'))]), TypeError, /the second operand\[0\]: .*Expression/],
  [() => exp.bin('a'.repeat(16)), RangeError, /16 bytes/],
  [() => exp.bin(''), RangeError, /empty/],
  [() => exp.bin(wrong(5)), TypeError, /a bin name must be a string, not number/],
  [() => exp.bin('a', wrong('number')), RangeError, /kind must be 'int', .*got "number"/],
  [() => exp.key(wrong('float')), TypeError, /user key/],
  [() => exp.digestModulo(0), RangeError, /modulo 0/],
  [() => exp.digestModulo(1.5), RangeError, /divisor must be a whole number/],
  [() => exp.cond(true, 1), RangeError, /last value/],
  [() => exp.exclusive(true), RangeError, /two operands/],
  [() => exp.let({}, true), RangeError, /variable/],
  [() => exp.bin('a').eq(exp.bin('b')).toBytes(), TypeError, /of which type bin "a"/],
  [() => exp.var('x').gt(1).toBytes(), RangeError, /not defined/],
  [() => exp.let({ x: 't' }, exp.var('x').gt(1)).toBytes(), TypeError, /one type/],
  [() => exp.text('$.a >'), RangeError, /line 1, column 6/],
  [() => exp.text('$.a > ?1', 1), RangeError, /2 placeholders, 1 value/],
  [() => exp.text('$.a > ?0', wrong(new Set())), TypeError, /the parameter \?0: .*Set/],
  [() => exp.Expression.fromBytes(Buffer.from([0x93])), RangeError, /malformed/],
  [() => AGE.matches(wrong(/a/)), TypeError, /pattern must be a string, not RegExp/],
  [() => AGE.matches('a', wrong({ i: true })), TypeError, /unknown option "i"/],
  [() => exp.list.get(exp.bin('l', 'int') as never, 0), TypeError, /LIST or MAP, not INT/],
  [() => exp.list.get(LIST, wrong('x')), TypeError, /exp\.list\.get: the argument index takes INT/],
  [() => exp.list.get(LIST, wrong(true)), TypeError, /index takes INT, not BOOL/],
  [() => exp.list.size(LIST).eq(wrong('x')), TypeError, /INT and STRING/],
  [() => exp.list.get(LIST, 0, { kind: wrong('complex') }), RangeError, /complex/],
  [
    () => exp.list.getByIndex(LIST, 0, { returning: 'count', kind: 'string' }),
    TypeError,
    /exp\.list\.getByIndex: .*INT, not/,
  ],
  [() => exp.list.get(LIST, 0).toBytes(), TypeError, /which type .*l.*0/],
  [() => exp.list.appendItems(LIST, wrong(5)), TypeError, /items takes LIST, not INT/],
  [() => exp.list.append(LIST, wrong(Symbol())), TypeError, /the argument value: .*symbol/],
  [() => exp.map.put(MAP, wrong(1.5), 1), TypeError, /map key/],
  [() => exp.map.put(MAP, 'k', 1, { order: wrong('x') }), RangeError, /'key_value'/],
  [() => exp.list.getByIndex(LIST, 0, { returning: wrong('key') }), RangeError, /'value'/],
  [() => exp.bit.count(exp.bin('b', 'string') as never, 0, 1), TypeError, /BLOB, not STRING/],
  [() => exp.bit.set(exp.bin('b'), 0, 1, wrong('x')), TypeError, /data takes BLOB/],
  [() => exp.hll.getUnion(exp.bin('h'), wrong(exp.bin('n', 'int'))), TypeError, /HLL, not INT/],
  [() => exp.list.size(LIST, { ctx: [wrong(1)] }), TypeError, /ctx\[0\]/],
  [
    () => exp.list.size(LIST, wrong({ path: [] })),
    TypeError,
    /exp\.list\.size: unknown option "path"/,
  ],
  [
    () => exp.map.getByValueList(MAP, [], { inverted: true }),
    RangeError,
    /exp\.map\.getByValueList: values: an empty list, inverted/,
  ],
]

for (const [make, error, message] of INVALID) {
  test(`invalid: ${String(make).replace(/\s+/g, ' ')}`, () => {
    assert.throws(make, { name: error.name, message })
  })
}

test("JavaScript's own operators throw", () => {
  assert.throws(() => wrong(AGE) > 5, { name: 'TypeError', message: /\.gt\(\)/ })
  assert.throws(() => wrong(AGE) + 1, { name: 'TypeError', message: /\.add\(\)/ })
  assert.equal(`${AGE.gt(5)}`, '$.age:INT > 5')
})

test('an error in a text shows the position', () => {
  assert.throws(
    () => exp.text("$.age > 'x' + 1"),
    (error: Error) => {
      const lines = error.message.split('\n').slice(1)
      assert.deepEqual(lines, ["    $.age > 'x' + 1", '            ^^^^^^^'])
      return error instanceof TypeError
    },
  )
})

test('expressions can be reused and compared', () => {
  const one = AGE.gt(5).and(exp.bin('s').eq('x'))
  const same = exp.and(AGE.gt(5), exp.bin('s').eq('x'))
  assert.ok(one.sameAs(same))
  assert.ok(!one.sameAs(AGE.gt(6)))
  assert.ok(exp.Expression.fromBytes(one.toBytes()).sameAs(one))
  assert.deepEqual([AGE.kind, one.kind, AGE.add(1).kind], [undefined, 'bool', 'int'])
  assert.deepEqual([exp.value(null).kind, exp.bin('g', 'geo').kind], ['nil', 'geo'])
  assert.equal(exp.value(new GeoJSON('{}')).kind, 'geo')
})

test('long chains do not nest', () => {
  let whole = exp.bin('a').eq(0)
  for (let at = 0; at < 300; at++) whole = whole.and(exp.bin('a').eq(at))
  assert.ok(exp.Expression.fromBytes(whole.toBytes()).sameAs(whole))
})

test('oversized trees are rejected', () => {
  let tree = exp.value(1)
  assert.throws(
    () => {
      for (let at = 0; at < 100; at++) tree = tree.add(tree)
    },
    { name: 'RangeError' },
  )
})

test('arbitrary bytes are decoded or rejected', () => {
  for (let at = 0; at < 2000; at++) {
    const length = at % 23
    const bytes = Buffer.from(
      Array.from({ length }, (_, i) => (at * 31 + i * 97 + i * i * at) & 255),
    )
    try {
      const read = exp.Expression.fromBytes(bytes)
      assert.ok(exp.Expression.fromBytes(read.toBytes()).sameAs(read))
    } catch (error) {
      assert.ok(error instanceof TypeError || error instanceof RangeError, String(error))
    }
  }
})

test('list and map reads inside expressions take a context and options', () => {
  const nested = exp.list.get(MAP, 0, { kind: 'int', ctx: [ctx.mapKey('k')] })
  assert.equal(String(nested.eq(1)), '$.m.k.[0]:INT == 1')
  const both = exp.list.getByValue(LIST, 3, { inverted: true, returning: 'count' })
  assert.equal(String(both), '$.l.[!=3].count()')
})
