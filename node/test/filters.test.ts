/** Filters on every verb: matches, mismatches, and filters rejected before anything is sent. */

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Client, type Dataset, exp, FilteredOut, op, RecordNotFound, ServerError } from 'spikewire'
import { Cluster } from 'spikewire/testing'

const ADULT = exp.bin('age').ge(18)
const FORMS: [string, exp.Where][] = [
  ['an expression', ADULT],
  ['a text', '$.age >= 18'],
  ['a text and its parameter', ['$.age >= ?0', 18]],
  ['a bin that is true or false', exp.bin('grown')],
]

let cluster: Cluster
let client: Client
let people: Dataset

before(async () => {
  cluster = await Cluster.start()
  client = await Client.connect(cluster.seeds)
  people = client.dataset('test', 'people')
})

after(async () => {
  await client?.close()
  await cluster?.close()
})

beforeEach(async () => {
  await Promise.all(['kim', 'lee', 'new', 'newer'].map((key) => people.delete(key)))
  await people.put('kim', { age: 12, name: 'K', grown: false })
  await people.put('lee', { age: 40, name: 'L', grown: true })
})

for (const [name, where] of FORMS) {
  test(`get is filtered by ${name}`, async () => {
    assert.equal((await people.get('lee', { where })).bins['name'], 'L')
    assert.deepEqual((await people.get('lee', { bins: ['name'], where })).bins, { name: 'L' })
    assert.deepEqual((await people.get('lee', { bins: [], where })).bins, {})
    await assert.rejects(people.get('kim', { where }), (error: FilteredOut) => {
      assert.ok(error instanceof FilteredOut && error instanceof ServerError)
      assert.equal(error.code, 27)
      return true
    })
  })
}

test('the default is returned for missing and filtered records', async () => {
  assert.equal(await people.get('kim', { where: ADULT, default: 'none' }), 'none')
  assert.equal(await people.get('nobody', { where: ADULT, default: 'none' }), 'none')
  await assert.rejects(people.get('nobody', { where: ADULT }), RecordNotFound)
})

test('a filter that is unknown does not match', async () => {
  await assert.rejects(people.get('lee', { where: '$.salary > 5' }), FilteredOut)
})

test('exists is false for a filtered record', async () => {
  assert.equal(await people.exists('lee', { where: ADULT }), true)
  assert.equal(await people.exists('kim', { where: ADULT }), false)
  assert.equal(await people.exists('nobody', { where: ADULT }), false)
})

test('operate with reads only is filtered', async () => {
  assert.deepEqual((await people.operate('lee', [op.get('age')], { where: ADULT })).results, [40])
  await assert.rejects(people.operate('kim', [op.get('age')], { where: ADULT }), FilteredOut)
})

const WRITES: [string, (key: string) => Promise<unknown>, object][] = [
  ['put', (key) => people.put(key, { name: 'new' }, { where: ADULT }), { age: 40, name: 'new' }],
  ['add', (key) => people.add(key, { age: 1 }, { where: ADULT }), { age: 41, name: 'L' }],
  ['append', (key) => people.append(key, { name: '!' }, { where: ADULT }), { age: 40, name: 'L!' }],
  [
    'prepend',
    (key) => people.prepend(key, { name: '!' }, { where: ADULT }),
    { age: 40, name: '!L' },
  ],
  [
    'operate',
    (key) => people.operate(key, [op.add('age', 1)], { where: ADULT }),
    { age: 41, name: 'L' },
  ],
]

for (const [verb, write, bins] of WRITES) {
  test(`${verb}: only matching records are written`, async () => {
    await write('lee')
    assert.deepEqual((await people.get('lee')).bins, { ...bins, grown: true })
    await assert.rejects(write('kim'), (error: FilteredOut) => {
      assert.equal(error.inDoubt, false)
      return error instanceof FilteredOut
    })
    const kim = await people.get('kim')
    assert.deepEqual([kim.bins, kim.generation], [{ age: 12, name: 'K', grown: false }, 1])
  })
}

test('touch rejects a filtered record', async () => {
  await people.touch('lee', { ttl: 500, where: ADULT })
  assert.equal((await people.get('lee')).generation, 2)
  await assert.rejects(people.touch('kim', { ttl: 500, where: ADULT }), FilteredOut)
  assert.equal((await people.get('kim')).ttl, null)
})

test('delete is false for a filtered record', async () => {
  assert.equal(await people.delete('kim', { where: ADULT }), false)
  assert.equal(await people.exists('kim'), true)
  assert.equal(await people.delete('lee', { where: ADULT }), true)
  assert.equal(await people.exists('lee'), false)
})

test('a missing record is still created', async () => {
  await people.put('new', { age: 1 }, { where: ADULT })
  assert.equal((await people.get('new')).bins['age'], 1)
  const update = people.put('newer', { age: 1 }, { where: ADULT, exists: 'update' })
  await assert.rejects(update, RecordNotFound)
})

test('a filter applies with a stored key', async () => {
  await people.put('lee', { n: 1 }, { sendKey: true, where: ADULT })
  const where = exp.key('string').eq('lee')
  assert.equal((await people.get('lee', { where })).bins['n'], 1)
})

test('filters read metadata, lists and maps', async () => {
  await people.put('lee', { log: [1, 2, 3], cart: { apples: 3 } }, { ttl: 1000 })
  const filters: exp.Where[] = [
    exp.ttl().gt(500),
    exp.setName().eq('people'),
    exp.sinceUpdate().lt(3_600_000),
    exp.list.size(exp.bin('log')).eq(3),
    exp.map.getByKey(exp.bin('cart'), 'apples').gt(2),
    '$.cart.apples > 2 and $.log.[-1] == 3',
    ['$.name:STRING in ?0 and $.age > ?1', ['L', 'M'], 39],
    exp.or(exp.bin('age').gt(50), exp.bin('name').matches('^l$', { ignoreCase: true })),
  ]
  for (const where of filters)
    assert.equal(await people.exists('lee', { where }), true, String(where))
})

for (const [name, where] of FORMS) {
  test(`many records are filtered by ${name}`, async () => {
    const reply = await people.getMany(['kim', 'lee', 'nobody'], { where })
    assert.deepEqual([...reply.codes], [27, 0, 2])
    assert.deepEqual(
      [...reply].map((record) => record?.bins['age'] ?? null),
      [null, 40, null],
    )
    assert.deepEqual([reply.found, reply.errors.size], [1, 0])
    assert.deepEqual([...(await people.existsMany(['kim', 'lee'], { where })).codes], [27, 0])
    const steps = [op.add('age', 1), op.get('age')]
    const done = await people.operateMany(['kim', 'lee'], steps, { where })
    assert.deepEqual([done[0], done[1]?.results], [null, [null, 41]])
    assert.deepEqual([...(await people.deleteMany(['kim', 'lee'], { where })).codes], [27, 0])
    assert.deepEqual([await people.exists('kim'), await people.exists('lee')], [true, false])
  })
}

test('a write of many rows is filtered', async () => {
  const rows = { kim: { n: 1 }, lee: { n: 2 }, new: { n: 3 } }
  const first = await people.putMany(rows, { where: ADULT })
  assert.deepEqual([...first.codes], [27, 0, 0])
  // The new record exists now, and has no age.
  const second = await people.putMany(rows, { where: ADULT, sendKey: true })
  assert.deepEqual([...second.codes], [27, 0, 27])
  for (const written of [first, second])
    assert.deepEqual([written[0], written.errors.size], [null, 0])
  const read = await people.getMany(['kim', 'lee', 'new'])
  assert.deepEqual(
    [...read].map((record) => record?.bins['n']),
    [undefined, 2, 3],
  )
})

test('a query is filtered', async () => {
  const names: unknown[] = []
  for (const [, where] of FORMS) {
    for await (const record of people.query({ where })) names.push(record.bins['name'])
  }
  assert.deepEqual(names, ['L', 'L', 'L', 'L'])
})

const INVALID: [unknown, typeof TypeError, RegExp][] = [
  [5, TypeError, /where: an expression is/],
  [Buffer.from('$.a > 1'), TypeError, /where: an expression is/],
  [{}, TypeError, /where: an expression is/],
  [[], TypeError, /where: an empty array is no expression/],
  [[5], TypeError, /where: the text of an expression must be a string, not number/],
  [['$.a > ?0', new Set()], TypeError, /where: the parameter \?0: .*Set/],
  [['$.a > ?0', 1, 2], RangeError, /where: /],
  ['$.a >', RangeError, /where: .*the end/],
  ['', RangeError, /where: /],
  ['$.a > ?0', RangeError, /where: /],
  [exp.bin('age').add(1), TypeError, /where: /],
  ['3', TypeError, /where: /],
  [op.get('a'), TypeError, /where: an expression is .*Operation/],
]

test('invalid filters are rejected before anything is sent', async () => {
  for (const [filter, error, message] of INVALID) {
    const where = filter as exp.Where
    const calls = [
      () => people.get('lee', { where }),
      () => people.exists('lee', { where }),
      () => people.put('lee', { n: 1 }, { where }),
      () => people.delete('lee', { where }),
      () => people.operate('lee', [op.add('n', 1)], { where }),
      () => people.getMany(['lee'], { where }),
      () => people.putMany({ lee: { n: 1 } }, { where }),
      () => people.operateMany(['lee'], [op.add('n', 1)], { where }),
      async () => people.query({ where }).batches(10).next(),
    ]
    for (const call of calls) await assert.rejects(call(), { name: error.name, message })
  }
  assert.equal((await people.get('lee')).generation, 1)
})

test('texts and expressions are cached by content', async () => {
  await people.put('n', { n: 1 })
  for (let at = 0; at < 200; at++) {
    assert.equal(await people.exists('n', { where: `$.n + ${at} == ${at + 1}` }), true)
    assert.equal(await people.exists('n', { where: exp.bin('n').eq(1) }), true)
    assert.equal(await people.exists('n', { where: exp.bin('n').eq(at + 2) }), false)
  }
  for (const _ of [1, 2]) {
    await assert.rejects(people.exists('n', { where: '$.n ==' }), { message: /the end/ })
  }
})
