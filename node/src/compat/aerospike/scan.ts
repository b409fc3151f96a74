/** Scans. */

import type { BatchVerbs } from './batch.js'
import { type Callback, runAsync } from './command.js'
import { AerospikeError } from './error.js'
import { Job } from './job.js'
import { keyOf } from './key.js'
import type { Operation } from './operation.js'
import type { ScanPolicyOptions, WritePolicyOptions } from './policies.js'
import type { AnyPolicy } from './policy-options.js'
import { backgroundArguments, warnAboutBoth } from './query.js'
import {
  addPage,
  noteAbort,
  type PartitionFilter,
  queryOptions,
  startJob,
} from './query-options.js'
import type { Record } from './record.js'
import { operatedRecord } from './record-calls.js'
import { type QueryState, RecordStream } from './record-stream.js'
import type { AerospikeBinValue, UDF } from './types.js'

/** Options of scans. */
export interface ScanOptions {
  /** The bins to read. */
  select?: string[] | undefined
  /** Operations that read, instead of bins. */
  ops?: Operation[] | undefined
  /** Whether only keys, generations and times to live are read. */
  nobins?: boolean | undefined
  /** Has no effect: all nodes are read at the same time. */
  concurrent?: boolean | undefined
  /** Whether records come in pages of the policy's `maxRecords`. */
  paginate?: boolean | undefined
  /** The time to live that background operations set. */
  ttl?: number | undefined
}

/** A scan; created by `client.scan`. */
export class Scan {
  readonly client: BatchVerbs
  ns: string
  set: string | null | undefined
  ops: Operation[] | undefined
  selected: string[] | undefined
  nobins: boolean | undefined
  concurrent: boolean | undefined
  pfEnabled = false
  partFilter: PartitionFilter | undefined
  paginate: boolean | undefined
  /** Where the last page ended; `undefined` behind the last one. */
  scanState: QueryState | undefined
  ttl: number | undefined
  declare udf?: UDF

  constructor(
    client: BatchVerbs,
    ns: string,
    set?: string | ScanOptions | null,
    options?: ScanOptions | null,
  ) {
    const own = (typeof set === 'object' ? set : options) ?? options ?? {}
    warnAboutBoth(own)
    this.client = client
    this.ns = ns
    this.set = typeof set === 'string' ? set : null
    this.ops = own.ops
    this.selected = own.select
    this.nobins = own.nobins
    this.concurrent = own.concurrent
    this.paginate = own.paginate
    this.ttl = own.ttl
  }

  /** Continues at the end of a page. */
  nextPage(state: QueryState | undefined): void {
    this.scanState = state
  }

  /** Whether there may be another page. */
  hasNextPage(): boolean {
    return Boolean(this.scanState)
  }

  /** Reads only these bins. */
  select(bins: string[]): void
  select(...bins: string[]): void
  select(...bins: (string | string[])[]): void {
    this.selected = Array.isArray(bins[0]) ? bins[0] : (bins as string[])
  }

  /** Reads only these partitions. */
  partitions(begin: number, count: number, digest?: Buffer | null): void {
    this.partFilter = { begin, count, digest }
    this.pfEnabled = true
  }

  /** Calls a function on every record, in the background on the nodes. */
  background(
    udfModule: string,
    udfFunction: string,
    udfArgs?: AerospikeBinValue[] | null,
    policy?: WritePolicyOptions | null,
    scanID?: number | null,
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
            scanID: number | null | undefined,
          ]
      ),
      callback: Callback<Job>,
    ]
  ): void
  background(module: string, funcname: string, ...rest: unknown[]): Promise<Job> | undefined {
    const [args, policy, id, callback] = backgroundArguments(rest)
    this.udf = { module, funcname, args }
    return this.#start({ udf: this.udf }, 'ScanBackground', policy, id, callback)
  }

  /** Applies operations to every record, in the background on the nodes. */
  operate(
    operations: Operation[],
    policy?: WritePolicyOptions | null,
    scanID?: number | null,
  ): Promise<Job>
  operate(
    operations: Operation[],
    policy: WritePolicyOptions | null,
    scanID: number | null,
    callback: Callback<Job>,
  ): void
  operate(
    operations: Operation[],
    policy: WritePolicyOptions | null = null,
    scanID: number | null = null,
    callback: Callback<Job> | null = null,
  ): Promise<Job> | undefined {
    this.ops = operations
    return this.#start({ operations }, 'ScanOperate', policy, scanID, callback)
  }

  #start(
    work: Parameters<typeof startJob>[2],
    name: string,
    policy: WritePolicyOptions | null | undefined,
    id: number | null | undefined,
    callback: Callback<Job> | null | undefined,
  ): Promise<Job> | undefined {
    const own = (policy ?? {}) as unknown as AnyPolicy
    return runAsync(this.client, name, callback, () =>
      startJob(this.client, this, work, own, id, 'scan'),
    )
  }

  /** Reads the records, as events of a stream. */
  foreach(
    policy?: ScanPolicyOptions | null,
    dataCb?: (record: Record) => void,
    errorCb?: (error: Error) => void,
    endCb?: (state?: QueryState) => void,
  ): RecordStream {
    if (this.udf) throw new Error('a function on records needs Scan#background')
    const stream = new RecordStream(this.client)
    if (dataCb) stream.on('data', dataCb)
    if (errorCb) stream.on('error', errorCb)
    if (endCb) stream.on('end', endCb)
    stream.job = new Job(this.client as never, Job.safeRandomJobID(), 'scan')
    if (!this.client.isConnected(false)) {
      stream.failLater(new AerospikeError('Not connected.'))
      return stream
    }
    const own = this.client.policyFor('scan', policy) ?? this.client.defaults.policies.scan ?? {}
    const { maxRecords } = own
    const { ops } = this
    stream.read({
      noteAbort: () => noteAbort(this.client, this),
      begin: () => {
        const options = queryOptions(this, own as unknown as AnyPolicy)
        if (this.paginate) addPage(options, maxRecords, this.scanState)
        else if (maxRecords) options.limit = maxRecords
        return this.client.native.query(this.ns, this.set || null, options)
      },
      pageSize: this.paginate ? maxRecords : undefined,
      ...(ops && ops.length > 0
        ? { convert: (record) => operatedRecord(keyOf(record.key), ops, record) }
        : {}),
    })
    return stream
  }

  /** All records. */
  results(policy?: ScanPolicyOptions | null): Promise<Record[]> {
    return new Promise((resolve, reject) => {
      const records: Record[] = []
      const stream = this.foreach(policy)
      stream.on('error', reject)
      stream.on('data', (record: Record) => records.push(record))
      stream.on('end', (state?: QueryState) => {
        this.scanState = state
        resolve(records)
      })
    })
  }
}
