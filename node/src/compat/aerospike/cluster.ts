/** Indexes, modules and truncation. */

import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CreateIndexOptions, IndexKind, IndexOf } from '../../aerospike/admin/indexes.js'
import { type Context, toNativeContext } from './cdt.js'
import { type Callback, partInvalid, runAsync } from './command.js'
import { contextToBase64 } from './context-bytes.js'
import { indexDataType, indexType, language } from './enums.js'
import { invalid } from './error.js'
import { type AerospikeExp, expressionToBase64, toNativeExpression } from './expression.js'
import { failure, InfoVerbs, infoTimeout } from './info-verbs.js'
import { IndexJob, UdfJob } from './job.js'
import type { InfoPolicyOptions } from './policies.js'

/** A policy of a call, or its callback. */
type Or<P, T> = P | Callback<T> | null | undefined

/** What an index is on. */
export interface IndexOptions {
  ns: string
  set?: string | null | undefined
  bin?: string | undefined
  /** The expression that is indexed, for `createExpIndex`. */
  exp?: AerospikeExp | string | undefined
  /** The name of the index. */
  index: string
  /** What of the bin is indexed, one of `indexType`. */
  type?: number | undefined
  /** The type of indexed values, one of `indexDataType`. */
  datatype?: number | undefined
  /** The path to a nested list or map. */
  context?: Context | undefined
}

type TypedIndexOptions = Omit<IndexOptions, 'datatype'> & { datatype?: number | undefined }

const KINDS: { readonly [type: number]: IndexKind } = {
  [indexDataType.STRING]: 'string',
  [indexDataType.NUMERIC]: 'numeric',
  [indexDataType.INTEGER]: 'numeric',
  [indexDataType.GEO2DSPHERE]: 'geo2dsphere',
  [indexDataType.BLOB]: 'blob',
}
const PARTS: { readonly [type: number]: IndexOf } = {
  [indexType.LIST]: 'list',
  [indexType.MAPKEYS]: 'mapkeys',
  [indexType.MAPVALUES]: 'mapvalues',
}
/** Creates an index on values of one type. */
interface IndexVerb {
  (options: TypedIndexOptions, policy?: InfoPolicyOptions | null): Promise<IndexJob>
  (options: TypedIndexOptions, callback: Callback<IndexJob>): void
  (
    options: TypedIndexOptions,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<IndexJob>,
  ): void
}

/** The verbs about the cluster. */
export abstract class ClusterVerbs extends InfoVerbs {
  /** Creates an index on a bin. The job waits until nodes have built it. */
  createIndex(options: IndexOptions, policy?: InfoPolicyOptions | null): Promise<IndexJob>
  createIndex(options: IndexOptions, callback: Callback<IndexJob>): void
  createIndex(
    options: IndexOptions,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<IndexJob>,
  ): void
  createIndex(
    options: IndexOptions,
    policy?: Or<InfoPolicyOptions, IndexJob>,
    callback?: Callback<IndexJob>,
  ): Promise<IndexJob> | undefined {
    if (typeof policy === 'function') return this.#createIndex(options, false, null, policy)
    return this.#createIndex(options, false, policy, callback)
  }

  /** Creates an index on the value of an expression. */
  createExpIndex(options: IndexOptions, policy?: InfoPolicyOptions | null): Promise<IndexJob>
  createExpIndex(options: IndexOptions, callback: Callback<IndexJob>): void
  createExpIndex(
    options: IndexOptions,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<IndexJob>,
  ): void
  createExpIndex(
    options: IndexOptions,
    policy?: Or<InfoPolicyOptions, IndexJob>,
    callback?: Callback<IndexJob>,
  ): Promise<IndexJob> | undefined {
    if (typeof policy === 'function') return this.#createIndex(options, true, null, policy)
    return this.#createIndex(options, true, policy, callback)
  }

  #createIndex(
    options: IndexOptions,
    computes: boolean,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<IndexJob> | undefined,
  ): Promise<IndexJob> | undefined {
    const { ns, set, index, type, datatype } = options
    return runAsync(this, 'IndexCreate', callback, async () => {
      infoTimeout(policy, this.config.policies.info)
      const kind = KINDS[datatype ?? indexDataType.DEFAULT]
      if (kind === undefined) throw invalid('Data type must be one of Aerospike.indexDataType')
      if (typeof index !== 'string') throw invalid('Index name must be a string')
      const subject = computes ? indexedExpression(options.exp) : options.bin
      if (subject === undefined) throw invalid('Bin must be a string')
      const settings: CreateIndexOptions = { name: index, wait: false }
      const of = PARTS[type ?? indexType.DEFAULT]
      if (of !== undefined) settings.of = of
      const ctx = options.context ? toNativeContext(options.context) : undefined
      if (ctx !== undefined) settings.ctx = ctx
      await this.native.indexes.create(ns, set ?? null, subject, kind, settings)
      return new IndexJob(this, ns, index)
    })
  }

  /** Creates an index on the integers of a bin. */
  declare readonly createIntegerIndex: IndexVerb
  /** Creates an index on the strings of a bin. */
  declare readonly createStringIndex: IndexVerb
  /** Creates an index on the points and regions of a bin. */
  declare readonly createGeo2DSphereIndex: IndexVerb
  /** Creates an index on the bytes of a bin. */
  declare readonly createBlobIndex: IndexVerb
  /** Creates an index on an expression whose value is an integer. */
  declare readonly createExpIntegerIndex: IndexVerb
  /** Creates an index on an expression whose value is a string. */
  declare readonly createExpStringIndex: IndexVerb
  /** Creates an index on an expression whose value is a point or region. */
  declare readonly createExpGeo2DSphereIndex: IndexVerb
  /** Creates an index on an expression whose value is bytes. */
  declare readonly createExpBlobIndex: IndexVerb

  /** Removes an index. */
  indexRemove(namespace: string, index: string, policy?: InfoPolicyOptions | null): Promise<void>
  indexRemove(namespace: string, index: string, callback: Callback<void>): void
  indexRemove(
    namespace: string,
    index: string,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<void>,
  ): void
  indexRemove(
    namespace: string,
    index: string,
    policy?: Or<InfoPolicyOptions, void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    if (typeof policy === 'function')
      return this.indexRemove(namespace, index, null, policy) as undefined
    return runAsync(this, 'IndexRemove', callback, async () => {
      infoTimeout(policy, this.config.policies.info)
      await this.native.indexes.drop(namespace, null, index)
    })
  }

  /** Removes all records of a set, or of a namespace. */
  truncate(
    ns: string,
    set?: string | null,
    beforeNanos?: number | null,
    policy?: InfoPolicyOptions | null,
  ): Promise<void>
  truncate(ns: string, callback: Callback<void>): void
  truncate(ns: string, set: string | null | undefined, callback: Callback<void>): void
  truncate(
    ns: string,
    set: string | null | undefined,
    beforeNanos: number | null | undefined,
    callback: Callback<void>,
  ): void
  truncate(
    ns: string,
    set: string | null | undefined,
    beforeNanos: number | null | undefined,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<void>,
  ): void
  truncate(
    ns: string,
    set?: Or<string, void>,
    before?: Or<number, void>,
    policy?: Or<InfoPolicyOptions, void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    if (typeof set === 'function') return this.truncate(ns, null, 0, null, set) as undefined
    if (typeof before === 'function') return this.truncate(ns, set, 0, null, before) as undefined
    if (typeof policy === 'function')
      return this.truncate(ns, set, before, null, policy) as undefined
    return runAsync(this, 'Truncate', callback, async () => {
      infoTimeout(policy, this.config.policies.info)
      const at = truncationTime(before)
      await this.native.truncate(ns, set || null, at === undefined ? {} : { before: at })
    })
  }

  /** Registers a module of Lua functions, from a file. */
  udfRegister(
    udfPath: string,
    udfType?: number | null,
    policy?: InfoPolicyOptions | null,
  ): Promise<UdfJob>
  udfRegister(udfPath: string, policy: InfoPolicyOptions): Promise<UdfJob>
  udfRegister(udfPath: string, callback: Callback<UdfJob>): void
  udfRegister(
    udfPath: string,
    typeOrPolicy: number | InfoPolicyOptions | null | undefined,
    callback: Callback<UdfJob>,
  ): void
  udfRegister(
    udfPath: string,
    udfType: number | null | undefined,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<UdfJob>,
  ): void
  udfRegister(
    udfPath: string,
    type?: number | InfoPolicyOptions | null | Callback<UdfJob>,
    policy?: Or<InfoPolicyOptions, UdfJob>,
    callback?: Callback<UdfJob>,
  ): Promise<UdfJob> | undefined {
    if (typeof type === 'function') return this.#register(udfPath, null, null, type)
    if (typeof policy === 'function')
      return this.udfRegister(udfPath, type as null, null, policy) as undefined
    if (typeof type === 'object') return this.#register(udfPath, null, type, callback)
    return this.#register(udfPath, type, policy, callback)
  }

  #register(
    path: string,
    type: number | null | undefined,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<UdfJob> | undefined,
  ): Promise<UdfJob> | undefined {
    return runAsync(this, 'UdfRegister', callback, async () => {
      infoTimeout(policy, this.config.policies.info)
      if (type !== undefined && type !== null && type !== language.LUA) {
        throw invalid('Invalid UDF language')
      }
      const source = await readFile(path).catch((error: Error) => {
        throw failure(`Cannot open file: ${path}: ${error.message}`, 'ERR_CLIENT')
      })
      const module = basename(path)
      await this.native.modules.register(module, { source: source.toString('utf8') })
      return new UdfJob(this, module, UdfJob.REGISTER)
    })
  }

  /** Removes a module. */
  udfRemove(udfModule: string, policy?: InfoPolicyOptions | null): Promise<UdfJob>
  udfRemove(udfModule: string, callback: Callback<UdfJob>): void
  udfRemove(
    udfModule: string,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<UdfJob>,
  ): void
  udfRemove(
    module: string,
    policy?: Or<InfoPolicyOptions, UdfJob>,
    callback?: Callback<UdfJob>,
  ): Promise<UdfJob> | undefined {
    if (typeof policy === 'function') return this.udfRemove(module, null, policy) as undefined
    return runAsync(this, 'UdfRemove', callback, async () => {
      infoTimeout(policy, this.config.policies.info)
      await this.native.modules.remove(module)
      return new UdfJob(this, module, UdfJob.UNREGISTER)
    })
  }

  /** A path as text, as configurations and other clients exchange it. */
  contextToBase64(context: Context): string {
    return converted('Context', () => contextToBase64(context))
  }

  /** An expression as text. */
  expressionToBase64(expression: AerospikeExp): string {
    if (!Array.isArray(expression)) throw new TypeError('Expression must be an array')
    return converted('Expression', () => expressionToBase64(expression))
  }
}

function converted<T>(what: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw partInvalid(what, error)
  }
}

const TYPED = {
  createIntegerIndex: [false, indexDataType.NUMERIC],
  createStringIndex: [false, indexDataType.STRING],
  createGeo2DSphereIndex: [false, indexDataType.GEO2DSPHERE],
  createBlobIndex: [false, indexDataType.BLOB],
  createExpIntegerIndex: [true, indexDataType.NUMERIC],
  createExpStringIndex: [true, indexDataType.STRING],
  createExpGeo2DSphereIndex: [true, indexDataType.GEO2DSPHERE],
  createExpBlobIndex: [true, indexDataType.BLOB],
} as const

for (const [name, [computes, datatype]] of Object.entries(TYPED)) {
  const verb = computes ? 'createExpIndex' : 'createIndex'
  Object.defineProperty(ClusterVerbs.prototype, name, {
    value(this: ClusterVerbs, options: IndexOptions, policy: never, callback: never) {
      return this[verb]({ ...options, datatype }, policy, callback)
    },
    configurable: true,
    writable: true,
  })
}

function indexedExpression(exp: AerospikeExp | string | undefined) {
  return exp === undefined ? undefined : toNativeExpression(exp)
}

/** A time in nanoseconds since 1970; 0 and nothing mean all records. */
function truncationTime(nanos: unknown): Date | undefined {
  if (nanos === undefined || nanos === null || nanos === 0) return undefined
  if (typeof nanos !== 'number') throw invalid('Before nanos must be a number')
  return new Date(nanos / 1_000_000)
}
