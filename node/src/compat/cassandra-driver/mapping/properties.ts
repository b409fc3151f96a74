/** The properties of documents that statements are about. */

import { ArgumentError } from '../errors.js'
import type { QueryOptions } from '../execution-options.js'
import type { ModelMappingInfo } from './model-info.js'
import { QueryAssignment, QueryOperator } from './q.js'

/** A document: values by property. */
// biome-ignore lint/suspicious/noExplicitAny: values of programs
export type Doc = { [property: string]: any }

/** What a statement does besides what its document says. */
export interface DocInfo {
  /** The properties to read or write. Default: all. */
  fields?: readonly string[] | undefined
  /** `'asc'` or `'desc'`, by property. */
  orderBy?: { [property: string]: string } | undefined
  limit?: number | undefined
  /** In seconds. */
  ttl?: number | undefined
  ifNotExists?: boolean | undefined
  ifExists?: boolean | undefined
  /** Conditions, by property. */
  when?: Doc | undefined
  deleteOnlyColumns?: boolean | undefined
}

/** Options of executions of a mapper, or the name of a profile. */
export type MappingExecutionOptions =
  | string
  | Pick<
      QueryOptions,
      'executionProfile' | 'isIdempotent' | 'logged' | 'timestamp' | 'fetchSize' | 'pageState'
    >

/** A property, with the value of the first document of its kind. */
export interface Property {
  readonly propertyName: string
  readonly columnName: string
  readonly value: unknown
}

/** The properties of names. */
export function propertiesOf(
  names: readonly string[],
  doc: Doc,
  info: ModelMappingInfo,
): Property[] {
  return names.map((propertyName) => ({
    propertyName,
    columnName: info.getColumnName(propertyName),
    value: doc[propertyName],
  }))
}

/** The properties of a document that a statement writes. */
export function writtenOf(doc: Doc, docInfo: DocInfo | null, info: ModelMappingInfo): Property[] {
  const names = docInfo?.fields?.length ? docInfo.fields : Object.keys(doc)
  return propertiesOf(names, doc, info)
}

/** Columns and `ASC` or `DESC`. */
export function orderOf(
  docInfo: DocInfo | null,
  info: ModelMappingInfo,
): [column: string, order: string][] {
  return Object.entries(docInfo?.orderBy ?? {}).map(([property, value]) => {
    const order = typeof value === 'string' ? value.toUpperCase() : value
    if (order !== 'ASC' && order !== 'DESC') {
      throw new ArgumentError(`the order of ${property} must be 'asc' or 'desc', not ${value}`)
    }
    return [info.getColumnName(property), order]
  })
}

function kindOf(value: unknown): unknown {
  if (value instanceof QueryOperator) {
    const { key, hasChildValues } = value
    return hasChildValues ? [key, value.value.map(kindOf)] : key
  }
  if (value instanceof QueryAssignment) return `${value.sign}=${value.inverted}`
  return 0
}

function kindsOf(doc: Doc | null | undefined): unknown {
  return doc && Object.entries(doc).map(([name, value]) => [name, kindOf(value)])
}

/** A text that is the same for documents whose statements have the same text. */
export function shapeOf(doc: Doc | null, docInfo: DocInfo | null): string {
  const { fields, orderBy, limit, ttl, ifNotExists, ifExists, when, deleteOnlyColumns } =
    docInfo ?? {}
  return JSON.stringify([
    kindsOf(doc),
    ...[fields ?? null, orderBy ?? null, typeof limit, typeof ttl],
    ...[!!ifNotExists, !!ifExists, kindsOf(when) ?? null, !!deleteOnlyColumns],
  ])
}

/** Options of an execution of one statement. */
export function singleOptions(
  execution: MappingExecutionOptions | null | undefined,
  isIdempotent: boolean | undefined,
): QueryOptions {
  const { executionProfile, timestamp, isIdempotent: own } = asObject(execution)
  return { prepare: true, executionProfile, timestamp, isIdempotent: own ?? isIdempotent }
}

/** Options of an execution that may have several pages. */
export function pagedOptions(
  execution: MappingExecutionOptions | null | undefined,
  isIdempotent?: boolean,
): QueryOptions {
  const {
    executionProfile,
    fetchSize,
    pageState,
    timestamp,
    isIdempotent: own,
  } = asObject(execution)
  const idempotent = isIdempotent ? true : own
  return {
    prepare: true,
    executionProfile,
    fetchSize,
    pageState,
    timestamp,
    isIdempotent: idempotent,
  }
}

/** Options of a batch. */
export function batchOptions(
  execution: MappingExecutionOptions | null | undefined,
  isIdempotent: boolean,
  isCounter: boolean | undefined,
): QueryOptions {
  const options = asObject(execution)
  const isObject = typeof execution === 'object' && execution !== null
  return {
    prepare: true,
    executionProfile: options.executionProfile,
    timestamp: options.timestamp,
    logged: isObject ? options.logged !== false : undefined,
    isIdempotent: options.isIdempotent ?? isIdempotent,
    counter: isCounter,
  }
}

function asObject(
  execution: MappingExecutionOptions | null | undefined,
): Exclude<MappingExecutionOptions, string> {
  if (typeof execution === 'string') return { executionProfile: execution }
  return execution ?? {}
}
