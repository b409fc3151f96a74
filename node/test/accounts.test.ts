/** Users and roles managed while clients are connected. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client,
  PermissionDenied,
  RoleExists,
  RoleNotFound,
  ServerError,
  SpikewireError,
  UserExists,
  UserNotFound,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'

const ADMIN = { user: 'admin', password: 'of the house' }
let cluster: Cluster
let admin: Client

before(async () => {
  cluster = await Cluster.start({
    nodes: 2,
    users: { [ADMIN.user]: ADMIN.password },
    quotas: true,
  })
  admin = await Client.connect(cluster.seeds, { ...ADMIN, timeout: 30_000 })
})
after(async () => {
  await admin?.close()
  await cluster?.close()
})

function of(user: string, password: string): Promise<Client> {
  return Client.connect(cluster.seeds, { user, password, timeout: 30_000 })
}

test('users are created, changed and dropped', async () => {
  await admin.users.create('app', 'secret', ['read'])
  await assert.rejects(admin.users.create('app', 'secret', []), UserExists)
  assert.deepEqual(await admin.users.get('app'), {
    name: 'app',
    roles: ['read'],
    readInfo: [0, 0, 0, 0],
    writeInfo: [0, 0, 0, 0],
    connections: 0,
  })
  await using app = await of('app', 'secret')
  const data = app.dataset('test', 'accounts')
  await assert.rejects(data.put('a', { n: 1 }), PermissionDenied)
  await admin.users.grant('app', ['write'])
  await data.put('a', { n: 1 })
  await admin.users.revoke('app', ['write'])
  await assert.rejects(data.put('a', { n: 2 }), PermissionDenied)
  assert.equal((await app.users.get('app')).name, 'app')
  await assert.rejects(app.users.list(), PermissionDenied)
  await admin.users.drop('app')
  await assert.rejects(data.get('a'), SpikewireError)
  await assert.rejects(admin.users.get('app'), UserNotFound)
})

test('passwords are changed', async () => {
  await admin.users.create('own', 'first', ['read-write'])
  await using own = await of('own', 'first')
  await own.users.changePassword('second')
  await own.users.changePassword('third')
  await assert.rejects(of('own', 'first'), /invalid credential/)
  await cluster.kill(1)
  await cluster.restart(1)
  await cluster.waitSettled()
  const data = own.dataset('test', 'accounts')
  await Promise.all(Array.from({ length: 100 }, (_, n) => data.put(n, { n })))
  await admin.users.setPassword('own', 'fourth')
  await (await of('own', 'fourth')).close()
  await admin.users.create('cert', null, [])
  await assert.rejects(admin.users.setPassword('cert', 'x'), { code: 64 })
  const hidden = 'hidden'.repeat(20)
  await assert.rejects(admin.users.setPassword('own', hidden), (error: Error) => {
    assert.match(error.message, /at most 72 bytes/)
    assert.doesNotMatch(error.message, /hidden/)
    return true
  })
  await Promise.all([admin.users.drop('own'), admin.users.drop('cert')])
})

test('users are listed', async () => {
  const names = Array.from({ length: 70 }, (_, n) => `many-${String(n).padStart(2, '0')}`)
  await Promise.all(names.map((name) => admin.users.create(name, undefined, ['read'])))
  const userNames = (await admin.users.list()).map((user) => user.name)
  assert.deepEqual(userNames, ['admin', ...names])
  await Promise.all(names.map((name) => admin.users.drop(name)))
  const listed = await new Promise((resolve) =>
    admin.roles.list((error, roles) => resolve(error ?? roles?.length)),
  )
  assert.equal(listed, 10)
})

test('roles are created, changed and dropped', async () => {
  const own = { kind: 'read-write', namespace: 'test', set: 'own' }
  await admin.roles.create('r', [own, 'truncate'], { allow: ['127.0.0.1'], readQuota: 100_000 })
  await assert.rejects(admin.roles.create('r', []), RoleExists)
  const role = await admin.roles.get('r')
  assert.deepEqual(role, {
    name: 'r',
    privileges: [own, { kind: 'truncate', namespace: null, set: null }],
    allow: ['127.0.0.1'],
    readQuota: 100_000,
    writeQuota: 0,
  })
  await admin.users.create('user', 'p', ['r'])
  await using user = await of('user', 'p')
  await user.dataset('test', 'own').put(1, { n: 1 })
  const other = user.dataset('test', 'other')
  await assert.rejects(other.put(1, { n: 1 }), PermissionDenied)
  await admin.roles.grant('r', [{ kind: 'write', namespace: 'test' }])
  await other.put(1, { n: 1 })
  await admin.roles.revoke('r', role.privileges)
  await admin.roles.setQuotas('r', { write: 9 })
  await admin.roles.setAllowed('r', [])
  assert.deepEqual(await admin.roles.get('r'), {
    name: 'r',
    privileges: [{ kind: 'write', namespace: 'test', set: null }],
    allow: [],
    readQuota: 100_000,
    writeQuota: 9,
  })
  await admin.roles.drop('r')
  await assert.rejects(admin.roles.get('r'), RoleNotFound)
  assert.deepEqual((await admin.users.get('user')).roles, [])
  await admin.users.drop('user')
})

test('invalid arguments are rejected', async () => {
  const wrong = (value: unknown): never => value as never
  const { users, roles } = admin
  for (const [call, kind, message] of [
    [() => users.create(wrong(5), 'p', []), TypeError, /name must be a string/],
    [() => users.create('u', wrong(5), []), TypeError, /password must be a string/],
    [() => users.create('u', 'p', wrong('read')), TypeError, /roles must be an array/],
    [() => users.grant('u', wrong([5])), TypeError, /must be a string/],
    [() => users.setPassword('u', wrong(null)), TypeError, /password must be a string/],
    [() => users.drop('u', wrong({ colour: 1 })), TypeError, /colour/],
    [() => roles.create('r', ['reed']), RangeError, /no privilege "reed"/],
    [() => roles.create('r', wrong([5])), TypeError, /a privilege must be/],
    [() => roles.grant('r', [{ kind: 'sys-admin', namespace: 't' }]), RangeError, /everywhere/],
    [() => roles.setQuotas('r', { read: -1 }), RangeError, /read/],
    [() => roles.setAllowed('r', ['::1,::2']), RangeError, /no address/],
  ] as const) {
    await assert.rejects(call() as Promise<unknown>, (error: Error) => {
      assert.ok(error instanceof kind, `${error}`)
      assert.match(error.message, message)
      return true
    })
  }
})

test('managing users needs security', async () => {
  await using plain = await Cluster.start()
  await using client = await Client.connect(plain.seeds)
  await assert.rejects(client.users.list(), (error) => {
    assert.ok(error instanceof ServerError)
    assert.equal(error.code, 51)
    return true
  })
  await assert.rejects(client.users.changePassword('x'), RangeError)
})
