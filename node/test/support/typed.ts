/** What the public types allow and reject: compiling this is the test. */

import assert from 'node:assert/strict'
import { type Client, type Dataset, exp, type Key, op, type Record } from 'spikewire'

interface User {
  name: string
  age: number
  tags?: string[]
}

/** Never called. */
export async function checked(client: Client, key: Key): Promise<void> {
  const users: Dataset<User> = client.dataset<User>('test', 'users')
  await users.put('alice', { name: 'Alice' })
  await users.put(1n, { age: 28 }, { ttl: new Date(), exists: 'create', generation: 1 })
  await users.put(key, { tags: ['a'] }, (error: Error | null) => error)
  const record: Record<User> = await users.get('alice', { where: exp.bin('age').gt(25) })
  const age: number = record.bins.age
  const maybe: Record<User> | null = await users.get('alice', { default: null })
  const number: Record<User> | 5 = await users.get('alice', { default: 5 as const })
  const there: boolean = await users.exists(Buffer.from('alice'))
  const names = (await users.getMany([1, 'two'])).toMap()
  const loose = await client.get(key)
  assert.ok(age && maybe && number && there && names && loose)
  await users.operate('alice', [op.add('age', 1)], { sendKey: true })

  // @ts-expect-error: there is no such bin
  await users.put('alice', { nmae: 'Alice' })
  // @ts-expect-error: of another type
  await users.put('alice', { age: '28' })
  // @ts-expect-error: no such option
  await users.put('alice', { age: 28 }, { tll: 3600 })
  // @ts-expect-error: no such word
  await users.put('alice', { age: 28 }, { exists: 'always' })
  // @ts-expect-error: reads write nothing
  await users.get('alice', { ttl: 3600 })
  // @ts-expect-error: no user key
  await users.get(null)
  // @ts-expect-error: a client's keys are whole
  await client.get('alice')
  // @ts-expect-error: without a default there is no null
  const never: null = await users.get('alice')
  // @ts-expect-error: not an operation
  await users.operate('alice', [{ add: 1 }])
  assert.ok(never)
}
