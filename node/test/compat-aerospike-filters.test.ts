/** Filters of the drop-in for npm `aerospike` select what those of npm `aerospike` do. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { withoutAerospike } from './support/aerospike.js'
import { Both } from './support/aerospike-both.js'
import type { Theirs } from './support/aerospike-pair.js'

const SET = 'filters'

let both: Both

before(async () => {
  if (withoutAerospike) return
  both = await Both.open(SET)
  await store()
  await createIndexes()
})

after(() => both?.close())

/** Records with values of each type, in bins, lists, maps and by path. */
async function store(): Promise<void> {
  const { client, module } = both.theirs
  const { Key, GeoJSON } = module
  for (const at of [1, 2, 3, 4, 5]) {
    const [text, bytes] = [`t${at}`, Buffer.from([at])]
    await client.put(new Key('test', SET, at), {
      n: at,
      i: at,
      s: text,
      o: bytes,
      p: GeoJSON.Point(at, at),
      r: GeoJSON.Circle(at, at, 1000),
      li: [at, at + 10],
      ls: [text, 'all'],
      lo: [bytes],
      lp: [GeoJSON.Point(at, at)],
      mi: { a: at, b: at + 10 },
      mk: { [text]: 1 },
      nest: { i: at, l: [at], s: text },
    })
  }
}

async function createIndexes(): Promise<void> {
  const { client, module } = both.theirs
  const { indexType, indexDataType, cdt, exp } = module
  const { NUMERIC, STRING, BLOB, GEO2DSPHERE } = indexDataType
  const { LIST, MAPKEYS, MAPVALUES } = indexType
  const path = (key: string) => new cdt.Context().addMapKey(key)
  const indexes: [string, object][] = [
    ['i', { datatype: NUMERIC }],
    ['s', { datatype: STRING }],
    ['o', { datatype: BLOB }],
    ['p', { datatype: GEO2DSPHERE }],
    ['r', { datatype: GEO2DSPHERE }],
    ['li', { datatype: NUMERIC, type: LIST }],
    ['ls', { datatype: STRING, type: LIST }],
    ['lo', { datatype: BLOB, type: LIST }],
    ['lp', { datatype: GEO2DSPHERE, type: LIST }],
    ['mi', { datatype: NUMERIC, type: MAPVALUES }],
    ['mk', { datatype: STRING, type: MAPKEYS }],
    ['nest', { datatype: NUMERIC, context: path('i') }],
    ['nest', { datatype: NUMERIC, type: LIST, context: path('l') }],
  ]
  for (const [at, [bin, options]] of indexes.entries()) {
    const index = `f${at}`
    const job = await client.createIndex({ ns: 'test', set: SET, bin, index, ...options })
    await job.wait(5)
  }
  const sum = exp.add(exp.binInt('i'), exp.int(100))
  const place = { ns: 'test', set: SET, index: 'sum', exp: sum, datatype: NUMERIC }
  await (await client.createExpIndex(place)).wait(5)
}

type Filters = { [name: string]: (module: Theirs) => Theirs }

const FILTERS: Filters = {
  'equal int': ({ filter }) => filter.equal('i', 3),
  'equal int with a fraction': ({ filter }) => filter.equal('i', 3.7),
  'equal string': ({ filter }) => filter.equal('s', 't2'),
  'equal bytes': ({ filter }) => filter.equal('o', Buffer.from([4])),
  'equal, nothing': ({ filter }) => filter.equal('i', 99),
  'equal, another type': ({ filter }) => filter.equal('i', 'x'),
  'equal, no index': ({ filter }) => filter.equal('n', 1),
  'equal null': ({ filter }) => filter.equal('i', null),
  'equal object': ({ filter }) => filter.equal('i', { a: 1 }),
  'equal boolean': ({ filter }) => filter.equal('i', true),
  range: ({ filter }) => filter.range('i', 2, 4),
  'range with fractions': ({ filter }) => filter.range('i', 1.9, 4.1),
  'range, nothing': ({ filter }) => filter.range('i', 4, 2),
  'range of a list': ({ filter, indexType }) => filter.range('li', 12, 13, indexType.LIST),
  'range of map values': ({ filter, indexType }) => filter.range('mi', 12, 13, indexType.MAPVALUES),
  'range by path': ({ filter, cdt }) =>
    filter.range('nest', 2, 3, undefined, new cdt.Context().addMapKey('i')),
  'range of a list by path': ({ filter, indexType, cdt }) =>
    filter.range('nest', 2, 3, indexType.LIST, new cdt.Context().addMapKey('l')),
  'contains int': ({ filter, indexType }) => filter.contains('li', 13, indexType.LIST),
  'contains string': ({ filter, indexType }) => filter.contains('ls', 'all', indexType.LIST),
  'contains bytes': ({ filter, indexType }) =>
    filter.contains('lo', Buffer.from([2]), indexType.LIST),
  'contains a map key': ({ filter, indexType }) => filter.contains('mk', 't3', indexType.MAPKEYS),
  'contains a map value': ({ filter, indexType }) => filter.contains('mi', 14, indexType.MAPVALUES),
  'contains by path': ({ filter, indexType, cdt }) =>
    filter.contains('nest', 5, indexType.LIST, new cdt.Context().addMapKey('l')),
  'contains without a type': ({ filter }) => filter.contains('i', 3),
  geoWithinRadius: ({ filter }) => filter.geoWithinRadius('p', 2, 2, 160_000),
  'geoWithinRadius of a list': ({ filter, indexType }) =>
    filter.geoWithinRadius('lp', 2, 2, 1000, indexType.LIST),
  geoWithinGeoJSONRegion: ({ filter, GeoJSON }) =>
    filter.geoWithinGeoJSONRegion(
      'p',
      GeoJSON.Polygon([0, 0], [2.5, 0], [2.5, 2.5], [0, 2.5], [0, 0]),
    ),
  'geoWithinGeoJSONRegion of an object': ({ filter }) =>
    filter.geoWithinGeoJSONRegion('p', { type: 'AeroCircle', coordinates: [[1, 1], 1000] }),
  'geoWithinGeoJSONRegion of a string': ({ filter }) =>
    filter.geoWithinGeoJSONRegion('p', '{"type":"AeroCircle","coordinates":[[3,3],1000]}'),
  geoContainsPoint: ({ filter }) => filter.geoContainsPoint('r', 4, 4),
  geoContainsGeoJSONPoint: ({ filter, GeoJSON }) =>
    filter.geoContainsGeoJSONPoint('r', GeoJSON.Point(5, 5)),
  'geoContainsGeoJSONPoint of an object': ({ filter }) =>
    filter.geoContainsGeoJSONPoint('r', { type: 'Point', coordinates: [1, 1] }),
}

/** What a query returns, or its error. */
async function selected(side: Both['ours'], where: (query: Theirs) => void): Promise<unknown> {
  try {
    const query = side.client.query('test', SET)
    where(query)
    const records: { bins: { n: number } }[] = await query.results()
    return records.map(({ bins }) => bins.n).sort()
  } catch (error) {
    const { code, name } = error as { code?: number; name: string }
    return code ?? name
  }
}

const skip = withoutAerospike

test('filters agree with npm aerospike', { skip }, async (t) => {
  for (const [name, make] of Object.entries(FILTERS)) {
    await t.test(name, async () => {
      const of = (side: Both['ours']) => selected(side, (query) => query.where(make(side.module)))
      assert.deepEqual(await of(both.ours), await of(both.theirs))
    })
  }
})

test('filters have the same properties as those of npm aerospike', { skip }, async (t) => {
  for (const [name, make] of Object.entries(FILTERS)) {
    const parts = (module: Theirs): unknown => {
      try {
        const { predicate, bin, datatype, type, context, val, min, max } = make(module)
        return { predicate, bin, datatype, type, items: context?.items, val, min, max }
      } catch (error) {
        return (error as Error).name
      }
    }
    await t.test(name, () => {
      assert.deepEqual(parts(both.ours.module), parts(both.theirs.module))
    })
  }
})

test('filters with the name of an index and with an expression agree', { skip }, async () => {
  const named = (side: Both['ours']) =>
    selected(side, (query) => query.whereWithIndexName(side.module.filter.equal(null, 4), 'f0'))
  assert.deepEqual(await named(both.theirs), [4])
  assert.deepEqual(await named(both.ours), [4])
  const computed = (side: Both['ours']) => {
    const { exp, filter } = side.module
    const sum = exp.add(exp.binInt('i'), exp.int(100))
    return selected(side, (query) => query.whereWithExp(filter.range(null, 102, 103), sum))
  }
  assert.deepEqual(await computed(both.theirs), [2, 3])
  assert.deepEqual(await computed(both.ours), [2, 3])
})

/** Filters of policies, by what they are. */
const EXPRESSIONS: { [name: string]: (side: Both['ours']) => unknown } = {
  true: ({ module: { exp } }) => exp.eq(exp.binInt('i'), exp.int(7)),
  false: ({ module: { exp } }) => exp.eq(exp.binInt('i'), exp.int(8)),
  'of a bin that is missing': ({ module: { exp } }) => exp.eq(exp.binInt('none'), exp.int(7)),
  'of two types': ({ module: { exp } }) => exp.eq(exp.binInt('i'), exp.str('x')),
  'not a bool': ({ module: { exp } }) => exp.binInt('i'),
  'an invalid constant': ({ module: { exp } }) => exp.eq(exp.binInt('i'), exp.int('x')),
  serialized: ({ client, module: { exp } }) =>
    client.expressionToBase64(exp.eq(exp.binInt('i'), exp.int(7))),
  'malformed text': () => 'zzzz',
  'an empty text': () => '',
  'an empty array': () => [],
  'a number': () => 5,
  'an object': () => ({}),
  undefined: () => undefined,
  null: () => null,
}

test('filters of policies agree with npm aerospike', { skip }, async (t) => {
  const calls: { [name: string]: (side: Both['ours'], filterExpression: unknown) => Theirs } = {
    get: ({ client, key, module }, filterExpression) =>
      client.get(key, new module.ReadPolicy({ filterExpression })),
    put: ({ client, key, module }, filterExpression) =>
      client.put(key, { z: 1 }, {}, new module.WritePolicy({ filterExpression })),
    operate: ({ client, key, module }, filterExpression) => {
      const policy = new module.OperatePolicy({ filterExpression })
      return client.operate(key, [module.operations.read('i')], {}, policy)
    },
    remove: ({ client, key, module }, filterExpression) =>
      client.remove(key, new module.RemovePolicy({ filterExpression })),
  }
  for (const [name, make] of Object.entries(EXPRESSIONS)) {
    for (const [kind, call] of Object.entries(calls)) {
      const outcome = async (side: Both['ours']): Promise<unknown> => {
        await side.client.put(side.key, { i: 7 })
        try {
          const result = await call(side, make(side))
          return result?.bins ?? 'done'
        } catch (error) {
          const { code, name } = error as { code?: number; name: string }
          return code ?? name
        }
      }
      await t.test(`${kind}, ${name}`, async () => {
        assert.deepEqual(await outcome(both.ours), await outcome(both.theirs))
      })
    }
  }
})
