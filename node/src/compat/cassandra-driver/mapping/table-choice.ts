/** Which tables of a model a statement is for. */

import type { DataCollection } from '../metadata/tables.js'
import type { ModelMappingInfo } from './model-info.js'
import type { Property } from './properties.js'

type Named = { readonly name: string }

/** A client's metadata, as far as it is needed. */
export interface TableSource {
  readonly metadata: {
    getTable(keyspace: string, name: string): Promise<DataCollection | null>
    getMaterializedView(keyspace: string, name: string): Promise<DataCollection | null>
  }
}

async function tablesOf(
  client: TableSource,
  { keyspace, tables }: ModelMappingInfo,
  withViews: boolean,
): Promise<DataCollection[]> {
  const selected = tables.filter((table) => withViews || !table.isView)
  return Promise.all(
    selected.map(async ({ name, isView }) => {
      const { metadata } = client
      const table = isView
        ? await metadata.getMaterializedView(keyspace, name)
        : await metadata.getTable(keyspace, name)
      if (table === null) throw new Error(`there is no table "${name}" in the keyspace`)
      return table
    }),
  )
}

/** How many of the keys are among the properties. */
function matches(keys: readonly Named[], properties: readonly Property[]): 'all' | 'some' | 'none' {
  if (keys.length === 0) return 'all'
  const names = keys.map((key) => key.name)
  const count = properties.filter((it) => names.includes(it.columnName)).length
  return count === 0 ? 'none' : count === keys.length ? 'all' : 'some'
}

const has = (table: DataCollection, property: Property): boolean =>
  table.columnsByName[property.columnName] !== undefined

const isKey = (table: DataCollection, property: Property): boolean =>
  [...table.partitionKeys, ...table.clusteringKeys].some((it) => it.name === property.columnName)

const staticCount = (table: DataCollection): number =>
  table.columns.filter((column) => column.isStatic).length

const names = (properties: readonly Property[]): string =>
  `[${properties.map((it) => it.columnName)}]`

/** The first table with these conditions, fields and order; throws Error if there is none. */
export async function tableForSelect(
  client: TableSource,
  info: ModelMappingInfo,
  withAllKeys: boolean,
  conditions: readonly Property[],
  fields: readonly Property[],
  order: readonly [string, string][],
): Promise<string> {
  const choice = (await tablesOf(client, info, true)).find(
    (table) =>
      matches(table.partitionKeys, conditions) === 'all' &&
      (!withAllKeys || matches(table.clusteringKeys, conditions) === 'all') &&
      (conditions.length <= table.partitionKeys.length ||
        conditions.every((it) => isKey(table, it))) &&
      fields.every((it) => has(table, it)) &&
      order.every(([column], at) => table.clusteringKeys[at]?.name === column),
  )
  if (choice !== undefined) return choice.name
  const what = withAllKeys ? 'the whole primary key is required' : 'by its key'
  const rest = [
    fields.length > 0 ? `; fields: ${names(fields)}` : '',
    order.length > 0 ? `; orderBy: [${order.map(([column]) => column)}]` : '',
  ].join('')
  throw new Error(`No table of the model fits (${what}): ${names(conditions)}${rest}`)
}

/** The tables that a document is inserted into. */
export async function tablesForInsert(
  client: TableSource,
  info: ModelMappingInfo,
  written: readonly Property[],
): Promise<DataCollection[]> {
  const choice = (await tablesOf(client, info, false)).filter((table) => {
    if (matches(table.partitionKeys, written) !== 'all') return false
    const clustering = matches(table.clusteringKeys, written)
    if (clustering !== 'none') return clustering === 'all'
    // Only static columns, of the partition.
    const count = staticCount(table)
    return count > 0 && written.length === table.partitionKeys.length + count
  })
  if (choice.length > 0) return choice
  throw new Error(`No table of the model fits (the primary key is required): ${names(written)}`)
}

/** The tables in which a document is updated. */
export async function tablesForUpdate(
  client: TableSource,
  info: ModelMappingInfo,
  written: readonly Property[],
  when: readonly Property[],
): Promise<DataCollection[]> {
  const choice = (await tablesOf(client, info, false)).filter((table) => {
    if (matches(table.partitionKeys, written) !== 'all') return false
    const clustering = matches(table.clusteringKeys, written)
    const hasStatic = staticCount(table) > 0
    if (clustering === 'some' || (clustering === 'none' && !hasStatic)) return false
    const count = written.filter((it) => has(table, it)).length
    const keys = table.partitionKeys.length + table.clusteringKeys.length
    if (count <= keys && (!hasStatic || count <= table.partitionKeys.length)) return false
    return when.every((it) => has(table, it))
  })
  if (choice.length > 0) return choice
  const condition = when.length > 0 ? `; condition: ${names(when)}` : ''
  const what = 'the primary key and a column are required'
  throw new Error(`No table of the model fits (${what}): ${names(written)}${condition}`)
}

/** The tables that a document is removed from. */
export async function tablesForRemove(
  client: TableSource,
  info: ModelMappingInfo,
  written: readonly Property[],
  when: readonly Property[],
): Promise<DataCollection[]> {
  const columns = written.map((it) => it.columnName)
  const choice = (await tablesOf(client, info, false)).filter(
    (table) =>
      [...table.partitionKeys, ...table.clusteringKeys].every((it) => columns.includes(it.name)) &&
      when.every((it) => has(table, it)),
  )
  if (choice.length > 0) return choice
  const condition = when.length > 0 ? `; condition: ${names(when)}` : ''
  const what = 'the primary key is required'
  throw new Error(`No table of the model fits (${what}): ${names(written)}${condition}`)
}
