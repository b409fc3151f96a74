/** Background jobs, and waiting for indexes and modules. */

import { jobOfId } from '../../aerospike/query/job.js'
import type { Connection } from '../../bridge/connection.js'
import { type Callback, type CommandClient, checkCallback, runAsync } from './command.js'
import { jobStatus } from './enums.js'
import { AerospikeError } from './error.js'
import { parse } from './info.js'
import type { InfoPolicyOptions } from './policies.js'
import { status } from './status.js'

/** What jobs need of their client. */
export interface JobClient extends CommandClient {
  readonly native: { readonly connection: Connection }
  infoAll(request: string): Promise<{ host: { node_id: string }; info: string }[]>
}

/** The progress of a job. */
export interface JobInfo {
  /** The completed percentage. */
  progressPct: number
  /** How many records were read. */
  recordsRead: number
  /** How far it has come, one of `jobStatus`. */
  status: number
}

/** How often a job is asked for its progress by default, in milliseconds. */
const INTERVAL = 1000

/** A background job. */
export class Job {
  client: JobClient
  /** Its id. */
  jobID: number
  /** `'scan'` or `'query'`. */
  module: string

  constructor(client: JobClient, jobID: number, module: string) {
    this.client = client
    this.jobID = jobID
    this.module = module
  }

  /** @internal A random id. */
  static safeRandomJobID(): number {
    return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
  }

  /** @internal Calls a function until it says that the job is done. */
  static async pollUntilDone(
    isDone: () => Promise<boolean>,
    pollInterval?: number | null,
  ): Promise<void> {
    while (!(await isDone())) {
      await new Promise((resolve) => setTimeout(resolve, pollInterval || INTERVAL))
    }
  }

  /** @internal */
  protected hasCompleted(info: unknown): boolean {
    return (info as JobInfo).status === jobStatus.COMPLETED
  }

  /** Whether it is done. */
  async checkStatus(): Promise<boolean> {
    return this.hasCompleted(await this.info())
  }

  /** Its progress, as its nodes know it: one that none of them knows is completed. */
  info(policy?: InfoPolicyOptions | null): Promise<unknown>
  info(callback: Callback<unknown>): void
  info(policy: InfoPolicyOptions | null | undefined, callback: Callback<unknown>): void
  info(
    policy?: InfoPolicyOptions | null | Callback<unknown>,
    callback?: Callback<unknown>,
  ): Promise<unknown> | undefined {
    if (typeof policy === 'function') return this.info(null, policy) as undefined
    return runAsync(this.client, 'JobInfo', callback, () => this.progress())
  }

  /** @internal */
  protected async progress(): Promise<unknown> {
    const job = jobOfId(this.client.native.connection, this.jobID)
    const { done, percent, succeeded, failed, filtered } = await job.progress()
    const progress: JobInfo = {
      status: done ? jobStatus.COMPLETED : jobStatus.INPROGRESS,
      progressPct: percent,
      recordsRead: succeeded + failed + filtered,
    }
    return progress
  }

  /**
   * Waits until it is done.
   *
   * @param pollInterval - How often it is asked for, in milliseconds. Default: 1,000.
   */
  wait(pollInterval?: number | null): Promise<void>
  wait(callback: Callback<void>): void
  wait(pollInterval: number | null | undefined, callback: Callback<void>): void
  wait(
    pollInterval?: number | null | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    if (typeof pollInterval === 'function') return this.wait(null, pollInterval) as undefined
    checkCallback(callback)
    const waited = Job.pollUntilDone(() => this.checkStatus(), pollInterval)
    if (!callback) return waited
    waited.then(
      () => process.nextTick(callback, null),
      (error) => process.nextTick(callback, error),
    )
    return undefined
  }

  /** Waits until it is done. */
  declare waitUntilDone: Job['wait']
}

Object.defineProperty(Job.prototype, 'waitUntilDone', {
  value: Job.prototype.wait,
  configurable: true,
  writable: true,
})

/** The creation of an index. */
export class IndexJob extends Job {
  namespace: string
  indexName: string

  constructor(client: JobClient, namespace: string, indexName: string) {
    super(client, 0, 'index')
    this.namespace = namespace
    this.indexName = indexName
  }

  /** @internal */
  protected override hasCompleted(info: unknown): boolean {
    const nodes = info as { load_pct: number }[]
    return nodes.length > 0 && nodes.every((node) => node.load_pct === 100)
  }

  /** @internal */
  protected override async progress(): Promise<unknown> {
    const request = `sindex/${this.namespace}/${this.indexName}`
    try {
      const answers = await this.client.infoAll(request)
      return answers.map(({ info }) => parse(info)[request] ?? { load_pct: 0 })
    } catch (error) {
      const missing = error instanceof AerospikeError && error.code === status.ERR_INDEX_NOT_FOUND
      if (missing) return [{ load_pct: 0 }]
      throw error
    }
  }
}

/** The registration or removal of a module. */
export class UdfJob extends Job {
  static readonly REGISTER = 'register'
  static readonly UNREGISTER = 'unregister'
  /** The name of the module's file. */
  udfModule: string
  /** `UdfJob.REGISTER` or `UdfJob.UNREGISTER`. */
  command: string

  constructor(client: JobClient, udfModule: string, command: string) {
    super(client, 0, 'udf')
    this.udfModule = udfModule
    this.command = command
  }

  /** @internal */
  protected override hasCompleted(info: unknown): boolean {
    type Modules = { [node: string]: { 'udf-list': { filename: string }[] } }
    const wants = this.command === UdfJob.REGISTER
    return Object.values(info as Modules).every((node) => {
      const modules = Array.isArray(node['udf-list']) ? node['udf-list'] : []
      return modules.some(({ filename }) => filename === this.udfModule) === wants
    })
  }

  /** @internal */
  protected override async progress(): Promise<unknown> {
    const answers = await this.client.infoAll('udf-list')
    return Object.fromEntries(answers.map(({ host, info }) => [host.node_id, parse(info)]))
  }
}
