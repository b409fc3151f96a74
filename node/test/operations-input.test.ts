/** Operations are validated when they are created, and can be displayed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { ctx, exp, HyperLogLog, Operation, op } from 'spikewire'

/** Passes a value that the compiler would reject. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value

type InvalidCase = [make: () => unknown, error: typeof TypeError, message: RegExp]

const both = { createOnly: true, updateOnly: true }

const INVALID: InvalidCase[] = [
  [() => op.list.getByIndex('l', 0, { returning: wrong('key') }), RangeError, /'value'.*'key'/],
  [
    () => op.list.getByRank('l', 0, { returning: wrong('index_range') }),
    RangeError,
    /bin "l": returning must be .*'rank_range'/,
  ],
  [
    () => op.map.getByKeyList('m', ['a'], { returning: wrong('rank') }),
    RangeError,
    /bin "m": returning/,
  ],
  [
    () => op.map.getByIndexRange('m', 0, undefined, { returning: 'index_range', inverted: true }),
    RangeError,
    /inversion/,
  ],
  [
    () => op.list.append('l', 1, { order: wrong('key') }),
    RangeError,
    /order must be 'unordered' or 'ordered', got 'key'/,
  ],
  [() => op.map.create('m', wrong('ordered')), RangeError, /'key_value'/],
  [() => op.map.setOrder('m', wrong(null)), TypeError, /order must be a string, not null/],
  [() => op.list.append('l', wrong(new Set())), TypeError, /bin "l": value: .*Set/],
  [() => op.list.append('l', wrong(undefined)), TypeError, /bin "l": value: .*undefined/],
  [() => op.list.append('l', wrong(Symbol('s'))), TypeError, /bin "l": value: .*symbol/],
  [() => op.list.append('l', [1, wrong(() => 1)]), TypeError, /bin "l": value\[1\]: .*function/],
  [() => op.list.append('l', 1n << 64n), RangeError, /bin "l": value: .*64 bits/],
  [() => op.list.append('l', '\ud800'), RangeError, /bin "l": value: .*surrogate/],
  [
    () => op.list.append('l', 1, { unique: wrong(1) }),
    TypeError,
    /bin "l": unique must be boolean, not number/,
  ],
  [() => op.list.append('l', 1, { persistIndex: wrong('no') }), TypeError, /persistIndex must be/],
  [() => op.list.appendItems('l', wrong('abc')), TypeError, /items must be an array, not string/],
  [() => op.list.get('l', wrong(true)), TypeError, /index must be a whole number, not boolean/],
  [() => op.list.get('l', 1.5), RangeError, /index must be a whole number .*1\.5/],
  [() => op.list.get('l', 2 ** 60), RangeError, /index must be a whole number up to 2\^53/],
  [() => op.list.get('l', 1n << 64n), RangeError, /index: .*64 bits/],
  [() => op.list.get('l'.repeat(16), 1), RangeError, /16 bytes/],
  [() => op.list.get(wrong(5), 1), TypeError, /a bin name must be a string, not number/],
  [() => op.map.put('m', 1.5, 1), TypeError, /bin "m": key: a map key must be/],
  [() => op.map.put('m', wrong(true), 1), TypeError, /a map key must be/],
  [() => op.map.put('m', -0, 1), TypeError, /a map key must be/],
  [() => op.map.putItems('m', wrong([1])), TypeError, /items must be a plain object or a Map/],
  [() => op.map.putItems('m', wrong(new Date())), TypeError, /items must be .*not Date/],
  [() => op.map.put('m', 1, 1, both), RangeError, /createOnly and updateOnly exclude each other/],
  [() => op.bit.set('b', 0, 8, wrong('x')), TypeError, /data must be a Buffer/],
  [
    () => op.bit.add('b', 0, 8, 1, { overflow: wrong('no') }),
    RangeError,
    /overflow must be 'fail', 'saturate' or 'wrap'/,
  ],
  [() => op.bit.lscan('b', 0, 8, wrong(1)), TypeError, /bit must be boolean/],
  [
    () => op.bit.resize('b', 1, { growOnly: true, shrinkOnly: true }),
    RangeError,
    /growOnly and shrinkOnly exclude/,
  ],
  [() => op.hll.init('h', 17), RangeError, /indexBits must be from 4 to 16/],
  [() => op.hll.init('h', 8, 3), RangeError, /minhashBits must be 0 or from 4 to 51/],
  [() => op.hll.init('h', 16, 49), RangeError, /64 together/],
  [() => op.hll.add('h', ['a'], undefined, 8), RangeError, /minhashBits needs indexBits/],
  [
    () => op.hll.getUnion('h', [wrong(Buffer.from('x'))]),
    TypeError,
    /sketches\[0\] must be a HyperLogLog, not Buffer/,
  ],
  [() => op.list.get('l', 0, { ctx: wrong('a') }), TypeError, /ctx must be an array of steps/],
  [() => op.list.get('l', 0, { ctx: [wrong('a')] }), TypeError, /ctx\[0\] must be a step.*string/],
  [
    () => op.list.get('l', 0, { ctx: [wrong(op.get('a'))] }),
    TypeError,
    /ctx\[0\] must be a step.*Operation/,
  ],
  [() => op.list.create('l', 'unordered', { ctx: [ctx.listRank(0)] }), RangeError, /only a list/],
  [
    () =>
      op.list.get('l', 0, {
        ctx: [ctx.listIndex(0), ctx.mapKeyCreate('a', 'unordered', { persistIndex: true })],
      }),
    RangeError,
    /ctx\[1\].*persists/,
  ],
  [() => ctx.listIndex(wrong('a')), TypeError, /index must be a whole number/],
  [() => ctx.mapKey(1.5), TypeError, /a map key must be/],
  [() => ctx.listIndexCreate(0, wrong('key')), RangeError, /'unordered' or 'ordered'/],
  [() => ctx.listIndexCreate(0, 'ordered', { pad: true }), RangeError, /cannot be padded/],
  [
    () => ctx.listIndexCreate(-9, 'unordered', { pad: true }),
    RangeError,
    /0 or more.*padded, got -9/,
  ],
  [
    () => op.list.create('l', 'unordered', { pad: true, ctx: [ctx.listIndex(-1)] }),
    RangeError,
    /ctx\[0\]: index must be 0 or more/,
  ],
  [
    () => op.map.getByKeyList('m', [], { inverted: true }),
    RangeError,
    /keys: an empty list, inverted, means every entry/,
  ],
  [
    () => op.map.removeByValueList('m', [], { inverted: true, returning: 'key' }),
    RangeError,
    /values: an empty list, inverted/,
  ],
  [() => op.put('b', op.WILDCARD as never), TypeError, /bin "b"/],
  [() => op.put('b', [wrong(op.WILDCARD)]), TypeError, /bin "b"\[0\]: .* cannot be stored/],
  [() => op.add('n', wrong('x')), TypeError, /bin "n": add takes an integer or a float/],
  [() => op.append('s', wrong(1)), TypeError, /bin "s": append takes a string or bytes/],
  [() => op.read('sixteen-bytes-xx', '$.a:INT'), RangeError, /16 bytes/],
  [() => op.read('r', '$.a +'), RangeError, /bin "r": expression: .*the end/],
  [() => op.read('r', wrong(5)), TypeError, /an expression is an Expression/],
  [() => op.write('w', '$.a', both), RangeError, /createOnly and updateOnly exclude/],
]

for (const [make, error, message] of INVALID) {
  test(`invalid: ${String(make).replace(/\s+/g, ' ')}`, () => {
    assert.throws(make, { name: error.name, message })
  })
}

const UNKNOWN: [() => unknown, RegExp][] = [
  [
    () => op.list.append('l', 1, wrong({ uniq: true })),
    /op\.list\.append: unknown option "uniq"; the options are order, persistIndex, unique, noFail, ctx/,
  ],
  [
    () => op.map.size('l', wrong({ returning: 'count' })),
    /op\.map\.size: unknown option "returning"/,
  ],
  [() => op.map.put('m', 1, 1, wrong({ pad: true })), /unknown option "pad"/],
  [() => op.hll.init('h', 8, 0, wrong({ ctx: [] })), /op\.hll\.init: unknown option "ctx"/],
  [() => op.read('r', '$.a', wrong({ createOnly: true })), /op\.read: unknown option "createOnly"/],
  [
    () => ctx.mapKeyCreate('k', 'key', wrong({ pad: true })),
    /ctx\.mapKeyCreate: unknown option "pad"/,
  ],
  [
    () => op.list.append('l', 1, wrong(true)),
    /op\.list\.append: options must be an object, not boolean/,
  ],
  [() => op.list.append('l', 1, wrong(null)), /options must be an object, not null/],
]

for (const [make, message] of UNKNOWN) {
  test(`an unknown option: ${String(make).replace(/\s+/g, ' ')}`, () => {
    assert.throws(make, { name: 'TypeError', message })
  })
}

test('omitted options have the defaults of the table', () => {
  const same = (one: Operation, other: Operation) => {
    assert.deepEqual(one.encoded, other.encoded)
  }
  const nothing = { order: undefined, unique: false, ctx: [] }
  same(op.list.append('l', 1), op.list.append('l', 1, nothing))
  same(op.list.increment('l', 0), op.list.increment('l', 0, 1))
  same(op.list.getRange('l', 1), op.list.getRange('l', 1, null))
  same(op.map.getByKey('m', 1), op.map.getByKey('m', 1, { returning: 'value' }))
  same(op.map.getByKey('m', 1), op.map.getByKey('m', 1n))
  same(op.map.putItems('m', { a: 1 }), op.map.putItems('m', new Map([['a', 1]])))
  same(op.bit.set('b', 0, 8, Buffer.from('x')), op.bit.set('b', 0, 8, new Uint8Array([120])))
})

const TEXTS: [unknown, string][] = [
  [op.get(), 'op.get()'],
  [op.delete(), 'op.delete()'],
  [op.put('a', null), "op.put('a', null)"],
  [op.list.append('l', 1), "op.list.append('l', 1)"],
  [
    op.list.append('l', [1], { order: 'ordered', unique: true, noFail: false }),
    "op.list.append('l', [ 1 ], { order: 'ordered', unique: true })",
  ],
  [
    op.map.getByKey('m', 'k', { ctx: [ctx.mapKey('a'), ctx.listIndex(-1)] }),
    "op.map.getByKey('m', 'k', { ctx: [ ctx.mapKey('a'), ctx.listIndex(-1) ] })",
  ],
  [op.list.getByRankRange('l', -3), "op.list.getByRankRange('l', -3)"],
  [op.bit.getInt('b', 0, 8, { signed: true }), "op.bit.getInt('b', 0, 8, { signed: true })"],
  [op.list.getByValue('l', ['a', op.WILDCARD]), "op.list.getByValue('l', [ 'a', WILDCARD ])"],
  [op.read('r', exp.bin('a').add(1)), "op.read('r', Expression($.a:INT + 1))"],
  [
    ctx.listIndexCreate(3, 'unordered', { pad: true }),
    "ctx.listIndexCreate(3, 'unordered', { pad: true })",
  ],
  [ctx.mapValue({ a: [1] }), 'ctx.mapValue({ a: [ 1 ] })'],
]

test('operations and steps display the call that creates them', () => {
  for (const [item, text] of TEXTS) {
    assert.equal(String(item), text)
    assert.equal(inspect(item), text)
  }
})

test('later changes to arguments have no effect', () => {
  const items = [1]
  const operation = op.list.appendItems('l', items)
  items.push(2)
  assert.deepEqual(operation.encoded, op.list.appendItems('l', [1]).encoded)
})

test('steps can be compared', () => {
  assert.ok(ctx.mapKey('a').equals(ctx.mapKey('a')))
  assert.ok(!ctx.mapKey('a').equals(ctx.mapKey('b')))
  assert.ok(!ctx.mapKey('a').equals(ctx.mapKeyCreate('a')))
})

test('operations are of one class and hold bytes', () => {
  const operation = op.hll.getUnion('h', [new HyperLogLog(Buffer.from('x'))])
  assert.ok(operation instanceof Operation)
  assert.ok(operation.encoded instanceof Uint8Array)
})
