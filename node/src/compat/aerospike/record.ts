/** Records, as returned by reads, and the results of batches. */

import type { Key, KeyOptions } from './key.js'
import type { Operation } from './operation.js'
import type { AerospikeBins, AerospikeBinValue, UDF } from './types.js'

/** Generation and time to live of a record. */
export interface RecordMetadata {
  /** The time to live in seconds, or one of `ttl`. */
  ttl?: number | null | undefined
  /** The generation. */
  gen?: number | null | undefined
}

/** The fields of a row of a batch that only rows have. */
interface RowFields {
  policy?: object | undefined
  readAllBins?: boolean | undefined
  ops?: readonly Operation[] | undefined
  udf?: UDF | undefined
}

/** A record, or a row of a batch. */
export class Record<B = AerospikeBins> {
  key: Key
  /** Values by bin name. */
  bins: B
  /** Seconds to live; -1 if it never expires. */
  ttl: number
  /** How often it was written. */
  gen: number
  /** The kind of row, one of `batchType`. */
  type: number | undefined
  /** The options of a row. */
  policy: object | undefined
  /** Whether a row reads all bins. */
  readAllBins: boolean | undefined
  /** The operations of a row. */
  ops: readonly Operation[] | undefined
  /** The function that a row calls. */
  udf: UDF | undefined

  constructor(
    key: Key | KeyOptions | null,
    bins: B,
    metadata?: RecordMetadata | null,
    type?: number,
    props?: RowFields | null,
  ) {
    this.key = key as Key
    this.bins = bins
    // They are unknown for a record that is not there.
    this.ttl = metadata?.ttl as number
    this.gen = metadata?.gen as number
    this.type = type
    this.policy = props?.policy
    this.readAllBins = props?.readAllBins
    this.ops = props?.ops
    this.udf = props?.udf
  }
}

/** A bin: its name and value. */
export class Bin {
  name: string
  value: AerospikeBinValue

  /**
   * @param mapOrder - `maps.order.KEY_ORDERED`: the value is a map ordered by its keys
   */
  constructor(name: string, value: AerospikeBinValue, mapOrder?: number) {
    this.name = name
    this.value = mapOrder === 1 ? new Map(Object.entries(value as object)) : value
  }
}

/** The result of a row of a batch. */
export class BatchResult {
  /** The result code, one of `status`. */
  status: number
  record: Record
  /** Whether a write may have been applied despite an error. */
  inDoubt: boolean

  constructor(status: number, record: Record, inDoubt: boolean) {
    this.status = status
    this.record = record
    this.inDoubt = inDoubt
  }
}
