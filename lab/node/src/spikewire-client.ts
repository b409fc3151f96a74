/** This package, used as its users would. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Batch, type builder, Client, type Dataset, type Query } from 'spikewire'
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

/** The same client through its builder, with a chain for each call. */
class Builder extends SpikewireClient {
  readonly #session: builder.Builder
  readonly #keys: Dataset<Bins>

  constructor(client: Client, target: Target) {
    super(client, target)
    this.#session = client.session()
    this.#keys = client.dataset<Bins>(target.namespace, target.set)
  }

  override get(key: number): Promise<ReadResult> {
    return this.#session.query<Bins>(this.#keys.key(key)).first()
  }

  override put(key: number, bins: Bins): Promise<unknown> {
    return this.#session.upsert<Bins>(this.#keys.key(key)).put(bins).execute()
  }

  override getMany(keys: number[]): Promise<unknown> {
    return this.#session.query<Bins>(this.#keys.keys(keys)).toList()
  }

  override async putMany(keys: number[], bins: Bins[]): Promise<unknown> {
    const steps = keys.map((key, at) => [this.#keys.key(key), bins[at] as Bins] as const)
    type Chain = Pick<builder.WriteMany<Bins>, 'upsert' | 'execute'>
    const chain = steps.reduce<Pick<builder.Builder, 'upsert'> | Chain>(
      (step, [key, row]) => step.upsert<Bins>([key]).put(row),
      this.#session,
    )
    return (chain as Chain).execute()
  }

  override scan(_: string, consumer: string): Promise<Scanned> {
    return iterated(this.#session.query(this.#keys).stream(), consumer)
  }

  override async each(_: string, seen: (digest: Uint8Array, bins: unknown) => void): Promise<void> {
    for await (const { key, bins } of this.#session.query(this.#keys).stream()) {
      seen(key.digest, bins)
    }
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

function candidate(name: string, api: typeof SpikewireClient, ways: readonly string[]): Candidate {
  return {
    name,
    ways,
    load() {
      const text = readFileSync(require.resolve('spikewire/package.json'), 'utf8')
      return Promise.resolve((JSON.parse(text) as { version: string }).version)
    },
    async open(target) {
      const { seeds, access } = target
      const client = await Client.connect(seedTexts(seeds, access), spikewireOptions(access))
      return new api(client, target)
    },
  }
}

export const SPIKEWIRE = candidate('spikewire', SpikewireClient, ['iterate', 'stream'])
export const BUILDER = candidate('spikewire/builder', Builder, ['iterate'])
