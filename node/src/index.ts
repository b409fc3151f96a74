/** Spikewire: a client for Aerospike-protocol servers, on Node's own event loop. */

import './aerospike/hooks.js'

export { type Build, build } from './addon/build.js'
export type {
  AdminOptions,
  InfoOptions,
  TruncateOptions,
  WaitOptions,
} from './aerospike/admin/admin.js'
export {
  type CreateIndexOptions,
  type CreateSetIndexOptions,
  type Index,
  Indexes,
  type IndexKind,
  type IndexOf,
  type IndexSubject,
} from './aerospike/admin/indexes.js'
export { type Module, Modules, type RegisterOptions } from './aerospike/admin/modules.js'
export {
  type CreateRoleOptions,
  type Privilege,
  type QuotaOptions,
  type Role,
  Roles,
} from './aerospike/admin/roles.js'
export { type User, Users } from './aerospike/admin/users.js'
export { Batch, Late } from './aerospike/batch/batch.js'
export type { BatchColumnsOptions } from './aerospike/batch/columns.js'
export type { Records } from './aerospike/batch/gather.js'
export type {
  ApplyManyOptions,
  BatchOptions,
  DeleteManyOptions,
  GetColumnsOptions,
  GetManyOptions,
} from './aerospike/batch/many.js'
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
} from './aerospike/batch/rows.js'
export type { PutTableOptions, Table, Tables } from './aerospike/batch/tables.js'
export * as builder from './aerospike/builder/index.js'
export { Client, type NodeInfo } from './aerospike/client.js'
export type { Auth, ClientOptions } from './aerospike/client-options.js'
export * as codec from './aerospike/codec/index.js'
export {
  Column,
  type ColumnOptions,
  type ColumnSchema,
  Columns,
  type ColumnType,
  type ColumnValue,
  type ColumnValues,
} from './aerospike/command/columns.js'
export {
  type CallOptions,
  type CommitLevel,
  type DetailLevel,
  type Exists,
  type Hedge,
  Newer,
  newer,
  type Priority,
  type ReadManyOptions,
  type ReadMode,
  type ReadOptions,
  type Replica,
  type ReplyOptions,
  type ShareReads,
  type Ttl,
  type Where,
  type WriteManyOptions,
  type WriteOptions,
} from './aerospike/command/options.js'
export type {
  ApplyOptions,
  DeleteOptions,
  ExistsOptions,
  GetOptions,
  OperateManyOptions,
  OperateOptions,
  TouchOptions,
  UpdateOptions,
} from './aerospike/command/verbs.js'
export { Dataset } from './aerospike/dataset.js'
export * as exp from './aerospike/exp/index.js'
export type { KeyVerbs } from './aerospike/key-verbs.js'
export { ConversionError, type ConversionIssue } from './aerospike/model/conversion-error.js'
export * from './aerospike/model/errors.js'
export { Key, type UserKey } from './aerospike/model/key.js'
export { type Bins, type OperatedRecord, Record } from './aerospike/model/record.js'
export {
  type BinValue,
  Double,
  GeoJSON,
  HyperLogLog,
  INFINITY,
  WILDCARD,
} from './aerospike/model/values.js'
export * as op from './aerospike/op/index.js'
export * as opening from './aerospike/opening.js'
export * as ctx from './aerospike/operation/ctx.js'
export { Expression } from './aerospike/operation/expression.js'
export { Operation } from './aerospike/operation/operation.js'
export { Explanation, type Used } from './aerospike/profiles/explain.js'
export { Profiles, Watch, type WatchOptions } from './aerospike/profiles/files.js'
export { type Mode, Profile, ProfileError } from './aerospike/profiles/profile.js'
export type {
  BatchSection,
  JobSection,
  ProfileOptions,
  QuerySection,
  ReadSection,
  WriteSection,
} from './aerospike/profiles/sections.js'
export {
  type DeleteAllOptions,
  Job,
  type JobOptions,
  type JobProgress,
  type JobWaitOptions,
  type OperateAllOptions,
  type TouchAllOptions,
} from './aerospike/query/job.js'
export { Page } from './aerospike/query/page.js'
export type { QueryPlan } from './aerospike/query/plan.js'
export { type PartitionRange, Query, type QueryOptions } from './aerospike/query/query.js'
export * as index from './aerospike/query/range.js'
export { IndexRange } from './aerospike/query/range.js'
export { Recording, type RecordingSummary, type RecordOptions } from './aerospike/recording.js'
export {
  type EndStatus,
  type RunInTransactionOptions,
  Transaction,
  type TransactionOptions,
  type TransactionState,
} from './aerospike/transaction.js'
export type { DatasetOptions, TypedOptions } from './aerospike/typed/options.js'
export type {
  CompiledSchema,
  InferInput,
  InferOutput,
  RecordClass,
  RecordSchema,
  StandardSchema,
  TypeBoxSchema,
} from './aerospike/typed/schemas.js'
export type { Callback } from './bridge/callbacks.js'
export type { Call, Concurrent, ConcurrentOptions, Items } from './bridge/concurrent.js'
export type { QueryStreamOptions } from './bridge/stream.js'
export type { TlsOptions } from './options/tls.js'
export type { Event, EventListener, NodeEvent } from './statistics/events.js'
export type { Stats } from './statistics/stats.js'
export type { ArrowTable, ColumnArrays, NumberArray } from './tables/source.js'
