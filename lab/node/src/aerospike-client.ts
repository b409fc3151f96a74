/** npm `aerospike`, used as its users would: with promises, and streams for scans. */

import { join } from 'node:path'
import { aerospikeConfig } from './access.js'
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

/** The part of its API used here; its own types exist only where it is installed. */
interface Aerospike {
  Key: new (namespace: string, set: string, key: number) => object
  batchType: { BATCH_WRITE: number }
  status: { OK: number }
  operations: { write(bin: string, value: unknown): object }
  log: { OFF: number }
  auth: Record<string, number>
  connect(config: object): Promise<Connected>
  releaseEventLoop(): void
}

interface Connected {
  get(key: object): Promise<ReadResult>
  put(key: object, bins: Bins): Promise<unknown>
  batchRead(records: { key: object; readAllBins: boolean }[]): Promise<Row[]>
  batchWrite(records: { type: number; key: object; ops: object[] }[]): Promise<Row[]>
  scan(namespace: string, set: string, options: { concurrent: boolean }): Scan
  query(namespace: string, set: string): Scan
  close(): void
}

interface Row {
  status: number
  record: { bins: { [bin: string]: unknown } }
}

interface Scan {
  foreach(): RecordStream
}

interface StreamedRecord {
  key: { digest: Buffer }
  bins: object
}

interface RecordStream {
  on(event: 'data', listener: (record: StreamedRecord) => void): void
  on(event: 'error', listener: (error: Error) => void): void
  on(event: 'end', listener: () => void): void
}

class AerospikeClient implements BenchClient {
  readonly #library: Aerospike
  readonly #client: Connected
  readonly #namespace: string
  readonly #set: string

  constructor(library: Aerospike, client: Connected, target: Target) {
    this.#library = library
    this.#client = client
    this.#namespace = target.namespace
    this.#set = target.set
  }

  get(key: number): Promise<ReadResult> {
    return this.#client.get(new this.#library.Key(this.#namespace, this.#set, key))
  }

  put(key: number, bins: Bins): Promise<unknown> {
    return this.#client.put(new this.#library.Key(this.#namespace, this.#set, key), bins)
  }

  getMany(keys: number[]): Promise<unknown> {
    const { Key } = this.#library
    return this.#client.batchRead(
      keys.map((key) => ({ key: new Key(this.#namespace, this.#set, key), readAllBins: true })),
    )
  }

  async putMany(keys: number[], bins: Bins[]): Promise<unknown> {
    const { Key, batchType, operations, status } = this.#library
    const rows = await this.#client.batchWrite(
      keys.map((key, at) => ({
        type: batchType.BATCH_WRITE,
        key: new Key(this.#namespace, this.#set, key),
        ops: Object.entries(bins[at] as Bins).map(([bin, value]) => operations.write(bin, value)),
      })),
    )
    for (const row of rows) {
      if (row.status !== status.OK) throw new Error(`a row was not stored: ${row.status}`)
    }
    return rows
  }

  look(batch: unknown, names: readonly string[]): void {
    for (const row of batch as Row[]) lookAt(row.record.bins, names)
  }

  rows(batch: unknown): unknown[] {
    return (batch as Row[]).map((row) => row.record.bins)
  }

  scan(way: string, consumer: string): Promise<Scanned> {
    return consumed(this.#stream(way), consumer)
  }

  async each(way: string, seen: (digest: Uint8Array, bins: unknown) => void): Promise<void> {
    const stream = this.#stream(way)
    const ended = over(stream)
    stream.on('data', ({ key, bins }) => seen(key.digest, bins))
    await ended
  }

  #stream(way: string): RecordStream {
    const set = [this.#namespace, this.#set] as const
    const scan =
      way === 'query' ? this.#client.query(...set) : this.#client.scan(...set, { concurrent: true })
    return scan.foreach()
  }

  close(): Promise<void> {
    this.#client.close()
    this.#library.releaseEventLoop()
    return Promise.resolve()
  }
}

function over(stream: RecordStream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject)
    stream.on('end', resolve)
  })
}

/** The stream cannot be paused: a reader slower than the servers buffers what arrives meanwhile. */
async function consumed(stream: RecordStream, consumer: string): Promise<Scanned> {
  const ended = over(stream)
  const scanned: Scanned = { count: 0, last: undefined }
  if (consumer === 'file') {
    const file = new FileConsumer()
    stream.on('data', (record) => {
      scanned.last = record.bins
      scanned.count++
      file.stream.write(line(record.bins))
    })
    try {
      await ended
    } finally {
      await file.close()
    }
  } else if (consumer === 'sleep') {
    await slowly(stream, ended, scanned)
  } else {
    stream.on('data', (record) => {
      scanned.last = record.bins
      scanned.count++
    })
    await ended
  }
  return scanned
}

async function slowly(stream: RecordStream, ended: Promise<void>, scanned: Scanned): Promise<void> {
  let waiting: object[] = []
  let over = false
  let wake: (() => void) | undefined
  stream.on('data', (record) => {
    waiting.push(record.bins)
    wake?.()
  })
  const end = ended.finally(() => {
    over = true
    wake?.()
  })
  end.catch(() => {})
  const slow = new SlowConsumer()
  while (!over || waiting.length > 0) {
    const records = waiting
    waiting = []
    for (const bins of records) {
      scanned.last = bins
      const pause = slow.due(++scanned.count)
      if (pause > 0) await SlowConsumer.sleep(pause)
    }
    if (!over && waiting.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await end
}

/** Where it may be installed: with the running program, with the lab, or in a checkout. */
const FOLDERS = [process.cwd(), __dirname, join(__dirname, '../../../node/peers')]

/** npm `aerospike`, or what has its API: a module, and the file that has its version. */
function candidate(name: string, module: string, about: string): Candidate {
  let library: Aerospike | undefined
  return {
    name,
    ways: ['scan', 'query'],
    load() {
      let location: string
      try {
        location = require.resolve(module, { paths: FOLDERS })
      } catch {
        return Promise.reject(new Error(`${module} is not installed`))
      }
      library = require(location) as Aerospike
      const file = require.resolve(about, { paths: FOLDERS })
      return Promise.resolve((require(file) as { version: string }).version)
    },
    async open(target) {
      if (library === undefined) throw new Error(`${name} is not loaded`)
      // It rejects calls for which a node has no free connection, and reports that on standard error.
      const maxConnsPerNode = Math.max(100, target.concurrency)
      const where = aerospikeConfig(target.seeds, target.access, library.auth)
      const config = { ...where, maxConnsPerNode, log: { level: library.log.OFF } }
      return new AerospikeClient(library, await library.connect(config), target)
    },
  }
}

export const AEROSPIKE = candidate('aerospike', 'aerospike', 'aerospike/package.json')

/** Our drop-in replacement for it. */
export const DROP_IN = candidate(
  'spikewire/compat',
  'spikewire/compat/aerospike',
  'spikewire/package.json',
)
