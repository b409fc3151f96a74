/** Cassandra: sessions, statements and rows, on Node's own event loop. */

import './hooks.js'

export { Batch, type BatchKind } from './batch.js'
export * from './errors.js'
export type { ManyOptions } from './many.js'
export type {
  BatchOptions,
  Consistency,
  ExecuteOptions,
  PrepareOptions,
  SerialConsistency,
  SessionOptions,
  TlsOptions,
} from './options.js'
export { Bound, type Parameter, type Parameters, Prepared, type Statement } from './prepared.js'
export { Query } from './query.js'
export { type Column, type Row, Rows } from './rows.js'
export { connect, type NodeInfo, Session } from './session.js'
export type { Trace, TraceEvent, TraceOptions } from './trace.js'
export {
  type CqlInput,
  type CqlObject,
  type CqlValue,
  Decimal,
  Duration,
  EMPTY,
  Time,
  UNSET,
} from './values.js'
export type { ManyRows } from './verbs.js'
