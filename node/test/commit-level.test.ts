/** When writes are answered: nodes see what they ask for. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Delete, Write } from 'spikewire'
import { Cluster } from 'spikewire/testing'

test('writes say when they are answered', async () => {
  const cluster = await Cluster.start()
  const expect = async (commits: number) => {
    const ends = performance.now() + 20_000
    while (cluster.stats(0).masterCommits !== commits && performance.now() < ends) await sleep(2)
    assert.equal(cluster.stats(0).masterCommits, commits)
  }
  const client = await Client.connect(cluster.seeds)
  const users = client.dataset('test', 'users')
  await users.put(1, { n: 1 })
  await users.put(1, { n: 1 }, { commitLevel: 'master' })
  await users.delete(1, { commitLevel: 'master' })
  await expect(2)
  await users.batch([
    new Write(1, { n: 1 }, { commitLevel: 'master' }),
    new Delete(2, { commitLevel: 'master' }),
    new Write(3, { n: 1 }),
  ])
  await expect(4)
  await assert.rejects(
    async () => users.put(1, { n: 1 }, { commitLevel: 'no' as 'all' }),
    /commitLevel must be 'all' or 'master', got "no"/,
  )
  await client.close()
  const other = await Client.connect(cluster.seeds, { commitLevel: 'master' })
  await other.dataset('test', 'users').put(1, { n: 1 })
  await other.dataset('test', 'users').put(1, { n: 1 }, { commitLevel: 'all' })
  await expect(5)
  await other.close()
  await cluster.close()
})
