/** Statistics of a node of an embedded cluster. */

/** Counters and sizes of one node. */
export interface NodeStats {
  /** Whether it is alive. */
  alive: boolean
  /** Open connections of clients. */
  connections: number
  /** Connections that clients have opened since it started. */
  connectionsOpened: number
  /** Records stored on it, including replicas of other nodes' records. */
  objects: number
  /** Records it is the master of. */
  masterObjects: number
  /** The total size of the records stored on it, in bytes. */
  bytes: number
  /** Partitions it is the master of, over all namespaces. */
  masterPartitions: number
  /** Partitions of which it has a replica. */
  replicaPartitions: number
  /** Requests answered, other than info requests. */
  requests: number
  /** How many of them were reads. */
  reads: number
  /** How many of them were writes or deletes. */
  writes: number
  /** Requests answered with "record not found". */
  notFound: number
  /** Requests answered with another error. */
  errors: number
  /** Info requests answered. */
  infos: number
  /** Requests that came compressed. */
  compressedRequests: number
  /** Frames of replies that were sent compressed. */
  compressedReplies: number
  /** Writes that were answered before their copies were made, as they asked for. */
  masterCommits: number
}

/** Converts the native part's numbers, which come in this order. */
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
    compressedRequests: next(),
    compressedReplies: next(),
    masterCommits: next(),
  }
}
