/** The drop-in for npm `aerospike` and npm `aerospike` itself, on one embedded cluster. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import {
  type BinValue,
  Client,
  type Dataset,
  GeoJSON as NativeGeoJSON,
  op,
  RecordNotFound,
} from 'spikewire'
import { Cluster } from 'spikewire/testing'
import type { Sketches } from '../compat-cases/bits.js'
import type { Case } from '../compat-cases/case.js'
import { aerospike, connectAerospike } from './aerospike.js'
import type { Theirs } from './aerospike-pair.js'

/** The drop-in's module. */
// biome-ignore lint/suspicious/noExplicitAny: programs of either package run with both
export const dropIn = (): any => createRequire(import.meta.url)('spikewire/compat/aerospike')

/** What a program sees of a call: its bins, or the error. */
type Outcome = { bins?: unknown; code?: unknown }

async function outcome(call: () => Promise<Theirs>): Promise<Outcome> {
  try {
    const { bins } = await call()
    return { bins }
  } catch (error) {
    const { code, name } = error as { code?: number; name: string }
    return { code: code ?? name }
  }
}

/** A package, with a client and the key of its record. */
interface Side {
  module: Theirs
  client: Theirs
  key: Theirs
  name: string
}

export class Both {
  readonly ours: Side
  readonly theirs: Side
  readonly #cluster: Cluster
  readonly #client: Client
  readonly #data: Dataset

  private constructor(cluster: Cluster, client: Client, clients: [Theirs, Theirs], set: string) {
    this.#cluster = cluster
    this.#client = client
    this.#data = client.dataset('test', set)
    const side = (module: Theirs, connected: Theirs, name: string): Side => ({
      module,
      client: connected,
      key: new module.Key('test', set, name),
      name,
    })
    this.ours = side(dropIn(), clients[0], 'ours')
    this.theirs = side(aerospike(), clients[1], 'theirs')
  }

  static async open(set: string): Promise<Both> {
    const cluster = await Cluster.start()
    const client = await Client.connect(cluster.seeds)
    const [addr, port] = cluster.seeds.split(',')[0]?.split(':') ?? []
    const ours = await dropIn().connect({ hosts: [{ addr, port: Number(port) }] })
    return new Both(cluster, client, [ours, await connectAerospike(cluster.seeds)], set)
  }

  /** Sketches to begin with, and to unite. */
  async sketches(): Promise<Sketches> {
    const sketch = async (minhashBits: number | undefined): Promise<Buffer> => {
      const values = ['a', 'q']
      await this.#data.operate('sketch', [op.put('z', 1), op.hll.add('b', values, 8, minhashBits)])
      const bins = (await this.#data.get('sketch'))?.bins as { b: { bytes: Buffer } }
      await this.#data.delete('sketch')
      return bins.b.bytes
    }
    return { plain: await sketch(undefined), minhash: await sketch(20) }
  }

  async #run({ module, client, key, name }: Side, of: Case): Promise<[Outcome, unknown]> {
    const start = Object.entries(of.start).map(([bin, value]) => [bin, native(module, value)])
    await this.#data.put(name, Object.fromEntries([['z', 1], ...start]), { exists: 'replace' })
    const done = await outcome(async () => {
      const value = of.make()
      return client.operate(key, Array.isArray(value) ? value : [value])
    })
    return [done, await this.#stored(name)]
  }

  /** The bins of a record; `undefined` without one. */
  async #stored(name: string): Promise<unknown> {
    try {
      return (await this.#data.get(name)).bins
    } catch (error) {
      if (error instanceof RecordNotFound) return undefined
      throw error
    }
  }

  /**
   * The same cases with the functions of both packages have the same results, and leave the same
   * records. `except` says why some, by a part of their names, are different.
   */
  async compare(
    t: TestContext,
    cases: (module: Theirs) => Case[],
    except: { [name: string]: string } = {},
  ): Promise<void> {
    const [ours, theirs] = [cases(this.ours.module), cases(this.theirs.module)]
    const different: string[] = []
    const unused = new Set(Object.keys(except))
    for (const [at, mine] of ours.entries()) {
      const [[result, left], [expected, right]] = await Promise.all([
        this.#run(this.ours, mine),
        this.#run(this.theirs, theirs[at] as Case),
      ])
      try {
        assert.deepEqual(result, expected)
        assert.deepEqual(left, right)
      } catch {
        const known = Object.keys(except).find((name) => mine.name.includes(name))
        if (known === undefined) {
          different.push(`${mine.name}: ${shown(result, left)}, not ${shown(expected, right)}`)
        } else unused.delete(known)
      }
    }
    t.diagnostic(`${ours.length} cases`)
    assert.deepEqual(different, [])
    assert.deepEqual([...unused], [], 'differences that are none')
  }

  async close(): Promise<void> {
    await this.ours.client.close()
    this.theirs.client.close()
    await this.#client.close()
    await this.#cluster.close()
  }
}

function shown(result: unknown, left: unknown): string {
  return `${JSON.stringify(result)} and ${JSON.stringify(left)}`
}

/** A value as Spikewire's own client takes it. */
function native(module: Theirs, value: unknown): BinValue {
  if (!(value instanceof module.GeoJSON)) return value as BinValue
  return new NativeGeoJSON((value as { str: string }).str)
}
