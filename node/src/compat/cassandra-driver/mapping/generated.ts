/** The statements of a model. */

import type { DataCollection } from '../metadata/tables.js'
import { dataTypes } from '../types/constants.js'
import type { ModelMappingInfo } from './model-info.js'
import type { Doc, DocInfo, Property } from './properties.js'
import { QueryAssignment, QueryOperator } from './q.js'

/** A statement, and what makes its parameters of a document of the same shape. */
export interface Generated {
  readonly query: string
  readonly isIdempotent: boolean
  readonly isCounter: boolean
  params(doc: Doc | null, docInfo: DocInfo | null): unknown[]
}

const quoted = ({ columnName }: { columnName: string }): string => `"${columnName}"`

function condition(column: string, value: unknown): string {
  if (!(value instanceof QueryOperator)) return `"${column}" = ?`
  if (!value.hasChildValues) return `"${column}" ${value.key} ?`
  const [one, two] = value.value
  return `${condition(column, one)} ${value.key} ${condition(column, two)}`
}

function conditions(properties: readonly Property[]): string {
  return properties.map(({ columnName, value }) => condition(columnName, value)).join(' AND ')
}

const equalities = (properties: readonly Property[]): string =>
  properties.map((it) => `${quoted(it)} = ?`).join(' AND ')

/** The parameters of properties of a document. */
function valuesOf(
  properties: readonly Property[],
  doc: Doc | null | undefined,
  info: ModelMappingInfo,
): unknown[] {
  return properties.flatMap(({ propertyName }) => {
    const convert = info.getFromModelFn(propertyName)
    return parametersOf(doc?.[propertyName], convert)
  })
}

function parametersOf(
  value: unknown,
  convert: ((value: unknown) => unknown) | undefined,
): unknown[] {
  if (value instanceof QueryOperator) {
    if (value.hasChildValues) {
      return value.value.flatMap((part: unknown) => parametersOf(part, convert))
    }
    if (value.isInOperator && convert) return [value.value.map((it: unknown) => convert(it))]
    return [convert ? convert(value.value) : value.value]
  }
  const content = value instanceof QueryAssignment ? value.value : value
  return [convert ? convert(content) : content]
}

/** Reads rows. */
export function select(
  table: string,
  info: ModelMappingInfo,
  where: readonly Property[],
  fields: readonly Property[],
  order: readonly [string, string][],
  docInfo: DocInfo | null,
): Generated {
  const hasLimit = typeof docInfo?.limit === 'number'
  const query = [
    `SELECT ${fields.length > 0 ? fields.map(quoted).join(', ') : '*'}`,
    `FROM ${info.keyspace}.${table}`,
    where.length > 0 ? `WHERE ${conditions(where)}` : '',
    order.length > 0 ? `ORDER BY ${order.map(([name, way]) => `"${name}" ${way}`).join(', ')}` : '',
    hasLimit ? 'LIMIT ?' : '',
  ]
  return {
    query: query.filter((part) => part !== '').join(' '),
    isIdempotent: true,
    isCounter: false,
    params: (doc, about) => [...valuesOf(where, doc, info), ...(hasLimit ? [about?.limit] : [])],
  }
}

const columnsOf = (table: DataCollection, written: readonly Property[]): Property[] =>
  written.filter((it) => table.columnsByName[it.columnName] !== undefined)

/** Inserts a document. */
export function insert(
  table: DataCollection,
  info: ModelMappingInfo,
  written: readonly Property[],
  docInfo: DocInfo | null,
): Generated {
  const columns = columnsOf(table, written)
  const hasTtl = typeof docInfo?.ttl === 'number'
  const isConditional = docInfo?.ifNotExists === true
  const query =
    `INSERT INTO ${info.keyspace}.${table.name} (${columns.map(quoted).join(', ')}) ` +
    `VALUES (${columns.map(() => '?').join(', ')})` +
    `${isConditional ? ' IF NOT EXISTS' : ''}${hasTtl ? ' USING TTL ?' : ''}`
  return {
    query,
    isIdempotent: !docInfo?.ifNotExists,
    isCounter: false,
    params: (doc, about) => [...valuesOf(columns, doc, info), ...(hasTtl ? [about?.ttl] : [])],
  }
}

/** The columns of a table that are its key, and the others. */
function split(table: DataCollection, written: readonly Property[]): [Property[], Property[]] {
  const keys = [...table.partitionKeys, ...table.clusteringKeys].map((key) => key.name)
  const columns = columnsOf(table, written)
  return [
    columns.filter((it) => keys.includes(it.columnName)),
    columns.filter((it) => !keys.includes(it.columnName)),
  ]
}

function ending(when: readonly Property[], docInfo: DocInfo | null): string {
  if (docInfo?.ifExists === true) return ' IF EXISTS'
  return when.length > 0 ? ` IF ${conditions(when)}` : ''
}

function assignment(property: Property): string {
  const { value } = property
  const name = quoted(property)
  if (!(value instanceof QueryAssignment)) return `${name} = ?`
  return value.inverted ? `${name} = ? ${value.sign} ${name}` : `${name} = ${name} ${value.sign} ?`
}

/** Updates a document. */
export function update(
  table: DataCollection,
  info: ModelMappingInfo,
  written: readonly Property[],
  docInfo: DocInfo | null,
  when: readonly Property[],
): Generated {
  const [keys, columns] = split(table, written)
  const hasTtl = typeof docInfo?.ttl === 'number'
  const codes = columns.map((it) => table.columnsByName[it.columnName]?.type.code)
  const isCounter = codes.includes(dataTypes.counter)
  const changesList = columns.some(
    (it, at) => codes[at] === dataTypes.list && it.value instanceof QueryAssignment,
  )
  const query =
    `UPDATE ${info.keyspace}.${table.name} ${hasTtl ? 'USING TTL ? ' : ''}` +
    `SET ${columns.map(assignment).join(', ')} WHERE ${equalities(keys)}${ending(when, docInfo)}`
  return {
    query,
    isIdempotent: !isCounter && !changesList && when.length === 0 && !docInfo?.ifExists,
    isCounter,
    params: (doc, about) => [
      ...(hasTtl ? [about?.ttl] : []),
      ...valuesOf(columns, doc, info),
      ...valuesOf(keys, doc, info),
      ...valuesOf(when, about?.when, info),
    ],
  }
}

/** Removes a document, or some of its columns. */
export function remove(
  table: DataCollection,
  info: ModelMappingInfo,
  written: readonly Property[],
  docInfo: DocInfo | null,
  when: readonly Property[],
): Generated {
  const [keys, columns] = split(table, written)
  const only = docInfo?.deleteOnlyColumns ? columns.map(quoted).join(', ') : ''
  const query =
    `DELETE ${only === '' ? '' : `${only} `}FROM ${info.keyspace}.${table.name} ` +
    `WHERE ${equalities(keys)}${ending(when, docInfo)}`
  return {
    query,
    isIdempotent: when.length === 0 && !docInfo?.ifExists,
    isCounter: false,
    params: (doc, about) => [...valuesOf(keys, doc, info), ...valuesOf(when, about?.when, info)],
  }
}
