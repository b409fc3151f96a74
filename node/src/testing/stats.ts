/** What a node of an embedded cluster has done and holds. */

/** Counters and sizes of one node. */
export interface NodeStats {
  /** Whether it is alive. */
  alive: boolean
  /** Open connections of clients. */
  connections: number
  /** Connections that clients have opened since it started. */
  connectionsOpened: number
  /** Records it holds, copies of others' included. */
  objects: number
  /** Records it is the master of. */
  masterObjects: number
  /** Bytes of the records it holds. */
  bytes: number
  /** Partitions it is the master of, over all namespaces. */
  masterPartitions: number
  /** Partitions it holds a further copy of. */
  replicaPartitions: number
  /** Requests that it has answered, other than info requests. */
  requests: number
  /** Reads among them. */
  reads: number
  /** Writes and deletions among them. */
  writes: number
  /** Requests that it has answered with "no such record". */
  notFound: number
  /** Requests that it has answered with another error. */
  errors: number
  /** Info requests that it has answered. */
  infos: number
}

/** The numbers of the native part, which come in this order. */
export function nodeStats(numbers: readonly number[]): NodeStats {
  let at = 0
  const next = () => numbers[at++] as number
  return {
    alive: next() === 1,
    connections: next(),
    connectionsOpened: next(),
    objects: next(),
    masterObjects: next(),
    bytes: next(),
    masterPartitions: next(),
    replicaPartitions: next(),
    requests: next(),
    reads: next(),
    writes: next(),
    notFound: next(),
    errors: next(),
    infos: next(),
  }
}
