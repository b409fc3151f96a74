/** Results of a mapper: documents instead of rows. */

import { inspect } from 'node:util'
import type { ResultSet } from '../result-set.js'
import { dataTypes } from '../types/constants.js'
import type { Row } from '../types/row.js'
import type { ModelMappingInfo } from './model-info.js'

type Adapt<T> = (row: Row, info: ModelMappingInfo) => T

/** Whether a result says whether a conditional statement was applied. */
function isConditional({ columns }: ResultSet): boolean {
  const first = columns?.[0]
  return first?.name === '[applied]' && first.type.code === dataTypes.boolean
}

/** Makes documents of the rows of a result. */
export function rowsAdapter<T>(result: ResultSet): Adapt<T> {
  const columns = result.columns ?? []
  const from = isConditional(result) ? 1 : 0
  return (row, info) => {
    const doc = info.newInstance()
    for (let at = from; at < columns.length; at++) {
      const { name } = columns[at] as { name: string }
      const convert = from === 0 ? info.getToModelFn(name) : undefined
      doc[info.getPropertyName(name)] = convert ? convert(row[name]) : row[name]
    }
    return doc as T
  }
}

/** The documents of one page of a result. Iterate over it, or use `toArray`. */
// biome-ignore lint/suspicious/noExplicitAny: the other driver's default
export class Result<T = any> implements Iterable<T> {
  /** The number of documents. */
  readonly length: number
  /** Where the next page starts. */
  readonly pageState: string
  readonly #result: ResultSet
  readonly #info: ModelMappingInfo
  readonly #adapt: Adapt<T>
  readonly #hasNoRow: boolean

  constructor(result: ResultSet, info: ModelMappingInfo, adapt: Adapt<T>) {
    this.#result = result
    this.#info = info
    this.#adapt = adapt
    const { columns, rowLength } = result
    this.#hasNoRow = columns?.length === 1 && rowLength === 1 && columns[0]?.name === '[applied]'
    this.length = this.#hasNoRow ? 0 : rowLength || 0
    this.pageState = result.pageState
  }

  #rows(): readonly Row[] {
    return this.#hasNoRow ? [] : (this.#result.rows ?? [])
  }

  /** Whether a conditional statement was applied; true for any other. */
  wasApplied(): boolean {
    return this.#result.wasApplied()
  }

  /** The first document, or `null`. */
  first(): T | null {
    const [row] = this.#rows()
    return row === undefined ? null : this.#adapt(row, this.#info)
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (const row of this.#rows()) yield this.#adapt(row, this.#info)
  }

  toArray(): T[] {
    return this.#rows().map((row) => this.#adapt(row, this.#info))
  }

  forEach(callback: (doc: T, index: number) => void, thisArg?: unknown): void {
    let index = 0
    for (const doc of this) callback.call(thisArg ?? this, doc, index++)
  }

  [inspect.custom](): T[] {
    return this.toArray()
  }
}
