/** Sections of profiles for namespaces with and without strong consistency. */

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client, Delete, Key, op, Profile, type ProfileOptions, Profiles, Read } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { temporaryFolder } from './support/programs.js'

const OPTIONS: ProfileOptions = {
  timeout: 20_000,
  read: {
    point: { timeout: 21_000 },
    strong: { readMode: 'linearize', timeout: 22_000 },
    available: { readMode: 'all' },
  },
  write: { notRetryable: { timeout: 23_000 }, strong: { maxRetries: 7, timeout: 24_000 } },
  batch: { strong: { timeout: 25_000 } },
  query: { available: { recordsPerSecond: 1000 } },
  job: { strong: { timeout: 26_000 } },
}

let strong: Cluster
let available: Cluster
let ledger: Client
let test_: Client

before(async () => {
  strong = await Cluster.start({ edition: 'enterprise', strongConsistency: true })
  available = await Cluster.start()
  ledger = await Client.connect(strong.seeds, { timeout: 30_000 })
  test_ = await Client.connect(available.seeds, { timeout: 30_000 })
})
after(async () => {
  await Promise.all([ledger.close(), test_.close()])
  await Promise.all([strong.close(), available.close()])
})

test('the mode of the namespace counts', () => {
  const profile = new Profile('p', OPTIONS)
  const [sure, free] = [ledger, test_].map((it) => it.withProfile(profile).dataset('test', 's'))
  assert.ok(sure && free)
  const used = (data: typeof sure, verb: string, option: string, ...args: unknown[]) => {
    const it = data.explain(verb, ...args).get(option)
    return [it?.value, it?.source]
  }
  assert.deepEqual(used(sure, 'get', 'readMode'), [
    'linearize',
    "profile 'p', read.strong.readMode",
  ])
  assert.deepEqual(used(sure, 'get', 'timeout'), [22_000, "profile 'p', read.strong.timeout"])
  assert.equal(sure.explain('get').consistency, 'strong')
  assert.match(String(sure.explain('get')), /the namespace is 'strong'/)
  assert.deepEqual(used(free, 'get', 'readMode'), ['all', "profile 'p', read.available.readMode"])
  assert.deepEqual(used(free, 'get', 'timeout'), [21_000, "profile 'p', read.point.timeout"])
  assert.equal(used(sure, 'add', 'timeout')[0], 24_000)
  assert.equal(used(free, 'add', 'timeout')[0], 23_000)
  assert.equal(used(sure, 'put', 'maxRetries')[0], 7)
  assert.equal(used(free, 'put', 'maxRetries')[0], 2)
  assert.equal(used(sure, 'operate', 'timeout', 1, [op.add('n', 1)])[0], 24_000)
  assert.equal(used(sure, 'operate', 'timeout', 1, [op.get('n')])[0], 22_000)
  assert.equal(used(sure, 'deleteAll', 'timeout')[0], 26_000)
  assert.equal(used(free, 'query', 'recordsPerSecond')[0], 1000)
  assert.equal(used(sure, 'query', 'recordsPerSecond')[0], null)
  assert.equal(used(sure, 'get', 'timeout', 1, { timeout: 1 })[1], 'the call')
  assert.doesNotMatch(String(ledger.withProfile(new Profile('q')).explain('get')), /consistency/)
})

test('the namespace of a key selects the mode', () => {
  const view = ledger.withProfile(new Profile('p', OPTIONS))
  const key = new Key('test', 's', 1)
  const mode = (verb: string, ...args: unknown[]) => view.explain(verb, ...args).consistency
  assert.equal(mode('get', key), 'strong')
  assert.equal(mode('getMany', [key, key]), 'strong')
  assert.equal(mode('putMany', new Map([[key, { n: 1 }]])), 'strong')
  assert.equal(mode('putMany', [[key, { n: 1 }]]), 'strong')
  const batch = view.explain('batch', [new Read(key), new Delete(key)])
  assert.equal(batch.get('timeout')?.source, "profile 'p', batch.strong.timeout")
  assert.equal(batch.get('readMode')?.value, 'linearize')
  assert.equal(mode('query', 'test'), 'strong')
  // One that does not exist, or none.
  for (const args of [[[new Key('nowhere', 's', 1)]], [[key, new Key('nowhere', 's', 1)]], []]) {
    const explained = view.explain('getMany', ...args)
    assert.deepEqual([explained.consistency, explained.get('readMode')?.value], [null, 'one'])
    assert.match(String(explained), /neither 'available' nor 'strong' holds/)
  }
})

test('calls have the options of the mode', async () => {
  const profile = new Profile('p', {
    write: { strong: { ttl: 500 }, available: { ttl: 900 } },
    read: { strong: { timeout: 21_000 } },
  })
  for (const [client, most] of [
    [ledger, 500],
    [test_, 900],
  ] as const) {
    const view = client.withProfile(profile)
    const users = view.dataset('test', 's')
    const key = users.key(1)
    const ttl = async () => (await client.dataset('test', 's').get(1)).ttl ?? 0
    await users.put(1, { n: 1 })
    assert.ok(most - 50 < (await ttl()) && (await ttl()) <= most)
    await view.putMany(new Map([[key, { n: 2 }]]).entries(), { ttl: 100 })
    assert.ok((await ttl()) <= 100)
    await view.putMany(new Map([[key, { n: 2 }]]).entries())
    assert.ok(most - 50 < (await ttl()))
    await users.operate(1, [op.add('n', 1)], { ttl: 200 })
    assert.ok((await ttl()) <= 200)
    await users.operate(1, [op.add('n', 1)])
    assert.ok(most - 50 < (await ttl()))
    const batch = await view.getMany([key, users.key(2)].values())
    assert.deepEqual(
      [...batch].map((record) => record?.bins['n']),
      [4, undefined],
    )
    assert.equal((await users.operate(1, [op.get('n')])).bins['n'], 4)
  }
  await ledger.runInTransaction(async (transaction) => {
    assert.equal(transaction.dataset('test', 's').profile, null)
  })
  await ledger.withProfile(profile).runInTransaction(async (transaction) => {
    const users = transaction.dataset('test', 's')
    assert.equal(users.profile, profile)
    await users.put(3, { n: 1 })
  })
  assert.ok(((await ledger.dataset('test', 's').get(3)).ttl ?? 0) <= 500)
})

test('modes are read from files and checked', (t) => {
  const path = join(temporaryFolder(t), 'profiles.toml')
  writeFileSync(path, '[p.read.strong]\nread_mode = "linearize"\n[p.write.available]\nttl = 60\n')
  const view = ledger.withProfile(new Profiles(path).get('p'))
  const used = view.dataset('test', 's').explain('get').get('readMode')
  assert.equal(used?.source, "profile 'p', read.strong.read_mode (profiles.toml, line 2)")
  writeFileSync(path, '[p.read.strong]\nread_mode = "linearise"\n')
  assert.throws(() => new Profiles(path), /line 2, p\.read\.strong\.read_mode: read_mode must/)
})
