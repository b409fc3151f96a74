/** Tables, views, indexes, functions and aggregates as programs see them. */

import type {
  Keyspace,
  Table,
  TableOption,
  UserAggregate,
  UserFunction,
  View,
} from '../../../cql/schema.js'
import type { DataType } from '../types/constants.js'
import { type KeyspaceTypes, parseType } from './types.js'

/** A column of a table. */
export interface ColumnInfo {
  name: string
  type: DataType
  isStatic: boolean
}

const KINDS = { CUSTOM: 0, KEYS: 1, COMPOSITES: 2 } as const

/** A secondary index. */
export class Index {
  name: string
  target: string
  /** 0: custom, 1: of keys, 2: of composites. */
  kind: number
  options: { [name: string]: string }

  constructor(name: string, target: string, kind: number, options: { [name: string]: string }) {
    this.name = name
    this.target = target
    this.kind = kind
    this.options = options
  }

  isCompositesKind(): boolean {
    return this.kind === KINDS.COMPOSITES
  }

  isKeysKind(): boolean {
    return this.kind === KINDS.KEYS
  }

  isCustomKind(): boolean {
    return this.kind === KINDS.CUSTOM
  }
}

type Texts = { [option: string]: string }

/** What tables and views have in common. */
export class DataCollection {
  name: string
  bloomFilterFalsePositiveChance = 0
  /** As JSON. */
  caching: string | null = null
  comment: string | null = null
  gcGraceSeconds = 0
  compactionClass: string | null = null
  compactionOptions: Texts | null = null
  compression: Texts | null = null
  localReadRepairChance = 0
  readRepairChance = 0
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  extensions: { [name: string]: any } | null = null
  crcCheckChance: number | null = null
  populateCacheOnFlush = false
  defaultTtl = 0
  speculativeRetry = 'NONE'
  minIndexInterval = 128
  maxIndexInterval = 2048
  columns: ColumnInfo[] = []
  columnsByName: { [name: string]: ColumnInfo } = {}
  partitionKeys: ColumnInfo[] = []
  clusteringKeys: ColumnInfo[] = []
  /** `ASC` or `DESC`, by clustering column. */
  clusteringOrder: string[] = []
  readonly nodesync: null = null

  constructor(name: string) {
    this.name = name
  }
}

/** A table. */
export class TableMetadata extends DataCollection {
  memtableFlushPeriod = 0
  indexInterval: number | null = null
  isCompact = false
  replicateOnWrite = true
  cdc: boolean | null | undefined = undefined
  indexes: Index[] = []
  virtual = false
}

/** A materialized view. */
export class MaterializedView extends DataCollection {
  tableName: string | null = null
  whereClause: string | null = null
  includeAllColumns = false
}

function addColumns(into: DataCollection, table: Table, keyspace: KeyspaceTypes): void {
  const order = new Map(table.columns.map((column) => [column.name, column.descending]))
  // By name, as system tables have them.
  const columns = [...table.columns].sort((one, two) => (one.name < two.name ? -1 : 1))
  for (const { name, type, kind } of columns) {
    const column = { name, type: parseType(type, keyspace), isStatic: kind === 'static' }
    into.columns.push(column)
    into.columnsByName[name] = column
  }
  const named = (names: readonly string[]) =>
    names.map((name) => into.columnsByName[name] as ColumnInfo)
  into.partitionKeys = named(table.partitionKey)
  into.clusteringKeys = named(table.clustering)
  into.clusteringOrder = table.clustering.map((name) => (order.get(name) ? 'DESC' : 'ASC'))
}

function addOptions(into: DataCollection, table: Table): void {
  const { options } = table
  const get = <T extends TableOption>(name: string, or: T): T => (options[name] ?? or) as T
  into.bloomFilterFalsePositiveChance = get('bloom_filter_fp_chance', 0)
  into.caching = JSON.stringify(get<Texts>('caching', {}))
  into.comment = table.comment
  const { class: compaction, ...rest } = get<Texts>('compaction', {})
  into.compactionClass = compaction ?? null
  into.compactionOptions = rest
  into.compression = { ...get<Texts>('compression', {}) }
  into.gcGraceSeconds = get('gc_grace_seconds', 0)
  into.localReadRepairChance = get('dclocal_read_repair_chance', 0)
  into.readRepairChance = get('read_repair_chance', 0)
  into.extensions = Object.fromEntries(table.extensions)
  into.crcCheckChance = get<number>('crc_check_chance', 1)
  into.defaultTtl = get('default_time_to_live', 0)
  into.speculativeRetry = get('speculative_retry', 'NONE')
  into.minIndexInterval = get('min_index_interval', 128)
  into.maxIndexInterval = get('max_index_interval', 2048)
}

/** A table of a keyspace. */
export function tableOf(keyspace: Keyspace, table: Table): TableMetadata {
  const result = new TableMetadata(table.name)
  addColumns(result, table, keyspace)
  result.virtual = keyspace.isVirtual
  if (keyspace.isVirtual) return result
  addOptions(result, table)
  result.memtableFlushPeriod = (table.options['memtable_flush_period_in_ms'] ?? 0) as number
  result.cdc = (table.options['cdc'] ?? null) as boolean | null
  result.indexes = [...table.indexes.values()].map(({ name, kind, options }) => {
    const number = KINDS[kind as keyof typeof KINDS] ?? KINDS.CUSTOM
    return new Index(name, options['target'] ?? '', number, { ...options })
  })
  return result
}

/** A materialized view of a keyspace. */
export function viewOf(keyspace: Keyspace, view: View): MaterializedView {
  const result = new MaterializedView(view.name)
  addColumns(result, view, keyspace)
  addOptions(result, view)
  result.tableName = view.baseTable
  result.whereClause = view.whereClause
  result.includeAllColumns = view.includeAllColumns
  return result
}

/** A user-defined function. */
export interface SchemaFunction {
  name: string
  keyspaceName: string
  signature: string[]
  argumentNames: string[]
  argumentTypes: DataType[]
  body: string
  calledOnNullInput: boolean
  language: string
  returnType: DataType
  /** False, with the next two: features of DataStax Enterprise. */
  deterministic: boolean
  monotonic: boolean
  monotonicOn: string[]
}

/** A user-defined aggregate. */
export interface Aggregate {
  name: string
  keyspaceName: string
  signature: string[]
  argumentTypes: DataType[]
  finalFunction: string | null
  /** As CQL. */
  initCondition: string | null
  returnType: DataType
  stateFunction: string
  stateType: DataType
  /** False: a feature of DataStax Enterprise. */
  deterministic: boolean
}

export function functionOf(keyspace: Keyspace, about: UserFunction): SchemaFunction {
  const type = (text: string) => parseType(text, keyspace)
  return {
    name: about.name,
    keyspaceName: keyspace.name,
    signature: [...about.argumentTypes],
    argumentNames: [...about.argumentNames],
    argumentTypes: about.argumentTypes.map(type),
    body: about.body,
    calledOnNullInput: about.calledOnNullInput,
    language: about.language,
    returnType: type(about.returnType),
    deterministic: false,
    monotonic: false,
    monotonicOn: [],
  }
}

export function aggregateOf(keyspace: Keyspace, about: UserAggregate): Aggregate {
  const type = (text: string) => parseType(text, keyspace)
  return {
    name: about.name,
    keyspaceName: keyspace.name,
    signature: [...about.argumentTypes],
    argumentTypes: about.argumentTypes.map(type),
    finalFunction: about.finalFunction,
    initCondition: about.initialCondition,
    returnType: type(about.returnType),
    stateFunction: about.stateFunction,
    stateType: type(about.stateType),
    deterministic: false,
  }
}
