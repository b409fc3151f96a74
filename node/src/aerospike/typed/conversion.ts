/** What a client or dataset does with bins on the way to and from records: codec and schema. */

import { types as kinds } from 'node:util'
import type { Codec } from '../codec/codec.js'
import { ConversionError } from '../model/conversion-error.js'
import type { Space } from '../model/native.js'
import { Record } from '../model/record.js'
import { Operation } from '../operation/operation.js'
import { TypedRecord } from './record.js'
import type { Schema } from './schema.js'

/** Codec and schema; those without either have no `Conversion`. */
export class Conversion {
  readonly codec: Codec | undefined
  readonly schema: Schema | undefined
  readonly #bins: readonly string[] | undefined

  /** @param bins - the bins that reads read; by default the schema's */
  private constructor(
    codec: Codec | undefined,
    schema: Schema | undefined,
    bins: readonly string[] | undefined,
  ) {
    this.codec = codec
    this.schema = schema
    this.#bins = bins ?? schema?.bins
  }

  /** `undefined` if there is nothing to convert. */
  static of(
    codec: Codec | undefined,
    schema?: Schema,
    bins?: readonly string[],
  ): Conversion | undefined {
    const none = codec === undefined && schema === undefined && bins === undefined
    return none ? undefined : new Conversion(codec, schema, bins)
  }

  /** The bins to read. */
  selection(bins: readonly string[] | undefined): readonly string[] | undefined {
    if (bins === undefined || bins === null) return this.#bins
    if (Array.isArray(bins)) this.schema?.checkNames(bins)
    return bins
  }

  /** The bins of a write that sets them. `exists` is the option of the call or row. */
  written(bins: unknown, exists: unknown): unknown {
    const checked =
      this.schema === undefined ? bins : this.schema.written(bins, exists !== 'update')
    return this.#encoded(checked, true)
  }

  /** The bins of a write that changes them: `add`, `append` or `prepend`. */
  changed(bins: unknown): unknown {
    if (this.schema !== undefined && typeof bins === 'object' && bins !== null) {
      this.schema.checkNames(
        kinds.isMap(bins) ? (bins as Map<string, unknown>).keys() : Object.keys(bins),
      )
    }
    return this.#encoded(bins, false)
  }

  #encoded(bins: unknown, whole: boolean): unknown {
    const { codec } = this
    if (codec === undefined || !isBag(bins)) return bins
    return codec.written(bins, whole)
  }

  /** A record that was read. `operations` are those of the call or row. */
  read<R extends Record<object> | null | undefined>(
    record: R,
    operations?: readonly Operation[],
  ): R {
    // Also null, and what stands for a row that is late.
    if (!(record instanceof Record)) return record
    if (this.codec !== undefined) this.#decode(this.codec, record, operations)
    return (this.schema === undefined ? record : new TypedRecord(record, this.schema)) as R
  }

  #decode(codec: Codec, record: Record<object>, operations?: readonly Operation[]): void {
    if (codec.forms.size === 0) return
    const plain = operations === undefined ? undefined : partial(operations)
    try {
      codec.read(record.bins as { [bin: string]: unknown }, plain)
      const results = record.results as unknown[] | undefined
      operations?.forEach((operation, at) => {
        const bin = operation instanceof Operation ? operation.wholeBin : undefined
        if (results === undefined || bin === undefined || plain?.has(bin)) return
        results[at] = codec.result(bin, results[at])
      })
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      const { knownKey: key } = record
      throw key === null ? error : error.of(key.space, key.wire)
    }
  }

  /** Throws an error about bins with the key of their record. */
  static about(error: unknown, space: Space, wire: unknown, row?: number): unknown {
    return error instanceof ConversionError ? error.of(space, wire, row) : error
  }
}

/** The bins of which an operation returns something other than their value. */
function partial(operations: readonly Operation[]): ReadonlySet<string> {
  const bins = new Set<string>()
  for (const operation of operations) {
    const bin = operation instanceof Operation ? operation.partOf : undefined
    if (bin !== undefined) bins.add(bin)
  }
  return bins
}

/** Whether a value has bins as properties or entries; others are rejected when they are written. */
function isBag(bins: unknown): bins is object {
  if (typeof bins !== 'object' || bins === null || Array.isArray(bins)) return false
  return kinds.isMap(bins) || Object.prototype.toString.call(bins) === '[object Object]'
}
