/** Options of connecting: one address in front of a cluster, clients that wait, names of programs. */

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'

async function until(condition: () => Promise<boolean>) {
  const ends = performance.now() + 30_000
  while (!(await condition())) {
    assert.ok(performance.now() < ends)
    await sleep(5)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

test('a client of one seed uses no other node', async () => {
  const cluster = await Cluster.start({ nodes: 3 })
  await cluster.waitSettled()
  const client = await Client.connect(cluster.addresses[1] as string, { seedOnly: true })
  const users = client.dataset('test', 'users')
  for (let key = 0; key < 60; key++) await users.put(key, { n: key })
  assert.equal((await users.get(7)).bins['n'], 7)
  assert.deepEqual(
    [0, 2].map((node) => cluster.stats(node).connectionsOpened),
    [0, 0],
  )
  await client.close()
  await cluster.close()
})

test('a client may wait for its cluster', async () => {
  const port = await freePort()
  const options = { failIfNotConnected: false, tendInterval: 50, maxRetries: 0 }
  await assert.rejects(Client.connect(`127.0.0.1:${port}`), /refused the connection/)
  const client = await Client.connect(`127.0.0.1:${port}`, options)
  const users = client.dataset('test', 'users')
  await assert.rejects(users.put(1, { n: 1 }), /no node has reported yet/)
  const cluster = await Cluster.start({ port })
  await until(() =>
    users.put(1, { n: 1 }).then(
      () => true,
      () => false,
    ),
  )
  await client.close()
  await cluster.close()
})

test('nodes know the program by its name', async () => {
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds, { applicationId: 'billing' })
  const names = async () => {
    const agents = String(await client.info('user-agents')).match(/user-agent=([^:]*)/g) ?? []
    return agents.map((part) => Buffer.from(part.slice(11), 'base64').toString())
  }
  await until(async () => (await names()).some((name) => name.endsWith(',billing')))
  await client.close()
  await assert.rejects(
    Client.connect(cluster.seeds, { applicationId: 'a b' }),
    /applicationId must be 1 to 40 visible ASCII characters/,
  )
  await cluster.close()
})
