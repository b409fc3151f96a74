/** Spikewire: a client for Aerospike-protocol servers, on Node's own event loop. */

import './hooks.js'

export type { AdminOptions, InfoOptions, TruncateOptions, WaitOptions } from './admin.js'
export { Batch } from './batch.js'
export { type Build, build } from './build.js'
export { Client } from './client.js'
export {
  Column,
  type ColumnOptions,
  type ColumnSchema,
  Columns,
  type ColumnType,
  type ColumnValue,
  type ColumnValues,
} from './columns.js'
export type { Auth, ClientOptions } from './connecting.js'
export * as ctx from './ctx.js'
export { Dataset } from './dataset.js'
export * from './errors.js'
export * as exp from './exp/index.js'
export { Expression } from './expression.js'
export type { Records } from './gather.js'
export {
  type CreateIndexOptions,
  type CreateSetIndexOptions,
  type Index,
  Indexes,
  type IndexKind,
  type IndexOf,
  type IndexSubject,
} from './indexes.js'
export {
  type DeleteAllOptions,
  Job,
  type JobOptions,
  type JobProgress,
  type JobWaitOptions,
  type OperateAllOptions,
  type TouchAllOptions,
} from './job.js'
export { Key, type UserKey } from './key.js'
export type { BatchOptions, GetColumnsOptions, GetManyOptions } from './many.js'
export { type Module, Modules, type RegisterOptions } from './modules.js'
export * as op from './op/index.js'
export { Operation } from './operation.js'
export {
  type CallOptions,
  type Exists,
  type Hedge,
  Newer,
  newer,
  type ReadMode,
  type ReadOptions,
  type Replica,
  type Ttl,
  type Where,
  type WriteOptions,
} from './options.js'
export { Page } from './page.js'
export { type PartitionRange, Query, type QueryOptions } from './query.js'
export * as index from './range.js'
export { IndexRange } from './range.js'
export { type Bins, type OperatedRecord, Record } from './record.js'
export {
  type CreateRoleOptions,
  type Privilege,
  type QuotaOptions,
  type Role,
  Roles,
} from './roles.js'
export {
  Apply,
  type ApplyRowOptions,
  Delete,
  type DeleteRowOptions,
  Read,
  type ReadRowOptions,
  Row,
  Write,
  type WriteRowOptions,
} from './rows.js'
export type { QueryStreamOptions } from './stream.js'
export type { TlsOptions } from './tls.js'
export { type User, Users } from './users.js'
export { type BinValue, Double, GeoJSON, HyperLogLog, INFINITY, WILDCARD } from './values.js'
export type {
  ApplyOptions,
  DeleteOptions,
  ExistsOptions,
  GetOptions,
  OperateManyOptions,
  OperateOptions,
  TouchOptions,
} from './verbs.js'
export type { Callback } from './ways.js'
