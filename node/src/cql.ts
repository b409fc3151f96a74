/** Cassandra: sessions, statements and rows, on Node's own event loop. */

import './aerospike/hooks.js'
import './cql/hooks.js'

export type { Call, Concurrent, ConcurrentOptions, Items } from './bridge/concurrent.js'
export { Batch, type BatchKind } from './cql/batch.js'
export * from './cql/errors.js'
export { Late, type ManyOptions } from './cql/many.js'
export * as opening from './cql/opening.js'
export type {
  AddressTranslator,
  Authenticator,
  BatchOptions,
  Consistency,
  ExecuteOptions,
  Login,
  PrepareOptions,
  SerialConsistency,
  SessionOptions,
  TlsOptions,
} from './cql/options.js'
export { Bound, type Parameter, type Parameters, Prepared, type Statement } from './cql/prepared.js'
export { Query } from './cql/query.js'
export { type Column, type Row, Rows } from './cql/rows.js'
export type {
  ColumnSchema,
  Index,
  Keyspace,
  Schema,
  Table,
  TableOption,
  UserAggregate,
  UserFunction,
  View,
} from './cql/schema.js'
export { connect, type NodeInfo, Session } from './cql/session.js'
export type { Trace, TraceEvent, TraceOptions } from './cql/trace.js'
export {
  type CqlInput,
  type CqlObject,
  type CqlValue,
  Decimal,
  Duration,
  EMPTY,
  Time,
  UNSET,
} from './cql/values.js'
export type { ManyRows } from './cql/verbs.js'
export type { Event, EventListener, NodeEvent } from './statistics/events.js'
export type { Stats } from './statistics/stats.js'
