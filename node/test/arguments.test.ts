/**
 * Mistakes of those who come from other clients: callbacks that are none, `new` instead of
 * `connect`, options as positional arguments. Errors and objects that are printed say what they are.
 */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { Client, Dataset, Job, Key, op, type SpikewireError } from 'spikewire'
import { Bound, connect, Prepared, Session } from 'spikewire/cql'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE } from './support/programs.js'

let cluster: Cluster
let client: Client
let data: Dataset

before(async () => {
  cluster = await Cluster.start()
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
  data = client.dataset('test', 'arguments')
})

after(async () => {
  await client.close()
  await cluster.close()
})

const requests = () => cluster.stats(0).requests

/** Everything with a callback, with the callback as its last argument. */
const CALLS: [name: string, call: (callback: never) => unknown][] = [
  ['get', (callback) => data.get('k', {}, callback)],
  ['get with a default', (callback) => data.get('k', { default: 1 } as never, callback)],
  ['put', (callback) => data.put('k', { a: 1 }, {}, callback)],
  ['add', (callback) => data.add('k', { a: 1 }, {}, callback)],
  ['exists', (callback) => data.exists('k', {}, callback)],
  ['delete', (callback) => data.delete('k', {}, callback)],
  ['touch', (callback) => data.touch('k', {}, callback)],
  ['operate', (callback) => data.operate('k', [op.add('a', 1)], {}, callback)],
  ['apply', (callback) => data.apply('k', 'm', 'f', [], {}, callback)],
  ['getMany', (callback) => data.getMany(['k'], {}, callback)],
  ['getColumns', (callback) => data.getColumns(['k'], {}, callback)],
  ['getArrow', (callback) => data.getArrow(['k'], {}, callback)],
  ['putMany', (callback) => data.putMany([['k', { a: 1 }]], {}, callback)],
  ['batch', (callback) => data.batch([], {}, callback)],
  ['operateAll', (callback) => data.operateAll([op.add('a', 1)], {}, callback)],
  ['aggregate', (callback) => data.query().aggregate('m', 'f', [], callback)],
  ['info', (callback) => client.info('build', {}, callback)],
  ['truncate', (callback) => client.truncate('test', 'none', {}, callback)],
  ['register', (callback) => client.modules.register('m.lua', { source: '' }, callback)],
  ['connect', (callback) => Client.connect(cluster.seeds, {}, callback)],
  ['cql connect', (callback) => connect('127.0.0.1:1', {}, callback)],
  ['Session.connect', (callback) => Session.connect('127.0.0.1:1', {}, callback)],
]

/**
 * A callback that is no function was found out when the reply came, and that ended the process. It
 * is thrown at once instead, and nothing is sent.
 */
test('a callback that is not a function is rejected at once', async () => {
  const before = requests()
  for (const [name, call] of CALLS) {
    for (const [wrong, kind] of [
      [{}, 'an object'],
      [5, 'number'],
      ['f', 'string'],
      [false, 'boolean'],
    ] as const) {
      const message = `callback must be a function, not ${kind}: leave it out to get a promise`
      assert.throws(() => call(wrong as never), { name: 'TypeError', message }, name)
    }
  }
  assert.equal(requests(), before)
})

test('null and undefined are no callback', async () => {
  await data.put('k', { a: 1 })
  for (const none of [null, undefined] as never[]) {
    for (const [name, call] of CALLS) {
      const outcome = call(none)
      assert.ok(outcome instanceof Promise, name)
      // Some of them fail, as they would without.
      const value: unknown = await outcome.catch(() => undefined)
      if (value instanceof Client) await value.close()
    }
  }
})

test('constructors of other clients name the replacement', () => {
  const make = (kind: unknown, ...args: unknown[]) =>
    new (kind as new (...args: unknown[]) => unknown)(...args)
  const awaited = /a client comes from `await Client.connect\(seeds, options\)`/
  assert.throws(() => make(Client, cluster.seeds), { name: 'TypeError', message: awaited })
  assert.throws(() => make(Client), awaited)
  assert.throws(() => make(Dataset, 'test', 's'), /a dataset from `client.dataset/)
  assert.throws(() => make(Cluster, { nodes: 3 }), /a cluster comes from `await Cluster.start/)
  assert.throws(() => make(Session, '127.0.0.1'), /a session comes from `await connect/)
})

/** They were registered to be released once forgotten, under a number that is none. */
test('an invalid object is collected without an error', async () => {
  for (const kind of [Job, Prepared, Bound] as (new (
    ...none: unknown[]
  ) => unknown)[]) {
    assert.throws(() => new kind(), TypeError)
  }
  const source = `
    const { Job } = require('spikewire'), { Bound, Prepared } = require('spikewire/cql')
    for (const kind of [Job, Prepared, Bound]) {
      try { new kind() } catch (error) { if (!(error instanceof TypeError)) throw error }
    }
    gc()
    setImmediate(() => console.log('still here'))`
  const program = ['--expose-gc', '--input-type=commonjs', '-e', source]
  if (!process.versions['bun'] && !process.versions['deno']) {
    assert.equal(await output(process.execPath, program, { cwd: PACKAGE }), 'still here\n')
  }
})

test('invalid keys and options are named, with the replacement', async () => {
  const alone = /a key must be .*, not an array of one: pass the key alone, or several to getMany/
  await assert.rejects(data.get(['alice'] as never), { name: 'TypeError', message: alone })
  await assert.rejects(data.get(['a', 'b'] as never), /a key must be .*, not Array/)
  await assert.rejects(data.get(undefined as never), /a key must be .*, not undefined/)
  await assert.rejects(data.get({ id: 1 } as never), /a key must be .*, not Object/)
  assert.throws(() => Key.fromDigest('test', 's', 'abc' as never), /a digest must be a Buffer/)
  const bins = /options must be an object, not an array: for bins, write \{ bins: \['name'\] \}/
  await assert.rejects(data.get('k', ['a'] as never), bins)
  await assert.rejects(data.getMany(['k'], ['a'] as never), bins)
  await assert.rejects(data.touch('k', ['a'] as never), /options must be an object, not an array$/)
  await assert.rejects(data.get('k', 5 as never), /options must be an object, not/)
})

test('errors and objects print their subject', async () => {
  const failed = (await data.get('nobody').catch((error: unknown) => error)) as SpikewireError
  assert.deepEqual(JSON.parse(JSON.stringify(failed)).key, {
    namespace: 'test',
    set: 'arguments',
    key: 'nobody',
  })
  // As an uncaught error is printed.
  const printed = inspect(failed, { customInspect: false })
  assert.match(printed, /Key \{\s+namespace: 'test',\s+set: 'arguments',\s+key: 'nobody'\s+\}/)
  assert.doesNotMatch(printed, /space: \d/)
  const { digest } = new Key('test', null, 1)
  assert.equal(
    JSON.stringify(new Key('test', null, 2n ** 63n - 1n).toJSON().key),
    '"9223372036854775807"',
  )
  const known = Key.fromDigest('test', null, digest)
  assert.equal(known.toJSON().digest, digest.toString('hex'))
  assert.ok(known.equals(new Key('test', null, 1)))
  const { name, address } = client.nodes[0] as { name: string; address: string }
  assert.equal(inspect(client), `Client(${name} ${address})`)
  assert.equal(inspect(data), 'Dataset(test, arguments)')
  const other = await Client.connect(cluster.seeds)
  await other.close()
  assert.equal(inspect(other), 'Client(closed)')
})

test('a time limit of more than an hour warns once, with the unit', async () => {
  const source = `
    const { Client } = require('spikewire'), { Cluster } = require('spikewire/testing')
    process.on('warning', ({ message }) => console.log('warned:', message))
    void (async () => {
      const cluster = await Cluster.start()
      const client = await Client.connect(cluster.seeds, { timeout: 3_600_000 })
      const data = client.dataset('test', 's')
      for (let at = 0; at < 3; at++) await data.put(1, { a: 1 }, { timeout: 3_600_001 })
      await client.close()
      await cluster.close()
    })()`
  const program = ['--no-warnings', '--input-type=commonjs', '-e', source]
  const printed = await output(process.execPath, program, { cwd: PACKAGE })
  const warning =
    'warned: timeout: 3600001 is more than an hour: it is in milliseconds, and 0 means no limit'
  assert.equal(printed.trim(), warning)
})
