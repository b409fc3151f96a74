/** A value of every type, for exchange between clients. */

import { type BinValue, Double, GeoJSON } from 'spikewire'

/** The same values as in `python_records.py`. */
export const VALUES: { [name: string]: BinValue } = {
  zero: 0,
  small: -1,
  safe: Number.MAX_SAFE_INTEGER,
  unsafe: 2n ** 53n,
  least: -(2n ** 63n),
  greatest: 2n ** 63n - 1n,
  half: 0.5,
  whole: new Double(3),
  minus_zero: new Double(-0),
  infinite: Number.POSITIVE_INFINITY,
  text: 'Grüße 🎈\0',
  empty: '',
  yes: true,
  no: false,
  bytes: Buffer.from([0, 255]),
  no_bytes: Buffer.alloc(0),
  point: new GeoJSON('{"type":"Point","coordinates":[1.5,-2]}'),
  list: [1, 'two', [3.5, [null, true]], Buffer.from('4'), { five: 5 }],
  no_list: [],
  object: { a: 1, b: { c: [2] }, '': 'empty' },
  map: new Map<BinValue, BinValue>([
    [1, 'one'],
    ['two', 2],
    [Buffer.from('3'), [3]],
    [-4, null],
  ]),
  no_map: {},
  ['__proto__']: 'a name',
}
