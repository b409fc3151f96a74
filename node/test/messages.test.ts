/** What the message of an error says besides what happened: who, and what to do. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import {
  Client,
  type Dataset,
  FunctionFailed,
  GenerationMismatch,
  Key,
  RecordNotFound,
  SpikewireError,
} from 'spikewire'
import { ConnectionFailed, connect } from 'spikewire/cql'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let users: Dataset

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
  client = await Client.connect(cluster.seeds)
  users = client.dataset('test', 'users')
})

after(async () => {
  await client.close()
  await cluster.close()
})

async function failure(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => assert.fail('it must fail'),
    (error: Error) => error,
  )
}

test('a missing record suggests a default, where there can be one', async () => {
  const error = await failure(users.get('nobody'))
  assert.ok(error instanceof RecordNotFound)
  assert.match(error.message, /^no such record \(code 2, node .*\) - with `default: null`/)
  assert.match(error.advice, /^with `default: null`/)
  const other = await failure(users.touch('nobody'))
  assert.ok(other instanceof RecordNotFound)
  assert.equal(other.advice, '')
  assert.match(other.message, /\)$/)
})

test('classes have advice, which their errors show', async () => {
  await users.put('alice', { n: 1 })
  const error = await failure(users.put('alice', { n: 2 }, { generation: 9 }))
  assert.ok(error instanceof GenerationMismatch)
  assert.equal(error.advice, GenerationMismatch.advice)
  assert.ok(error.message.endsWith(` - ${error.advice}`), error.message)
  assert.equal(new SpikewireError('text').message, 'text')
})

test('an unknown module says where those are that are known', async () => {
  await users.put('alice', { n: 1 })
  const error = await failure(users.apply('alice', 'nothere', 'f', []))
  assert.ok(error instanceof FunctionFailed)
  assert.match(error.message, /Execution Error 1 .*client\.modules\.list\(\)/)
  const { errors } = await users.applyMany(['alice'], 'nothere', 'f', [])
  for (const error of errors.values()) {
    assert.ok(error instanceof FunctionFailed)
    assert.match(error.message, /client\.modules\.list\(\)/)
  }
  assert.equal(errors.size, 1)
})

test('codes of failures on this side are left out', async () => {
  const error = await failure(Client.connect('127.0.0.1:1'))
  assert.equal(
    error.message,
    'cannot connect to the cluster: 127.0.0.1:1 refused the connection; is a server running there?',
  )
  assert.equal((error as SpikewireError).code, -10)
  const closed = await Client.connect(cluster.seeds)
  await closed.close()
  assert.doesNotMatch(
    (await failure(closed.get(new Key('test', 'users', 'alice')))).message,
    /code/,
  )
})

test('a contact point where nothing listens', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const error = await failure(connect(`127.0.0.1:${port}`))
  assert.ok(error instanceof ConnectionFailed)
  assert.match(
    error.message,
    new RegExp(`: 127.0.0.1:${port} refused the connection; is a server running there`),
  )
})
