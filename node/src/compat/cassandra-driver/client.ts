/** The client: the other driver's class on a native session. */

import { EventEmitter } from 'node:events'
import { outcome } from '../../bridge/callbacks.js'
import { Session } from '../../cql/session.js'
import type { Event } from '../../statistics/events.js'
import { conversionFor } from './conversion/shapes.js'
import { ArgumentError, NoHostAvailableError, NotSupportedError } from './errors.js'
import { DefaultExecutionOptions, type QueryOptions } from './execution-options.js'
import { connectError } from './failures.js'
import { type Host, HostMap, readHosts } from './hosts.js'
import { ClientState } from './metadata/client-state.js'
import { Metadata } from './metadata/metadata.js'
import type { ClientMetrics } from './metrics.js'
import { type ClientOptions, type CompleteOptions, completeOptions } from './options.js'
import type { LoadBalancingPolicy } from './policies/load-balancing.js'
import { Profiles } from './profiles.js'
import { type BatchQuery, Requests } from './requests.js'
import type { ResultSet } from './result-set.js'
import { contactPoints, sessionOptions } from './session-options.js'
import type { ArrayOrObject } from './statements.js'
import { tokenizerOf } from './token.js'
import { consistencies, distance } from './types/constants.js'
import { ResultStream } from './types/result-stream.js'
import type { Row } from './types/row.js'

/** Called with an error, or a value. */
export type ValueCallback<T> = (error: Error, value: T) => void
/** Called with an error, or without. */
export type EmptyCallback = (error: Error) => void
/** Called with the number of a row and the row. */
export type RowCallback = (n: number, row: Row) => void

/** Events after which the nodes are read again. */
const CHANGES_NODES: readonly Event['type'][] = [
  ...(['nodeUp', 'nodeAdded', 'nodeRemoved', 'mapChanged', 'eventsLost'] as const),
]

function noop(): void {}

/** A client of a cluster. Emits `log`, `hostAdd`, `hostRemove`, `hostUp` and `hostDown`. */
export class Client extends EventEmitter {
  readonly options: CompleteOptions
  /** The default keyspace of statements. */
  keyspace: string | undefined
  readonly metadata: Metadata
  readonly hosts: HostMap
  readonly metrics: ClientMetrics
  connected = false
  isShuttingDown = false
  /** @internal */
  readonly profileManager: Profiles
  #session: Session | undefined
  #requests: Requests | undefined
  #connecting: Promise<void> | undefined
  #stopListening: (() => void) | undefined
  #schemaDue: NodeJS.Timeout | undefined
  /** Calls that were made before the client had connected. */
  readonly #early = new Set<Promise<unknown>>()

  /** @throws TypeError for invalid options; nothing is connected yet */
  constructor(options: ClientOptions) {
    super()
    this.setMaxListeners(0)
    this.options = completeOptions(options)
    this.profileManager = new Profiles(this.options.profiles, this.options.policies)
    this.keyspace = this.options.keyspace
    this.metadata = new Metadata()
    this.hosts = new HostMap()
    this.metrics = this.options.metrics
    // Options that the native session does not have are refused at once, not when connecting.
    sessionOptions(this.options)
    this.#followHosts()
  }

  #followHosts(): void {
    this.hosts.on('add', (host: Host) => {
      host._countBy(() => this.#inFlight(host))
      host.on('up', () => this.emit('hostUp', host))
      host.on('down', () => this.emit('hostDown', host))
      if (this.connected) this.emit('hostAdd', host)
    })
    this.hosts.on('remove', (host: Host) => {
      host.removeAllListeners()
      this.emit('hostRemove', host)
    })
  }

  /** Emits the event `'log'`: level, name of the class, message, and what else there is. */
  log(type: string, message: string, furtherInfo?: unknown): void {
    this.emit('log', type, this.constructor.name, message, furtherInfo)
  }

  /**
   * Connects to the cluster; executing does it, too.
   *
   * @throws NoHostAvailableError if no contact point can be reached, ArgumentError if there is no such
   * datacenter
   */
  connect(): Promise<void>
  connect(callback: EmptyCallback): void
  connect(callback?: EmptyCallback): Promise<void> | undefined {
    return outcome(this.#connect(), callback as never)
  }

  #connect(): Promise<void> {
    if (this.connected) return Promise.resolve()
    if (this.isShuttingDown) {
      const why = 'the client has been shut down, and cannot connect again'
      return Promise.reject(new NoHostAvailableError(null, why))
    }
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #open(): Promise<void> {
    const points = contactPoints(this.options)
    this.log('info', `Connecting to ${points.join(', ') || 'a managed cluster'}`)
    let session: Session
    try {
      session = await Session.openConverted(
        points,
        sessionOptions(this.options),
        conversionFor(this.options.encoding),
      )
    } catch (error) {
      this.log('error', `Connecting failed: ${(error as Error).message}`, error)
      const failure = connectError(error)
      if (!(failure instanceof TypeError || failure instanceof RangeError)) {
        this.metrics.onConnectionError(failure)
      }
      throw failure
    }
    try {
      await this.#start(session)
    } catch (error) {
      await session.close()
      this.hosts.clear()
      throw error
    }
  }

  async #start(session: Session): Promise<void> {
    await this.#findDatacenter(session)
    this.#checkDatacenter(session)
    const partitioner = await readHosts(session, this.hosts)
    this.metadata._setHosts(tokenizerOf(partitioner), this.hosts.values())
    for (const policy of this.profileManager.balancing) await initialized(policy, this)
    this.options.policies.speculativeExecution.init(this)
    this.#session = session
    this.#requests = new Requests(this, session)
    const { statements } = this.#requests
    this.metadata._start(session, () => statements.clear())
    if (this.options.isMetadataSyncEnabled !== false) await this.metadata._refresh()
    this.#stopListening = session.onEvent((event) => this.#onEvent(event))
    this.#setDefaults()
    this.connected = true
    this.emit('connected')
  }

  /** Defaults that the other driver sets once it knows the cluster. */
  #setDefaults(): void {
    const { queryOptions, pooling } = this.options
    queryOptions.consistency ??= consistencies.localOne
    const { local, remote, ignored } = distance
    const connections = { [local]: 1, [remote]: 1, [ignored]: 0 }
    const coreConnectionsPerHost = { ...connections, ...pooling.coreConnectionsPerHost }
    this.options.pooling = { maxRequestsPerConnection: 2048, ...pooling, coreConnectionsPerHost }
  }

  /** That of a managed cluster is in its archive: it is the one of the nodes that statements go to. */
  async #findDatacenter(session: Session): Promise<void> {
    if (!this.options.cloud || this.options.localDataCenter) return
    const { node } = await session.execute('SELECT key FROM system.local')
    const local = session.nodes.find(({ address }) => address === node)
    this.options.localDataCenter = local?.datacenter
  }

  #checkDatacenter(session: Session): void {
    const { localDataCenter: local } = this.options
    const all = [...new Set(session.nodes.map((node) => node.datacenter))]
    if (!local || all.includes(local)) return
    const error = new ArgumentError(
      `localDataCenter is '${local}', but the nodes are in: [${all.join(', ')}]`,
    )
    const node = session.nodes[0]?.address ?? ''
    throw new NoHostAvailableError({ [node]: error })
  }

  /** Reads the schema again some time after it was changed, once for all changes until then. */
  #followSchema(): void {
    const { isMetadataSyncEnabled, refreshSchemaDelay = 1000 } = this.options
    if (isMetadataSyncEnabled === false || this.#schemaDue !== undefined) return
    const refresh = () => {
      this.#schemaDue = undefined
      this.metadata._refresh().catch((error: Error) => {
        if (this.connected) this.log('warning', 'The schema could not be read again', error)
      })
    }
    this.#schemaDue = setTimeout(refresh, refreshSchemaDelay).unref()
  }

  #onEvent({ type, node }: Event): void {
    if (type === 'schemaChanged' || type === 'eventsLost') this.#followSchema()
    const host = node === null ? undefined : this.hosts.get(node)
    if (host !== undefined && (type === 'nodeUp' || type === 'nodeDown')) {
      if (host.setState(type === 'nodeUp')) {
        this.log('info', `Host ${host.address} is ${type === 'nodeUp' ? 'UP' : 'DOWN'}`)
      }
      return
    }
    if (!CHANGES_NODES.includes(type)) return
    const session = this.#session as Session
    readHosts(session, this.hosts).then(
      (partitioner) => {
        this.metadata._setHosts(tokenizerOf(partitioner), this.hosts.values())
      },
      (error: Error) => {
        if (session.isOpen) this.log('warning', 'The nodes could not be read again', error)
      },
    )
  }

  /**
   * Executes a statement and returns the first page of its rows.
   *
   * @param params - in order, or by name
   * @throws ResponseError for errors of the server, NoHostAvailableError, OperationTimedOutError;
   * TypeError for values that do not fit
   */
  execute(query: string, params?: ArrayOrObject | null, options?: QueryOptions): Promise<ResultSet>
  execute(query: string, callback: ValueCallback<ResultSet>): void
  execute(
    query: string,
    params: ArrayOrObject | null | undefined,
    callback: ValueCallback<ResultSet>,
  ): void
  execute(
    query: string,
    params: ArrayOrObject | null | undefined,
    options: QueryOptions | null | undefined,
    callback: ValueCallback<ResultSet>,
  ): void
  execute(
    query: string,
    params?: ArrayOrObject | null | ValueCallback<ResultSet>,
    options?: QueryOptions | null | ValueCallback<ResultSet>,
    callback?: ValueCallback<ResultSet>,
  ): Promise<ResultSet> | undefined {
    if (typeof params === 'function') {
      return outcome(this.#execute(query, null, null), (callback ?? params) as never)
    }
    if (typeof options === 'function') {
      return outcome(this.#execute(query, params, null), (callback ?? options) as never)
    }
    return outcome(this.#execute(query, params, options), callback as never)
  }

  #execute(
    query: string,
    params: ArrayOrObject | null | undefined,
    options: QueryOptions | null | undefined,
  ): Promise<ResultSet> {
    try {
      return this.#send(query, params, DefaultExecutionOptions.create(options, this))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #send(
    query: string,
    params: ArrayOrObject | null | undefined,
    options: DefaultExecutionOptions,
  ): Promise<ResultSet> {
    const execute = () => (this.#requests as Requests).execute(query, params, options)
    return this.connected ? execute() : this.#onceConnected(execute)
  }

  /** Makes a call once the client has connected; shutting down waits for it. */
  #onceConnected<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#connect().then(call)
    this.#early.add(result)
    const ended = () => this.#early.delete(result)
    result.then(ended, ended)
    return result
  }

  /** Not supported: it is a feature of DataStax Enterprise. */
  executeGraph(...rest: unknown[]): Promise<never> | undefined {
    const error = new NotSupportedError(
      'executeGraph is not supported: it is a feature of DataStax Enterprise, not of Cassandra',
    )
    const callback = rest.find((argument) => typeof argument === 'function')
    return outcome(Promise.reject(error), callback as never)
  }

  /**
   * Executes a statement, and calls a function with each row of the page, or of all pages with
   * `autoPage`; without it, `result.nextPage()` continues.
   */
  eachRow(query: string, rowCallback: RowCallback): void
  eachRow(
    query: string,
    params: ArrayOrObject | null | undefined,
    rowCallback: RowCallback,
    callback?: ValueCallback<ResultSet>,
  ): void
  eachRow(
    query: string,
    params: ArrayOrObject | null | undefined,
    options: QueryOptions | null | undefined,
    rowCallback: RowCallback,
    callback?: ValueCallback<ResultSet>,
  ): void
  eachRow(query: string, ...rest: unknown[]): void {
    const at = rest.findIndex((argument) => typeof argument === 'function')
    if (at < 0) throw new ArgumentError('rowCallback must be a function')
    const [params, options] = rest.slice(0, at) as [ArrayOrObject | undefined, QueryOptions]
    const rowCallback = rest[at] as RowCallback
    const callback = (rest[at + 1] ?? noop) as (error: Error | null, result?: ResultSet) => void
    let execution: DefaultExecutionOptions
    try {
      execution = DefaultExecutionOptions.create(options, this, rowCallback as never)
    } catch (error) {
      callback(error as Error)
      return
    }
    let length = 0
    const onPage = (error: Error | null, result?: ResultSet): void => {
      if (error || result === undefined) {
        callback(error)
        return
      }
      let n = 0
      for (const row of result.rows ?? []) rowCallback(n++, row)
      length += n
      if (result.rawPageState !== undefined) {
        execution.setPageState(result.rawPageState)
        if (execution.isAutoPage()) {
          page()
          return
        }
        result.nextPage = page
      }
      if (result.rows !== undefined) result.rowLength = length
      callback(null, result)
    }
    const page = (): void => {
      outcome(this.#send(query, params, execution), onPage)
    }
    page()
  }

  /** A stream of all rows; `callback` is called at the end, or with an error. */
  stream(
    query: string,
    params?: ArrayOrObject | null,
    options?: QueryOptions | null,
    callback: (error?: Error | null) => void = noop,
  ): ResultStream {
    const stream = new ResultStream({ objectMode: true })
    const paged = { ...options, autoPage: false }
    let isSync = true
    const onPage = (error: Error | null, result?: ResultSet): void => {
      if (error) stream.emit('error', error)
      else if (result?.nextPage) {
        stream._valve(() => result.nextPage?.())
        return
      }
      stream._valve(null)
      stream.add(null)
      callback(error)
    }
    this.eachRow(
      query,
      params,
      paged,
      (_, row) => stream.add(row),
      (error, result) => {
        if (isSync) setImmediate(onPage, error, result)
        else onPage(error, result)
      },
    )
    isSync = false
    return stream
  }

  /**
   * Executes statements in one request: all are applied or none, unless `logged` is false.
   *
   * @throws ArgumentError without statements, and the errors of `execute`
   */
  batch(queries: BatchQuery[], options?: QueryOptions | null): Promise<ResultSet>
  batch(queries: BatchQuery[], callback: ValueCallback<ResultSet>): void
  batch(
    queries: BatchQuery[],
    options: QueryOptions | null | undefined,
    callback: ValueCallback<ResultSet>,
  ): void
  batch(
    queries: BatchQuery[],
    options?: QueryOptions | null | ValueCallback<ResultSet>,
    callback?: ValueCallback<ResultSet>,
  ): Promise<ResultSet> | undefined {
    if (typeof options === 'function') {
      return outcome(this.#batch(queries, null), (callback ?? options) as never)
    }
    return outcome(this.#batch(queries, options), callback as never)
  }

  async #batch(
    queries: BatchQuery[],
    options: QueryOptions | null | undefined,
  ): Promise<ResultSet> {
    if (!Array.isArray(queries))
      throw new ArgumentError('the statements of a batch must be an array')
    if (queries.length === 0) throw new ArgumentError('a batch must have at least one statement')
    const send = () => {
      const execution = DefaultExecutionOptions.create(options, this)
      return (this.#requests as Requests).batch(queries, execution)
    }
    return this.connected ? send() : this.#onceConnected(send)
  }

  /** The nodes with the replicas of a token, or of a partition key; `null` if not known. */
  getReplicas(keyspace: string | null | undefined, token: unknown): Host[] | null {
    return this.metadata.getReplicas(keyspace, token)
  }

  /** The nodes that the client is connected to. */
  getState(): ClientState {
    const used = this.hosts.values().filter((host) => this.connected && this.#isUsed(host))
    const session = this.connected ? this.#session : undefined
    const requests = session && Session.inFlight(session)
    const loads = (session?.stats().nodes ?? []).map(
      // Its label is its own address, also where it is reached through a proxy.
      ({ label, connections }) =>
        [label, { connections, inFlight: requests?.get(label) ?? 0 }] as const,
    )
    return new ClientState(used, new Map(loads))
  }

  #inFlight({ address }: Host): number {
    return this.#session === undefined ? 0 : (Session.inFlight(this.#session).get(address) ?? 0)
  }

  #isUsed(host: Host): boolean {
    return (
      host.isUp() &&
      this.profileManager.balancing.some((it) => it.getDistance(host) !== distance.ignored)
    )
  }

  /** Closes all connections. The client cannot be used again. */
  shutdown(): Promise<void>
  shutdown(callback: EmptyCallback): void
  shutdown(callback?: EmptyCallback): Promise<void> | undefined {
    return outcome(this.#shutdown(), callback as never)
  }

  async #shutdown(): Promise<void> {
    this.log('info', 'Shutting down')
    if (this.#connecting !== undefined) {
      this.log('warning', 'Shutting down before the client is connected')
      await this.#connecting.catch(noop)
      await Promise.allSettled(this.#early)
    }
    if (!this.connected) return
    this.connected = false
    this.isShuttingDown = true
    this.#stopListening?.()
    clearTimeout(this.#schemaDue)
    this.options.policies.speculativeExecution.shutdown()
    this.options.requestTracker?.shutdown()
    await this.#session?.close()
  }
}

function initialized(policy: LoadBalancingPolicy, client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    policy.init(client, client.hosts, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}
