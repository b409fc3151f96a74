/** Traced Aerospike clients and datasets, with the same connections and verbs. */

import type { Attributes } from '@opentelemetry/api'
import {
  builder,
  Client,
  Dataset,
  Key,
  type Profile,
  type Query,
  type Transaction,
} from '../index.js'
import { native } from '../statistics/native.js'
import { Call, type Described, type InstrumentOptions, Telemetry } from './call.js'
import { isView, type Replacement, viewOf } from './proxy.js'
import { traceQuery } from './query.js'

/** The verbs on one record. */
const POINT = [
  'get',
  'exists',
  'put',
  'add',
  'append',
  'prepend',
  'delete',
  'touch',
  'apply',
].concat('operate')
const READS = ['get', 'exists']
/** Verbs on many records, and the operation on each record. */
const MANY: { readonly [verb: string]: string } = {
  getMany: 'get',
  getColumns: 'get',
  getArrow: 'get',
  existsMany: 'exists',
  putMany: 'put',
  deleteMany: 'delete',
  operateMany: 'operate',
  applyMany: 'apply',
}
/** Background jobs, with the names that they have in every language. */
const JOBS: { readonly [verb: string]: string } = {
  operateAll: 'operate_all',
  applyAll: 'apply_all',
  touchAll: 'touch_all',
  deleteAll: 'delete_all',
}

/** A view of a client; `undefined` if the argument is none. */
export function traceClient(client: unknown, options: InstrumentOptions): Client | undefined {
  if (!(client instanceof Client)) return undefined
  if (isView(client)) throw new TypeError('the client is instrumented already')
  return viewOfClient(client, new Telemetry(options))
}

function viewOfClient(client: Client, telemetry: Telemetry): Client {
  const view: Client = viewOf(client, (name, method) => {
    if (name === 'withProfile') {
      return (...args) => viewOfClient(method(...args) as Client, telemetry)
    }
    if (name === 'session') {
      return (profile) => {
        const verbs = profile === undefined ? view : view.withProfile(profile as Profile)
        return new builder.Builder(verbs)
      }
    }
    if (name === 'dataset') {
      return (...args) => viewOfDataset(method(...args) as Dataset, telemetry)
    }
    if (name === 'transaction') {
      return (...args) => viewOfTransaction(method(...args) as Transaction, telemetry)
    }
    if (name === 'runInTransaction') {
      return (call, ...args) => {
        if (typeof call !== 'function') return method(call, ...args)
        const traced = (transaction: Transaction) => call(viewOfTransaction(transaction, telemetry))
        return method(traced, ...args)
      }
    }
    if (name === 'within') {
      return (...args) => {
        const inside = method(...args) as Client
        return viewOf(inside, (verb, inner) => traced(inside, verb, inner, telemetry))
      }
    }
    return traced(client, name, method, telemetry)
  })
  return view
}

function viewOfTransaction(transaction: Transaction, telemetry: Telemetry): Transaction {
  return viewOf(transaction, (name, method) =>
    name === 'dataset'
      ? (...args) => viewOfDataset(method(...args) as Dataset, telemetry)
      : undefined,
  )
}

function viewOfDataset(dataset: Dataset, telemetry: Telemetry): Dataset {
  return viewOf(dataset, (name, method) =>
    name === 'within' || name === 'withProfile'
      ? (...args) => viewOfDataset(method(...args) as Dataset, telemetry)
      : traced(dataset, name, method, telemetry),
  )
}

/** Clients, datasets, and the verbs of a client within a transaction. */
type Home = Pick<Client, 'connection' | 'spaceOf' | 'wireOf'>

function traced(
  home: Home,
  verb: string | symbol,
  method: Replacement,
  telemetry: Telemetry,
): Replacement | undefined {
  if (typeof verb !== 'string') return undefined
  const begin = (args: unknown[]) => new Call(telemetry, described(home, verb, args))
  if (verb === 'query') {
    return (...args) => traceQuery(method(...args) as Query, () => begin(args))
  }
  const isVerb = POINT.includes(verb) || verb === 'batch' || verb in MANY || verb in JOBS
  return isVerb ? (...args) => begin(args).run(method, args) : undefined
}

function described(home: Home, verb: string, args: readonly unknown[]): Described {
  const size = sizeOf(verb, args[0])
  const operation = operationOf(verb, size)
  const [namespace, set] = spaceOf(home, verb, args)
  const attributes: Attributes = {
    'db.system.name': 'aerospike',
    'db.operation.name': operation,
    ...(namespace ? { 'db.namespace': namespace } : {}),
    ...(set ? { 'db.collection.name': set } : {}),
    ...(POINT.includes(verb) ? route(home, verb, args) : {}),
  }
  return { name: `${operation} ${set || namespace}`.trimEnd(), attributes, size }
}

/** The operation's name; the conventions do not call a single row a batch. */
function operationOf(verb: string, size: number | undefined): string {
  if (verb === 'batch') return 'BATCH'
  const each = MANY[verb]
  if (each !== undefined) return size === 1 ? each : `BATCH ${each}`
  return JOBS[verb] ?? verb
}

function sizeOf(verb: string, rows: unknown): number | undefined {
  if (!(verb in MANY) && verb !== 'batch') return undefined
  if (Array.isArray(rows)) return rows.length
  if (rows instanceof Map || rows instanceof Set) return rows.size
  // An iterator must not be consumed.
  const isPlain = typeof rows === 'object' && rows !== null && Object.getPrototypeOf(rows)
  return isPlain === Object.prototype ? Object.keys(rows as object).length : undefined
}

/** The namespace and the set of a call, as far as its arguments show them. */
function spaceOf(
  home: Home,
  verb: string,
  args: readonly unknown[],
): [namespace: string, set: string] {
  if (home instanceof Dataset) return [home.namespace, home.set ?? '']
  if (POINT.includes(verb)) return ofKey(args[0])
  if (verb in MANY || verb === 'batch') {
    const first: unknown = Array.isArray(args[0]) ? args[0][0] : undefined
    if (verb === 'batch') return ofKey((first as { key?: unknown } | undefined)?.key)
    return ofKey(verb === 'putMany' && Array.isArray(first) ? first[0] : first)
  }
  return [textOf(args[0]), textOf(args[1])]
}

function textOf(argument: unknown): string {
  return typeof argument === 'string' ? argument : ''
}

function ofKey(key: unknown): [string, string] {
  return key instanceof Key ? [key.namespace, key.set ?? ''] : ['', '']
}

/** The node that a command on one record goes to first. */
function route(home: Home, verb: string, args: readonly unknown[]): Attributes {
  const [key, operations] = args
  const options = args.find(
    (argument, at) =>
      at > 0 && typeof argument === 'object' && argument !== null && isOptions(argument),
  )
  // Invalid arguments are reported by the verb itself.
  try {
    const space = home.spaceOf(key as Key)
    const wire = home.wireOf(key as Key)
    const writes = verb === 'operate' ? operations : !READS.includes(verb)
    const replica = (options as { replica?: unknown } | undefined)?.replica
    const node = native.metricsRoute(home.connection.handle, space, wire, writes, { replica })
    if (node === null) return {}
    const [name, host, port] = node
    return { 'server.address': host, 'server.port': port, 'spikewire.node': name }
  } catch {
    return {}
  }
}

function isOptions(argument: object): boolean {
  return !Array.isArray(argument) && 'replica' in argument
}
