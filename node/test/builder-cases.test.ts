/** The cases of the builder that Python and Node.js share: `tests/builder_cases.json`. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type builder, Client, type Dataset, op, Record } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { REPOSITORY } from './support/programs.js'

type Value = null | boolean | number | string | Value[] | { [name: string]: Value }

interface Case {
  name: string
  records?: { [key: string]: { [bin: string]: never } }
  chain: [string, ...Value[]][]
  returns?: Value
  raises?: string
  text?: string
  leaves?: { [key: string]: Value }
}

const path = join(REPOSITORY, 'tests/builder_cases.json')
const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: Case[] }

/** Python's errors of invalid input, as they are called in Node.js. */
const ERRORS: { [name: string]: string } = { ValueError: 'RangeError', OverflowError: 'RangeError' }
/** Keys from 0 to this one may be left. */
const KEY = 10

let cluster: Cluster
let client: Client
let sets = 0

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 30_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

const camel = (text: string) => text.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())

function options(given: Value): unknown {
  const entries = Object.entries(given as { [name: string]: Value })
  return Object.fromEntries(entries.map(([name, value]) => [camel(name), value]))
}

/** An argument. */
function argument(users: Dataset, value: Value): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const [kind, content] = Object.entries(value)[0] ?? []
  switch (Object.keys(value).length === 1 ? kind : '') {
    case 'key':
      return users.key(content as number)
    case 'keys':
      return users.keys(content as number[])
    case 'keys_and_more': {
      const keys = content as number[]
      return [...users.keys(keys.slice(0, -1)), keys.at(-1)]
    }
    case 'iterator':
      return users.keys(content as number[]).values()
    case 'dataset':
      return users
    case 'with':
      return options(content as Value)
    case 'op': {
      const [name, ...args] = content as [string, ...Value[]]
      // biome-ignore lint/suspicious/noExplicitAny: the table names any of its functions
      const named = name.split('.').reduce((at: any, part) => at[camel(part)], op)
      return named(...args)
    }
    default:
      return value
  }
}

/** An outcome as the table has it. */
function plain(outcome: unknown): unknown {
  if (outcome instanceof Record) {
    const { bins, results } = outcome
    return results?.length ? { bins: { ...bins }, results: [...results] } : { bins: { ...bins } }
  }
  if (Array.isArray(outcome)) return outcome.map(plain)
  if (outcome === undefined) return null
  if (typeof outcome !== 'object' || outcome === null) return outcome
  return Array.from(outcome as builder.Results, ({ row, error, missing, record }) => {
    if (error !== null) return { row, error: error.constructor.name }
    return missing ? { row, missing } : { row, ...(plain(record) as object) }
  })
}

for (const { name, records, chain, returns, raises, text, leaves } of cases) {
  test(name, async () => {
    const users = client.dataset('test', `cases${sets++}`)
    for (const [key, bins] of Object.entries(records ?? {})) await users.put(Number(key), bins)
    const run = async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the table calls any method
      let at: any = client.session()
      for (const [method, ...given] of chain) {
        at = at[camel(method)](...given.map((value) => argument(users, value)))
      }
      return plain(await at)
    }
    if (raises === undefined) {
      assert.deepEqual(await run(), returns)
    } else {
      const error = await run().then(
        () => assert.fail('no error'),
        (error: Error) => error,
      )
      assert.equal(error.constructor.name, ERRORS[raises] ?? raises, error.message)
      assert.ok(error.message.includes(camel(text ?? '')), error.message)
    }
    if (leaves === undefined) return
    const left = await users.getMany(Array.from({ length: KEY }, (_, key) => key))
    const stored = [...left].flatMap((record, key) => (record ? [[key, { ...record.bins }]] : []))
    assert.deepEqual(Object.fromEntries(stored), leaves)
  })
}
