/** What can go wrong, and how a program handles it. */

import {
  Client,
  type Dataset,
  GenerationMismatch,
  RecordExists,
  RecordNotFound,
  Timeout,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { withCluster } from './seeds.js'

interface Account {
  balance: number
}

/** Reads, decides and writes; starts over if another client wrote in between. */
async function withdraw(
  accounts: Dataset<Account>,
  owner: string,
  amount: number,
): Promise<number> {
  for (;;) {
    const { bins, generation } = await accounts.get(owner)
    if (bins.balance < amount) throw new Error(`${owner} has only ${bins.balance}`)
    const left = bins.balance - amount
    try {
      await accounts.put(owner, { balance: left }, { generation })
      return left
    } catch (error) {
      if (!(error instanceof GenerationMismatch)) throw error
    }
  }
}

await withCluster(async (seeds) => {
  await using client = await Client.connect(seeds)
  const accounts = client.dataset<Account>('test', 'accounts')

  // Errors have a message and carry the facts as attributes.
  try {
    await accounts.get('nobody')
  } catch (error) {
    if (!(error instanceof RecordNotFound)) throw error
    console.log(`no record: ${error.key}, code ${error.code}`)
  }

  await accounts.put('alice', { balance: 100 })
  console.log('left:', await withdraw(accounts, 'alice', 30))

  // Values that cannot be stored are rejected before anything is sent; the error names the place.
  try {
    await accounts.put('alice', { balance: Number.NaN, limits: { daily: undefined } } as never)
  } catch (error) {
    console.log(`refused: ${(error as TypeError).message}`)
  }

  try {
    await accounts.put('alice', { balance: 1 }, { exists: 'create' })
  } catch (error) {
    if (!(error instanceof RecordExists)) throw error
    console.log('alice exists already')
  }
})

// A write whose reply is lost may have been applied, and the error says so.
await using cluster = await Cluster.start()
await using client = await Client.connect(cluster.seeds)
await cluster.inject(0, { dropReply: 1 })
try {
  await client.dataset('test', 'accounts').put('bob', { balance: 1 }, { timeout: 200 })
} catch (error) {
  if (!(error instanceof Timeout)) throw error
  console.log(`timed out after ${error.attempts} attempt(s), in doubt: ${error.inDoubt}`)
}
await cluster.clearFaults(0)
