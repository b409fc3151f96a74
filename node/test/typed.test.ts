/** Datasets with a schema: writes are checked, reads have a value, and bins are those of the schema. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type } from 'arktype'
import {
  Client,
  ConversionError,
  type Dataset,
  type Late,
  op,
  Read,
  Record,
  type RecordSchema,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

// biome-ignore lint/suspicious/noExplicitAny: it stands for what plain JavaScript may pass
const wrong = (value: unknown): any => value
const fresh = () => `typed${sets++}`

/** The fields that have a value; those of a class without one are undefined. */
const present = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

interface Person {
  name: string
  age: number
  tags?: string[] | undefined
  town?: string | null | undefined
}

const Zod = z.object({
  name: z.string(),
  age: z.number().int().min(0),
  tags: z.array(z.string()).optional(),
  town: z.string().nullable().optional(),
})
const Zod3 = z3.object({
  name: z3.string(),
  age: z3.number().int().min(0),
  tags: z3.array(z3.string()).optional(),
  town: z3.string().nullable().optional(),
})
const Arktype = type({
  name: 'string',
  age: 'number.integer >= 0',
  'tags?': 'string[]',
  'town?': 'string | null',
})
const Valibot = v.object({
  name: v.string(),
  age: v.pipe(v.number(), v.integer(), v.minValue(0)),
  tags: v.optional(v.array(v.string())),
  town: v.optional(v.nullable(v.string())),
})
const Box = Type.Object({
  name: Type.String(),
  age: Type.Integer({ minimum: 0 }),
  tags: Type.Optional(Type.Array(Type.String())),
  town: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
class Class {
  static schema = Zod
  name = ''
  age = 0
  tags?: string[]
  town?: string | null
  get label(): string {
    return `${this.name} (${this.age})`
  }
}

type People = Dataset<Person, Person>
const KINDS: [string, (set: string) => People][] = [
  ['zod', (set) => client.dataset('test', set, { schema: Zod })],
  ['zod 3', (set) => client.dataset('test', set, { schema: Zod3 })],
  ['arktype', (set) => client.dataset('test', set, { schema: Arktype }) as unknown as People],
  ['valibot', (set) => client.dataset('test', set, { schema: Valibot })],
  ['TypeBox', (set) => client.dataset('test', set, { schema: Box })],
  [
    'TypeBox, compiled',
    (set) => client.dataset('test', set, { schema: TypeCompiler.Compile(Box) }),
  ],
  ['class', (set) => client.dataset('test', set, { schema: Class }) as unknown as People],
]

/** The error of a promise. */
async function failure(promise: Promise<unknown>): Promise<ConversionError> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof ConversionError, String(error))
    assert.ok(error instanceof TypeError)
    assert.equal(error.name, 'ConversionError')
    return error
  }
  throw assert.fail('nothing was thrown')
}

for (const [kind, open] of KINDS) {
  test(`${kind}: records are written, and read with their value`, async () => {
    const set = fresh()
    const people = open(set)
    await people.put('alice', { name: 'Alice', age: 42, tags: ['a'] })
    await client.dataset('test', set).put('alice', { other: 1 })
    const record = await people.get('alice')
    const fields: Person = record.value
    assert.equal(fields.age + 1, 43)
    // Bins that the schema does not know are not read.
    const bins = { name: 'Alice', age: 42, tags: ['a'] }
    assert.deepEqual({ ...record.bins }, bins)
    assert.deepEqual(present(fields), bins)
    assert.equal(record.value, fields)
    assert.equal(record.generation, 2)
    assert.equal(record.key.key, 'alice')
    assert.ok(record instanceof Record)
    assert.equal(await people.get('bob', { default: 5 }), 5)
    const some = await people.get('alice', { bins: ['name', 'age'] })
    assert.deepEqual(present(some.value), { name: 'Alice', age: 42 })
  })

  test(`${kind}: nothing is sent when a write does not fit`, async () => {
    const people = open(fresh())
    const key = /^Key\(test, typed\d+, 'alice'\): bin 'age'(| of Class): ./
    for (const bins of [
      { name: 'A', age: 'x' },
      { name: 'A', age: 1.5 },
      { name: 'A', age: -1 },
    ]) {
      const error = await failure(people.put('alice', wrong(bins)))
      assert.match(error.message, key)
      assert.equal(error.bin, 'age')
      assert.equal(error.key?.key, 'alice')
      assert.deepEqual(error.issues[0]?.path, ['age'])
    }
    const inner = await failure(people.put('alice', wrong({ name: 'A', age: 1, tags: ['x', 5] })))
    assert.match(inner.message, /bin 'tags'(| of Class), at \['?1'?\]: ./)
    const unknown = await failure(people.put('alice', wrong({ name: 'A', age: 1, agee: 1 })))
    assert.match(
      unknown.message,
      /'agee'.*there is no such bin; there are: (name, age|age, name), tags, town$/,
    )
    const missing = await failure(people.put('alice', wrong({ name: 'A' })))
    assert.match(missing.message, /'age'.*only a write with exists: 'update' may leave it out/)
    assert.equal(await people.exists('alice'), false)
    for (const value of [null, 5, 'x', [1]]) {
      await assert.rejects(people.put('alice', wrong(value)), /bins must be an object/)
    }
    await failure(people.add('alice', { agee: 1 }))
    await failure(people.append('alice', { nam: 'x' }))
    await failure(people.prepend('alice', { nam: 'x' }))
    assert.equal(await people.exists('alice'), false)
  })

  test(`${kind}: a write that creates nothing may leave bins out`, async () => {
    const people = open(fresh())
    await people.put('alice', { name: 'Alice', age: 42, tags: ['a'], town: 'Ulm' })
    await people.put('alice', { age: 43 }, { exists: 'update' })
    await people.add('alice', { age: 1 })
    assert.deepEqual({ ...(await people.get('alice')).value }.age, 44)
    const error = await failure(people.put('alice', { age: -5 }, { exists: 'update' }))
    assert.equal(error.bin, 'age')
    // null removes a bin that need not be there, and undefined leaves it as it is.
    await people.put('alice', wrong({ tags: null, town: null }), { exists: 'update' })
    assert.deepEqual({ ...(await people.get('alice')).bins }, { name: 'Alice', age: 44 })
    await people.put('alice', { age: 1, name: 'A', town: undefined })
    await failure(people.put('alice', wrong({ name: null }), { exists: 'update' }))
  })

  test(`${kind}: a record that does not fit can be read all the same`, async () => {
    const set = fresh()
    const people = open(set)
    await client.dataset('test', set).put('bob', { name: 'Bob', age: 'many' })
    const record = await people.get('bob')
    assert.deepEqual({ ...record.bins }, { name: 'Bob', age: 'many' })
    assert.throws(
      () => record.value,
      (error) =>
        error instanceof ConversionError &&
        error.bin === 'age' &&
        error.key?.key === 'bob' &&
        /^Key\(test, typed\d+, 'bob'\): bin 'age'/.test(error.message),
    )
  })

  test(`${kind}: many records, queries, batches and operations`, async () => {
    const people = open(fresh())
    const rows = Array.from({ length: 20 }, (_, n): [number, Person] => [
      n,
      { name: `n${n}`, age: n },
    ])
    assert.equal((await people.putMany(rows)).raiseForErrors().found, 20)
    const wrongRows = [...rows.slice(0, 3), [3, { name: 'x', age: 'y' }]]
    const error = await failure(people.putMany(wrong(wrongRows)))
    assert.match(error.message, /^row 3: Key\(test, typed\d+, 3\): bin 'age'/)
    const batch = await people.getMany([3, 99, 4])
    assert.deepEqual([batch[0]?.value.age, batch[1], batch[2]?.value.name], [3, null, 'n4'])
    assert.equal(batch.toMap().get(4)?.value.age, 4)
    const ages: number[] = []
    for await (const record of people.query()) ages.push(record.value.age)
    assert.deepEqual(
      ages.sort((a, b) => a - b),
      rows.map(([n]) => n),
    )
    const page = await people.query({ pageSize: 50 }).page()
    assert.equal(page.records[0]?.value.name[0], 'n')
    const operated = await people.operate(5, [op.add('age', 1), op.get('age'), op.get('name')])
    assert.deepEqual(present(operated.value), { age: 6, name: 'n5' })
    assert.deepEqual(operated.results, [null, 6, 'n5'])
    const mixed = await people.batch([
      new Read(1),
      new Write(50, { name: 'new', age: 1 }),
      new Read(2, { ops: [op.get('age'), op.get('name')] }),
      new Write(1, { age: 7 }, { exists: 'update' }),
    ])
    mixed.raiseForErrors()
    assert.deepEqual([mixed[0]?.value.age, mixed[2]?.value.age], [1, 2])
    const row = await failure(people.batch([new Read(1), new Write(2, { name: 'x' })]))
    assert.match(row.message, /^row 1: /)
    assert.equal((await people.existsMany([1, 50])).found, 2)
    const every = await people.operateMany([1, 2], [op.get('age'), op.get('name')])
    assert.deepEqual([every[0]?.value.age, every[1]?.value.name], [7, 'n2'])
    const late: Late | Record<Person> | null | undefined = (
      await people.getMany([1], { deadline: 20_000 })
    )[0]
    assert.ok(late instanceof Record && late.value.age === 7)
  })
}

test('a class makes instances', async () => {
  const people = client.dataset('test', fresh(), { schema: Class })
  await people.put('alice', Object.assign(new Class(), { name: 'Alice', age: 42 }))
  const { value } = await people.get('alice')
  assert.ok(value instanceof Class)
  assert.equal(value.label, 'Alice (42)')
})

test('a class without a schema is checked by its defaults, and has them', async () => {
  class Place {
    town = ''
    people = 0
    twins: string[] = []
    mayor: string | null = null
  }
  const set = fresh()
  const places = client.dataset('test', set, { schema: Place })
  await places.put('ulm', Object.assign(new Place(), { town: 'Ulm', mayor: 'M' }))
  await places.put('ulm', { twins: ['Neu-Ulm'] })
  const { value } = await places.get('ulm')
  assert.ok(value instanceof Place)
  assert.deepEqual({ ...value }, { town: 'Ulm', people: 0, twins: ['Neu-Ulm'], mayor: 'M' })
  // An instance is written whole.
  await places.put('ulm', Object.assign(new Place(), { town: 'Ulm' }))
  assert.deepEqual(
    { ...(await client.dataset('test', set).get('ulm')).bins },
    { town: 'Ulm', people: 0, twins: [] },
  )
  await assert.rejects(places.put('ulm', wrong({ people: 'x' })), {
    message: /bin 'people' of Place: must be number, not string/,
  })
  await assert.rejects(places.put('ulm', wrong({ twons: [] })), /Place: there is no such bin/)
})

test('a class can make its instances and take them apart', async () => {
  class Point {
    #x: number
    constructor(position: { x: number }) {
      this.#x = position.x
    }
    get x(): number {
      return this.#x
    }
    static fromBins(bins: { [bin: string]: unknown }): Point {
      return new Point({ x: bins['x'] as number })
    }
    toBins(): object {
      return { x: this.#x }
    }
  }
  const points = client.dataset('test', fresh(), { schema: Point })
  await points.put(1, new Point({ x: 5 }))
  assert.equal((await points.get(1)).value.x, 5)
})

test('defaults and transformations of a schema apply, and null is a missing bin', async () => {
  const schema = z.object({
    name: z.string().trim(),
    level: z.number().default(3),
    note: z.string().nullable(),
  })
  const set = fresh()
  const data = client.dataset('test', set, { schema })
  await data.put(1, { name: ' a ', note: null })
  assert.deepEqual({ ...(await client.dataset('test', set).get(1)).bins }, { name: 'a', level: 3 })
  assert.deepEqual((await data.get(1)).value, { name: 'a', level: 3, note: null })
  await client.dataset('test', set).put(1, { level: null })
  assert.deepEqual((await data.get(1)).value, { name: 'a', level: 3, note: null })
})

test('a schema that allows further bins reads all of them', async () => {
  for (const schema of [
    z.looseObject({ a: z.number() }),
    z.object({ a: z.number() }).catchall(z.number()),
    z3.object({ a: z3.number() }).passthrough(),
    type({ a: 'number', '[string]': 'number' }),
    v.looseObject({ a: v.number() }),
    v.objectWithRest({ a: v.number() }, v.number()),
    Type.Object({ a: Type.Number() }, { additionalProperties: Type.Number() }),
  ]) {
    const data = client.dataset('test', fresh(), { schema: schema as RecordSchema })
    await data.put(1, { a: 1, b: 2 })
    assert.deepEqual((await data.get(1)).value, { a: 1, b: 2 })
    await failure(data.put(1, { a: 'x' }))
  }
  const some = client.dataset('test', fresh(), {
    schema: z.looseObject({ a: z.number() }),
    bins: ['a'],
  })
  await some.put(1, { a: 1, b: 2 })
  assert.deepEqual((await some.get(1)).value, { a: 1 })
})

test('any object with the interface is a schema', async () => {
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: 'mine',
      validate: (value: unknown) =>
        (value as { n: number }).n > 0
          ? { value: value as { n: number } }
          : { issues: [{ message: 'too small', path: [{ key: 'n' }] }, { message: 'and wrong' }] },
      types: undefined as { input: { n: number }; output: { n: number } } | undefined,
    },
  }
  const data = client.dataset('test', fresh(), { schema })
  await data.put(1, { n: 1 })
  assert.equal((await data.get(1)).value.n, 1)
  const error = await failure(data.put(1, { n: 0 }))
  assert.match(error.message, /bin 'n': too small; and wrong$/)
  // It does not say which bins there are, so a part cannot be checked alone.
  await failure(data.put(1, {}, { exists: 'update' }))
})

test('schemas that records cannot have are rejected', async () => {
  const open = (schema: unknown) => () => client.dataset('test', 'x', { schema: wrong(schema) })
  assert.throws(open({}), /schema: it must be a Standard Schema, a schema of TypeBox or a class/)
  assert.throws(open(null), /not null/)
  assert.throws(
    open(() => 1),
    /not function/,
  )
  assert.throws(open(z.object({ averylongnameofabin: z.string() })), /at most 15 bytes/)
  class Needs {
    constructor(parts: { x: number }) {
      Object.assign(this, { x: parts.x })
    }
  }
  assert.throws(open(Needs), /Needs cannot be constructed without arguments/)
  const Dated = Type.Object({
    at: Type.Transform(Type.String())
      .Decode((text) => new Date(text))
      .Encode((date) => date.toISOString()),
  })
  assert.throws(open(Dated), /transforms of TypeBox do not apply/)
  const slow = z.object({ a: z.string().refine(async () => true) })
  const data = client.dataset('test', fresh(), { schema: slow })
  await assert.rejects(data.put(1, { a: 'x' }), /asynchronous|Promise/i)
  assert.throws(() => client.dataset('test', 'x', wrong({ shema: 1 })), /unknown option shema/)
  assert.throws(() => client.dataset('test', 'x', wrong({ bins: 'a' })), /bins must be an array/)
  await failure(client.dataset('test', 'x', { schema: Zod }).get(1, { bins: ['nme'] }))
})

test('transactions and callbacks have the schema', async () => {
  const people = client.dataset('test', fresh(), { schema: Zod })
  const called = await new Promise<unknown>((resolve) => {
    people.put('a', wrong({ name: 1, age: 1 }), (error: unknown) => resolve(error))
  })
  assert.ok(called instanceof ConversionError)
  await people.put('a', { name: 'A', age: 1 })
  const age = await new Promise<number | undefined>((resolve) => {
    people.get('a', (_, record) => resolve(record?.value.age))
  })
  assert.equal(age, 1)
  const txn = client.transaction()
  const error = await failure(people.within(txn).put('a', wrong({ name: 1, age: 1 })))
  assert.equal(error.bin, 'name')
  await failure(txn.dataset('test', 'x', { schema: Zod }).put('a', wrong({})))
  await txn.abort()
})
