/** Codecs: values of custom classes and of single bins, in every verb. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, ConversionError, codec, type Dataset, op, Read, Write } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { z } from 'zod'

class Money {
  readonly cents: number
  constructor(cents: number) {
    this.cents = cents
  }
}
class Euro extends Money {}

const forms = new codec.Codec({
  types: [
    [Money, (money: Money) => money.cents],
    [URL, String],
  ],
  bins: {
    created: codec.timestamp('ms'),
    settings: codec.json(),
    price: { encode: (money: Money) => money.cents, decode: (cents: number) => new Money(cents) },
  },
})

let cluster: Cluster
let client: Client
let plain: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000, codec: forms })
  plain = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await plain.close()
  await cluster.close()
})

// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value
type Any = { [bin: string]: unknown }

function fresh(): [Dataset<Any>, Dataset<Any>] {
  const set = `codecs${sets++}`
  return [client.dataset<Any>('test', set), plain.dataset<Any>('test', set)]
}

const moment = new Date('2026-01-02T03:04:05.678Z')

async function failure(promise: Promise<unknown>): Promise<ConversionError> {
  const error = await promise.then(
    () => assert.fail('nothing was thrown'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ConversionError, String(error))
  return error
}

test('forms of bins encode and decode', async () => {
  const [data, stored] = fresh()
  await data.put(1, { created: moment, settings: { a: [1] }, price: new Euro(5), n: 1 })
  assert.deepEqual(
    { ...(await stored.get(1)).bins },
    { created: moment.getTime(), settings: '{"a":[1]}', price: 5, n: 1 },
  )
  const { bins } = await data.get(1)
  assert.deepEqual(
    { ...bins },
    { created: moment, settings: { a: [1] }, price: new Money(5), n: 1 },
  )
  await data.put(1, { created: null })
  assert.equal('created' in (await stored.get(1)).bins, false)
})

test('instances of classes are encoded wherever they are', async () => {
  const [data, stored] = fresh()
  const value = { list: [new Money(1), [new Euro(2)]], map: new Map([['k', new Money(3)]]) }
  await data.put(1, { one: new Money(4), nested: value, at: new URL('http://a.b/') })
  assert.deepEqual(
    { ...(await stored.get(1)).bins },
    { one: 4, nested: { list: [1, [2]], map: { k: 3 } }, at: 'http://a.b/' },
  )
  // What the program passed is not changed.
  assert.ok(value.list[0] instanceof Money)
  await data.add(1, { one: wrong(new Money(6)) })
  assert.equal((await stored.get(1)).bins['one'], 10)
  await assert.rejects(stored.put(1, { one: new Money(4) }), /cannot store a value of type Money/)
})

test('every verb that writes or reads whole bins uses forms', async () => {
  const [data, stored] = fresh()
  await data.putMany([
    [1, { price: new Money(1) }],
    [2, { price: new Money(2) }],
  ])
  const many = await data.getMany([1, 3, 2])
  assert.deepEqual([many[0]?.bins['price'], many[1]], [new Money(1), null])
  const batch = await data.batch([
    new Write(3, { price: new Money(3), list: [new Money(9)] }),
    new Read(2),
    new Read(1, { ops: [op.get('price')] }),
  ])
  assert.deepEqual(batch[1]?.bins['price'], new Money(2))
  assert.deepEqual(batch[2]?.results, [new Money(1)])
  assert.deepEqual({ ...(await stored.get(3)).bins }, { price: 3, list: [9] })
  const values: unknown[] = []
  for await (const record of data.query()) values.push(record.bins['price'])
  assert.equal(values.length, 3)
  assert.ok(values.every((price) => price instanceof Money))
  const record = await data.operate(1, [
    op.put('created', forms.encode('created', moment) as bigint),
    op.get('created'),
    op.get('price'),
  ])
  assert.deepEqual(record.results, [null, moment, new Money(1)])
  assert.deepEqual(record.bins['created'], moment)
  const each = await data.operateMany([1], [op.get('price')])
  assert.deepEqual(each[0]?.results, [new Money(1)])
  const rows = data.query({ operations: [op.get('price')] })
  for await (const { results } of rows) assert.ok(results[0] instanceof Money)
})

test('a client and its transactions use the codec, with full keys', async () => {
  const [data, stored] = fresh()
  const key = data.key(1)
  await client.put(key, { price: wrong(new Money(7)) })
  assert.deepEqual((await client.get(key)).bins['price'], new Money(7))
  assert.deepEqual((await client.getMany([key]))[0]?.bins['price'], new Money(7))
  assert.equal((await stored.get(1)).bins['price'], 7)
  const records = client.query('test', data.set)
  for await (const { bins } of records) assert.deepEqual(bins['price'], new Money(7))
  const txn = client.transaction()
  const error = await failure(txn.dataset<Any>('test', 'x').put(1, { created: 5 }))
  assert.equal(error.bin, 'created')
  await failure(client.within(txn).put(key, { created: 5 }))
  await txn.abort()
})

test('a bin of which an operation returns a part is plain in that call', async () => {
  const listed = client.dataset<Any>('test', `codecs${sets++}`, {
    codec: { bins: { l: { encode: (it: unknown[]) => it, decode: (it) => new Set(it) } } },
  })
  await listed.put(1, { l: [1, 2] })
  assert.deepEqual((await listed.get(1)).bins['l'], new Set([1, 2]))
  const record = await listed.operate(1, [op.list.size('l'), op.get('l')])
  assert.deepEqual(record.results, [2, [1, 2]])
})

test('what a codec cannot convert has bin, key and cause, and nothing is sent', async () => {
  const [data, stored] = fresh()
  const error = await failure(data.put('a', { created: 'yesterday' }))
  assert.match(
    error.message,
    /^Key\(test, codecs\d+, 'a'\): bin 'created': the codec cannot encode/,
  )
  assert.match(error.message, /timestamp takes a Date, not string/)
  assert.deepEqual([error.bin, error.key?.key], ['created', 'a'])
  assert.ok(error.cause instanceof TypeError)
  assert.equal(await stored.exists('a'), false)
  const row = await failure(
    data.putMany([
      [1, { n: 1 }],
      [2, { created: 5 }],
    ]),
  )
  assert.match(row.message, /^row 1: Key\(test, codecs\d+, 2\)/)
  assert.equal(await stored.exists(1), false)
  const nothing = client.dataset<Any>('test', 'x', {
    codec: { bins: { b: { encode: () => null, decode: () => 1 } } },
  })
  assert.match((await failure(nothing.put(1, { b: 1 }))).message, /would remove the bin/)
  const again = client.dataset<Any>('test', 'x', {
    codec: { types: [[Money, (money: Money) => new Money(money.cents)]] },
  })
  assert.match((await failure(again.put(1, { b: [new Money(1)] }))).message, /encode again/)
  await stored.put('b', { created: 'x', n: 1 })
  const read = await failure(data.get('b'))
  assert.match(read.message, /Key\(.*'b'\): bin 'created': the codec cannot decode a string/)
  const batch = await data.getMany(['b', 'none'])
  assert.equal(batch[1], null)
  assert.throws(() => batch[0], ConversionError)
  await failure(data.query().next())
})

test('a dataset adds forms to those of its client, and has a schema', async () => {
  const set = `codecs${sets++}`
  const data = client.dataset('test', set, {
    schema: z.object({ created: z.date(), at: z.instanceof(URL) }),
    codec: { bins: { at: codec.text((text) => new URL(text)) } },
  })
  await data.put(1, { created: moment, at: new URL('http://a.b/') })
  const { value } = await data.get(1)
  assert.equal(value.at.host, 'a.b')
  assert.equal(value.created.getTime(), moment.getTime())
  assert.deepEqual(
    { ...(await plain.dataset('test', set).get(1)).bins },
    { created: moment.getTime(), at: 'http://a.b/' },
  )
})

test('timestamps and ISO texts keep their moments', () => {
  const old = new Date('1969-12-31T23:59:59.999Z')
  for (const [unit, stored] of [
    ['us', -1000n],
    ['ms', -1n],
    ['s', -1n],
  ] as const) {
    assert.equal(codec.timestamp(unit).encode(old), stored)
  }
  assert.deepEqual(codec.timestamp('ms').decode(-1 as never), old)
  assert.deepEqual(codec.timestamp().decode(-1n as never), old)
  assert.deepEqual(codec.iso().decode(codec.iso().encode(old) as never), old)
  assert.throws(() => codec.timestamp(wrong('h')), RangeError)
  assert.throws(() => codec.timestamp('s').encode(new Date(Number.NaN)), RangeError)
  assert.throws(() => codec.timestamp('s').decode(1.5 as never), TypeError)
  assert.throws(() => codec.iso().decode('x' as never), TypeError)
  assert.throws(() => codec.json().encode(undefined), TypeError)
  assert.throws(() => codec.json().encode([Number.NaN]), RangeError)
  assert.throws(() => codec.text(wrong(5)), TypeError)
})

test('a codec says what is wrong with it', async () => {
  const make = (options: unknown) => () => new codec.Codec(wrong(options))
  assert.throws(make({ typs: [] }), /a codec has types and bins, but no typs/)
  assert.throws(make({ types: 5 }), /types must be a Map/)
  assert.throws(make({ types: [['x', String]] }), /types must have classes as keys, not string/)
  assert.throws(make({ types: [[Map, String]] }), /Map is stored without a codec/)
  assert.throws(make({ types: [[Money, 5]] }), /that of Money must be a function, not number/)
  assert.throws(make({ bins: { a: 5 } }), /that of a must be a Form, not number/)
  assert.throws(make({ bins: { a: { encode: String } } }), /decode must be a function/)
  await assert.rejects(Client.connect(cluster.seeds, { codec: wrong(5) }), /codec must be a Codec/)
  assert.equal(forms.decode('created', null), null)
  assert.equal(forms.encode('other', 5), 5)
  assert.ok(Object.isFrozen(forms) && forms.types.size === 2)
})
