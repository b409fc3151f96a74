/** Tables for `putMany`: Arrow tables, columns, and arrays of objects with the key among the bins. */

import { define } from '../../bridge/objects.js'
import {
  type ArrowTable,
  type ColumnArrays,
  closeTable,
  isArrow,
  isBytes,
  isColumns,
  isNumbers,
  lengthOf,
  type OpenTable,
  openTable,
} from '../../tables/source.js'
import type { WriteManyOptions } from '../command/options.js'
import { Double } from '../model/values.js'
import { Batch } from './batch.js'
import { kindOf, list } from './gather.js'

/** A table, or columns by name: typed arrays or arrays of values. */
export type Table = ArrowTable | Uint8Array | ColumnArrays

/**
 * Tables for `putMany`: a table or record batch of `apache-arrow`, the bytes of an Arrow IPC stream or
 * file, columns by name, an iterable of objects, or an iterable or async iterable of tables.
 */
export type Tables = Table | Iterable<Table | object> | AsyncIterable<Table | object>

/** Options of `putMany` for tables. */
export interface PutTableOptions extends WriteManyOptions {
  /** The column, or property, with the keys: integers, strings or bytes. */
  key: string
  /**
   * The columns to write, as an array, or as an object with the names of their bins. Default: all
   * but the key's, to bins of the same names.
   */
  bins?: readonly string[] | { readonly [column: string]: string } | undefined
  /** What a null does: leaves its bin unchanged (`'skip'`, the default), or removes it. */
  nulls?: 'skip' | 'remove' | undefined
}

/** The options of tables, checked. */
export interface Selection {
  readonly key: string
  /** Columns and bins, alternating. */
  readonly bins: readonly string[] | undefined
  readonly removes: boolean
}

/** The options besides those of `putMany`. */
export const TABLE = ['key', 'bins', 'nulls']

/** Whether `putMany` is about a table. */
export function isTable(records: unknown, options: object | undefined | null): boolean {
  if (isArrow(records)) return true
  if (typeof options !== 'object' || options === null) return false
  return TABLE.some((name) => (options as { [name: string]: unknown })[name] !== undefined)
}

/** The options of tables. Throws for invalid ones. */
export function selectionOf(options: PutTableOptions | undefined): Selection {
  const { key, bins, nulls = 'skip' } = options ?? ({} as Partial<PutTableOptions>)
  if (typeof key !== 'string') throw new TypeError('key must name the column of keys')
  if (nulls !== 'skip' && nulls !== 'remove') {
    throw new RangeError(
      `nulls must be 'skip' (their bins stay as they are) or 'remove', got ${String(nulls)}`,
    )
  }
  return { key, bins: flat(bins), removes: nulls === 'remove' }
}

function flat(bins: PutTableOptions['bins']): string[] | undefined {
  if (bins === undefined || bins === null) return undefined
  if (typeof bins !== 'object') {
    throw new TypeError(
      `bins must be an array of columns, or an object of columns to bin names, not ${typeof bins}`,
    )
  }
  return Array.isArray(bins) ? bins.flatMap((name) => [name, name]) : Object.entries(bins).flat()
}

/** How tables are written. */
export interface TableWriter {
  /** Writes the rows of a table from one on. */
  write(table: OpenTable, from: number): Promise<Batch>
  /** Writes objects with keys. */
  put(pairs: [unknown, object][]): Promise<Batch>
}

/** Writes tables one after the other, some rows at a time. */
export async function putTables(
  records: unknown,
  selection: Selection,
  writer: TableWriter,
): Promise<Batch> {
  if (isSource(records)) return Batch.joined(await putTable(records, selection, writer))
  const batches: Batch[] = []
  let objects: object[] = []
  const iterable =
    typeof records === 'object' && records !== null && Symbol.asyncIterator in records
      ? (records as AsyncIterable<unknown>)
      : list('records', records, 'a table, columns, or an iterable of objects or tables')
  for await (const item of iterable) {
    if (isArrow(item) || isBytes(item)) {
      if (objects.length > 0) throw new TypeError('records must be objects or tables, not both')
      batches.push(...(await putTable(item, selection, writer)))
    } else if (typeof item === 'object' && item !== null && batches.length === 0) {
      objects.push(item)
    } else {
      const row = batches.length > 0 ? '' : `row ${objects.length}: `
      throw new TypeError(`${row}records must be objects or tables, not ${kindOf(item)}`)
    }
  }
  if (batches.length > 0) return Batch.joined(batches)
  const pairs = objects.map((object, row) => pairOf(object, selection, row))
  objects = []
  return writer.put(pairs)
}

function isSource(records: unknown): records is Table {
  return isArrow(records) || isBytes(records) || isColumns(records)
}

async function putTable(
  source: Table,
  selection: Selection,
  writer: TableWriter,
): Promise<Batch[]> {
  const table = openTable(source)
  if (table === undefined) {
    return [await writer.put(pairsOf(source as ColumnArrays, selection))]
  }
  try {
    const batches: Batch[] = []
    let from = 0
    do {
      const batch = await writer.write(table, from)
      batches.push(batch)
      from += batch.length
    } while (from < table.rows)
    return batches
  } finally {
    closeTable(table)
  }
}

/** Columns and bins that are written, alternating. */
function chosen(names: readonly string[], { key, bins }: Selection): string[] {
  const chosen = bins ?? names.filter((name) => name !== key).flatMap((name) => [name, name])
  if (chosen.length === 0) {
    throw new RangeError("bins must not be empty: there is no column but the key's")
  }
  const used = new Set<string>()
  for (let at = 0; at < chosen.length; at += 2) {
    const bin = chosen[at + 1] as string
    if (used.has(bin)) throw new RangeError(`two columns go to the bin ${JSON.stringify(bin)}`)
    used.add(bin)
  }
  return chosen as string[]
}

/** The rows of columns, some of whose values have no type in common. */
function pairsOf(columns: ColumnArrays, selection: Selection): [unknown, object][] {
  const names = Object.keys(columns)
  const find = (name: string) => {
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined
    if (column !== undefined) return column
    throw new RangeError(`there is no column "${name}"; there are: ${names.join(', ')}`)
  }
  const keys = find(selection.key)
  const bins = chosen(names, selection)
  const sources: [string, (row: number) => unknown][] = []
  for (let at = 0; at < bins.length; at += 2) {
    const column = find(bins[at] as string)
    const isFloat = isNumbers(column) && /^Float/.test(column[Symbol.toStringTag])
    // Whole floats of a column of floats are floats.
    const read = isFloat
      ? (row: number) => new Double(column[row] as number)
      : (row: number) => column[row]
    sources.push([bins[at + 1] as string, read])
  }
  return Array.from({ length: lengthOf(columns) }, (_, row) => {
    const record = {}
    for (const [bin, read] of sources) set(record, bin, read(row), selection)
    return [keyOf(keys[row], row), checked(record, row)]
  })
}

/** The key and the bins of an object that has both. */
function pairOf(object: object, selection: Selection, row: number): [unknown, object] {
  const values = object as { [name: string]: unknown }
  const names = selection.bins === undefined ? Object.keys(object) : []
  const bins = chosen(names, selection)
  const record = {}
  for (let at = 0; at < bins.length; at += 2) {
    set(record, bins[at + 1] as string, values[bins[at] as string], selection)
  }
  return [keyOf(values[selection.key], row, selection.key), checked(record, row)]
}

function set(record: object, bin: string, value: unknown, { removes }: Selection): void {
  if (value === undefined || (value === null && !removes)) return
  define(record, bin, value)
}

function keyOf(key: unknown, row: number, name?: string): unknown {
  if (key !== null && key !== undefined) return key
  const what = name === undefined ? 'a key must not be null' : `there is no key "${name}"`
  throw new RangeError(`row ${row}: ${what}`)
}

function checked(record: object, row: number): object {
  if (Object.keys(record).length > 0) return record
  throw new RangeError(
    `row ${row}: every bin is null, so there is nothing to write; leave such rows out, or remove ` +
      "their bins by nulls: 'remove'",
  )
}
