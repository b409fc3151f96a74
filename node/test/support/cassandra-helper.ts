/** Clusters and proxies that the Python package runs for tests; see `python_cassandra.py`. */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import { PYTHON } from '../cases.js'
import { AT } from './cassandra.js'
import { PACKAGE } from './programs.js'

const SCRIPT = join(PACKAGE, 'test', 'python_cassandra.py')

/** A cluster or a proxy in a separate process. */
class Helper {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  }

  /** Starts one and returns its description. */
  static async start<T>(kind: string, settings: string): Promise<[Helper, T]> {
    const helper = new Helper(
      spawn(PYTHON, [SCRIPT, kind, settings], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    return [helper, (await helper.#line()) as T]
  }

  async #line(): Promise<unknown> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`${SCRIPT} has ended`)
    return JSON.parse(value)
  }

  /** Calls a method of it. Calls are sequential. */
  async call(method: string, args: unknown[] = [], keywords: object = {}): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify([method, args, keywords])}\n`)
    const [well, result] = (await this.#line()) as [boolean, unknown]
    if (!well) throw new Error(`${method}: ${result}`)
    return result
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin.end()
    if (this.#child.exitCode === null) await ended
  }
}

/** The description of a cluster. */
export interface ClusterFacts {
  addresses: string[]
  credentials: [user: string, password: string] | null
  certificates: { ca: string; certificate: string; key: string } | null
}

/** Starts a separate cluster with options of `CassandraCluster`, or returns why there is none. */
export async function startCluster(
  options: object,
): Promise<{ facts: ClusterFacts; stop: () => Promise<void> } | { unavailable: string }> {
  type ClusterReply = ClusterFacts & { unavailable?: string }
  const [helper, facts] = await Helper.start<ClusterReply>('cluster', JSON.stringify(options))
  if (facts.unavailable === undefined) return { facts, stop: () => helper.stop() }
  await helper.stop()
  if (process.env['SPIKEWIRE_CASSANDRA'] === 'required') throw new Error(facts.unavailable)
  return { unavailable: facts.unavailable }
}

/** Faults of a proxy; see `docs/cassandra-for-tests.md`. */
export interface Faults {
  delay?: number
  drip?: [bytes: number, seconds: number]
  cut?: number
  cut_by?: 'reset' | 'close'
  corrupt?: [offset: number, change: number]
  times?: number
  swallow?: boolean
  hold?: boolean
}

/** A proxy in front of a node, until the end of the test. */
export interface CqlProxy {
  readonly address: string
  inject(direction: 'requests' | 'replies', faults: Faults): Promise<void>
  refuse(how: 'never' | 'close' | 'silent' | 'port'): Promise<void>
  cut(): Promise<void>
  clear(): Promise<void>
  stats(): Promise<{ [name: string]: number }>
}

/** Starts a proxy, by default in front of the tests' node. */
export async function proxied(
  test: TestContext,
  target = AT.split(',')[0] as string,
): Promise<CqlProxy> {
  const [helper, { address }] = await Helper.start<{ address: string }>('proxy', target)
  test.after(() => helper.stop())
  const call = async (...args: Parameters<typeof helper.call>): Promise<void> => {
    await helper.call(...args)
  }
  return {
    address,
    inject: (direction, faults) => call('inject', [direction], faults),
    refuse: (how) => call('refuse', [how]),
    cut: () => call('cut'),
    clear: () => call('clear'),
    stats: () => helper.call('stats') as Promise<{ [name: string]: number }>,
  }
}

/** A managed cluster in front of nodes, until the end of the test. */
export interface ManagedCluster {
  /** The path of its archive. */
  readonly bundle: string
  /** Writes the archive to a path, with other entries, or without those that are null. */
  write(path: string, entries: { [name: string]: string | null }): Promise<void>
  /** The server names of connections so far. */
  names(): Promise<string[]>
}

/** Starts one for nodes by their ids, or returns why there is none. */
export async function managed(
  test: TestContext,
  nodes: { [id: string]: string },
): Promise<ManagedCluster | { unavailable: string }> {
  type Reply = { bundle: string; unavailable?: string }
  const [helper, facts] = await Helper.start<Reply>('managed', JSON.stringify(nodes))
  test.after(() => helper.stop())
  const { bundle, unavailable } = facts
  if (unavailable !== undefined) return { unavailable }
  return {
    bundle,
    write: async (path, entries) => {
      await helper.call('write', [path], entries)
    },
    names: () => helper.call('names_so_far') as Promise<string[]>,
  }
}
