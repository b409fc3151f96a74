/** The client in one page. */

import { Client, op } from 'spikewire'
import { withCluster } from './seeds.js'

interface User {
  name: string
  age: number
}

await withCluster(async (seeds) => {
  await using client = await Client.connect(seeds)
  const users = client.dataset<User>('test', 'users')

  await users.put('alice', { name: 'Alice', age: 28 }, { ttl: 3600 })
  const record = await users.get('alice')
  console.log(record.bins.name, record.generation, record.ttl)

  // A verb sends at once and returns a promise; calls started together share one write.
  const squares = client.dataset<{ square: number }>('test', 'squares')
  await Promise.all(Array.from({ length: 1000 }, (_, n) => squares.put(n, { square: n * n })))
  const records = await Promise.all(Array.from({ length: 10 }, (_, n) => squares.get(n)))
  console.log(records.map(({ bins }) => bins.square).join(' '))

  // Several steps on one record, applied atomically.
  const aged = await users.operate('alice', [op.add('age', 1), op.get('age')])
  console.log(aged.bins.age)

  // A missing record is an error, unless the call has a default.
  console.log(await users.get('nobody', { default: null }))
  console.log('deleted', await users.delete('alice'))
})
