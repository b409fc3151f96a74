/** The interface of the clients under test; each implements reads and writes as its users would. */

import type { Access } from './access.js'
import type { Bins } from './workload.js'

/** Where a client connects, and the set it works on. */
export interface Target {
  seeds: [string, number][]
  namespace: string
  set: string
  /** The number of calls in flight. */
  concurrency: number
  /** User and TLS; absent: no authentication. */
  access?: Access
}

/** What a read of one record returned. */
export interface ReadResult {
  readonly bins: object | undefined
}

/**
 * A connected client. Its methods return the client's own promises without wrappers. Keys are
 * created from the integer within the call, as users do.
 */
export interface BenchClient {
  /** Reads all bins of a record. */
  get(key: number): Promise<ReadResult>
  put(key: number, bins: Bins): Promise<unknown>
  /** Reads all bins of many records; the result has the client's own form. */
  getMany(keys: number[]): Promise<unknown>
  /** Writes many records. Throws unless all were stored. */
  putMany(keys: number[], bins: Bins[]): Promise<unknown>
  /** Accesses these bins of every record in a result of `getMany`. Throws if one is missing. */
  look(batch: unknown, names: readonly string[]): void
  /** The bins of every record in a result of `getMany`, in order. */
  rows(batch: unknown): unknown[]
  /**
   * Passes every record of the set to a consumer. Returns their number and the bins of the last
   * one.
   */
  scan(way: string, consumer: string): Promise<Scanned>
  /** Calls `seen` for every record of the set, read in this way. */
  each(way: string, seen: (digest: Uint8Array, bins: unknown) => void): Promise<void>
  close(): Promise<void>
}

/** The result of a scan. */
export interface Scanned {
  count: number
  last: unknown
}

/** A client that can be measured if it is installed. */
export interface Candidate {
  readonly name: string
  /** The ways in which it can read all records of a set. */
  readonly ways: readonly string[]
  /** Loads the client and returns its version. Throws if it cannot be used. */
  load(): Promise<string>
  /** Connects; requires `load`. */
  open(target: Target): Promise<BenchClient>
}

/** Accesses bins as a caller would; throws if one is missing. */
export function lookAt(
  bins: { [bin: string]: unknown } | undefined,
  names: readonly string[],
): void {
  for (const name of names) {
    if (bins?.[name] === undefined) throw new Error(`a record has no bin ${name}`)
  }
}
