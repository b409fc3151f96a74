/** Types of values and arguments. */

import type { Double } from './double.js'
import type { GeoJSON } from './geojson.js'
import type { HyperLogLog } from './hyperloglog.js'

/** A value of a bin, without lists and maps. */
export type PartialAerospikeBinValue =
  | null
  | undefined
  | boolean
  | string
  | number
  | bigint
  | Double
  | Buffer
  | GeoJSON
  | HyperLogLog

/** A value of a bin, or inside a list or map. */
export type AerospikeBinValue =
  | PartialAerospikeBinValue
  | AerospikeBinValue[]
  | readonly AerospikeBinValue[]
  | Map<AerospikeBinValue, AerospikeBinValue>
  | { [key: string]: AerospikeBinValue }
  // biome-ignore lint/suspicious/noExplicitAny: programs use values without checking their types.
  | any

/** Values by bin name. */
export interface AerospikeBins {
  [bin: string]: AerospikeBinValue
}

/** A function of a registered module, and its arguments. */
export interface UDF {
  /** The module, without the ending of its file. */
  module: string
  /** The function. */
  funcname: string
  /** Its arguments. */
  args?: readonly AerospikeBinValue[] | null | undefined
}

/** Is called with the outcome of a call. */
export type TypedCallback<T> = (error?: AerospikeErrorOrNull, result?: T) => void

type AerospikeErrorOrNull = import('./error.js').AerospikeError | null | undefined

/** A node of the cluster. */
export interface Node {
  /** Its id. */
  name: string
  /** `host:port`. */
  address: string
}

/** The address of a node. */
export interface Host {
  addr: string
  port?: number | undefined
  tlsname?: string | undefined
}

/** Connections to a node, as `stats` counts them. */
export interface ConnectionStats {
  inPool: number
  inUse: number
  opened: number
  closed: number
  recovered: number
  aborted: number
}

/** What a client does right now. */
export interface Stats {
  commands: { inFlight: number; queued: number }
  nodes: { name: string; syncConnections: ConnectionStats; asyncConnections: ConnectionStats }[]
}
