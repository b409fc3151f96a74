/** Expressions of constants, bins, metadata and operators. */

import type { Theirs } from '../support/aerospike-pair.js'
import { type Case, Cases } from './case.js'

/** A bin of each type, by the names that the cases use. */
const BINS = {
  i: 7,
  n: -3,
  f: 2.5,
  s: 'text',
  t: true,
  o: Buffer.from([0x0f, 0xf1, 0x80, 0x00]),
  l: [3, 1, 2, 1, 'x', [1, 2]],
  m: { a: 3, b: 1, c: 2, d: { e: [1] } },
}

/** Adds cases that read the value of expressions. */
function reading(module: Theirs, cases: Cases) {
  const { geo } = points(module)
  return (name: string, expression: () => Theirs, flags = 0): void => {
    cases.bins({ ...BINS, ...geo }, name, () =>
      module.exp.operations.read('r', expression(), flags),
    )
  }
}

function points({ GeoJSON }: Theirs): { geo: { p: Theirs; c: Theirs } } {
  return { geo: { p: GeoJSON.Point(1, 1), c: GeoJSON.Circle(1, 1, 1000) } }
}

export function valueCases(module: Theirs): Case[] {
  const { exp, GeoJSON, Double } = module
  const cases = new Cases()
  const add = reading(module, cases)
  const constants: { [name: string]: () => Theirs } = {
    bool: () => exp.bool(true),
    'bool of a number': () => exp.bool(1),
    int: () => exp.int(5),
    'int with a fraction': () => exp.int(5.7),
    'a negative int': () => exp.int(-5),
    'a large int': () => exp.int(2 ** 60),
    'int of a string': () => exp.int('x'),
    uint: () => exp.uint(5),
    float: () => exp.float(2),
    'float of a Double': () => exp.float(new Double(3)),
    'float of a string': () => exp.float('x'),
    str: () => exp.str('x'),
    'str of a number': () => exp.str(5),
    bytes: () => exp.bytes(Buffer.from('ab'), 2),
    'bytes of a string': () => exp.bytes('x', 1),
    geo: () => exp.geo(GeoJSON.Point(1, 2)),
    list: () => exp.list([1, 'a', [2]]),
    'an empty list': () => exp.list([]),
    map: () => exp.map({ a: 1 }),
    nil: () => exp.nil(),
    unknown: () => exp.unknown(),
    infinity: () => exp.inf(),
    wildcard: () => exp.wildcard(),
  }
  for (const [name, make] of Object.entries(constants)) {
    add(`constant ${name}`, make)
    add(`constant ${name}, no failure`, make, exp.expReadFlags.EVAL_NO_FAIL)
  }
  const metadata = ['keyInt', 'keyBlob', 'keyExist', 'setName', 'deviceSize', 'memorySize']
  for (const name of [...metadata, 'recordSize', 'voidTime', 'ttl']) {
    add(name, () => exp[name]())
    add(`${name}, no failure`, () => exp[name](), 16)
  }
  add('lastUpdate', () => exp.gt(exp.lastUpdate(), exp.int(0)))
  add('sinceUpdate', () => exp.lt(exp.sinceUpdate(), exp.int(600_000)))
  for (const bin of [...Object.keys(BINS), 'p', 'missing']) {
    for (const type of ['Int', 'Float', 'Str', 'Bool', 'Blob', 'List', 'Map', 'Geo', 'Hll']) {
      add(`bin${type} ${bin}`, () => exp[`bin${type}`](bin))
      add(`bin${type} ${bin}, no failure`, () => exp[`bin${type}`](bin), 16)
    }
    add(`binType ${bin}`, () => exp.binType(bin))
    add(`binExists ${bin}`, () => exp.binExists(bin))
  }
  add('a bin with a long name', () => exp.binInt('abcdefghijklmnop'))
  add('a bin with a number for a name', () => exp.binInt(5))
  return cases.all
}

export function operatorCases(module: Theirs): Case[] {
  const { exp, GeoJSON } = module
  const cases = new Cases()
  const add = reading(module, cases)
  const [int, bin] = [exp.int, () => exp.binInt('i')]
  const float = () => exp.binFloat('f')
  for (const kind of ['eq', 'ne', 'gt', 'ge', 'lt', 'le']) {
    for (const value of [6, 7, 8]) add(`${kind} ${value}`, () => exp[kind](bin(), int(value)))
    add(`${kind} float`, () => exp[kind](float(), exp.float(2.5)))
    add(`${kind} float and int`, () => exp[kind](float(), int(2)))
    add(`${kind} string`, () => exp[kind](exp.binStr('s'), exp.str('text')))
    add(`${kind} bool`, () => exp[kind](exp.binBool('t'), exp.bool(true)))
    add(`${kind} list`, () => exp[kind](exp.binList('l'), exp.list([3, 1])))
    add(`${kind} map`, () => exp[kind](exp.binMap('m'), exp.map({ a: 3 })))
    add(`${kind} bytes`, () => exp[kind](exp.binBlob('o'), exp.bytes(Buffer.of(0x0f), 1)))
    add(`${kind} of two types`, () => exp[kind](bin(), exp.str('x')))
    add(`${kind} nil`, () => exp[kind](bin(), exp.nil()))
    add(`${kind} bins`, () => exp[kind](bin(), exp.binInt('n')))
    add(`${kind} missing`, () => exp[kind](exp.binInt('missing'), int(1)))
    add(`${kind} missing, no failure`, () => exp[kind](exp.binInt('missing'), int(1)), 16)
    add(`${kind} places`, () => exp[kind](exp.binGeo('p'), exp.binGeo('p')))
  }
  for (const options of [0, 1, 2, 3, 4, 5, 7, 8]) {
    for (const pattern of ['T.*t', 't.*t$', 'a|t+', '^ext']) {
      const name = `cmpRegex ${options} ${pattern}`
      add(name, () => exp.cmpRegex(options, pattern, exp.binStr('s')))
    }
  }
  add('cmpRegex of a constant', () => exp.cmpRegex(0, 'a', exp.str('abc')))
  add('cmpRegex of an integer', () => exp.cmpRegex(0, 'a', bin()))
  add('cmpGeo', () => exp.cmpGeo(exp.binGeo('p'), exp.binGeo('c')))
  add('cmpGeo far', () => exp.cmpGeo(exp.geo(GeoJSON.Point(5, 5)), exp.binGeo('c')))
  add('inList', () => exp.inList(int(3), exp.binList('l')))
  add('inList of a constant', () => exp.inList(bin(), exp.list([7])))
  add('mapKeys', () => exp.mapKeys(exp.binMap('m')))
  add('mapValues', () => exp.mapValues(exp.binMap('m')))
  add('not', () => exp.not(exp.binBool('t')))
  add('not of an integer', () => exp.not(bin()))
  const is = (value: number) => exp.eq(bin(), int(value))
  for (const kind of ['and', 'or', 'exclusive']) {
    add(`${kind} of nothing`, () => exp[kind]())
    add(`${kind} of one`, () => exp[kind](is(7)))
    add(`${kind} of two`, () => exp[kind](is(7), is(8)))
    add(`${kind} of three`, () => exp[kind](is(7), is(7), is(8)))
    add(`${kind} of an integer`, () => exp[kind](bin(), is(7)))
  }
  for (const kind of ['add', 'sub', 'mul', 'div', 'min', 'max']) {
    add(`${kind} of nothing`, () => exp[kind]())
    add(`${kind} of one`, () => exp[kind](bin()))
    add(`${kind} of two`, () => exp[kind](bin(), int(2)))
    add(`${kind} of three`, () => exp[kind](bin(), int(2), exp.binInt('n')))
    add(`${kind} of zero`, () => exp[kind](bin(), int(0)))
    add(`${kind} of floats`, () => exp[kind](float(), exp.float(2)))
    add(`${kind} of one float`, () => exp[kind](float()))
    add(`${kind} of a float and an integer`, () => exp[kind](float(), int(2)))
    add(`${kind} of strings`, () => exp[kind](exp.binStr('s'), exp.str('a')))
  }
  for (const kind of ['intAnd', 'intOr', 'intXor']) {
    add(kind, () => exp[kind](bin(), int(10)))
    add(`${kind} of three`, () => exp[kind](bin(), int(10), int(5)))
  }
  // The other package takes the parts of expressions here, and only if each has one.
  for (const kind of ['pow', 'log']) add(kind, () => exp[kind](...exp.float(8), ...exp.float(2)))
  for (const kind of ['pow', 'floor']) add(`${kind} of int`, () => exp[kind](...int(8), ...int(2)))
  for (const kind of ['abs', 'intNot', 'intCount', 'toFloat'])
    add(kind, () => exp[kind](...int(-6)))
  for (const kind of ['floor', 'ceil', 'toInt', 'abs']) {
    add(`${kind} of a float`, () => exp[kind](...exp.float(-2.5)))
  }
  for (const kind of ['mod', 'intLshift', 'intRshift', 'intArshift']) {
    add(kind, () => exp[kind](...int(-6), ...int(2)))
  }
  for (const kind of ['intLscan', 'intRscan']) {
    add(kind, () => exp[kind](...int(6), ...exp.bool(true)))
  }
  add('cond', () => exp.cond(is(7), exp.str('yes'), exp.str('no')))
  add('cond, no case', () => exp.cond(is(8), exp.str('a'), exp.unknown()))
  add('cond of two types', () => exp.cond(is(8), exp.str('a'), int(1)))
  add('let', () =>
    exp.let(
      exp.def('x', bin()),
      exp.def('y', exp.add(exp.var('x'), int(1))),
      exp.mul(exp.var('x'), exp.var('y')),
    ),
  )
  add('let without a variable', () => exp.let(exp.def('x', bin()), exp.var('z')))
  return cases.all
}

export function writeCases(module: Theirs): Case[] {
  const { exp } = module
  const cases = new Cases()
  const add = (name: string, bin: string, expression: () => Theirs, flags: number) =>
    cases.bins(BINS, `${name}, flags ${flags}`, () =>
      exp.operations.write(bin, expression(), flags),
    )
  for (const flags of [0, 1, 2, 3, 4, 8, 9, 10, 16, 17, 18, 24, 32]) {
    const sum = () => exp.add(exp.binInt('i'), exp.int(1))
    add('write', 'i', sum, flags)
    add('write a new bin', 'new', sum, flags)
    add('write nil', 'i', () => exp.nil(), flags)
    add('write what is unknown', 'i', () => exp.unknown(), flags)
    add('write what no node accepts', 'i', () => exp.eq(exp.binInt('i'), exp.str('x')), flags)
    cases.bins(BINS, `read, flags ${flags}`, () => exp.operations.read('r', exp.binInt('i'), flags))
  }
  return cases.all
}
