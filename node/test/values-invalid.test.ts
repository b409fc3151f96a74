/** Invalid values are rejected before a byte is sent, with an error that names the culprit. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import vm from 'node:vm'
import { Client, type Dataset, GeoJSON, HyperLogLog, INFINITY, Key, newer, op } from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let data: Dataset

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  data = client.dataset('test', 'refused')
})

after(async () => {
  await client.close()
  await cluster.close()
})

const requests = () => cluster.stats(0).requests + cluster.stats(1).requests

class Odd {
  field = 1
}

const listInItself: unknown[] = []
listInItself.push(listInItself)
const objectInItself: { [name: string]: unknown } = {}
objectInItself['self'] = objectInItself
const mapInItself = new Map<string, unknown>()
mapInItself.set('self', mapInItself)

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

/** A detached array. */
const detached = new Uint8Array(8)
structuredClone(detached, { transfer: [detached.buffer] })

const sparse = [1, 2, 3]
delete sparse[1]

/** Values that cannot be stored in the bin "a", and the message. */
const VALUES: [name: string, value: unknown, error: typeof Error, pattern: RegExp][] = [
  ['undefined', undefined, TypeError, /bin "a".*undefined/],
  ['a symbol', Symbol('s'), TypeError, /bin "a".*symbol/],
  ['a function', () => 1, TypeError, /bin "a".*function/],
  ['a class', Odd, TypeError, /bin "a".*function/],
  ['an instance of a class', new Odd(), TypeError, /bin "a".*Odd/],
  ['a Date', new Date(), TypeError, /bin "a".*Date/],
  ['a Set', new Set([1]), TypeError, /bin "a".*Set/],
  ['a WeakMap', new WeakMap(), TypeError, /bin "a".*WeakMap/],
  ['a RegExp', /a/, TypeError, /bin "a".*RegExp/],
  ['an Error', new Error('e'), TypeError, /bin "a".*Error/],
  ['a promise', Promise.resolve(1), TypeError, /bin "a".*Promise/],
  ['a boxed number', Object(1), TypeError, /bin "a".*Number/],
  ['a boxed string', Object('s'), TypeError, /bin "a".*String/],
  ['a boxed symbol', Object(Symbol('s')), TypeError, /bin "a".*Symbol/],
  ['floats in an array', new Float64Array(2), TypeError, /bin "a".*Float64Array/],
  ['words in an array', new Uint16Array(2), TypeError, /bin "a".*Uint16Array/],
  ['a DataView', new DataView(new ArrayBuffer(2)), TypeError, /bin "a".*DataView/],
  ['shared memory', new SharedArrayBuffer(2), TypeError, /bin "a".*SharedArrayBuffer/],
  ['memory that was given away', detached.buffer, TypeError, /bin "a".*detached/],
  ['bytes in memory that was given away', detached, TypeError, /bin "a".*detached/],
  ['a Date of another realm', vm.runInNewContext('new Date()'), TypeError, /bin "a".*Date/],
  ['a bigint above 64 bits', 2n ** 63n, RangeError, /bin "a".*64 bits/],
  ['a bigint below 64 bits', -(2n ** 63n) - 1n, RangeError, /bin "a".*64 bits/],
  ['a very large bigint', 10n ** 1000n, RangeError, /bin "a".*64 bits/],
  ['a lone surrogate', 'x\udfff', RangeError, /bin "a".*UTF-8.*surrogate/],
  ['a lone surrogate in a list', ['\ud800x'], RangeError, /bin "a"\[0\].*UTF-8/],
  ['a lone surrogate far behind', `${'é'.repeat(5000)}\ud800`, RangeError, /bin "a".*UTF-8/],
  ['a lone surrogate as a name', { '\ud800': 1 }, RangeError, /bin "a".*UTF-8/],
  ['undefined in a list', [1, [2, undefined]], TypeError, /bin "a"\[1\]\[1\].*undefined/],
  ['a hole in a list', sparse, TypeError, /bin "a"\[1\].*undefined/],
  ['undefined in an object', { k: { l: undefined } }, TypeError, /bin "a".*k.*l.*undefined/],
  ['a symbol as a name', { k: 1, [Symbol('s')]: 2 }, TypeError, /bin "a".*symbol/],
  ['an instance in a map', new Map([['k', [new Odd()]]]), TypeError, /bin "a".*k.*\[0\].*Odd/],
  ['a float as a map key', new Map([[1.5, 1]]), TypeError, /bin "a".*1\.5.*number/],
  ['NaN as a map key', new Map([[Number.NaN, 1]]), TypeError, /bin "a".*NaN.*number/],
  ['a boolean as a map key', new Map([[true, 1]]), TypeError, /bin "a".*true.*boolean/],
  ['null as a map key', new Map([[null, 1]]), TypeError, /bin "a".*null/],
  ['a list as a map key', new Map([[[1], 1]]), TypeError, /bin "a".*Array/],
  ['an object as a map key', new Map([[{}, 1]]), TypeError, /bin "a".*Object/],
  ['a huge bigint as a map key', new Map([[2n ** 64n, 1]]), RangeError, /bin "a".*64 bits/],
  ['a bound', INFINITY, TypeError, /bin "a".*INFINITY/],
  ['a bound in a list', [INFINITY], TypeError, /bin "a".*INFINITY/],
  ['deep nesting', deep(500), RangeError, /bin "a".*deeper/],
  ['very deep nesting', deep(100_000), RangeError, /bin "a".*deeper/],
  ['a list in itself', listInItself, RangeError, /bin "a".*cycle/],
  ['an object in itself', objectInItself, RangeError, /bin "a".*cycle/],
  ['a map in itself', mapInItself, RangeError, /bin "a".*cycle/],
]

type Call = () => Promise<unknown>
const put = (bins: unknown, options?: object) => () => data.put(1, bins as object, options)
const get = (key: unknown, options?: object) => () => data.get(key as string, options)
const now = { a: 1 }

/** Calls that are rejected, and the message. */
const CALLS: [name: string, call: Call, error: typeof Error, pattern: RegExp][] = [
  ['key: float', get(1.5), RangeError, /key.*1\.5/],
  ['key: NaN', get(Number.NaN), RangeError, /key.*NaN/],
  ['key: beyond 2^53', get(2 ** 53), RangeError, /key.*bigint/],
  ['key: boolean', get(true), TypeError, /key.*boolean/],
  ['key: undefined', get(undefined), TypeError, /key.*undefined/],
  ['key: null', get(null), TypeError, /key.*null/],
  ['key: symbol', get(Symbol('k')), TypeError, /key.*symbol/],
  ['key: object', get({ a: 1 }), TypeError, /key.*Object/],
  ['key: Date', get(new Date()), TypeError, /key.*Date/],
  ['key: above 64 bits', get(2n ** 63n), RangeError, /key.*64 bits/],
  ['key: below 64 bits', get(-(2n ** 63n) - 1n), RangeError, /key.*64 bits/],
  ['key: lone surrogate', get('\ud800'), RangeError, /key.*UTF-8/],
  ['key: of another set', get(new Key('test', 'other', 1)), RangeError, /does not belong/],
  ['bins: none', put({}), RangeError, /bins.*empty/],
  ['bins: array', put([1]), TypeError, /bins.*array/],
  ['bins: string', put('a'), TypeError, /bins.*string/],
  ['bins: null', put(null), TypeError, /bins.*null/],
  ['bins: undefined', put(undefined), TypeError, /bins.*undefined/],
  ['bins: a promise', put(Promise.resolve({ a: 1 })), TypeError, /bins.*Promise/],
  ['bins: a Date', put(new Date()), TypeError, /bins.*Date/],
  ['bins: a Set', put(new Set(['a'])), TypeError, /bins.*Set/],
  ['bins: a Buffer', put(Buffer.from('a')), TypeError, /bins.*Buffer/],
  ['bin name: 16 characters', put({ ['x'.repeat(16)]: 1 }), RangeError, /x{16}.*15/],
  ['bin name: 16 bytes', put({ ['é'.repeat(8)]: 1 }), RangeError, /16 bytes.*15/],
  ['bin name: NUL', put({ 'a\0b': 1 }), RangeError, /NUL/],
  ['bin name: lone surrogate', put({ '\ud800': 1 }), RangeError, /bin name.*UTF-8/],
  ['bin name: number in a Map', put(new Map([[1, 1]])), TypeError, /bin name.*number/],
  ['option: unknown', put(now, { tll: 1 }), TypeError, /tll/],
  ['options: number', put(now, 3 as never), TypeError, /options.*number/],
  ['ttl: NaN', put(now, { ttl: Number.NaN }), RangeError, /ttl.*NaN/],
  ['ttl: float', put(now, { ttl: 1.5 }), RangeError, /ttl.*1\.5/],
  ['ttl: infinite', put(now, { ttl: Number.POSITIVE_INFINITY }), RangeError, /ttl.*Infinity/],
  ['ttl: zero', put(now, { ttl: 0 }), RangeError, /ttl.*0/],
  ['ttl: negative', put(now, { ttl: -1 }), RangeError, /ttl.*-1/],
  ['ttl: beyond 10 years', put(now, { ttl: 315_360_001 }), RangeError, /ttl.*315360001/],
  ['ttl: boolean', put(now, { ttl: true }), TypeError, /ttl.*boolean/],
  ['ttl: bigint', put(now, { ttl: 60n }), TypeError, /ttl.*bigint/],
  ['ttl: unknown word', put(now, { ttl: 'forever' }), RangeError, /ttl.*forever/],
  ['ttl: invalid Date', put(now, { ttl: new Date(Number.NaN) }), RangeError, /ttl.*Date/],
  ['ttl: past Date', put(now, { ttl: new Date(0) }), RangeError, /ttl.*date/i],
  ['generation: negative', put(now, { generation: -1 }), RangeError, /generation.*-1/],
  ['generation: 17 bits', put(now, { generation: 65_536 }), RangeError, /generation.*65536/],
  ['generation: float', put(now, { generation: 1.5 }), RangeError, /generation.*1\.5/],
  ['generation: boolean', put(now, { generation: true }), TypeError, /generation.*boolean/],
  ['generation: object', put(now, { generation: {} }), TypeError, /generation.*object/i],
  ['generation: newer(-1)', put(now, { generation: newer(-1) }), RangeError, /generation.*-1/],
  ['exists: unknown', put(now, { exists: 'always' }), RangeError, /exists.*always/],
  ['exists: number', put(now, { exists: 1 }), TypeError, /exists.*number/],
  ['durable: number', put(now, { durable: 1 }), TypeError, /durable.*number/],
  ['sendKey: string', put(now, { sendKey: 'yes' }), TypeError, /sendKey.*string/],
  ['timeout: negative', get(1, { timeout: -1 }), RangeError, /timeout.*-1/],
  ['timeout: NaN', get(1, { timeout: Number.NaN }), RangeError, /timeout.*NaN/],
  ['timeout: infinite', get(1, { timeout: Number.POSITIVE_INFINITY }), RangeError, /timeout.*Inf/],
  ['timeout: huge', get(1, { timeout: 1e300 }), RangeError, /timeout/],
  ['timeout: string', get(1, { timeout: '1' }), TypeError, /timeout.*string/],
  ['timeout: bigint', get(1, { timeout: 1n }), TypeError, /timeout.*bigint/],
  ['signal: object', get(1, { signal: {} }), TypeError, /signal/],
  ['readMode: unknown', get(1, { readMode: 'some' }), RangeError, /readMode.*some/],
  ['readTouch: 101', get(1, { readTouch: 101 }), RangeError, /readTouch.*101/],
  ['replica: unknown', get(1, { replica: 'nearest' }), RangeError, /replica.*nearest/],
  ['where: number', get(1, { where: 5 }), TypeError, /where.*number/],
  ['where: not a filter', get(1, { where: '$.a >' }), RangeError, /where/],
  ['bins to read: string', get(1, { bins: 'a' }), TypeError, /bins.*string/],
  ['bins to read: numbers', get(1, { bins: [1] }), TypeError, /bin name.*number/],
  ['bins to read: 16 characters', get(1, { bins: ['y'.repeat(16)] }), RangeError, /y{16}/],
  ['add: string', () => data.add(1, { a: 'x' }), TypeError, /"a".*add/],
  ['add: boolean', () => data.add(1, { a: true }), TypeError, /"a".*add/],
  ['append: number', () => data.append(1, { a: 1 } as never), TypeError, /"a".*append/],
  ['prepend: list', () => data.prepend(1, { a: [] } as never), TypeError, /"a".*prepend/],
  ['append: null', () => data.append(1, { a: null } as never), TypeError, /"a".*append/],
  ['operate: none', () => data.operate(1, []), RangeError, /operations.*empty/],
  ['operate: string', () => data.operate(1, 'get' as never), TypeError, /operations.*string/],
  [
    'operate: other',
    () => data.operate(1, [op.get('a'), 'a'] as never),
    TypeError,
    /\[1\].*string/,
  ],
  ['client: user key', () => client.get('a' as never), TypeError, /take a Key.*string/],
]

for (const [name, value, error, pattern] of VALUES) {
  CALLS.push([`value: ${name}`, put({ a: value }), error, pattern])
}

test('every rejection is an error that names the culprit, and nothing is sent', async (context) => {
  await data.put(1, { a: 0 })
  await settle()
  const before = requests()
  for (const [name, call, error, pattern] of CALLS) {
    await context.test(name, async () => {
      const caught: unknown = await call().then(
        () => undefined,
        (error: unknown) => error,
      )
      assert.ok(caught instanceof Error, 'it was not refused')
      assert.equal(caught.constructor, error, String(caught))
      assert.match(caught.message, pattern)
      assert.ok(caught.message.length < 2000)
    })
  }
  // The client still works, and the record is unchanged.
  const { bins, generation } = await data.get(1)
  assert.deepEqual([bins, generation], [{ a: 0 }, 1])
  await settle()
  assert.equal(requests(), before + 1)
})

/** Nodes count a request once they have answered it. */
async function settle(): Promise<void> {
  for (let last = -1; last !== requests(); ) {
    last = requests()
    await sleep(200)
  }
}

test('a call is rejected with the exception of a getter', async () => {
  const boom = new Error('boom')
  const thrower = {
    get a(): number {
      throw boom
    },
  }
  await assert.rejects(data.put(1, thrower), boom)
  await assert.rejects(data.put(1, { b: [thrower] }), boom)
  await assert.rejects(data.put(1, { b: new Proxy([1], { get: () => thrower.a }) as never }), boom)
})

test('getters that call the client do not disturb the call', async () => {
  const reentrant = (n: number) => ({
    get a(): number {
      void data.put(`inner ${n}`, { x: n, y: 'inner', z: [n] })
      return n
    },
    b: { first: 1, second: [2, 3] },
    c: 'end',
  })
  await data.put('outer', reentrant(1))
  await data.put('nested', { list: [0, reentrant(2), 4], after: 'x' })
  assert.deepEqual((await data.get('outer')).bins, {
    a: 1,
    b: { first: 1, second: [2, 3] },
    c: 'end',
  })
  assert.deepEqual((await data.get('nested')).bins, {
    list: [0, { a: 2, b: { first: 1, second: [2, 3] }, c: 'end' }, 4],
    after: 'x',
  })
  for (const n of [1, 2]) {
    assert.deepEqual((await data.get(`inner ${n}`)).bins, { x: n, y: 'inner', z: [n] })
  }
})

test('values that change while they are read are rejected or stored whole', async () => {
  const shrinking: unknown[] = [1, 2, 3, 4]
  Object.defineProperty(shrinking, 1, {
    enumerable: true,
    get: () => {
      shrinking.length = 2
      return 'got'
    },
  })
  await assert.rejects(data.put(1, { a: shrinking as never }), /TypeError: bin "a"\[2\].*undefined/)
  const bytes = Buffer.from('before')
  const written = data.put('bytes', { a: bytes })
  bytes.fill('x')
  await written
  assert.equal(String((await data.get('bytes')).bins['a']), 'before')
})

test('values of other realms are stored like those of this one', async () => {
  const foreign: unknown = vm.runInNewContext(
    '({ list: [1, { a: 2 }], map: new Map([[1, "x"]]), bytes: new Uint8Array([1, 2]), text: "t" })',
  )
  await data.put('foreign', foreign as object)
  assert.deepEqual((await data.get('foreign')).bins, {
    list: [1, { a: 2 }],
    map: new Map([[1, 'x']]),
    bytes: Buffer.from([1, 2]),
    text: 't',
  })
})

test('special property names are names like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', '0', 'then', 'a b', 'ключ']
  const bins = new Map(names.map((name, at) => [name, { [name]: at }]))
  await data.put('names', bins as never)
  const stored = (await data.get('names')).bins
  assert.deepEqual(Object.keys(stored).sort(), [...names].sort())
  for (const [at, name] of names.entries()) {
    const value = Object.getOwnPropertyDescriptor(stored, name)?.value as object
    assert.deepEqual(Object.entries(value), [[name, at]])
  }
  assert.equal(Object.getPrototypeOf(stored), Object.prototype)
})

test('arguments are validated without a client, too', () => {
  assert.throws(() => new Key('n'.repeat(32), 's', 1), /RangeError: namespace.*31/)
  assert.throws(() => new Key('', 's', 1), /RangeError: namespace.*empty/)
  assert.throws(() => new Key('test', 's'.repeat(64), 1), /RangeError: set.*63/)
  assert.throws(() => new Key('te\0st', 's', 1), /RangeError: namespace/)
  assert.throws(() => new Key('te:st', 's', 1), /RangeError: namespace.*:/)
  assert.equal(new Key('test', 'session:1;a', 1).set, 'session:1;a')
  assert.throws(() => new Key('test', 's', 1.5), /key.*(1\.5|number)/)
  assert.throws(() => new Key('test', 5 as never, 1), /TypeError: set.*number/)
  assert.throws(
    () => Key.fromDigest('test', 's', Buffer.alloc(5)),
    /RangeError: a digest has 20 bytes, not 5/,
  )
  assert.throws(() => Key.fromDigest('test', 's', 'x' as never), /TypeError: .*digest/)
  assert.throws(() => new GeoJSON(5 as never), /TypeError: .*number/)
  assert.throws(() => new HyperLogLog('text' as never), TypeError)
  assert.throws(() => client.dataset('test', 5 as never), /TypeError: set.*number/)
})
