/** Recordings of live traffic: `client.record`. */

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, ClientClosed } from 'spikewire'
import { Cluster } from 'spikewire/testing'

let cluster: Cluster
let client: Client
let folder: string

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000, connectTimeout: 20_000 })
  folder = mkdtempSync(join(tmpdir(), 'spikewire-recording-'))
})

after(async () => {
  await client.close()
  await cluster.close()
  rmSync(folder, { recursive: true })
})

test('calls are recorded without keys and values', async () => {
  const path = join(folder, 'calls.trace')
  const users = client.dataset('test', 'patients')
  const recording = client.record(path, { share: 1 })
  assert.equal(recording.summary.state, 'running')
  assert.equal(recording.path, path)
  await users.put('alice', { diagnosis: 'confidential' })
  await users.get('alice')
  await users.get('nobody').catch(() => {})
  await users.getMany(Array.from({ length: 30 }, (_, number) => `user-${number}`))
  const summary = await recording.stop()
  assert.deepEqual([summary.state, summary.dropped, summary.path], ['stopped', 0, path])
  // Each node that has some of them has its part of the batch.
  assert.ok(summary.calls === 4 || summary.calls === 5, `${summary.calls}`)
  assert.ok(summary.duration > 0)
  const content = readFileSync(path)
  assert.equal(summary.bytes, content.length)
  assert.equal(content.subarray(0, 8).toString(), 'SPIKETRC')
  for (const word of ['alice', 'patients', 'diagnosis', 'confidential', 'user-']) {
    assert.ok(!content.includes(word), word)
  }
  assert.deepEqual(await recording.stop(), summary)
  assert.deepEqual(recording.summary, summary)
  await users.get('alice')
  assert.equal(readFileSync(path).length, content.length)
})

test('what cannot be recorded is rejected', () => {
  const path = join(folder, 'rejected.trace')
  const bad: [object, typeof Error, RegExp][] = [
    [{ share: 0 }, RangeError, /share/],
    [{ share: 2 }, RangeError, /share/],
    [{ share: 'all' }, TypeError, /share/],
    [{ maxBytes: 1 }, RangeError, /maxBytes/],
    [{ overwrite: 1 }, TypeError, /overwrite/],
    [{ shares: 1 }, TypeError, /unknown option shares/],
  ]
  for (const [options, kind, about] of bad) {
    assert.throws(
      () => client.record(path, options),
      (error: Error) => error instanceof kind && about.test(error.message),
    )
  }
  assert.throws(() => client.record(7 as unknown as string), TypeError)
  assert.ok(!existsSync(path))
  writeFileSync(path, 'mine')
  assert.throws(() => client.record(path), { code: 'EEXIST' })
  assert.equal(readFileSync(path, 'utf8'), 'mine')
  assert.throws(() => client.record(join(folder, 'nowhere', 'a')), { code: 'ENOENT' })
})

test('one recording at a time, and an existing file is replaced if told so', async () => {
  const path = join(folder, 'again.trace')
  writeFileSync(path, 'mine')
  const recording = client.record(path, { overwrite: true })
  assert.throws(() => client.record(join(folder, 'other.trace')), /recorded already/)
  assert.equal((await recording.stop()).calls, 0)
  await client.record(path, { overwrite: true }).stop()
})

test('closing the client ends its recording', async () => {
  const path = join(folder, 'closed.trace')
  const closing = await Client.connect(cluster.seeds)
  const recording = closing.record(path, { share: 1 })
  await closing.dataset('test', 'closing').put(1, { n: 1 })
  await closing.close()
  while (recording.summary.state === 'running') await sleep(5)
  assert.deepEqual([recording.summary.state, (await recording.stop()).calls], ['closed', 1])
  assert.throws(() => closing.record(join(folder, 'late.trace')), ClientClosed)
})
