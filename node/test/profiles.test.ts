/** Profiles: options by kind of operation, of a program and of files. */

import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  Apply,
  Client,
  Dataset,
  Delete,
  Key,
  op,
  Profile,
  ProfileError,
  type ProfileOptions,
  Profiles,
  Read,
  RecordExists,
  Timeout,
  Write,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
const folder = mkdtempSync(join(tmpdir(), 'spikewire-profiles-'))

before(async () => {
  cluster = await Cluster.start({ namespaces: ['test', 'other'] })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
})
after(async () => {
  await client.close()
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
})

const ttlOf = async (data: Dataset, key: string | number) => (await data.get(key)).ttl ?? 0

test('the more specific section counts, and a call before any', () => {
  const view = client.withProfile(
    new Profile('p', {
      timeout: 1,
      read: { timeout: 2, replica: 'any', many: { timeout: 3 } },
      write: { timeout: 4, many: { timeout: 5, ttl: 100 }, notRetryable: { timeout: 6 } },
      query: { socketTimeout: 7 },
      job: { timeout: 8 },
    }),
  )
  const used = (verb: string, option: string, ...args: unknown[]) =>
    view.explain(verb, ...args).get(option)
  const values: [string, number][] = [
    ...([
      ['get', 2],
      ['exists', 2],
      ['getMany', 3],
      ['getColumns', 3],
    ] as [string, number][]),
    ...([
      ['put', 4],
      ['delete', 4],
      ['putMany', 5],
      ['add', 6],
    ] as [string, number][]),
    ...([
      ['applyMany', 6],
      ['batch', 1],
      ['deleteAll', 8],
      ['getArrow', 3],
    ] as [string, number][]),
  ]
  for (const [verb, timeout] of values) assert.equal(used(verb, 'timeout')?.value, timeout, verb)
  assert.deepEqual(used('get', 'timeout', undefined, { timeout: 99 }), {
    option: 'timeout',
    value: 99,
    source: 'the call',
  })
  assert.deepEqual(used('query', 'timeout'), { option: 'timeout', value: 0, source: 'the default' })
  assert.equal(used('query', 'socketTimeout')?.value, 7)
  assert.equal(used('putMany', 'ttl')?.source, "profile 'p', write.many.ttl")
  assert.deepEqual(used('put', 'ttl'), { option: 'ttl', value: null, source: 'the default' })
  const key = new Key('test', 'p', 1)
  assert.equal(used('operate', 'timeout', key, [op.get('a')])?.value, 2)
  assert.equal(used('operate', 'timeout', key, [op.put('a', 1)])?.value, 6)
  assert.equal(used('operateMany', 'timeout', [], [op.put('a', 1)])?.value, 6)
  const plain = client.withProfile(new Profile()).explain('get')
  assert.equal(String(plain).split('\n')[0], 'timeout = 20000  (the client)')
  assert.deepEqual(client.explain('get'), plain)
  assert.equal(inspect(plain), String(plain))
})

test('explain rejects what the call would reject', () => {
  const rejects = (message: RegExp, ...args: [string, ...unknown[]]) =>
    assert.throws(() => client.explain(...args), message)
  rejects(/^RangeError: there is no verb 'fetch'; there are: get, /, 'fetch')
  rejects(/^TypeError: get\(\) takes no option 'ttl'; it takes: timeout, /, 'get', 1, { ttl: 1 })
  rejects(/timeout must be milliseconds/, 'get', 1, { timeout: 'soon' })
  rejects(/replica must be/, 'getColumns', [], { replica: 'near' })
  assert.equal(client.explain('delete').get('sendKey')?.source, 'the default')
  assert.equal(client.explain('get').get('ttl'), undefined)
  assert.ok(client.explain('get', 1, { bins: ['a'] }).has('timeout'))
})

const MISTAKES: [object, string][] = [
  [{ timeout: 'soon' }, 'p.timeout: timeout must be milliseconds as a number'],
  [{ speed: 1 }, "p.speed: there is no option or section 'speed' here; options: "],
  [{ where: '$.a > 1' }, 'p.where: there is no option'],
  [{ read: 1 }, 'p.read: it must be a section of options, not number'],
  [{ read: { ttl: 1 } }, "p.read.ttl: there is no option or section 'ttl' here; options: "],
  [{ read: { retryable: {} } }, 'p.read.retryable: there is no option'],
  [{ read: { point: { replica: 'near' } } }, 'p.read.point.replica: replica must be'],
  [{ write: { ttl: 0 } }, 'p.write.ttl: ttl must be'],
  [{ write: { exists: 'sometimes' } }, 'p.write.exists: '],
  [{ sendKey: 'yes' }, 'p.sendKey: sendKey must be boolean, not string'],
  [{ write: { durable: null } }, 'p.write.durable: durable must be boolean, not null'],
  [{ query: { pageSize: 0 } }, 'p.query.pageSize: pageSize must be'],
  [{ job: { recordsPerSecond: 0 } }, 'p.job.recordsPerSecond: '],
  [{ batch: { pageSize: 1 } }, 'p.batch.pageSize: there is no option'],
  [{ buffers: true }, 'p.buffers: buffers is an option of Python'],
  [{ send_key: true }, "p.send_key: there is no option or section 'send_key' here"],
]

test('a mistake names section and option', () => {
  for (const [options, text] of MISTAKES) {
    assert.throws(
      () => new Profile('p', options as ProfileOptions),
      (error: ProfileError) => {
        assert.ok(error instanceof ProfileError && error instanceof RangeError)
        assert.ok(error.message.startsWith(text), error.message)
        assert.equal(error.key, text.split(':')[0])
        return error.file === null && error.line === null
      },
    )
  }
  assert.throws(() => new Profile({ timeout: 1 } as never), /a profile's name must be a string/)
  assert.throws(() => client.withProfile({} as never), /^TypeError: profile must be a Profile/)
})

test('a derived profile adds or overrides options', () => {
  const base = new Profile('base', { timeout: 1, write: { ttl: 60 } })
  const derived = base.derive('derived', { write: { ttl: 90, sendKey: true } })
  assert.deepEqual(derived.options, { timeout: 1, 'write.ttl': 90, 'write.sendKey': true })
  assert.deepEqual(base.options, { timeout: 1, 'write.ttl': 60 })
  const put = client.withProfile(derived).explain('put')
  assert.equal(put.get('timeout')?.source, "profile 'base', timeout")
  assert.equal(put.get('ttl')?.source, "profile 'derived', write.ttl")
  const own = client.withProfile(base.derive('own', { timeout: null })).explain('get')
  assert.deepEqual(own.get('timeout'), { option: 'timeout', value: 20_000, source: 'the client' })
  assert.match(inspect(derived), /^Profile\(derived; timeout: 1, write.ttl: 90/)
})

test('calls have the options', async () => {
  const expires = new Date(Date.now() + 1_000_000)
  const profile = new Profile('p', {
    write: { ttl: expires, sendKey: true, notRetryable: { ttl: 2000 } },
  })
  const users = client.withProfile(profile).dataset('test', 'profiles')
  assert.ok(users instanceof Dataset)
  assert.equal(users.profile, profile)
  await users.put('a', { n: 1 })
  const within = async (least: number, most: number, key = 'a') => {
    const ttl = await ttlOf(users, key)
    assert.ok(least < ttl && ttl <= most, `${ttl}`)
  }
  await within(900, 1001)
  await users.put('a', { n: 1 }, { ttl: 500 })
  await within(0, 500)
  await users.put('a', { n: 1 }, { ttl: undefined })
  await within(900, 1001)
  assert.equal((await users.operate('a', [op.add('n', 1), op.get('n')])).bins['n'], 2)
  await within(1900, 2000)
  assert.equal((await users.operate('a', [op.get('n')])).bins['n'], 2)
  assert.equal((await users.operateMany(['a'], [op.get('n')])).length, 1)
  const keys = []
  for await (const record of users.query()) keys.push(record.key.key)
  assert.deepEqual(keys, ['a'])
  assert.equal((await users.putMany({ b: { n: 1 } })).errors.size, 0)
  await within(900, 1001, 'b')
  await new Promise<void>((resolve, reject) => {
    users.put('c', { n: 1 }, (error) => (error ? reject(error) : resolve()))
  })
  await within(900, 1001, 'c')
  await new Promise<void>((resolve, reject) => {
    users.put('c', { n: 1 }, { ttl: 300 }, (error) => (error ? reject(error) : resolve()))
  })
  await within(0, 300, 'c')
  await assert.rejects(users.operate('a', 5 as never), /operations must be/)
})

test('an option of the call wins, and null is the own option of the client', async () => {
  const users = client.withProfile(new Profile('p', { read: { timeout: 20 } })).dataset('test', 's')
  await users.put('a', { n: 1 })
  await cluster.inject(0, { delay: 200 })
  try {
    await assert.rejects(users.get('a'), Timeout)
    assert.equal((await users.get('a', { timeout: 30_000 })).bins['n'], 1)
    assert.equal((await users.get('a', { timeout: null as never })).bins['n'], 1)
  } finally {
    await cluster.clearFaults(0)
  }
})

test('verbs without options of the profile are the own ones', () => {
  const users = client.withProfile(new Profile('p', { write: { ttl: 60 } })).dataset('test', 's')
  const own = client.dataset('test', 's')
  assert.equal(users.get, own.get)
  assert.equal(users.query, own.query)
  assert.notEqual(users.put, own.put)
  assert.notEqual(users.operate, own.operate)
  assert.equal(own.profile, null)
})

test('views are of the same client', async () => {
  const profile = new Profile('p', { timeout: 5, write: { ttl: 60 } })
  const mine = await Client.connect(`aerospike://${cluster.seeds}/test`)
  const view = mine.withProfile(profile)
  assert.ok(view instanceof Client)
  assert.equal(view.profile, profile)
  assert.equal(view.namespace, 'test')
  assert.deepEqual(view.nodes, mine.nodes)
  assert.equal(inspect(view), inspect(mine))
  const other = new Profile('q', { timeout: 6 })
  assert.equal(view.withProfile(other).explain('get').get('timeout')?.value, 6)
  assert.equal(view.dataset().withProfile(other).explain('get').get('timeout')?.value, 6)
  assert.equal(view.explain('get').get('timeout')?.value, 5)
  const users = view.dataset(null, 'views')
  await users.put('a', { n: 1 }, { timeout: 9000 })
  assert.ok((await ttlOf(mine.dataset('test', 'views'), 'a')) <= 60)
  await view.put(new Key('test', 'views', 'b'), { n: 1 }, { timeout: 9000 })
  assert.ok((await ttlOf(mine.dataset('test', 'views'), 'b')) > 0)
  const keys = []
  for await (const record of view.query('test', 'views', { timeout: 0 })) keys.push(record)
  assert.equal(keys.length, 2)
  assert.equal(view.transaction().dataset('test', 'views').profile, profile)
  await view.close()
  assert.equal(mine.isOpen, false)
})

test('rows of a batch take the options of reads and writes', async () => {
  const profile = new Profile('rows', {
    read: { readMode: 'all', timeout: 20_000, point: { readMode: 'one' } },
    write: { ttl: 500, many: { sendKey: true, exists: 'create' } },
    batch: { timeout: 10_000 },
  })
  const view = client.withProfile(profile)
  const used = view.explain('batch')
  assert.equal(used.get('timeout')?.value, 10_000)
  assert.equal(used.get('readMode')?.source, "profile 'rows', read.readMode")
  assert.equal(used.get('exists')?.source, "profile 'rows', write.many.exists")
  const data = view.dataset('test', 'rows')
  const rows = [
    new Write('a', { n: 1 }),
    new Write('b', { n: 1 }, { ttl: 'never', exists: 'merge' }),
    new Write('c', [op.put('n', 1)]),
    new Read('a'),
  ]
  assert.equal((await data.batch(rows)).errors.size, 0)
  const again = await data.batch(rows)
  assert.deepEqual(
    [...again.errors].map(([row, error]) => [row, error.constructor]),
    [
      [0, RecordExists],
      [2, RecordExists],
    ],
  )
  const plain = client.dataset('test', 'rows')
  const ttls = [...(await plain.getMany(['a', 'b', 'c']))].map((record) => record?.ttl !== null)
  assert.deepEqual(ttls, [true, false, true])
  const keys = new Set()
  for await (const record of plain.query()) keys.add(record.key.key)
  assert.deepEqual(keys, new Set(['a', 'b', 'c']))
  assert.equal(
    (await data.batch([new Delete('a'), new Delete('b'), new Delete('c')])).errors.size,
    0,
  )
  await assert.rejects(data.batch([new Apply('a', 'm', 'f')], { ttl: 'soon' as never }), /ttl must/)
  for (const [option, value] of [
    ...Object.entries({ ttl: 'soon', exists: 'perhaps', readMode: 'any', readTouch: 101 }),
    ['durable', 1],
  ] as const) {
    await assert.rejects(plain.batch([], { [option as string]: value }), new RegExp(`${option}`))
  }
})

const TOML = `# Profiles
[base]
timeout = 1.5
[base.write]
send_key = true

[fast]
derives = "base"
read = { timeout = 0.05, replica = "any", buffers = true }
write.many.timeout = 2
`
const YAML = `# Profiles
fast:
  derives: base
  read: {timeout: 0.05, replica: any, buffers: true}
  write:
    many:
      timeout: 2
base:
  timeout: 1.5
  write:
    send_key: true
`

/** Replaces a file atomically, as careful programs do. */
function written(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return path
}

for (const [kind, text, lines] of [
  ['toml', TOML, [9, 5]],
  ['yaml', YAML, [4, 11]],
] as const) {
  test(`profiles are read from a file: ${kind}`, () => {
    const profiles = new Profiles(written(`p.${kind}`, text))
    assert.deepEqual(new Set(profiles.keys()), new Set(['base', 'fast']))
    assert.equal(profiles.size, 2)
    assert.deepEqual(profiles.get('base').options, { timeout: 1500, 'write.sendKey': true })
    const view = client.withProfile(profiles.get('fast'))
    const get = view.explain('get').get('timeout')
    assert.equal(get?.value, 50)
    assert.equal(get?.source, `profile 'fast', read.timeout (p.${kind}, line ${lines[0]})`)
    const put = view.explain('put').get('sendKey')
    assert.equal(put?.source, `profile 'base', write.send_key (p.${kind}, line ${lines[1]})`)
    assert.ok(!view.explain('get').has('buffers'))
    assert.throws(() => profiles.get('slow'), /there is no profile 'slow' in p\..*; there are: /)
    assert.equal(profiles.has('slow'), false)
    assert.equal(profiles.reload(), false)
    assert.equal([...profiles].length, 2)
  })

  test(`a reload reaches views and what derives: ${kind}`, async () => {
    const path = written(`r.${kind}`, text)
    const profiles = new Profiles(path)
    const views = [1, 2].map(() => client.withProfile(profiles.get('fast')))
    const more = profiles.get('fast').derive('more', { read: { replica: 'master' } })
    const users = [...views, client.withProfile(more)].map((view) => view.dataset('test', 'r'))
    written(`r.${kind}`, `${text.replace('0.05', '0.07')}\n`)
    assert.equal(profiles.reload(), true)
    for (const each of users) assert.equal(each.explain('get').get('timeout')?.value, 70)
    assert.equal(users[2]?.explain('get').get('replica')?.value, 'master')
    written(`r.${kind}`, text.replace('0.05', 'soon').replace('= soon', '= "soon"'))
    assert.throws(
      () => profiles.reload(),
      (error: ProfileError) => {
        assert.match(error.message, /fast\.read\.timeout: timeout must be seconds as a number/)
        assert.deepEqual([error.file, error.line], [`r.${kind}`, lines[0]])
        return error.key === 'fast.read.timeout'
      },
    )
    assert.equal(users[0]?.explain('get').get('timeout')?.value, 70)
  })
}

test('profiles come and do not go, and files have known endings', () => {
  const path = written('c.toml', '[a]\ntimeout = 1\n[b]\n')
  const profiles = new Profiles(path)
  written('c.toml', '[a]\ntimeout = 2\n[c]\n')
  assert.throws(() => profiles.reload(), /^ProfileError: c.toml, b: the profile was removed/)
  assert.deepEqual(profiles.get('a').options, { timeout: 1000 })
  written('c.toml', '[a]\ntimeout = 2\n[b]\n[c]\n')
  assert.equal(profiles.reload(), true)
  assert.deepEqual([...profiles.keys()], ['a', 'b', 'c'])
  assert.deepEqual(profiles.get('a').options, { timeout: 2000 })
  const ini = join(folder, 'p.ini')
  assert.throws(() => new Profiles(ini), /^RangeError: 'p.ini' must end in .toml, .yaml, .yml/)
  assert.throws(() => new Profiles(join(folder, 'none.toml')), { code: 'ENOENT' })
})

async function until(condition: () => boolean): Promise<void> {
  const ends = performance.now() + 30_000
  while (!condition()) {
    assert.ok(performance.now() < ends)
    await sleep(5)
  }
}

test('a watched file is reloaded, and mistakes are told once', async () => {
  const text = (timeout: string) => `[a]\ntimeout = ${timeout}\n`
  const profiles = new Profiles(written('w.toml', text('1')))
  const errors: Error[] = []
  const watch = profiles.watch({ every: 10, onError: (error) => errors.push(error) })
  const timeout = () => profiles.get('a').options['timeout']
  written('w.toml', text('2'))
  await until(() => timeout() === 2000)
  written('w.toml', text('-1'))
  await until(() => errors.length > 0)
  await sleep(60)
  assert.equal(errors.length, 1)
  assert.ok(errors[0] instanceof ProfileError)
  assert.equal(timeout(), 2000)
  written('w.toml', text('3'))
  await until(() => timeout() === 3000)
  watch.stop()
  watch.stop()
  written('w.toml', text('4'))
  await sleep(60)
  assert.equal(timeout(), 3000)
  for (const every of [Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 1e300]) {
    assert.throws(() => profiles.watch({ every }), /every must be a number of milliseconds above 0/)
  }
  assert.throws(() => profiles.watch({ every: '1' as never }), /not string/)
  assert.throws(() => profiles.watch({ onError: 'x' as never }), /onError must be a function/)
})

test('a watched file without onError warns', async () => {
  const profiles = new Profiles(written('v.toml', '[a]\n'))
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  const watch = profiles.watch({ every: 10 })
  // Watching does not keep the process alive.
  const alive = setInterval(() => {}, 1000)
  written('v.toml', '[a]\nspeed = 1\n')
  assert.match((await warned).message, /v\.toml: not reloaded: v\.toml, line 2, a\.speed: there is/)
  clearInterval(alive)
  watch.stop()
})

test('no call fails while profiles are reloaded', async () => {
  const text = (number: number) =>
    `[a]\ntimeout = ${20 + (number % 7)}\n[a.write]\nttl = ${1000 + number}\n`
  const profiles = new Profiles(written('l.toml', text(0)))
  const users = client.withProfile(profiles.get('a')).dataset('test', 'load')
  let isOver = false
  let calls = 0
  const load = async (key: number) => {
    for (let n = 0; !isOver; n++) {
      await users.put(key, { n })
      const record = await users.get(key)
      assert.equal(record.bins['n'], n)
      const ttl = record.ttl ?? 0
      assert.ok(900 < ttl && ttl <= 1300)
      calls += 1
    }
  }
  const loads = [1, 2, 3, 4].map(load)
  for (let number = 1; number <= 300; number++) {
    written('l.toml', text(number))
    assert.equal(profiles.reload(), true)
    if (number % 10 === 0) {
      written('l.toml', '[a]\ntimeout = "soon"\n')
      assert.throws(() => profiles.reload(), ProfileError)
      const before = calls
      await until(() => calls > before)
    }
  }
  isOver = true
  await Promise.all(loads)
  await users.put(9, { n: 1 })
  const ttl = await ttlOf(users, 9)
  assert.ok(1250 < ttl && ttl <= 1300)
})
