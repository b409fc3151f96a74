/** Metrics in files, a line for each snapshot, for programs without listeners. */

import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { AerospikeError } from './error.js'
import { type Cluster, MetricsListeners } from './metrics.js'
import type { ConnectionStats, NamespaceMetrics, Node } from './types.js'

/** What the files depend on. */
export interface FileSettings {
  readonly reportDir: string
  /** In bytes; a file that is larger is followed by another one. 0: no limit. */
  readonly reportSizeLimit: number
  readonly latencyColumns: number
  readonly latencyShift: number
  /** The version of this package. */
  readonly version: string
}

/** The fields of a line. */
const FIELDS = [
  'header(2)',
  'cluster[name,clientType,clientVersion,appId,label[],cpu,mem,invalidNodeCount,commandCount,' +
    'retryCount,delayQueueTimeoutCount,eventloop[],node[]]',
  'label[name,value]',
  'eventloop[processSize,queueSize]',
  'node[name,address,port,syncConn,asyncConn,namespace[]]',
  'conn[inUse,inPool,opened,closed,recovered,aborted]',
  'namespace[name,errors,timeouts,keyBusy,bytesIn,bytesOut,latency[]]',
]
const GROUPS = ['conn', 'write', 'read', 'batch', 'query'] as const

/** Listeners that write files `metrics-YYYYMMDDhhmmss.log`. */
export function fileListeners(settings: FileSettings): MetricsListeners {
  let file: number | undefined
  let written = 0
  const line = (text: string): void => {
    if (file === undefined) return
    written += writeSync(file, `${timeOf(new Date())} ${text}\n`)
  }
  const open = (): void => {
    const name = `metrics-${timeOf(new Date()).replace(/\D/g, '')}.log`
    const path = join(settings.reportDir, name)
    try {
      file = openSync(path, 'w')
    } catch (error) {
      throw new AerospikeError(`Failed to open file: ${path}: ${(error as Error).message}`)
    }
    written = 0
    const { latencyColumns, latencyShift } = settings
    line(`${FIELDS.join(' ')} latency(${latencyColumns},${latencyShift})[type[l1,l2,l3...]]`)
  }
  const close = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  const snapshot = (cluster: Cluster): void => {
    if (settings.reportSizeLimit > 0 && written >= settings.reportSizeLimit) {
      close()
      open()
    }
    line(lineOf(cluster, settings.version))
  }
  return new MetricsListeners({
    enableListener: open,
    snapshotListener: snapshot,
    // The next snapshot does not have the node.
    nodeCloseListener: () => undefined,
    disableListener: (cluster) => {
      snapshot(cluster)
      close()
    },
  })
}

/** A local time as `YYYY-MM-DD hh:mm:ss`. */
export function timeOf(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

function lineOf(cluster: Cluster, version: string): string {
  const labels = Object.entries(cluster.labels).map(([name, value]) => `[${name},${value}]`)
  const { processSize, queueSize } = cluster.eventLoop
  const memory = Math.round(process.memoryUsage.rss() / 1024)
  return `cluster[${[
    cluster.clusterName,
    'nodejs',
    version,
    cluster.appId ?? 'not-set',
    `[${labels.join(',')}]`,
    cluster.cpuLoad ?? 0,
    memory,
    cluster.invalidNodeCount,
    cluster.commandCount,
    cluster.retryCount,
    cluster.delayQueueTimeoutCount,
    `[[${processSize},${queueSize}]]`,
    `[${cluster.nodes.map(nodeText).join(',')}]`,
  ].join(',')}]`
}

const NONE: ConnectionStats = {
  inUse: 0,
  inPool: 0,
  opened: 0,
  closed: 0,
  recovered: 0,
  aborted: 0,
}

function nodeText({ name, address, port, conns, syncConns, metrics }: Node): string {
  const counts = [syncConns ?? NONE, conns ?? NONE].flatMap((each) => [
    ...[each.inUse, each.inPool, each.opened, each.closed, each.recovered, each.aborted],
  ])
  const namespaces = ((metrics ?? []) as NamespaceMetrics[]).map(
    (each) => `[${namespaceText(each)}]`,
  )
  return `[${[name, address, port, ...counts, `[${namespaces.join(',')}]`].join(',')}]`
}

function namespaceText(own: NamespaceMetrics): string {
  const latencies = GROUPS.map((group) => `${group}[${own[`${group}Latency`].join(',')}]`)
  const { ns, errorCount, timeoutCount, keyBusyCount, bytesIn, bytesOut } = own
  const counts = [ns, errorCount, timeoutCount, keyBusyCount, bytesIn, bytesOut]
  return [...counts, `[${latencies.join(',')}]`].join(',')
}
