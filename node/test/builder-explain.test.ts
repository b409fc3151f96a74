/** `explain` of the builder's steps and chains: the options that they would use, and their sources. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type builder, Client, type Dataset, type Explanation, op, Profile } from 'spikewire'
import { Cluster } from 'spikewire/testing'

interface User {
  a?: number
}

const PROFILE = new Profile('p', {
  read: { point: { timeout: 1000 }, many: { timeout: 2000, readMode: 'all' } },
  write: { ttl: 60, retryable: { timeout: 3000 }, notRetryable: { timeout: 4000 } },
  batch: { timeout: 5000 },
  query: { timeout: 6000 },
})

let cluster: Cluster
let client: Client
let session: builder.Builder
let users: Dataset<User>

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
  session = client.session(PROFILE)
  users = client.dataset<User>('test', 'explained')
})

after(async () => {
  await client.close()
  await cluster.close()
})

function source(explanation: Explanation, option: string): [value: unknown, source: string] {
  const used = explanation.get(option)
  assert.ok(used, option)
  return [used.value, used.source]
}

interface Explained {
  explain(): Explanation
  timeout(timeout: number): { explain(): Explanation }
}

test('a step explains the verb that it calls', () => {
  const steps: [begin: () => Explained, verb: string, seconds: number][] = [
    [() => session.query(users.key(1)), 'get', 1],
    [() => session.query<User>(users.key(1)).bins('a'), 'get', 1],
    [() => session.query<User>(users.key(1)).get('a'), 'operate', 1],
    [() => session.query(users.keys([1])), 'getMany', 2],
    [() => session.query<User>(users.keys([1])).get('a'), 'operateMany', 2],
    [() => session.query(users), 'query', 6],
    [() => session.upsert<User>(users.key(1)).set('a', 1), 'put', 3],
    [() => session.upsert<User>(users.key(1)).add('a', 1), 'operate', 4],
    [() => session.upsert<User>(users.keys([1])).set('a', 1), 'operateMany', 4],
    [() => session.delete(users.key(1)), 'delete', 3],
    [() => session.delete(users.keys([1])), 'deleteMany', 3],
    [() => session.touch(users.key(1)), 'touch', 3],
    [() => session.touch(users.keys([1])), 'operateMany', 4],
    [() => session.exists(users.key(1)), 'exists', 1],
    [() => session.exists(users.keys([1])), 'existsMany', 2],
  ]
  for (const [begin, verb, seconds] of steps) {
    const explanation = begin().explain()
    assert.equal(explanation.verb, verb)
    const [timeout, place] = source(explanation, 'timeout')
    assert.equal(timeout, seconds * 1000, verb)
    assert.match(place, /^profile 'p', /)
    assert.deepEqual(source(begin().timeout(9).explain(), 'timeout'), [9, 'the call'])
  }
})

test('a step explains its options', () => {
  const step = session.insert<User>(users.key(1)).set('a', 1).generation(2).where('$.a > ?', 1)
  assert.deepEqual(source(step.explain(), 'exists'), ['create', 'the call'])
  assert.deepEqual(source(step.explain(), 'ttl'), [60, "profile 'p', write.ttl"])
  assert.deepEqual(source(step.ttl(5).explain(), 'ttl'), [5, 'the call'])
  const retried = session.query(users.key(1)).retries(7, { jitter: true })
  assert.deepEqual(source(retried.explain(), 'maxRetries'), [7, 'the call'])
  assert.throws(
    () =>
      session
        .query(users.key(1))
        .timeout('soon' as never)
        .explain(),
    /timeout must be/,
  )
  assert.throws(
    () =>
      session
        .query(users)
        .timeout('soon' as never)
        .explain(),
    /timeout must be/,
  )
  const paged = session.query<User>(users).pageSize(5).recordsPerSecond(9).partitions(1).bins('a')
  assert.deepEqual(source(paged.explain(), 'recordsPerSecond'), [9, 'the call'])
})

test('nothing is sent, and no iterator of keys is read', () => {
  const keys = users.keys([1, 2])[Symbol.iterator]()
  assert.equal(session.upsert<User>(keys).set('a', 1).explain().verb, 'operateMany')
  assert.equal([...keys].length, 2)
})

test('without a profile, a step explains what its verb does', () => {
  const explanation = client.session().query(users.key(1)).explain()
  assert.deepEqual([...explanation], [...users.explain('get', 1)])
  assert.deepEqual(explanation.steps, [])
})

test('a chain explains its batch, and the rows of its steps', () => {
  const chain = session
    .insert<User>(users.key(1))
    .set('a', 1)
    .ttl(9)
    .retries(3)
    .query(users.keys([2, 3]))
    .delete(users.key(4))
    .durableDelete()
    .touch(users.key(5))
    .exists(users.key(6))
  const explanation = chain.explain()
  assert.equal(explanation.verb, 'batch')
  assert.equal(explanation.consistency, 'available')
  assert.deepEqual(source(explanation, 'timeout'), [5000, "profile 'p', batch.timeout"])
  assert.deepEqual(source(explanation, 'maxRetries'), [3, 'the call'])
  for (const name of ['ttl', 'exists', 'readMode', 'sendKey']) {
    assert.ok(!explanation.has(name), name)
  }
  const { steps } = explanation
  assert.deepEqual(
    steps.map(({ verb }) => verb),
    ['insert', 'query', 'delete', 'touch', 'exists'],
  )
  const [insert, query, remove, touch, exists] = steps as [
    Explanation,
    Explanation,
    Explanation,
    Explanation,
    Explanation,
  ]
  assert.deepEqual([...insert.keys()], ['ttl', 'exists', 'durable', 'sendKey'])
  assert.deepEqual(source(insert, 'ttl'), [9, 'the step'])
  assert.deepEqual(source(insert, 'exists'), ['create', 'the step'])
  assert.deepEqual(source(query, 'readMode'), ['all', "profile 'p', read.many.readMode"])
  assert.deepEqual(source(remove, 'durable'), [true, 'the step'])
  assert.deepEqual(source(remove, 'sendKey'), [false, 'the default'])
  assert.deepEqual(source(touch, 'ttl'), [60, "profile 'p', write.ttl"])
  assert.deepEqual([...exists.keys()], ['readMode', 'readTouch'])
  const lines = explanation.toString().split('\n')
  assert.ok(lines.includes("timeout = 5000  (profile 'p', batch.timeout)"))
  const at = lines.indexOf('step 1, insert:')
  assert.equal(lines[at + 1], '  ttl = 9  (the step)')
})

test('a chain does what it explains', async () => {
  const profile = new Profile('p', { write: { ttl: 500 } })
  const chain = client
    .session(profile)
    .upsert<User>(users.key(1))
    .op(op.put('a', 1))
    .query(users.key(2))
  const [ttl] = source(chain.explain().steps[0] as Explanation, 'ttl')
  await chain.execute()
  const left = (await users.get(1)).ttl as number
  assert.ok(left > 480 && left <= (ttl as number), `${left}`)
})

test('options that batches do not have are rejected', () => {
  const chain = session.query(users.key(1)).hedge(100).query(users.key(2))
  assert.throws(() => chain.explain(), /hedge applies to calls that read one record/)
})
