/** The functions of the native part for counters and events, `crates/spikewire-node/src/signals`. */

import { type Handle, type NativePart, nativePart } from '../addon/native.js'

/**
 * Commands with the same labels: the labels, buckets, sum of latencies, records, retries, parts, bytes.
 */
export type CommandFields = [
  operation: string,
  namespace: string,
  node: string,
  result: string,
  buckets: number[],
  milliseconds: number,
  records: number,
  retries: number,
  parts: number,
  bytesSent: number,
  bytesReceived: number,
]

export type StageFields = [stage: string, buckets: number[], milliseconds: number]

export type NodeFields = [
  name: string,
  address: string,
  connections: number,
  opened: number,
  errors: number,
  breakerOpen: boolean,
  label: string,
  share: number,
  limit: number | null,
  inFlight: number,
  waiting: number,
  rejections: number,
  connectBuckets: number[],
  connectMilliseconds: number,
  controlSent: number,
  controlReceived: number,
]

export type HotKeyFields = [namespace: string, set: string, digest: Buffer, readsPerSecond: number]

export type NearCacheFields = [
  hits: number,
  misses: number,
  revalidations: number,
  evictions: number,
  entries: number,
  bytes: number,
  hotKeys: HotKeyFields[],
]

/** Statistics as the engine reports them. */
export interface StatsFields {
  counting: boolean
  commands: CommandFields[]
  stages: StageFields[]
  nodes: NodeFields[]
  nearCache: NearCacheFields | null
  unreachable: [name: string, why: string][]
  inFlight: number
  queued: number
  hedgesSent: number
  hedgesWon: number
  retriesSent: number
  retriesDenied: number
  readsShared: number
  rowsLate: number
  tends: number
  failedTends: number
  tendAge: number
}

/** An event: its name, and what belongs to it. */
export type EventFields =
  | [name: string, node: string | null]
  | [name: 'events_lost', count: number]
  | [
      name: 'slow_command',
      operation: string,
      namespace: string,
      node: string,
      result: string,
      milliseconds: number,
      records: number,
      attempts: number,
    ]

/** The functions take the handle of a client or of a session. */
interface SignalsNative extends NativePart {
  /** Whether commands are counted from now on, and their stages timed. */
  metricsSwitch(client: Handle, counts: boolean, stages: boolean): void
  metricsState(client: Handle): [counts: boolean, stages: boolean]
  metricsReset(client: Handle): void
  /** From how many milliseconds on there is an event of a command; `null`: never. */
  metricsSlowerThan(client: Handle, limit: unknown): void
  /** Starts or stops keeping events; with `null`, those since the last call. */
  metricsEvents(client: Handle, listens: boolean | null): EventFields[] | undefined
  metricsStats(client: Handle): StatsFields
  /** The upper bounds of the buckets, in nanoseconds. */
  metricsBounds(): number[]
  /**
   * The node that a command on one record goes to first; `null` if that is not known. `writes` may
   * be the operations of the command.
   */
  metricsRoute(
    client: Handle,
    space: number,
    key: unknown,
    writes: unknown,
    options: unknown,
  ): [name: string, host: string, port: number] | null
  /** The task that waited for a promise continues. */
  handedOver(handOver: number): void
}

/** The native part of this copy of the package. */
export const native = nativePart as SignalsNative
