/**
 * What a cluster has: keyspaces, tables, columns, indexes, triggers, views, and user-defined types,
 * functions and aggregates.
 */

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

/** The value of an option of a table. */
export type TableOption = boolean | number | string | Readonly<Record<string, string>>

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
  /** Its triggers, by name: their options, of which `class` is what runs. */
  readonly triggers: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly comment: string
  /**
   * Its options that are set, `comment` included, as statements name them: `gc_grace_seconds` (in
   * seconds), `compaction` (an object of texts).
   */
  readonly options: Readonly<Record<string, TableOption>>
  /** Data of extensions of the server, by name. */
  readonly extensions: ReadonlyMap<string, Buffer>
}

/** A materialized view, which is like a table. */
export interface View extends Table {
  /** The table whose rows it has. */
  readonly baseTable: string
  /** The condition on them. */
  readonly whereClause: string
  /** Whether it has all columns of that table, also those that are added to it. */
  readonly includeAllColumns: boolean
}

/** A user-defined function. */
export interface UserFunction {
  readonly name: string
  /** The types of its arguments, as CQL, in order. */
  readonly argumentTypes: readonly string[]
  /** The names of its arguments, in order. */
  readonly argumentNames: readonly string[]
  /** The type of what it returns, as CQL. */
  readonly returnType: string
  /** The language of its body: `java`. */
  readonly language: string
  readonly body: string
  /** Whether it is called if an argument is null; otherwise it returns null then. */
  readonly calledOnNullInput: boolean
}

/** A user-defined aggregate. */
export interface UserAggregate {
  readonly name: string
  /** The types of its arguments, as CQL, in order. */
  readonly argumentTypes: readonly string[]
  /** The type of what it returns, as CQL. */
  readonly returnType: string
  /** The name of the function that takes the state and the arguments, and returns the next state. */
  readonly stateFunction: string
  /** The type of the state, as CQL. */
  readonly stateType: string
  /** The name of the function that makes the result of the last state; null if that is the result. */
  readonly finalFunction: string | null
  /** The first state, as CQL; null if it is null. */
  readonly initialCondition: string | null
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
  /** Its user-defined functions, by signature: `name(int,text)`. */
  readonly functions: ReadonlyMap<string, UserFunction>
  /** Its user-defined aggregates, by signature. */
  readonly aggregates: ReadonlyMap<string, UserAggregate>
}

/** The schema of a cluster. */
export interface Schema {
  /** The keyspaces by name, those of the system included. */
  readonly keyspaces: ReadonlyMap<string, Keyspace>
}

interface TableText {
  columns: ColumnSchema[]
  indexes: Record<string, { kind: string; options: Record<string, string> }>
  triggers: Record<string, Record<string, string>>
  comment: string
  options: Record<string, TableOption>
  extensions: Record<string, string>
}

interface ViewText extends TableText {
  baseTable: string
  whereClause: string
  includeAllColumns: boolean
}

interface KeyspaceText {
  replication: Record<string, string>
  durableWrites: boolean
  isVirtual: boolean
  tables: Record<string, TableText>
  views: Record<string, ViewText>
  types: Record<string, [string, string][]>
  functions: Record<string, UserFunction>
  aggregates: Record<string, UserAggregate>
}

/** Values by name, each made of a part of the engine's text. */
function byName<A, B>(all: Record<string, A>, make: (name: string, about: A) => B): Map<string, B> {
  return new Map(Object.entries(all).map(([name, about]) => [name, make(name, about)]))
}

function tableOf(keyspace: string, name: string, about: TableText): Table {
  const { columns, comment, options } = about
  const named = (kind: string) => columns.filter((it) => it.kind === kind).map((it) => it.name)
  return {
    keyspace,
    name,
    columns,
    partitionKey: named('partition_key'),
    clustering: named('clustering'),
    indexes: byName(about.indexes, (index, of) => ({ name: index, ...of })),
    triggers: new Map(Object.entries(about.triggers)),
    comment,
    options,
    extensions: byName(about.extensions, (_, data) => Buffer.from(data, 'hex')),
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
      const { baseTable, whereClause, includeAllColumns } = of
      return { ...tableOf(name, view, of), baseTable, whereClause, includeAllColumns }
    }),
    types: byName(about.types, (_, fields) => new Map(fields)),
    functions: new Map(Object.entries(about.functions)),
    aggregates: new Map(Object.entries(about.aggregates)),
  }))
  return { keyspaces }
}
