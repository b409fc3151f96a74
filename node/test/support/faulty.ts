/** Shared by tests of misbehaving nodes. */

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions, type Dataset, SpikewireError } from 'spikewire'
import { Cluster } from 'spikewire/testing'

/** The bins of the records in these tests. */
export interface Values {
  v: number | string
  n: number
}

/** A cluster to inject faults into, a client, and a dataset. */
export interface Box {
  cluster: Cluster
  client: Client
  data: Dataset<Values>
}

/** Runs a test with a cluster to inject faults into. */
export async function boxed(
  nodes: number,
  options: ClientOptions,
  work: (box: Box) => Promise<void>,
): Promise<void> {
  const cluster = await Cluster.start({ nodes })
  try {
    assert.ok(await cluster.waitSettled())
    const defaults = { timeout: 30_000, maxErrorRate: 0, tendInterval: 250 }
    const client = await Client.connect(cluster.seeds, { ...defaults, ...options })
    try {
      await work({ cluster, client, data: client.dataset<Values>('test', 'faults') })
    } finally {
      await client.close()
    }
  } finally {
    await cluster.close()
  }
}

/** `0, 1, 2, ...` */
export const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** The error of a call that must fail, which must be one of the package. */
export async function failure(call: Promise<unknown>): Promise<SpikewireError> {
  const ended = await settled(call)
  assert.ok(ended instanceof SpikewireError, `it did not fail: ${String(ended)}`)
  return ended
}

/** The result of a call, or the package's error. Anything else is thrown. */
export async function settled<T>(call: Promise<T>): Promise<T | SpikewireError> {
  try {
    return await call
  } catch (error) {
    if (error instanceof SpikewireError) return error
    throw error
  }
}

/** The results or errors of concurrent calls. */
export const atOnce = <T>(calls: Promise<T>[]): Promise<(T | SpikewireError)[]> =>
  Promise.all(calls.map(settled))

/** Waits until a condition is true, for up to a minute. */
export async function until(is: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const ends = performance.now() + 60_000; performance.now() < ends; ) {
    if (await is()) return
    await sleep(5)
  }
  assert.fail(what)
}

/** Waits until a call works again. */
export const recovers = (call: () => Promise<unknown>): Promise<void> =>
  until(async () => !((await settled(call())) instanceof SpikewireError), 'it does not recover')

/** Unused keys whose master is that node. */
export async function keysOf(
  { cluster, data }: Box,
  node: number,
  count: number,
): Promise<number[]> {
  const keys: number[] = []
  for (let key = 10_000; keys.length < count; key++) {
    const { node: address } = await failure(data.get(key))
    if (address?.endsWith(cluster.addresses[node] as string)) keys.push(key)
  }
  return keys
}
