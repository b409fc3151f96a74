/** The clients under test: how their users read and write, each in its own words. */

import type { Access } from './access.js'
import type { Bins } from './workload.js'

/** The cluster, and the place in it. */
export interface Target {
  seeds: [string, number][]
  namespace: string
  set: string
  /** Calls that will be in flight. */
  concurrency: number
  /** How it is let in; without it, as anybody. */
  access?: Access
}

/** What came back for one record. */
export interface Held {
  readonly bins: object | undefined
}

/**
 * A connected client. Its methods give the client's own promises: nothing is put around them. Keys
 * are made from the integer in the call, as users do.
 */
export interface BenchClient {
  /** Reads all bins of a record. */
  get(key: number): Promise<Held>
  put(key: number, bins: Bins): Promise<unknown>
  /** Reads all bins of many records, in whatever form the client gives them. */
  getMany(keys: number[]): Promise<unknown>
  /** Writes many records. Throws unless every one was stored. */
  putMany(keys: number[], bins: Bins[]): Promise<unknown>
  /** Looks at these bins of every record that `getMany` gave. Throws where there is none. */
  look(batch: unknown, names: readonly string[]): void
  /** The bins of every record that `getMany` gave, in order. */
  rows(batch: unknown): unknown[]
  /** Hands every record of the set to a consumer; how many there were, and the bins of one. */
  scan(way: string, consumer: string): Promise<Scanned>
  /** Tells of every record of the set, read in this way. */
  each(way: string, seen: (digest: Uint8Array, bins: unknown) => void): Promise<void>
  close(): Promise<void>
}

/** What a scan came to. */
export interface Scanned {
  count: number
  last: unknown
}

/** A client that may be measured, if it is there. */
export interface Candidate {
  readonly name: string
  /** How it reads all records of a set. */
  readonly ways: readonly string[]
  /** Loads it; its version. Throws where it cannot be used. */
  load(): Promise<string>
  /** Connects; after `load`. */
  open(target: Target): Promise<BenchClient>
}

/** Throws for a bin that is not there: a caller that looks at it would have noticed. */
export function lookAt(
  bins: { [bin: string]: unknown } | undefined,
  names: readonly string[],
): void {
  for (const name of names) {
    if (bins?.[name] === undefined) throw new Error(`a record has no bin ${name}`)
  }
}
