/** What is known of a model: its tables, and which columns its properties are. */

import { DefaultTableMappings, TableMappings } from './table-mappings.js'

// biome-ignore lint/suspicious/noExplicitAny: values of programs
type Convert = (value: any) => any

/** A column of a model: the name of its property, and conversions of its values. */
export interface ModelColumnOptions {
  name?: string | undefined
  toModel?: Convert | undefined
  fromModel?: Convert | undefined
}

/** The options of a model. */
export interface ModelOptions {
  /** Default: one table, named as the model. */
  tables?: readonly (string | { name: string; isView?: boolean })[] | undefined
  mappings?: TableMappings | undefined
  columns?: { [column: string]: string | ModelColumnOptions } | null | undefined
  keyspace?: string | undefined
}

/** The options of a mapper. */
export interface MappingOptions {
  models: { [name: string]: ModelOptions | undefined }
}

/** A table or view of a model. */
export interface ModelTable {
  readonly name: string
  readonly isView: boolean
}

interface ModelColumn {
  readonly columnName: string
  readonly propertyName: string
  readonly toModel: Convert | undefined
  readonly fromModel: Convert | undefined
}

/** A model. */
export class ModelMappingInfo {
  readonly keyspace: string
  readonly tables: readonly ModelTable[]
  readonly #mappings: TableMappings
  readonly #columns: ReadonlyMap<string, ModelColumn>
  readonly #properties: ReadonlyMap<string, ModelColumn>

  constructor(
    keyspace: string,
    tables: readonly ModelTable[],
    mappings: TableMappings,
    columns: ReadonlyMap<string, ModelColumn>,
  ) {
    this.keyspace = keyspace
    this.tables = tables
    this.#mappings = mappings
    this.#columns = columns
    this.#properties = new Map([...columns.values()].map((it) => [it.propertyName, it]))
  }

  getColumnName(property: string): string {
    const known = this.#properties.get(property)
    return known === undefined ? this.#mappings.getColumnName(property) : known.columnName
  }

  getPropertyName(column: string): string {
    const known = this.#columns.get(column)
    return known === undefined ? this.#mappings.getPropertyName(column) : known.propertyName
  }

  getFromModelFn(property: string): Convert | undefined {
    return this.#properties.get(property)?.fromModel
  }

  getToModelFn(column: string): Convert | undefined {
    return this.#columns.get(column)?.toModel
  }

  newInstance(): { [property: string]: unknown } {
    return this.#mappings.newObjectInstance() as { [property: string]: unknown }
  }

  /** The models of options, by name. */
  static parse(
    options: MappingOptions | null | undefined,
    keyspace: string | undefined,
  ): Map<string, ModelMappingInfo> {
    const models = Object.entries(options?.models ?? {})
    return new Map(models.map(([name, about]) => [name, modelOf(name, keyspace, about)]))
  }

  static createDefault(name: string, keyspace: string): ModelMappingInfo {
    const tables = [{ name, isView: false }]
    return new ModelMappingInfo(keyspace, tables, new DefaultTableMappings(), new Map())
  }
}

function modelOf(
  name: string,
  current: string | undefined,
  options: ModelOptions | undefined,
): ModelMappingInfo {
  const keyspace = options?.keyspace || current
  if (!keyspace) {
    throw new Error(`the model '${name}' has no keyspace: give it one, or the client`)
  }
  if (!options) return ModelMappingInfo.createDefault(name, keyspace)
  const { mappings, columns } = options
  if (mappings && !(mappings instanceof TableMappings)) {
    throw new Error('mappings must be a TableMappings')
  }
  const names = options.tables?.length ? options.tables : [name]
  const tables = names.map((item) => {
    const table =
      typeof item === 'string' ? { name: item } : (item as { name: string; isView?: boolean })
    if (!table?.name) throw new Error(`a table of the model '${name}' has no name`)
    return { name: table.name, isView: !!(table as { isView?: boolean }).isView }
  })
  const known = Object.entries(columns ?? {}).map(
    ([column, about]) => [column, columnOf(column, about)] as const,
  )
  return new ModelMappingInfo(
    keyspace,
    tables,
    mappings ?? new DefaultTableMappings(),
    new Map(known),
  )
}

function columnOf(columnName: string, about: string | ModelColumnOptions): ModelColumn {
  const options = typeof about === 'string' ? { name: about } : about || {}
  const { name = columnName, toModel, fromModel } = options as ModelColumnOptions
  for (const [what, convert] of Object.entries({ toModel, fromModel })) {
    if (!convert || typeof convert === 'function') continue
    const kind = typeof convert
    throw new TypeError(`${what} of the property '${name}' must be a function, not ${kind}`)
  }
  return { columnName, propertyName: name, toModel, fromModel }
}
