/** What queries and scans have in common: from their fields to the options of Spikewire's query. */

import { Key as NativeKey, spaceNumber } from '../../aerospike/model/key.js'
import { native } from '../../aerospike/model/native.js'
import {
  type JobKind,
  type OperateAllOptions,
  startJob as startNativeJob,
} from '../../aerospike/query/job.js'
import type { QueryOptions as NativeQueryOptions } from '../../aerospike/query/query.js'
import type { BatchVerbs } from './batch.js'
import { partInvalid } from './command.js'
import { AerospikeError, invalid } from './error.js'
import { type SindexFilterPredicate, toNativeRange } from './filter.js'
import { Job } from './job.js'
import type { Operation } from './operation.js'
import { type AnyPolicy, numberOf, ttlOf, whereOf } from './policy-options.js'
import { nativeOperations, touchTtl, udfParts } from './record-calls.js'
import type { QueryState } from './record-stream.js'
import { status } from './status.js'
import type { UDF } from './types.js'

/** A range of partitions, and where in the first one it begins. */
export interface PartitionFilter {
  begin: number
  count: number
  digest?: Buffer | string | null | undefined
}

/** The fields of queries and scans. */
export interface Selection {
  ns: string
  set: string | null | undefined
  filters?: readonly SindexFilterPredicate[] | null | undefined
  selected?: readonly string[] | undefined
  ops?: readonly Operation[] | undefined
  nobins?: boolean | undefined
  partFilter?: PartitionFilter | undefined
  ttl?: number | undefined
}

/** The limits of a query without a policy. */
const SOCKET = 30_000
const RETRIES = 5
const REPLICAS = ['master', 'any', 'sequence', 'prefer-rack', 'any'] as const
const PARTITIONS = 4096

/** The options of a query. */
export function queryOptions(selection: Selection, policy: AnyPolicy): NativeQueryOptions {
  const options: NativeQueryOptions = {}
  try {
    addPolicy(options, policy)
  } catch (error) {
    throw partInvalid('Policy object', error)
  }
  try {
    addSelection(options, selection)
  } catch (error) {
    throw partInvalid('Query object', error)
  }
  return options
}

function addPolicy(options: NativeQueryOptions, policy: AnyPolicy): void {
  options.timeout = numberOf(policy, 'totalTimeout') ?? 0
  options.socketTimeout = numberOf(policy, 'socketTimeout') ?? SOCKET
  options.maxRetries = numberOf(policy, 'maxRetries') ?? RETRIES
  const replica = numberOf(policy, 'replica')
  if (replica !== undefined) options.replica = REPLICAS[replica]
  const rate = numberOf(policy, 'recordsPerSecond')
  if (rate) options.recordsPerSecond = rate
  const where = whereOf(policy['filterExpression'])
  if (where !== undefined) options.where = where as NonNullable<NativeQueryOptions['where']>
  if (policy['txn']) throw invalid('queries are no part of transactions')
}

function addSelection(options: NativeQueryOptions, selection: Selection): void {
  const { ns, set, filters, selected, ops, nobins, partFilter } = selection
  if (filters && filters.length > 1) throw invalid('a query has at most one filter')
  const filter = filters?.[0]
  if (filter !== undefined) options.index = toNativeRange(filter)
  if (ops && ops.length > 0) options.operations = nativeOperations(ops)
  else if (nobins) options.includeValues = false
  else if (selected && selected.length > 0) options.bins = selected
  if (partFilter === undefined) return
  const { begin, count, digest } = partFilter
  if (begin === 0 && count === PARTITIONS && !digest) return
  options.partitions = { first: begin ?? 0, count: count ?? PARTITIONS - (begin ?? 0) }
  if (digest) options.after = NativeKey.fromDigest(ns, set ?? null, Buffer.from(digest as Buffer))
}

/**
 * Counts a query that the program has aborted as a failure of its nodes (`maxErrorRate`). Returns the error
 * of a query that could not have run, because a node had failed too often.
 */
export function noteAbort(
  client: BatchVerbs,
  { ns, partFilter }: Selection,
): AerospikeError | undefined {
  if (!client.isConnected(false)) return undefined
  if (client.native.metrics.enabled) {
    client.abortedQueries.set(ns, (client.abortedQueries.get(ns) ?? 0) + 1)
  }
  const first = partFilter?.begin ?? 0
  const count = partFilter?.count ?? PARTITIONS - first
  const isRange =
    Number.isInteger(first + count) && first >= 0 && count > 0 && first + count <= PARTITIONS
  // One of other partitions fails by itself.
  if (!isRange) return undefined
  const isLeftAlone = client.native.stats().nodes.some(({ breakerOpen }) => breakerOpen)
  native.queryAborted(client.handle, ns, first, count)
  if (!isLeftAlone) return undefined
  const error = new AerospikeError(status.getMessage(status.MAX_ERROR_RATE))
  error.code = status.MAX_ERROR_RATE
  return error
}

/** Adds the size of a page and where it begins. */
export function addPage(
  options: NativeQueryOptions,
  pageSize: number | undefined,
  state: QueryState | undefined,
): void {
  if (!pageSize) throw invalid('a query with paginate needs maxRecords')
  options.pageSize = pageSize
  if (state) options.resume = Buffer.from(state)
}

/** What a job does. */
export type JobWork = { udf: UDF } | { operations: readonly Operation[] }

/** Starts a background job. */
export async function startJob(
  client: BatchVerbs,
  selection: Selection,
  work: JobWork,
  policy: AnyPolicy,
  id: number | null | undefined,
  module: 'query' | 'scan',
): Promise<Job> {
  const { ns, set, filters, ttl } = selection
  const options: OperateAllOptions = {}
  const filter = filters?.[0]
  try {
    if (filter !== undefined) options.index = toNativeRange(filter)
    const where = whereOf(policy['filterExpression'])
    if (where !== undefined) options.where = where as NonNullable<OperateAllOptions['where']>
    const rate = numberOf(policy, 'recordsPerSecond')
    if (rate) options.recordsPerSecond = rate
    const timeout = numberOf(policy, 'totalTimeout')
    if (timeout) options.timeout = timeout
  } catch (error) {
    throw partInvalid('Policy object', error)
  }
  const own = id ?? Job.safeRandomJobID()
  const start = async (kind: JobKind, what: unknown): Promise<Job> => {
    const space = () => spaceNumber(ns, set || null)
    await startNativeJob(client.native.connection, space, kind, what, options, undefined, own)
    return new Job(client as never, own, module)
  }
  if ('udf' in work) return await start('apply', udfParts(work.udf))
  const time = touchTtl(work.operations) ?? ttlOf(ttl)
  if (time !== undefined) options.ttl = time
  if (policy['durableDelete'] === true) options.durable = true
  return await start('operate', nativeOperations(work.operations))
}
