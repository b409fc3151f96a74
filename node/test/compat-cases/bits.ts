/** Operations on bits and on sketches. */

import { HyperLogLog } from 'spikewire'
import type { Theirs } from '../support/aerospike-pair.js'
import { type Case, Cases, shown } from './case.js'

const BYTES = Buffer.from([0x0f, 0xf1, 0x80, 0x00])
const MORE = Buffer.from([0xaa, 0x55])

const POLICIES = [
  ...[undefined, null, {}, { writeFlags: 1 }, { writeFlags: 2 }, { writeFlags: 4 }],
  ...[{ writeFlags: 8 }, { writeFlags: 12 }, { writeFlags: 64 }, { writeFlags: 'x' }],
]

export function bitCases({ bitwise }: Theirs): Case[] {
  const cases = new Cases()
  const functions: { [name: string]: () => Theirs } = {
    resize: () => bitwise.resize('b', 6),
    'resize to less': () => bitwise.resize('b', 2),
    'resize at the front': () => bitwise.resize('b', 6, 1),
    'resize to more only': () => bitwise.resize('b', 2, 2),
    'resize to less only': () => bitwise.resize('b', 6, 4),
    'resize with unknown flags': () => bitwise.resize('b', 6, 64),
    'resize to a string': () => bitwise.resize('b', 'x'),
    insert: () => bitwise.insert('b', 1, MORE),
    'insert from the end': () => bitwise.insert('b', -1, MORE),
    'insert far': () => bitwise.insert('b', 6, MORE),
    'insert a string': () => bitwise.insert('b', 1, 'x'),
    remove: () => bitwise.remove('b', 1, 2),
    'remove far': () => bitwise.remove('b', 3, 4),
    set: () => bitwise.set('b', 4, 10, MORE),
    'set far': () => bitwise.set('b', 28, 10, MORE),
    'set an integer': () => bitwise.set('b', 4, 10, 300),
    'set a negative integer': () => bitwise.set('b', 4, 10, -1),
    'set an integer that is too long': () => bitwise.set('b', 0, 4, 300),
    'set a float': () => bitwise.set('b', 0, 4, 1.5),
    or: () => bitwise.or('b', 4, 10, MORE),
    xor: () => bitwise.xor('b', 4, 10, MORE),
    and: () => bitwise.and('b', 4, 10, MORE),
    'and with few bytes': () => bitwise.and('b', 4, 20, MORE),
    not: () => bitwise.not('b', 4, 10),
    'not of nothing': () => bitwise.not('b', 0, 0),
    lshift: () => bitwise.lshift('b', 4, 10, 3),
    'lshift by much': () => bitwise.lshift('b', 4, 10, 30),
    rshift: () => bitwise.rshift('b', 4, 10, 3),
    add: () => bitwise.add('b', 4, 8, 20, false),
    'add to a signed one': () => bitwise.add('b', 4, 8, 20, true),
    'add without a sign': () => bitwise.add('b', 4, 8, 20),
    'add too much': () => bitwise.add('b', 4, 8, 250, false),
    'add, wrap': () => bitwise.add('b', 4, 8, 250, false).onOverflow(bitwise.overflow.WRAP),
    'add, saturate': () => bitwise.add('b', 4, 8, 250, false).onOverflow(2),
    'add, unknown': () => bitwise.add('b', 4, 8, 250, false).onOverflow(7),
    subtract: () => bitwise.subtract('b', 4, 8, 20, false),
    'subtract too much': () => bitwise.subtract('b', 4, 8, 255, false),
    get: () => bitwise.get('b', 4, 10),
    'get far': () => bitwise.get('b', 28, 10),
    'get from the end': () => bitwise.get('b', -8, 4),
    'get nothing': () => bitwise.get('b', 0, 0),
    'get at a string': () => bitwise.get('b', 'x', 3),
    getInt: () => bitwise.getInt('b', 4, 10, false),
    'getInt, signed': () => bitwise.getInt('b', 4, 10, true),
    'getInt without a sign': () => bitwise.getInt('b', 4, 10),
    'getInt of 65 bits': () => bitwise.getInt('b', 0, 65, false),
    lscan: () => bitwise.lscan('b', 4, 10, true),
    'lscan for 0': () => bitwise.lscan('b', 4, 10, false),
    'lscan for a number': () => bitwise.lscan('b', 4, 10, 1),
    rscan: () => bitwise.rscan('b', 4, 10, true),
    'rscan for 0': () => bitwise.rscan('b', 4, 10, false),
  }
  for (const [name, make] of Object.entries(functions)) {
    for (const start of [BYTES, undefined, 5]) {
      for (const policy of POLICIES) {
        const title = `bitwise ${name}, ${shown(policy)}, ${shown(start)}`
        cases.on(start, title, () => (policy === undefined ? make() : make().withPolicy(policy)))
      }
    }
  }
  return cases.all
}

/** Sketches of 8 index bits, of which one has 20 minhash bits besides. */
export interface Sketches {
  plain: Buffer
  minhash: Buffer
}

export function sketchCases({ hll, HyperLogLog: Sketch }: Theirs, sketches: Sketches): Case[] {
  const cases = new Cases()
  const { plain, minhash } = sketches
  const functions: { [name: string]: () => Theirs } = {
    init: () => hll.init('b', 8),
    'init with minhash bits': () => hll.init('b', 8, 20),
    'init with few bits': () => hll.init('b', 3),
    'init with many bits': () => hll.init('b', 16, 60),
    'init with its own bits': () => hll.init('b', -1),
    'init with a string': () => hll.init('b', 'x'),
    add: () => hll.add('b', ['a', 'b', 'c'], 8),
    'add with minhash bits': () => hll.add('b', ['a', 'b'], 8, 20),
    'add without bits': () => hll.add('b', ['a']),
    'add a string': () => hll.add('b', 'x', 8),
    'add nothing': () => hll.add('b', [], 8),
    setUnion: () => hll.setUnion('b', [new Sketch(plain)]),
    'setUnion with minhash bits': () => hll.setUnion('b', [new Sketch(minhash)]),
    'setUnion with nothing': () => hll.setUnion('b', []),
    fold: () => hll.fold('b', 6),
    'fold to more': () => hll.fold('b', 12),
  }
  const reads: { [name: string]: () => Theirs } = {
    refreshCount: () => hll.refreshCount('b'),
    getCount: () => hll.getCount('b'),
    describe: () => hll.describe('b'),
    getUnion: () => hll.getUnion('b', [new Sketch(plain)]),
    getUnionCount: () => hll.getUnionCount('b', [new Sketch(plain), new Sketch(plain)]),
    'getUnionCount of a string': () => hll.getUnionCount('b', 'x'),
    'getUnionCount of nothing': () => hll.getUnionCount('b', []),
    getIntersectCount: () => hll.getIntersectCount('b', [new Sketch(plain)]),
    getSimilarity: () => hll.getSimilarity('b', [new Sketch(plain)]),
    'getSimilarity with minhash bits': () => hll.getSimilarity('b', [new Sketch(minhash)]),
  }
  for (const [what, bytes] of Object.entries({ ...sketches, nothing: undefined, other: null })) {
    const start = bytes ? new HyperLogLog(bytes) : bytes === null ? 5 : undefined
    for (const policy of POLICIES) {
      for (const [name, make] of Object.entries(functions)) {
        const title = `hll ${name}, ${shown(policy)}, ${what}`
        cases.on(start, title, () => (policy === undefined ? make() : make().withPolicy(policy)))
      }
    }
    for (const [name, make] of Object.entries(reads)) cases.on(start, `hll ${name}, ${what}`, make)
  }
  return cases.all
}
