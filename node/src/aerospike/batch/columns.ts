/** Batches as columns. */

import type { Codec } from '../codec/codec.js'
import { type ColumnOptions, type ColumnParts, schemaOf } from '../command/columns.js'
import { toNativeOptions } from '../command/options.js'
import { native } from '../model/native.js'
import { Record } from '../model/record.js'
import { shapeOf } from '../model/shapes.js'

/** Options of `batch.toColumns` and `batch.toArrow`. */
export interface BatchColumnsOptions extends Omit<ColumnOptions, 'rows'> {
  /**
   * How a failed row is handled: its error is thrown (`'raise'`, the default), or its values are
   * null (`'mask'`).
   */
  errors?: 'raise' | 'mask' | undefined
}

const KNOWN = ['schema', 'key', 'generation', 'ttl', 'errors']

/** The parts of a table, or an Arrow IPC stream. */
export type TableParts = [length: number, columns: ColumnParts[]]

/** The records of a batch as one table. Rows are records; others have no values. */
export function tableOf(
  batch: { readonly length: number; readonly [row: number]: unknown },
  keys: readonly unknown[],
  codec: Codec | undefined,
  options: BatchColumnsOptions | undefined,
  asStream: boolean,
): TableParts | Buffer {
  toNativeOptions(options, KNOWN)
  const { schema, key, generation, ttl, errors = 'raise' } = options ?? {}
  if (errors !== 'raise' && errors !== 'mask') {
    throw new RangeError(`errors must be 'raise' or 'mask', got ${String(errors)}`)
  }
  const shapes: (number | string[] | null)[] = []
  const [values, heads]: [unknown[], (number | null)[]] = [[], []]
  for (let row = 0; row < batch.length; row++) {
    const record = recordOf(batch, row, errors === 'mask')
    if (record === undefined) {
      shapes.push(null)
      heads.push(null, null)
      continue
    }
    const bins = codec === undefined ? record.bins : codec.written(record.bins as object, true)
    shapes.push(shapeOf(bins, values))
    heads.push(record.generation, record.ttl)
  }
  const columns = [schemaOf(schema), key, generation, ttl] as const
  return native.recordColumns(shapes, values, heads, keys, ...columns, asStream) as
    | TableParts
    | Buffer
}

function recordOf(
  batch: { readonly [row: number]: unknown },
  row: number,
  isLenient: boolean,
): Record | undefined {
  try {
    const record = batch[row]
    return record instanceof Record ? record : undefined
  } catch (error) {
    if (isLenient) return undefined
    throw error
  }
}
