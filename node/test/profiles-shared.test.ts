/** Profiles in files mean the same in every language: cases that all of them run. */

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, op, ProfileError, Profiles } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { REPOSITORY, temporaryFolder } from './support/programs.js'

interface Cases {
  file: string
  calls: {
    verb: string
    writes?: boolean
    option: string
    value: unknown
    source: string
  }[]
  mistakes: { kind: string; text: string; error: string }[]
}

const CASES = JSON.parse(
  readFileSync(join(REPOSITORY, 'tests/profile_cases.json'), 'utf8'),
) as Cases

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())

test('calls have the options of a file', async (t) => {
  const path = join(temporaryFolder(t), 'p.toml')
  writeFileSync(path, CASES.file)
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds)
  const view = client.withProfile(new Profiles(path).get('all'))
  for (const { verb, writes, option, value, source } of CASES.calls) {
    const operations = [writes ? op.put('a', 1) : op.get('a')]
    const args = verb.startsWith('operate') && verb !== 'operate_all' ? [1, operations] : []
    const used = view.explain(camel(verb), ...args).get(camel(option))
    const isTime = typeof value === 'object' && value !== null && 'seconds' in value
    const expected = isTime ? (value.seconds as number) * 1000 : value
    assert.deepEqual([used?.value, used?.source], [expected, source], `${verb} ${option}`)
  }
  await client.close()
  await cluster.close()
})

test('mistakes in files are told in the same words', (t) => {
  const folder = temporaryFolder(t)
  for (const { kind, text, error } of CASES.mistakes) {
    const path = join(folder, `p.${kind}`)
    writeFileSync(path, text)
    assert.throws(
      () => new Profiles(path),
      (it: Error) => {
        assert.ok(it instanceof ProfileError)
        assert.ok(it.message.startsWith(error), `${it.message}\n${error}`)
        return true
      },
    )
  }
})
