/** Tables as the parameters of many executions. */

import {
  type ArrowTable,
  type ColumnArrays,
  isArrow,
  isBytes,
  isColumns,
  lengthOf,
  type OpenTable,
  openTable,
} from '../tables/source.js'
import type { Parameters } from './prepared.js'

/**
 * A table whose columns have the names of a statement's parameters: a table or record batch of
 * `apache-arrow`, the bytes of an Arrow IPC stream or file, or typed arrays and arrays by name.
 */
export type ParameterTable = ArrowTable | Uint8Array | ColumnArrays

/** Whether `rows` of `executeMany` are a table. */
export function isTable(rows: unknown): rows is ParameterTable {
  return isArrow(rows) || isBytes(rows) || isColumns(rows)
}

/** A table that the native part has read; or its rows, if values have no type in common. */
export function parameterRows(table: ParameterTable): OpenTable | Parameters[] {
  const known = openTable(table)
  if (known !== undefined) return known
  const columns = Object.entries(table as ColumnArrays)
  return Array.from({ length: lengthOf(table as ColumnArrays) }, (_, row) =>
    Object.fromEntries(columns.map(([name, column]) => [name, column[row] ?? null])),
  ) as Parameters[]
}
