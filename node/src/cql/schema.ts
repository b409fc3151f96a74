/** What a cluster has: keyspaces, tables, columns, indexes, views and user-defined types. */

/** A column of a table or a view. */
export interface ColumnSchema {
  readonly name: string
  /** Its type, as CQL: `frozen<list<int>>`. */
  readonly type: string
  /** What it is in its table. */
  readonly kind: 'partition_key' | 'clustering' | 'static' | 'regular'
  /** Whether its order is descending, as a clustering column. */
  readonly descending: boolean
}

/** A secondary index. */
export interface Index {
  readonly name: string
  /** `COMPOSITES`, `KEYS` or `CUSTOM`. */
  readonly kind: string
  /** Its options; `target` is what it is about. */
  readonly options: Readonly<Record<string, string>>
}

/** A table. */
export interface Table {
  readonly keyspace: string
  readonly name: string
  /** Its columns, in the order of `SELECT *`. */
  readonly columns: readonly ColumnSchema[]
  /** The names of the columns of its partition key, in order. */
  readonly partitionKey: readonly string[]
  /** The names of its clustering columns, in order. */
  readonly clustering: readonly string[]
  /** Its secondary indexes, by name. */
  readonly indexes: ReadonlyMap<string, Index>
  readonly comment: string
}

/** A materialized view, which is like a table. */
export interface View extends Table {
  /** The table whose rows it has. */
  readonly baseTable: string
  /** The condition on them. */
  readonly whereClause: string
}

/** A keyspace. */
export interface Keyspace {
  readonly name: string
  /** Its replication: `class`, and the options of that class. Empty if it is virtual. */
  readonly replication: Readonly<Record<string, string>>
  /** Whether writes go through the commit log. */
  readonly durableWrites: boolean
  /** Whether its tables are views into the server. */
  readonly isVirtual: boolean
  /** Its tables, by name. */
  readonly tables: ReadonlyMap<string, Table>
  /** Its materialized views, by name. */
  readonly views: ReadonlyMap<string, View>
  /** Its user-defined types, by name: the types of their fields by name, in order. */
  readonly types: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The schema of a cluster. */
export interface Schema {
  /** The keyspaces by name, those of the system included. */
  readonly keyspaces: ReadonlyMap<string, Keyspace>
}

interface TableText {
  columns: ColumnSchema[]
  indexes: Record<string, { kind: string; options: Record<string, string> }>
  comment: string
}

interface KeyspaceText {
  replication: Record<string, string>
  durableWrites: boolean
  isVirtual: boolean
  tables: Record<string, TableText>
  views: Record<string, TableText & { baseTable: string; whereClause: string }>
  types: Record<string, [string, string][]>
}

/** Values by name, each made of a part of the engine's text. */
function byName<A, B>(all: Record<string, A>, make: (name: string, about: A) => B): Map<string, B> {
  return new Map(Object.entries(all).map(([name, about]) => [name, make(name, about)]))
}

function tableOf(keyspace: string, name: string, about: TableText): Table {
  const { columns, comment } = about
  const named = (kind: string) => columns.filter((it) => it.kind === kind).map((it) => it.name)
  return {
    keyspace,
    name,
    columns,
    partitionKey: named('partition_key'),
    clustering: named('clustering'),
    indexes: byName(about.indexes, (index, of) => ({ name: index, ...of })),
    comment,
  }
}

/** The schema as the engine tells it. */
export function schemaOf(text: string): Schema {
  const keyspaces = byName(JSON.parse(text) as Record<string, KeyspaceText>, (name, about) => ({
    name,
    replication: about.replication,
    durableWrites: about.durableWrites,
    isVirtual: about.isVirtual,
    tables: byName(about.tables, (table, of) => tableOf(name, table, of)),
    views: byName(about.views, (view, of) => {
      const { baseTable, whereClause } = of
      return { ...tableOf(name, view, of), baseTable, whereClause }
    }),
    types: byName(about.types, (_, fields) => new Map(fields)),
  }))
  return { keyspaces }
}
