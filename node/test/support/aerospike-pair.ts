/** This client and npm `aerospike` on one embedded cluster. */

import assert from 'node:assert/strict'
import { type BinValue, Client, type Dataset, type Operation } from 'spikewire'
import { Cluster } from 'spikewire/testing'
import { aerospike, connectAerospike } from './aerospike.js'

// biome-ignore lint/suspicious/noExplicitAny: its operations have no types
export type Theirs = any

/** The result of a call, or the code of its error. */
export type Outcome = { result?: unknown; code?: number }

const outcome = (call: Promise<unknown>): Promise<Outcome> =>
  call.then(
    (result) => ({ result }),
    (error: { code?: number }) => ({ code: error.code ?? Number.NaN }),
  )

export class Pair {
  readonly data: Dataset
  readonly peer: Theirs
  readonly #cluster: Cluster
  readonly #client: Client
  readonly #set: string

  private constructor(cluster: Cluster, client: Client, peer: Theirs, set: string) {
    this.#cluster = cluster
    this.#client = client
    this.#set = set
    this.data = client.dataset('test', set)
    this.peer = peer
  }

  /** Opens both, for records of a set. */
  static async open(set: string): Promise<Pair> {
    const cluster = await Cluster.start()
    const client = await Client.connect(cluster.seeds)
    return new Pair(cluster, client, await connectAerospike(cluster.seeds), set)
  }

  /** A key of npm `aerospike`. */
  key(name: string): Theirs {
    return new (aerospike().Key)('test', this.#set, name)
  }

  /** Both run an operation on records alike; results and what both read of both records agree. */
  async compared(
    bins: Record<string, BinValue>,
    bin: string,
    ours: Operation,
    theirs: Theirs,
  ): Promise<Outcome> {
    const { data, peer } = this
    const keys = ['mine', 'other'] as const
    for (const key of keys) await data.put(key, bins, { exists: 'replace' })
    const [mine, other] = await Promise.all([
      outcome(data.operate(keys[0], [ours]).then(({ results }) => results[0] ?? null)),
      outcome(
        peer.operate(this.key(keys[1]), [theirs]).then((done: Theirs) => done.bins[bin] ?? null),
      ),
    ])
    assert.deepEqual(mine, other)
    const left = await Promise.all(keys.map((name) => data.get(name)))
    assert.deepEqual(left[0]?.bins, left[1]?.bins)
    const read = await Promise.all(keys.map((name) => peer.get(this.key(name))))
    assert.deepEqual(read[0].bins, read[1].bins)
    return mine
  }

  async close(): Promise<void> {
    await this.peer.close()
    await this.#client.close()
    await this.#cluster.close()
  }
}
