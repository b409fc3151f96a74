/** Queries. */

import assert from 'node:assert'
import type { QueryOptions as NativeQueryOptions } from '../../aerospike/query/query.js'
import type { BatchVerbs } from './batch.js'
import { type Callback, runAsync } from './command.js'
import { AerospikeError } from './error.js'
import type { AerospikeExp } from './expression.js'
import { SindexFilterPredicate } from './filter.js'
import type { Job } from './job.js'
import { keyOf } from './key.js'
import type { Operation } from './operation.js'
import type { QueryPolicyOptions, WritePolicyOptions } from './policies.js'
import type { AnyPolicy } from './policy-options.js'
import {
  addPage,
  noteAbort,
  type PartitionFilter,
  queryOptions,
  startJob,
} from './query-options.js'
import type { Record } from './record.js'
import { operatedRecord, udfParts } from './record-calls.js'
import { type QueryState, RecordStream } from './record-stream.js'
import { programValue } from './results.js'
import type { AerospikeBinValue, UDF } from './types.js'

/** Options of queries. */
export interface QueryOptions {
  /** Which records of an index are read. */
  filters?: SindexFilterPredicate[] | undefined
  /** The bins to read. */
  select?: string[] | undefined
  /** Operations that read, instead of bins. */
  ops?: Operation[] | undefined
  /** Whether only keys, generations and times to live are read. */
  nobins?: boolean | undefined
  /** A stream function that gets the records. */
  udf?: UDF | undefined
  /** Whether records come in pages of `maxRecords`. */
  paginate?: boolean | undefined
  /** The maximum number of records. */
  maxRecords?: number | undefined
  /** The time to live that background operations set. */
  ttl?: number | undefined
}

/** Options that scans have, and queries have not. */
const OF_SCANS = ['UDF', 'concurrent', 'percentage', 'priority']

/** Whether bins and operations are both to be read. */
export function warnAboutBoth(options: { select?: unknown; ops?: unknown }): void {
  if (options.select && options.ops) {
    process.emitWarning('select has no effect on a query with operations')
  }
}

/** A query; created by `client.query`. */
export class Query {
  readonly client: BatchVerbs
  ns: string
  set: string | null | undefined
  filters: SindexFilterPredicate[]
  selected: string[] | undefined
  ops: Operation[] | undefined
  nobins: boolean | undefined
  udf: UDF | undefined
  pfEnabled = false
  partFilter: PartitionFilter | undefined
  paginate: boolean | undefined
  maxRecords: number | undefined
  /** Where the last page ended; `undefined` behind the last one. */
  queryState: QueryState | undefined
  ttl: number | undefined

  /** @throws AssertionError for options of scans */
  constructor(
    client: BatchVerbs,
    ns: string,
    set?: string | QueryOptions | null,
    options?: QueryOptions | null,
  ) {
    const own = (typeof set === 'object' ? set : options) ?? options ?? {}
    const foreign = OF_SCANS.filter((name) => Object.hasOwn(own, name))
    assert(
      foreign.length === 0,
      `Invalid query arguments: ${foreign.join(', ')}: these are options of Client#scan`,
    )
    assert(
      !Object.hasOwn(own, 'aggregationUDF'),
      'Invalid query arguments: aggregationUDF: call Query#apply instead',
    )
    warnAboutBoth(own)
    this.client = client
    this.ns = ns
    this.set = typeof set === 'string' ? set : null
    this.filters = own.filters ?? []
    this.selected = own.select
    this.ops = own.ops
    this.nobins = own.nobins
    this.udf = own.udf
    this.paginate = own.paginate
    this.maxRecords = own.maxRecords
    this.ttl = own.ttl
  }

  /** Continues at the end of a page. */
  nextPage(state: QueryState | undefined): void {
    this.queryState = state
  }

  /** Whether there may be another page. */
  hasNextPage(): boolean {
    return Boolean(this.queryState)
  }

  /** Reads only these bins. */
  select(bins: string[]): void
  select(...bins: string[]): void
  select(...bins: (string | string[])[]): void {
    this.selected = Array.isArray(bins[0]) ? bins[0] : (bins as string[])
  }

  /** Reads only these records of an index. */
  where(indexFilter: SindexFilterPredicate): void {
    this.setSindexFilter(indexFilter)
  }

  /** Reads only these records of an index on an expression. */
  whereWithExp(indexFilter: SindexFilterPredicate, expression: AerospikeExp | string): void {
    this.setSindexFilter(indexFilter)
    ;(indexFilter as { exp?: unknown }).exp = expression
  }

  /** Reads only these records of an index with a name. */
  whereWithIndexName(indexFilter: SindexFilterPredicate, indexName: string): void {
    this.setSindexFilter(indexFilter)
    ;(indexFilter as { indexName?: unknown }).indexName = indexName
  }

  /** @throws TypeError for what is no filter */
  setSindexFilter(filter: SindexFilterPredicate): void {
    if (!(filter instanceof SindexFilterPredicate)) {
      throw new TypeError('indexFilter should be a SindexFilterPredicate')
    }
    this.filters = [filter]
  }

  /** Passes the records to a stream function of a registered module. */
  setUdf(udfModule: string, udfFunction: string, udfArgs?: AerospikeBinValue[]): void {
    this.udf = { module: udfModule, funcname: udfFunction, args: udfArgs }
  }

  /** Reads only these partitions. */
  partitions(begin: number, count: number, digest?: Buffer | null): void {
    this.partFilter = { begin, count, digest }
    this.pfEnabled = true
  }

  /** Reads the records, as events of a stream. */
  foreach(
    policy?: QueryPolicyOptions | null,
    dataCb?: (record: Record) => void,
    errorCb?: (error: Error) => void,
    endCb?: (state?: QueryState) => void,
  ): RecordStream {
    if (this.udf && this.paginate) {
      throw new Error('a stream function cannot be used with pages: disable paginate')
    }
    const stream = new RecordStream(this.client)
    if (dataCb) stream.on('data', dataCb)
    if (errorCb) stream.on('error', errorCb)
    if (endCb) stream.on('end', endCb)
    if (!this.client.isConnected(false)) {
      stream.failLater(new AerospikeError('Not connected.'))
      return stream
    }
    const udf = this.udf
    if (udf) {
      stream.emitValues(async () => {
        const [module, name, args] = udfParts(udf)
        const query = this.#begin(this.#options(policy))
        return (await query.aggregate(module, name, args)).map(programValue)
      })
      return stream
    }
    const { ops } = this
    stream.read({
      noteAbort: () => noteAbort(this.client, this),
      begin: () => {
        const options = this.#options(policy)
        if (this.paginate) addPage(options, this.maxRecords, this.queryState)
        else if (this.maxRecords) options.limit = this.maxRecords
        return this.#begin(options, policy)
      },
      pageSize: this.paginate ? this.maxRecords : undefined,
      ...(ops && ops.length > 0
        ? { convert: (record) => operatedRecord(keyOf(record.key), ops, record) }
        : {}),
    })
    return stream
  }

  #options(policy: QueryPolicyOptions | null | undefined): NativeQueryOptions {
    const own = this.client.policyFor('query', policy) ?? this.client.defaults.policies.query ?? {}
    return queryOptions(this, own as unknown as AnyPolicy)
  }

  #begin(options: NativeQueryOptions, policy?: QueryPolicyOptions | null) {
    return this.client.sendWith(policy ?? this.client.defaults.policies.query, () =>
      this.client.native.query(this.ns, this.set || null, options),
    )
  }

  /** All records. */
  results(policy?: QueryPolicyOptions | null): Promise<Record[]> {
    return new Promise((resolve, reject) => {
      const records: Record[] = []
      const stream = this.foreach(policy)
      stream.on('error', reject)
      stream.on('data', (record: Record) => records.push(record))
      stream.on('end', (state?: QueryState) => {
        this.queryState = state
        resolve(records)
      })
    })
  }

  /** Passes the records to a stream function, and returns its result. */
  apply(
    udfModule: string,
    udfFunction: string,
    udfArgs?: AerospikeBinValue[] | null,
    policy?: QueryPolicyOptions | null,
  ): Promise<AerospikeBinValue>
  apply(udfModule: string, udfFunction: string, callback: Callback<AerospikeBinValue>): void
  apply(
    udfModule: string,
    udfFunction: string,
    udfArgs: AerospikeBinValue[] | null | undefined,
    callback: Callback<AerospikeBinValue>,
  ): void
  apply(
    udfModule: string,
    udfFunction: string,
    udfArgs: AerospikeBinValue[] | null | undefined,
    policy: QueryPolicyOptions | null | undefined,
    callback: Callback<AerospikeBinValue>,
  ): void
  apply(
    module: string,
    funcname: string,
    args?: AerospikeBinValue[] | null | Callback<AerospikeBinValue>,
    policy?: QueryPolicyOptions | null | Callback<AerospikeBinValue>,
    callback?: Callback<AerospikeBinValue>,
  ): Promise<AerospikeBinValue> | undefined {
    if (typeof args === 'function')
      return this.apply(module, funcname, null, null, args) as undefined
    if (typeof policy === 'function') {
      return this.apply(module, funcname, args, null, policy) as undefined
    }
    this.udf = { module, funcname, args }
    const udf = this.udf
    return runAsync(this.client, 'QueryApply', callback, async () => {
      const query = this.#begin(this.#options(policy))
      return programValue((await query.aggregate(...udfParts(udf))).at(-1))
    })
  }

  /** Calls a function on every record, in the background on the nodes. */
  background(
    udfModule: string,
    udfFunction: string,
    udfArgs?: AerospikeBinValue[] | null,
    policy?: WritePolicyOptions | null,
    queryID?: number | null,
  ): Promise<Job>
  background(
    udfModule: string,
    udfFunction: string,
    ...rest: [
      ...(
        | []
        | [args: AerospikeBinValue[] | null | undefined]
        | [
            args: AerospikeBinValue[] | null | undefined,
            policy: WritePolicyOptions | null | undefined,
          ]
        | [
            args: AerospikeBinValue[] | null | undefined,
            policy: WritePolicyOptions | null | undefined,
            queryID: number | null | undefined,
          ]
      ),
      callback: Callback<Job>,
    ]
  ): void
  background(module: string, funcname: string, ...rest: unknown[]): Promise<Job> | undefined {
    const [args, policy, id, callback] = backgroundArguments(rest)
    this.udf = { module, funcname, args }
    return this.#start({ udf: this.udf }, 'QueryBackground', policy, id, callback)
  }

  /** Applies operations to every record, in the background on the nodes. */
  operate(
    operations: Operation[],
    policy?: WritePolicyOptions | null,
    queryID?: number | null,
  ): Promise<Job>
  operate(
    operations: Operation[],
    policy: WritePolicyOptions | null,
    queryID: number | null,
    callback: Callback<Job>,
  ): void
  operate(
    operations: Operation[],
    policy: WritePolicyOptions | null = null,
    queryID: number | null = null,
    callback: Callback<Job> | null = null,
  ): Promise<Job> | undefined {
    this.ops = operations
    return this.#start({ operations }, 'QueryOperate', policy, queryID, callback)
  }

  #start(
    work: Parameters<typeof startJob>[2],
    name: string,
    policy: WritePolicyOptions | null | undefined,
    id: number | null | undefined,
    callback: Callback<Job> | null | undefined,
  ): Promise<Job> | undefined {
    const own = (policy ?? {}) as unknown as AnyPolicy
    const module = this.filters.length > 0 ? 'query' : 'scan'
    return runAsync(this.client, name, callback, () =>
      startJob(this.client, this, work, own, id, module),
    )
  }
}

/** Arguments, policy, id and callback: the callback may take the place of any other. */
export function backgroundArguments(
  rest: readonly unknown[],
): [
  args: AerospikeBinValue[] | null | undefined,
  policy: WritePolicyOptions | null | undefined,
  id: number | null | undefined,
  callback: Callback<Job> | undefined,
] {
  const at = rest.findIndex((each) => typeof each === 'function')
  const [args, policy, id] = at < 0 ? rest : rest.slice(0, at)
  const callback = at < 0 ? rest[3] : rest[at]
  return [args as AerospikeBinValue[], policy as null, id as null, callback as Callback<Job>]
}
