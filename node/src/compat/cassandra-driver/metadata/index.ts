/** What clients know of their clusters. */

export { ClientState } from './client-state.js'
export { type KeyspaceMetadata, Metadata } from './metadata.js'
export type {
  Aggregate,
  ColumnInfo,
  DataCollection,
  Index,
  MaterializedView,
  SchemaFunction,
  TableMetadata,
} from './tables.js'
export type { QueryTrace } from './traces.js'
export type { Udt } from './types.js'
