/** Rows of batches: from what programs write to what the native part takes, and their results. */

import type { Batch } from '../../aerospike/batch/batch.js'
import { APPLY, DELETE, OPERATE, READ } from '../../aerospike/batch/rows.js'
import { type SpikewireError, Timeout } from '../../aerospike/model/errors.js'
import type { ClientBase } from './client-base.js'
import { partInvalid } from './command.js'
import { batchType } from './enums.js'
import { AerospikeError } from './error.js'
import type { KeyOptions } from './key.js'
import type { Operation } from './operation.js'
import {
  type AnyPolicy,
  applyRowOptions,
  batchReadDefaults,
  type NativeOptions,
  readRowOptions,
  removeRowOptions,
  writeRowOptions,
} from './policy-options.js'
import { BatchResult, Record } from './record.js'
import {
  nativeOperations,
  operatedRecord,
  policyOptions,
  recordOf,
  touchTtl,
  udfParts,
} from './record-calls.js'
import { programValue } from './results.js'
import { status } from './status.js'
import type { AerospikeBins, UDF } from './types.js'

/** What a row does. */
export type RowKind = 'read' | 'write' | 'apply' | 'remove' | OperationsOfRow

/** Operations; of a row that writes, all of them have results. */
interface OperationsOfRow {
  readonly steps: readonly Operation[]
  readonly writes: boolean
}

/** A row of `batchRead` or `batchWrite`. */
export interface AnyRow {
  /** What it does, one of `batchType`; `batchRead` only has rows that read. */
  type?: number | undefined
  key: KeyOptions | null
  /** The bins that it reads. */
  bins?: readonly string[] | AerospikeBins | undefined
  /** Whether it reads all bins. */
  readAllBins?: boolean | undefined
  /** Its operations. */
  ops?: readonly Operation[] | undefined
  /** The function that it calls. */
  udf?: UDF | undefined
  /** Its options. */
  policy?: object | null | undefined
}

type Encoded = [number, unknown, unknown, unknown, unknown]

/** What rows need of their client. */
type RowClient = Pick<ClientBase, 'defaults' | 'policyFor'>

/** Whether a row reads all bins of its record, with the options that it has anyway. */
export function readsAll(record: AnyRow): boolean {
  const { policy, ops } = record
  return (
    record.readAllBins === true && !Array.isArray(ops) && (policy === undefined || policy === null)
  )
}

/** The options of rows that read, and have none of their own. */
export function wholeReads(
  policy: AnyPolicy | null | undefined,
  { defaults }: RowClient,
): NativeOptions {
  const general = policy ? policyOptions(policy, batchReadDefaults, undefined) : undefined
  return { ...general, ...defaults.readRow }
}

/** Rows as the native part takes them, concatenated, and what each does. */
export function encodedRows(
  records: readonly AnyRow[],
  reads: boolean,
  policy: AnyPolicy | null | undefined,
  client: RowClient,
): [rows: unknown[], kinds: RowKind[]] {
  const rows: unknown[] = []
  const kinds: RowKind[] = []
  let general: NativeOptions | undefined
  if (policy) general = policyOptions(policy, batchReadDefaults, undefined)
  const filter = general?.where === undefined ? undefined : { where: general.where }
  for (const record of records) {
    const type = reads ? batchType.BATCH_READ : record.type
    const [row, kind] = encodedRow(record, type, general, filter, client)
    rows.push(...row)
    kinds.push(kind)
  }
  return [rows, kinds]
}

function encodedRow(
  record: AnyRow,
  type: number | undefined,
  general: NativeOptions | undefined,
  filter: NativeOptions | undefined,
  client: RowClient,
): [Encoded, RowKind] {
  const { policy, ops } = record
  const { defaults } = client
  switch (type) {
    case batchType.BATCH_READ: {
      const own = { ...general, ...policyOptions(policy, readRowOptions, defaults.readRow) }
      if (Array.isArray(ops)) {
        const steps: readonly Operation[] = [...ops]
        return [
          [READ, own, undefined, nativeOperations(steps), undefined],
          { steps, writes: false },
        ]
      }
      const bins = record.readAllBins ? undefined : Array.isArray(record.bins) ? record.bins : []
      return [[READ, own, bins, undefined, undefined], 'read']
    }
    case batchType.BATCH_WRITE: {
      const steps: readonly Operation[] = Array.isArray(ops) ? [...ops] : []
      const own = {
        ...filter,
        ...policyOptions(
          client.policyFor('batchWrite', policy),
          writeRowOptions,
          defaults.writeRow,
        ),
      }
      const ttl = touchTtl(steps)
      const options = ttl === undefined ? own : { ...own, ttl }
      return [
        [OPERATE, options, nativeOperations(steps), undefined, undefined],
        { steps, writes: true },
      ]
    }
    case batchType.BATCH_APPLY: {
      const [module, name, args] = udfParts(record.udf as UDF)
      const own = {
        ...filter,
        ...policyOptions(
          client.policyFor('batchApply', policy),
          applyRowOptions,
          defaults.applyRow,
        ),
      }
      return [[APPLY, own, module, name, args], 'apply']
    }
    case batchType.BATCH_REMOVE: {
      const own = {
        ...filter,
        ...policyOptions(
          client.policyFor('batchRemove', policy),
          removeRowOptions,
          defaults.removeRow,
        ),
      }
      return [[DELETE, own, undefined, undefined, undefined], 'remove']
    }
    default:
      throw partInvalid('Records array', new TypeError(`no type of a row: ${type}`))
  }
}

/**
 * The results of rows. Throws the error of a row that fails because its node could not be asked: the
 * call fails as a whole. `isStrict`: so it does because of any failure.
 */
export function resultsOf(
  batch: Batch,
  keys: readonly KeyOptions[],
  kindOf: (row: number) => RowKind,
  isStrict = false,
): BatchResult[] {
  for (const error of batch.errors.values()) if (isOfNode(error)) throw error
  if (isStrict && batch.errors.size > 0) throw batchFailed()
  const doubtful = batch.inDoubt.length === 0 ? undefined : new Set(batch.inDoubt)
  const results: BatchResult[] = new Array(batch.length)
  for (let row = 0; row < batch.length; row++) {
    const key = keys[row] as KeyOptions
    const code = batch.codes[row] as number
    const record = code === status.OK ? batch.at(row) : null
    const answer = record
      ? rowRecord(key, record, kindOf(row))
      : new Record(key, undefined as unknown as AerospikeBins)
    results[row] = new BatchResult(code, answer, doubtful?.has(row) === true)
  }
  return results
}

function batchFailed(): AerospikeError {
  const error = new AerospikeError(status.getMessage(status.BATCH_FAILED))
  error.code = status.BATCH_FAILED
  return error
}

/** Whether a row failed because of its node, not of the record. */
function isOfNode(error: SpikewireError): boolean {
  return error instanceof Timeout || (error.code < 0 && error.code !== status.NO_RESPONSE)
}

type NativeRecord = NonNullable<Batch[number]>

function rowRecord(key: KeyOptions, record: NativeRecord, kind: RowKind): Record {
  if (typeof kind !== 'string') {
    return operatedRecord(key, kind.steps, record, kind.writes || undefined)
  }
  if (kind !== 'apply') return recordOf(key, record)
  const meta = { ttl: record.ttl ?? -1, gen: record.generation }
  return new Record(key, { SUCCESS: programValue(record.results?.[0]) }, meta)
}
