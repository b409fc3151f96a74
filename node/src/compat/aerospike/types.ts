/** Types of values and arguments. */

import type { Double } from './double.js'
import type { AerospikeError } from './error.js'
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
export type TypedCallback<T> = (error?: AerospikeError, result?: T) => void

/** A node of the cluster. */
export interface Node {
  /** Its id. */
  name: string
  /** `host:port`; in a snapshot of metrics, the host. */
  address: string
  /** The port, in a snapshot of metrics. */
  port?: number | undefined
  /** Connections for commands, in a snapshot of metrics. */
  conns?: ConnectionStats | undefined
  /** Connections for info commands, in a snapshot of metrics. */
  syncConns?: ConnectionStats | undefined
  /** Numbers by namespace, in a snapshot of metrics. */
  // biome-ignore lint/suspicious/noExplicitAny: snapshots have it, nodes of `getNodes` have not.
  metrics?: any
}

/** The object that a GeoJSON text represents. */
export interface GeoJSONType {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: its dimensions depend on the type.
  coordinates: any[]
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
  nodes: NodeStats[]
}

/** Failures of commands, while metrics are enabled. */
export interface NodeCounts {
  errorCount: number
  timeoutCount: number
  keyBusyCount: number
}

/** A node, as `stats` counts it. */
export interface NodeStats extends NodeCounts {
  name: string
  /** Connections for info commands. */
  syncConnections: ConnectionStats
  /** Connections for commands, which share them; those of queries are not counted. */
  asyncConnections: ConnectionStats
  pipelineConnections: ConnectionStats
}

/** Numbers about one namespace on a node. Latencies are counts of commands by their time. */
export interface NamespaceMetrics extends NodeCounts {
  ns: string
  bytesIn: number
  bytesOut: number
  connLatency: number[]
  writeLatency: number[]
  readLatency: number[]
  batchLatency: number[]
  queryLatency: number[]
}
