/** Info, secondary indexes, modules, truncation. */

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Client, ctx, exp } from 'spikewire'
import { Cluster } from 'spikewire/testing'

const LUA = 'function visit(rec, by)\n  return by + 1\nend\n'

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 3, namespaces: ['test', 'other'] })
  client = await Client.connect(cluster.seeds, { timeout: 20_000, connectTimeout: 20_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

/** Turns a call with a callback into a promise. */
function withCallback<T>(
  call: (callback: (error: Error | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let returned = false
    call((error, value) => {
      assert.ok(returned, 'a callback is called after the call has returned')
      if (error) reject(error)
      else resolve(value as T)
    })
    returned = true
  })
}

test('info goes to any node, or the named one', async () => {
  assert.match(await client.info('build'), /^\d+\.\d+\.\d+/)
  for (const { name } of client.nodes) assert.equal(await client.info('node', { node: name }), name)
  assert.equal(
    await withCallback<string>((callback) => client.info('namespaces', callback)),
    'test;other',
  )
  assert.match(await withCallback<string>((callback) => client.info('node', {}, callback)), /^BB9/)
})

test('invalid info commands and errors of nodes are rejected', async () => {
  await assert.rejects(client.info('a\nb'), /^RangeError: .*line break/)
  await assert.rejects(client.info(3 as never), /^TypeError: command must be a string, not number/)
  await assert.rejects(client.info('build', { node: 'BB0' }), /^RangeError: no node "BB0"/)
  await assert.rejects(client.info('build', { nodes: 'a' } as object), /unknown option nodes/)
  await assert.rejects(client.info('sindex-list:namespace=none'), {
    name: 'NamespaceNotFound',
  })
})

test('an index is created, listed, waited for and dropped', async () => {
  const { indexes } = client
  assert.equal(await indexes.create('test', 'users', 'age', 'numeric'), 'users_age')
  assert.equal(await indexes.create('test', 'users', 'age', 'numeric'), 'users_age')
  const tags = { of: 'list', name: 'by_tag', wait: false } as const
  assert.equal(await indexes.create('test', 'users', 'tags', 'string', tags), 'by_tag')
  await indexes.wait('test', 'by_tag')
  assert.deepEqual(await indexes.list('test'), [
    {
      name: 'by_tag',
      namespace: 'test',
      set: 'users',
      bin: 'tags',
      kind: 'string',
      of: 'list',
      ready: true,
    },
    {
      name: 'users_age',
      namespace: 'test',
      set: 'users',
      bin: 'age',
      kind: 'numeric',
      of: 'default',
      ready: true,
    },
  ])
  await indexes.drop('test', 'users', 'by_tag')
  await indexes.drop('test', 'users', 'by_tag')
  await indexes.drop('test', 'users', 'users_age')
  assert.deepEqual(await indexes.list('test'), [])
})

test('an index on a nested value, on an expression, and on a whole namespace', async () => {
  const { indexes } = client
  const path = [ctx.mapKey('home')]
  await indexes.create('test', 'users', 'addresses', 'string', { ctx: path, name: 'nested' })
  const sum = exp.bin('a', 'int').add(exp.bin('b', 'int'))
  await indexes.create('test', 'users', sum, 'numeric', { name: 'sum' })
  await indexes.create('test', null, 'place', 'geo2dsphere')
  const byName = new Map((await indexes.list('test')).map((index) => [index.name, index]))
  assert.equal(byName.get('nested')?.bin, 'addresses')
  assert.equal(byName.get('sum')?.bin, null)
  assert.deepEqual([byName.get('place')?.set, byName.get('place')?.kind], [null, 'geo2dsphere'])
  for (const [name, { set }] of byName) await indexes.drop('test', set, name)
})

test('an index of all records of a set', async () => {
  const { indexes } = client
  assert.equal(await indexes.createOnSet('test', 'users'), 'users_set')
  assert.equal(await indexes.createOnSet('test', 'users', { wait: false }), 'users_set')
  const [listed] = await indexes.list('test')
  assert.deepEqual(
    [listed?.name, listed?.of, listed?.bin, listed?.kind],
    ['users_set', 'set', null, ''],
  )
  await indexes.drop('test', 'users', 'users_set')
  const named = withCallback<string>((callback) =>
    indexes.createOnSet('test', 'users', { name: 'mine' }, callback),
  )
  assert.equal(await named, 'mine')
  await indexes.drop('test', 'users', 'mine')
  await assert.rejects(indexes.createOnSet('tests', 'users'), { name: 'NamespaceNotFound' })
  await assert.rejects(indexes.createOnSet('test', ''), /^RangeError: set must have/)
  await assert.rejects(indexes.createOnSet('test', null as never), /^TypeError: set must be/)
  const unknown = { of: 'list' } as object
  await assert.rejects(indexes.createOnSet('test', 's', unknown), /^TypeError: unknown option of/)
})

test('indexes take callbacks', async () => {
  const { indexes } = client
  const indexName = withCallback<string>((callback) =>
    indexes.create('test', 's', 'a', 'blob', callback),
  )
  assert.equal(await indexName, 's_a')
  await withCallback<void>((callback) => indexes.wait('test', 's_a', { timeout: 5000 }, callback))
  const [index] = await withCallback<{ name: string }[]>((callback) =>
    indexes.list('test', callback),
  )
  assert.equal(index?.name, 's_a')
  await withCallback<void>((callback) => indexes.drop('test', 's', 's_a', callback))
  const failed = withCallback((callback) => indexes.wait('test', 's_a', { timeout: 30 }, callback))
  await assert.rejects(failed, { name: 'Timeout' })
})

const BAD_INDEXES: [args: unknown[], error: RegExp][] = [
  [['tests', 's', 'a', 'numeric'], /^NamespaceNotFound: namespace "tests"/],
  [['te;st', 's', 'a', 'numeric'], /^RangeError: namespace must have/],
  [['test', 's:', 'a', 'numeric'], /^RangeError: set must have/],
  [['test', 's', 'sixteen_letters_', 'numeric'], /^RangeError: bin must have/],
  [['test', 's', 3, 'numeric'], /^TypeError: bin must be the name of a bin or an expression/],
  [['test', 's', {}, 'numeric'], /^TypeError: bin: an expression is/],
  [['test', 's', 'a', 'integer'], /^RangeError: kind must be 'numeric'.*got "integer"/],
  [['test', 's', 'a', undefined], /^TypeError: kind must be a string, not undefined/],
  [['test', 's', 'a', 'numeric', { of: 'set' }], /^RangeError: of must be .*got "set"/],
  [['test', 's', 'a', 'numeric', { names: 'a' }], /^TypeError: unknown option names; there are/],
  [['test', 's', 'a', 'numeric', { wait: 1 }], /^TypeError: wait must be boolean, not number/],
  [['test', 's', 'a', 'numeric', { timeout: -1 }], /^RangeError: timeout must be/],
  [['test', 's', 'a', 'numeric', { ctx: [ctx.listIndex(0)] }], /^RangeError: .*needs a name/],
  [['test', 's', 'a', 'numeric', { ctx: 'a' }], /^TypeError: ctx must be an array of steps/],
  [['test', 's', exp.bin('a', 'int'), 'numeric'], /^RangeError: .*needs a name/],
]

for (const [args, error] of BAD_INDEXES) {
  test(`no index is created of ${args.slice(0, 5).map(String).join(', ')}: ${error.source}`, async () => {
    const { indexes } = client
    await assert.rejects(indexes.create(...(args as Parameters<typeof indexes.create>)), error)
    assert.deepEqual(await indexes.list('test'), [])
  })
}

test('waiting for a missing index ends in time, or with its signal', async () => {
  const began = performance.now()
  await assert.rejects(client.indexes.wait('test', 'none', { timeout: 60 }), {
    name: 'Timeout',
    message: /index none was not ready on every node within 0.06 s/,
  })
  assert.ok(performance.now() - began > 50)

  const controller = new AbortController()
  const waiting = client.indexes.wait('test', 'none', { timeout: 0, signal: controller.signal })
  const reason = new Error('enough')
  await setTimeout(30)
  controller.abort(reason)
  await assert.rejects(waiting, reason)
  // A cancelled wait sends no more requests.
  const infos = () => [0, 1, 2].reduce((sum, node) => sum + cluster.stats(node).infos, 0)
  let before: number
  do {
    before = infos()
    await setTimeout(100)
  } while (infos() > before + 8)
  await assert.rejects(client.info('build', { signal: AbortSignal.abort(reason) }), reason)
  assert.match(await client.info('build'), /^\d/)
})

test('the event loop keeps turning while waiting for an index', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  await assert.rejects(client.indexes.wait('test', 'none', { timeout: 200 }), { name: 'Timeout' })
  clearInterval(timer)
  // A blocked loop makes one turn.
  assert.ok(turns >= 3, `${turns} turns`)
})

test('a module is registered, called, listed, read and removed', async () => {
  const { modules } = client
  await modules.register('counters.lua', { source: LUA })
  assert.equal(await client.dataset('test', 's').apply('a', 'counters', 'visit', [1]), 2)
  const [module, ...others] = await modules.list()
  assert.equal(module?.name, 'counters.lua')
  assert.match(module?.hash ?? '', /^[0-9a-f]{40}$/)
  assert.deepEqual(others, [])
  assert.equal(await modules.source('counters.lua'), LUA)
  await modules.remove('counters.lua')
  await modules.remove('counters.lua')
  assert.deepEqual(await modules.list(), [])
  await assert.rejects(modules.source('counters.lua'), { name: 'ServerError' })
})

test('a module comes from a file, by its path or its URL', async () => {
  const { modules } = client
  const folder = await mkdtemp(join(tmpdir(), 'spikewire-'))
  try {
    const path = join(folder, 'from_file.lua')
    await writeFile(path, LUA)
    await modules.register(path)
    assert.equal(await modules.source('from_file.lua'), LUA)
    await modules.remove('from_file.lua')
    await withCallback<void>((callback) => modules.register(pathToFileURL(path), callback))
    assert.equal(
      await withCallback<string>((callback) => modules.source('from_file.lua', callback)),
      LUA,
    )
    await withCallback<void>((callback) => modules.remove('from_file.lua', callback))
    assert.deepEqual(await withCallback((callback) => modules.list(callback)), [])
    await assert.rejects(modules.register(join(folder, 'none.lua')), { code: 'ENOENT' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

const BAD_MODULES: [args: unknown[], error: RegExp][] = [
  [[3], /^TypeError: file must be a string/],
  [['counters', { source: LUA }], /^RangeError: a module is named like a file/],
  [['a;b.lua', { source: LUA }], /^RangeError: a module is named like a file/],
  [['a.lua', { source: '' }], /^RangeError: source must have from 1/],
  [['a.lua', { source: 3 }], /^TypeError: source must be a string, not number/],
  [['a.lua', { source: 'function f(' }], /^FunctionFailed: a.lua:1: /],
  [['a.lua', { text: LUA }], /^TypeError: unknown option text/],
  [['a.lua', { source: LUA, timeout: 'x' }], /^TypeError: timeout must be milliseconds/],
]

for (const [args, error] of BAD_MODULES) {
  test(`no module is registered of ${JSON.stringify(args)}`, async () => {
    const { modules } = client
    await assert.rejects(modules.register(...(args as Parameters<typeof modules.register>)), error)
    assert.deepEqual(await modules.list(), [])
  })
}

test('truncate deletes a set, a namespace, or old records', async () => {
  const [left, gone] = [client.dataset('test', 'left'), client.dataset('test', 'gone')]
  const elsewhere = client.dataset('other', 'gone')
  for (const one of [left, gone, elsewhere]) await one.put('a', { n: 1 })
  await client.truncate('test', 'gone')
  assert.deepEqual([await gone.exists('a'), await left.exists('a')], [false, true])

  await setTimeout(20)
  const middle = new Date()
  await setTimeout(20)
  await left.put('new', { n: 1 })
  await client.truncate('test', 'left', { before: middle })
  assert.deepEqual([await left.exists('a'), await left.exists('new')], [false, true])

  await withCallback<void>((callback) => client.truncate('test', null, callback))
  assert.equal(await left.exists('new'), false)
  assert.equal(await elsewhere.exists('a'), true)
})

const BAD_TRUNCATIONS: [args: unknown[], error: RegExp][] = [
  [['tests', 's'], /^NamespaceNotFound: namespace "tests"/],
  [['test'], /^TypeError: set must be a string, or null for all sets/],
  [['test', ''], /^RangeError: set must have/],
  [['te st:', null], /^RangeError: namespace must have/],
  [['test', null, { before: 3 }], /^TypeError: before must be a Date, not number/],
  [['test', null, { before: new Date(Number.NaN) }], /^RangeError: before must be/],
  [['test', null, { before: new Date(0) }], /^RangeError: before must be/],
  [['test', null, { before: new Date(Date.now() + 60_000) }], /^RangeError: before must be/],
]

for (const [args, error] of BAD_TRUNCATIONS) {
  test(`truncate rejects ${args.map(String).join(', ')} ${error.source}`, async () => {
    const set = client.dataset('test', 's')
    await set.put('stays', { n: 1 })
    await assert.rejects(client.truncate(...(args as Parameters<Client['truncate']>)), error)
    assert.equal(await set.exists('stays'), true)
  })
}

test('a closed client rejects administrative commands, and closing ends pending ones', async () => {
  const own = await Client.connect(cluster.seeds)
  const { indexes, modules } = own
  const waiting = indexes.wait('test', 'none', { timeout: 0 })
  const closed = { name: 'ClientClosed' }
  const failed = assert.rejects(waiting, closed)
  await own.close()
  await failed
  await assert.rejects(own.info('build'), closed)
  await assert.rejects(indexes.list('test'), closed)
  await assert.rejects(modules.list(), closed)
  await assert.rejects(own.truncate('test', null), closed)
})
