/** Tests with the embedded cluster: nothing needs to be installed, and every run starts empty. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, type Dataset, Timeout } from 'spikewire'
import { Cluster } from 'spikewire/testing'

interface User {
  name: string
}

/** The function under test. */
async function rename(users: Dataset<User>, id: string, name: string): Promise<boolean> {
  try {
    await users.put(id, { name }, { exists: 'update', timeout: 200 })
    return true
  } catch (error) {
    if (error instanceof Timeout) return false
    throw error
  }
}

let cluster: Cluster
let client: Client
let users: Dataset<User>

before(async () => {
  cluster = await Cluster.start({ nodes: 1 })
  client = await Client.connect(cluster.seeds)
  users = client.dataset<User>('test', 'users')
})

after(async () => {
  await client.close()
  await cluster.close()
})

test('a user is renamed', async () => {
  await users.put('alice', { name: 'Alice' })
  assert.equal(await rename(users, 'alice', 'Alicia'), true)
  assert.deepEqual((await users.get('alice')).bins, { name: 'Alicia' })
})

test('a node that does not answer is reported as false', async () => {
  await cluster.inject(0, { drop: 1 })
  try {
    assert.equal(await rename(users, 'alice', 'Al'), false)
  } finally {
    await cluster.clearFaults(0)
  }
})
