/** This package, used as its users would. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Batch, Client, type Dataset, type Query } from 'spikewire'
import { seedTexts, spikewireOptions } from './access.js'
import {
  type BenchClient,
  type Candidate,
  lookAt,
  type ReadResult,
  type Scanned,
  type Target,
} from './clients.js'
import { FileConsumer, line, SlowConsumer } from './consumers.js'
import type { Bins } from './workload.js'

class SpikewireClient implements BenchClient {
  readonly #client: Client
  readonly #dataset: Dataset<Bins>

  constructor(client: Client, target: Target) {
    this.#client = client
    this.#dataset = client.dataset<Bins>(target.namespace, target.set)
  }

  get(key: number): Promise<ReadResult> {
    return this.#dataset.get(key)
  }

  put(key: number, bins: Bins): Promise<unknown> {
    return this.#dataset.put(key, bins)
  }

  getMany(keys: number[]): Promise<unknown> {
    return this.#dataset.getMany(keys)
  }

  async putMany(keys: number[], bins: Bins[]): Promise<unknown> {
    const batch = await this.#dataset.putMany(pairs(keys, bins))
    return batch.raiseForErrors()
  }

  look(batch: unknown, names: readonly string[]): void {
    const rows = batch as Batch<Bins>
    for (let row = 0; row < rows.length; row++) lookAt(rows[row]?.bins, names)
  }

  rows(batch: unknown): unknown[] {
    return Array.from(batch as Batch<Bins>, (record) => record?.bins)
  }

  async scan(way: string, consumer: string): Promise<Scanned> {
    const query = this.#dataset.query()
    return way === 'stream' ? streamed(query, consumer) : iterated(query, consumer)
  }

  async each(way: string, seen: (digest: Uint8Array, bins: unknown) => void): Promise<void> {
    const query = this.#dataset.query()
    const records = way === 'stream' ? query.stream() : query
    for await (const { key, bins } of records as AsyncIterable<{
      key: { digest: Buffer }
      bins: Bins
    }>) {
      seen(key.digest, bins)
    }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function* pairs(keys: readonly number[], bins: readonly Bins[]): Generator<[number, Bins]> {
  for (let at = 0; at < keys.length; at++) yield [keys[at] as number, bins[at] as Bins]
}

/** `for await`: the next record is taken when the previous one has been consumed. */
async function iterated(query: Query<Bins>, consumer: string): Promise<Scanned> {
  const scanned: Scanned = { count: 0, last: undefined }
  if (consumer === 'file') {
    const file = new FileConsumer()
    try {
      for await (const record of query) {
        scanned.last = record.bins
        scanned.count++
        if (!file.stream.write(line(record.bins))) await once(file.stream, 'drain')
      }
    } finally {
      await file.close()
    }
  } else if (consumer === 'sleep') {
    const slow = new SlowConsumer()
    for await (const record of query) {
      scanned.last = record.bins
      const pause = slow.due(++scanned.count)
      if (pause > 0) await SlowConsumer.sleep(pause)
    }
  } else {
    for await (const record of query) {
      scanned.last = record.bins
      scanned.count++
    }
  }
  return scanned
}

/** `stream()`, piped into other streams. */
async function streamed(query: Query<Bins>, consumer: string): Promise<Scanned> {
  const scanned: Scanned = { count: 0, last: undefined }
  const slow = new SlowConsumer()
  const take = (record: { bins: Bins }) => {
    scanned.last = record.bins
    scanned.count++
  }
  if (consumer === 'file') {
    const file = new FileConsumer()
    const lines = new Transform({
      writableObjectMode: true,
      transform(record: { bins: Bins }, _, done) {
        take(record)
        done(null, line(record.bins))
      },
    })
    try {
      await pipeline(query.stream(), lines, file.stream)
    } finally {
      await file.close()
    }
    return scanned
  }
  const sink = new Writable({
    objectMode: true,
    write(record: { bins: Bins }, _, done) {
      take(record)
      const pause = consumer === 'sleep' ? slow.due(scanned.count) : 0
      if (pause > 0) setTimeout(done, pause)
      else done()
    },
  })
  await pipeline(query.stream(), sink)
  return scanned
}

export const SPIKEWIRE: Candidate = {
  name: 'spikewire',
  ways: ['iterate', 'stream'],
  load() {
    const text = readFileSync(require.resolve('spikewire/package.json'), 'utf8')
    return Promise.resolve((JSON.parse(text) as { version: string }).version)
  },
  async open(target) {
    const { seeds, access } = target
    const client = await Client.connect(seedTexts(seeds, access), spikewireOptions(access))
    return new SpikewireClient(client, target)
  },
}
