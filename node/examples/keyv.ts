/** A cache with Keyv: entries are records with a time to live, shared by all processes. */

import { Keyv } from 'keyv'
import { Client } from 'spikewire'
import { KeyvSpikewire } from 'spikewire/keyv'
import { withCluster } from './seeds.js'

await withCluster(async (seeds) => {
  await using client = await Client.connect(seeds, { timeout: 500 })
  const open = (namespace: string) =>
    new Keyv({ store: new KeyvSpikewire(client.dataset('test', 'cache')), namespace, ttl: 60_000 })
  const [prices, stocks] = [open('prices'), open('stocks')]
  prices.on('error', (error) => console.error('the cache failed', error))

  await prices.set('tea', { euro: 3 })
  await prices.setMany([
    { key: 'milk', value: { euro: 2 } },
    { key: 'bread', value: { euro: 4 }, ttl: 5_000 },
  ])
  await stocks.set('tea', 12)
  console.log(await prices.get('tea'), await stocks.get('tea'), await prices.has('gold'))
  await prices.clear()
  console.log(await prices.getMany(['tea', 'milk']), await stocks.get('tea'))
})
