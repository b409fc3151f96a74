/** The engine's counters in the shapes of snapshots and `stats`. */

import { BOUNDS, type CommandStats, type Stats as EngineStats } from '../../statistics/stats.js'
import type { ConnectionStats, NamespaceMetrics, Node, NodeCounts, Stats } from './types.js'

type EngineNode = EngineStats['nodes'][number]
type LatencyGroup = 'write' | 'read' | 'batch' | 'query'

/** The columns of latencies: up to 1 ms, 2^shift ms, 2^(2 * shift) ms and so on, and the rest. */
export interface Columns {
  readonly columns: number
  readonly shift: number
}

/** How many queries the program aborted, by namespace. */
export type Aborted = ReadonlyMap<string, number>

const NONE: Aborted = new Map()
const READS = ['get', 'exists']
const BUSY = ['key_busy', 'record_busy', 'hot_key']
const INFO = 'info'

function groupOf(operation: string): LatencyGroup {
  if (READS.includes(operation)) return 'read'
  if (operation.startsWith('batch')) return 'batch'
  return /^(query|aggregate|job)/.test(operation) ? 'query' : 'write'
}

/** Batches are about any namespaces, and count under none. */
function namespaceOf({ operation, namespace }: CommandStats): string {
  return groupOf(operation) === 'batch' ? '' : namespace
}

/** What commands are counted for: those of the program, without info commands. */
function commandsOf(stats: EngineStats): CommandStats[] {
  return stats.commands.filter(({ operation }) => operation !== INFO)
}

/** How many commands there were, and how many attempts beyond their first. */
export function totalsOf(stats: EngineStats): { commandCount: number; retryCount: number } {
  const commands = commandsOf(stats)
  return {
    commandCount: total(commands, ({ count }) => count),
    retryCount: total(commands, ({ retries }) => retries),
  }
}

function total(commands: readonly CommandStats[], of: (one: CommandStats) => number): number {
  return commands.reduce((sum, one) => sum + of(one), 0)
}

/** The commands of each node. Those of no node, or of one that has left, count for the first. */
function byNode(stats: EngineStats): [EngineNode, CommandStats[]][] {
  const { nodes } = stats
  const known = new Set(nodes.map(({ label }) => label))
  const commands = commandsOf(stats)
  return nodes.map((node, at) => [
    node,
    commands.filter(({ node: of }) => of === node.label || (at === 0 && !known.has(of))),
  ])
}

/** Failures; `aborted` queries are known to the client, also those of which all records had come. */
function countsOf(commands: readonly CommandStats[], aborted: number): NodeCounts {
  const of = (fits: (result: string) => boolean): number =>
    total(
      commands.filter(({ result }) => fits(result)),
      ({ count }) => count,
    )
  const timeoutCount = of((result) => result === 'timeout')
  const keyBusyCount = of((result) => BUSY.includes(result))
  const failed = of((result) => !['ok', 'not_found', 'withdrawn'].includes(result))
  return { errorCount: failed - timeoutCount - keyBusyCount + aborted, timeoutCount, keyBusyCount }
}

/** Connections that carry commands of the engine at the same time: none is ever taken. */
function connectionsOf({ connections, opened }: EngineNode): ConnectionStats {
  const closed = Math.max(opened - connections, 0)
  return { inUse: 0, inPool: connections, opened, closed, recovered: 0, aborted: 0 }
}

/** The one by which the client follows the cluster. */
function ownConnection(): ConnectionStats {
  return { inUse: 0, inPool: 1, opened: 1, closed: 0, recovered: 0, aborted: 0 }
}

/** The result of `stats`. */
export function statsOf(stats: EngineStats, inFlight: number, aborted: Aborted): Stats {
  const all = [...aborted.values()].reduce((sum, count) => sum + count, 0)
  return {
    commands: { inFlight, queued: stats.queued },
    nodes: byNode(stats).map(([node, commands], at) => ({
      name: node.name,
      syncConnections: ownConnection(),
      asyncConnections: connectionsOf(node),
      pipelineConnections: { ...ownConnection(), inPool: 0, opened: 0 },
      ...countsOf(commands, at === 0 ? all : 0),
    })),
  }
}

/** Latencies since metrics were enabled, by labels. */
export class Since {
  readonly #before: ReadonlyMap<string, readonly number[]>

  constructor(stats: EngineStats) {
    this.#before = new Map(stats.commands.map((one) => [keyOf(one), one.buckets]))
  }

  bucketsOf(one: CommandStats): readonly number[] {
    const before = this.#before.get(keyOf(one))
    return before === undefined ? one.buckets : one.buckets.map((n, at) => n - (before[at] ?? 0))
  }
}

function keyOf({ operation, namespace, node, result }: CommandStats): string {
  return [operation, namespace, node, result].join('\n')
}

/** The nodes of a snapshot. */
export function nodesOf(
  stats: EngineStats,
  since: Since,
  columns: Columns,
  aborted: Aborted,
): Node[] {
  return byNode(stats).map(([node, commands], at) => ({
    ...placeOf(node),
    conns: connectionsOf(node),
    syncConns: ownConnection(),
    metrics: namespacesOf(node, commands, since, columns, at === 0 ? aborted : NONE),
  }))
}

/** Name and address of a node. */
export function placeOf({ name, address }: { name: string; address: string }): Node {
  const at = address.lastIndexOf(':')
  const host = address.slice(0, at).replace(/^\[|\]$/g, '')
  return { name, address: host, port: Number(address.slice(at + 1)) }
}

/** A node that has left, with what is known of it. */
export function closedNode(name: string, address: string): Node {
  const conns = { ...ownConnection(), inPool: 0, closed: 1 }
  return { ...placeOf({ name, address }), conns, syncConns: { ...conns }, metrics: [] }
}

function namespacesOf(
  node: EngineNode,
  commands: readonly CommandStats[],
  since: Since,
  columns: Columns,
  aborted: Aborted,
): NamespaceMetrics[] {
  const names = new Set([...commands.map(namespaceOf), ...aborted.keys()])
  names.delete('')
  return [...[...names].sort(), ''].map((ns) => {
    const own = commands.filter((one) => namespaceOf(one) === ns)
    // Connections, and the client's own requests, are about no namespace.
    const shared = ns === '' ? node : undefined
    const latency = (group: LatencyGroup): number[] =>
      latencies(
        own
          .filter(({ operation, result }) => groupOf(operation) === group && isFine(result))
          .map((one) => since.bucketsOf(one)),
        columns,
      )
    return {
      ns,
      bytesIn: total(own, ({ bytesReceived }) => bytesReceived) + (shared?.controlReceived ?? 0),
      bytesOut: total(own, ({ bytesSent }) => bytesSent) + (shared?.controlSent ?? 0),
      ...countsOf(own, aborted.get(ns) ?? 0),
      connLatency: latencies(shared === undefined ? [] : [shared.connectBuckets], columns),
      writeLatency: latency('write'),
      readLatency: latency('read'),
      batchLatency: latency('batch'),
      queryLatency: latency('query'),
    }
  })
}

function isFine(result: string): boolean {
  return result === 'ok' || result === 'not_found'
}

/** Counts by column for counts by the engine's buckets. */
function latencies(all: readonly (readonly number[])[], { columns, shift }: Columns): number[] {
  const counts = new Array<number>(columns).fill(0)
  for (const buckets of all) {
    for (const [at, count] of buckets.entries()) {
      if (count === 0) continue
      const column = columnOf(BOUNDS[at] ?? Number.POSITIVE_INFINITY, columns, shift)
      counts[column] = (counts[column] ?? 0) + count
    }
  }
  return counts
}

/** The engine's bounds are an eighth apart: a bucket across a limit belongs below it. */
const SLACK = 1.125

function columnOf(bound: number, columns: number, shift: number): number {
  let column = 0
  for (let limit = 1; bound > limit * SLACK && column < columns - 1; limit *= 2 ** shift) column++
  return column
}
