/** Text filters that nodes from 8.2 on read themselves, and choose an index for. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Client,
  exp,
  FeatureUnavailable,
  GeoJSON,
  IndexNotFound,
  index,
  type QueryOptions,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

const COUNT = 200
const NAMES = ['Ann', "O'Neil", 'Zoé 😀', 'back\\slash "quoted"\n\t\0']

interface User {
  id: number
}

async function filled(build: string, run: (client: Client) => Promise<void>): Promise<void> {
  const cluster = await Cluster.start({ nodes: 2, build })
  const client = await Client.connect(cluster.seeds)
  try {
    const users = client.dataset('test', 'users')
    const row = (id: number) => [id, { id, age: id % 90, name: NAMES[id % 4] as string }] as const
    await users.putMany(Array.from({ length: COUNT }, (_, id) => row(id)))
    await client.indexes.create('test', 'users', 'age', 'numeric')
    await client.indexes.create('test', 'users', 'name', 'string')
    await run(client)
  } finally {
    await client.close()
    await cluster.close()
  }
}

async function ids(client: Client, options: QueryOptions): Promise<number[]> {
  const numbers: number[] = []
  for await (const record of client.dataset<User>('test', 'users').query(options)) {
    numbers.push(record.bins.id)
  }
  return numbers.sort((a, b) => a - b)
}

const all = Array.from({ length: COUNT }, (_, id) => id)

for (const build of ['8.2', '8.1.2', '8.2,8.1.2']) {
  test(`a text finds the same records on nodes of ${build}`, async () => {
    await filled(build, async (client) => {
      const cases: [QueryOptions['where'], (id: number) => boolean][] = [
        ['$.age >= 85', (id) => id % 90 >= 85],
        [['$.age > ?0 and $.age < ?1', 3, 6], (id) => id % 90 === 4 || id % 90 === 5],
        [['$.name == ?', "' or true or 'x' == '"], () => false],
        ["$.name =~ /^O'N/ and $.age < 10", (id) => id % 4 === 1 && id % 90 < 10],
        ['$.age > 5 and $.age < 3', () => false],
      ]
      NAMES.forEach((name, at) => {
        cases.push([['$.name == ?', name], (id) => id % 4 === at])
      })
      for (const [where, passes] of cases) {
        assert.deepEqual(await ids(client, { where }), all.filter(passes), String(where))
        const here = await ids(client, { where, serverFilter: false })
        assert.deepEqual(here, all.filter(passes))
      }
    })
  })
}

test('a plan says what the nodes have chosen', async () => {
  await filled('8.2', async (client) => {
    const users = client.dataset('test', 'users')
    const { node, ...plan } = await users.query({ where: ['$.age >= ?0', 18] }).explain()
    assert.ok(node)
    assert.deepEqual(plan, {
      access: 'index',
      onServer: true,
      index: 'users_age',
      bin: 'age',
      values: [18n, 2n ** 63n - 1n],
      text: '$.age >= 18',
    })
    const named = await users.query({ where: ['$.name == ?', 'Zoé 😀'] }).explain()
    assert.equal(named.values, 'Zoé 😀')
    const region = new GeoJSON('{"type":"AeroCircle","coordinates":[[1,2],3]}')
    await client.indexes.create('test', 'users', 'home', 'geo2dsphere')
    const placed = await users.query({ where: ['geoCompare($.home, ?0)', region] }).explain()
    assert.deepEqual(placed.values, region)
    const scan = await users.query({ where: '$.id == 5' }).explain()
    assert.deepEqual([scan.access, scan.onServer, scan.index], ['scan', true, undefined])
    const never = await users.query({ where: '$.age > 5 and $.age < 3' }).explain()
    assert.equal(never.access, 'nothing')
    const called = new Promise((resolve, reject) => {
      users.query({ where: '$.age > 5' }).explain((error, plan) => {
        if (error) reject(error)
        else resolve(plan?.index)
      })
    })
    assert.equal(await called, 'users_age')
  })
})

test('a plan says why a filter is compiled here', async () => {
  await filled('8.2', async (client) => {
    const users = client.dataset('test', 'users')
    const reason = async (options: QueryOptions) => {
      const plan = await users.query(options).explain()
      assert.deepEqual([plan.access, plan.onServer, plan.text], ['scan', false, undefined])
      return plan.reason
    }
    assert.match((await reason({ where: '$.name =~ /^A/' })) ?? '', /^a pattern/)
    assert.equal(await reason({ where: '$.age > 3', serverFilter: false }), 'server_filter is off')
    assert.match((await reason({ where: exp.bin('age').gt(3) })) ?? '', /a filter that is a text$/)
    const ranged = await users.query({ index: index.between('age', 1, 2) }).explain()
    assert.deepEqual([ranged.access, ranged.bin, ranged.values], ['index', 'age', [1n, 2n]])
  })
})

test('hints are preferred, and requirements are met or fail', async () => {
  await filled('8.2', async (client) => {
    const users = client.dataset('test', 'users')
    const where = "$.age > 3 and $.name == 'Ann'"
    const chosen = async (options: QueryOptions) =>
      (await users.query({ where, ...options }).explain()).index
    assert.equal(await chosen({}), 'users_name')
    assert.equal(await chosen({ index: 'users_age' }), 'users_age')
    assert.equal(await chosen({ index: 'unknown' }), 'users_name')
    assert.equal(await chosen({ index: 'users_age', requireHint: true }), 'users_age')
    assert.deepEqual(await ids(client, { where, index: 'users_age' }), await ids(client, { where }))
    const impossible = { where: '$.id == 5', requireIndex: true }
    await assert.rejects(ids(client, impossible), IndexNotFound)
    await assert.rejects(chosen({ index: 'unknown', requireHint: true }), IndexNotFound)
    assert.throws(() => users.query({ requireIndex: true }), RangeError)
    assert.throws(() => users.query({ where, index: 5 as unknown as string }), TypeError)
    assert.throws(() => users.query({ where, requireIndex: 1 as unknown as boolean }), TypeError)
  })
})

test('an older node is named and never asked', async () => {
  await filled('8.2,8.1.2', async (client) => {
    const users = client.dataset('test', 'users')
    const plan = await users.query({ where: '$.age > 3', index: 'users_age' }).explain()
    assert.deepEqual([plan.access, plan.onServer], ['scan', false])
    assert.match(plan.reason ?? '', /needs server 8\.2; node BB9\w+ has 8\.1\.2\.0/)
    await assert.rejects(
      ids(client, { where: '$.age > 3', requireIndex: true }),
      (error) => error instanceof FeatureUnavailable && error.message.startsWith('require_index: '),
    )
  })
})
