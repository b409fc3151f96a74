/** Reading records by their keys. */

import type { Batch, Late } from '../batch/batch.js'
import type { GetColumnsOptions, GetManyOptions } from '../batch/many.js'
import { Read, type Row } from '../batch/rows.js'
import type { Columns } from '../command/columns.js'
import type { Where } from '../command/options.js'
import { FilteredOut, RecordNotFound } from '../model/errors.js'
import { Key } from '../model/key.js'
import type { Record } from '../model/record.js'
import * as op from '../op/index.js'
import type { Operation } from '../operation/operation.js'
import { ReadingStep } from './key-options.js'
import { NO_KEY, type VerbCall } from './key-step.js'
import { absent, checkStrategy, type OnError, type Results, settled } from './results.js'
import type { StepOptions } from './step.js'

/** Options of tables, besides those that are methods of the step. */
export type TableOptions = Omit<GetColumnsOptions, keyof GetManyOptions>

/** Reads records: all bins, the named ones, or the results of operations. */
export class ReadKeys<B extends object, C extends object> extends ReadingStep<Results<C>, C> {
  /** @internal */
  names: readonly string[] | undefined = undefined
  /** @internal */
  ops: Operation[] | undefined = undefined

  /** @internal */
  override readonly rowOptions: readonly string[] = ['readMode', 'readTouch']

  /** @internal */
  override callOf(keys: unknown, isOne: boolean): VerbCall {
    const { ops } = this
    if (ops !== undefined) return [isOne ? 'operate' : 'operateMany', keys, ops, this.options]
    return [isOne ? 'get' : 'getMany', keys, this.options]
  }

  /** The bins to read; without names, only generation and time to live. */
  bins(...names: (keyof B & string)[]): this {
    if (this.ops !== undefined) {
      throw new RangeError('bins: this step reads by operations; read a bin with get(name)')
    }
    this.names = names
    return this
  }

  /** Reads a bin, as one of several operations. */
  get(bin: keyof B & string): this {
    return this.op(op.get(bin))
  }

  /** Adds read operations from `op`. */
  op(...operations: Operation[]): this {
    if (this.names !== undefined) {
      throw new RangeError('operations: this step reads bins by name; read those with get(name)')
    }
    if (this.ops === undefined) this.ops = operations
    else this.ops.push(...operations)
    return this
  }

  /** Reads the value of an expression, as if it were a bin of this name; as `op.read`. */
  read(name: string, expression: Where<never>, options?: op.ReadOptions): this {
    return this.op(op.read(name, expression, options))
  }

  /**
   * The first record that exists, in input order.
   *
   * On one key this is the verb `get`, or `operate` if there are operations, with its errors.
   *
   * @throws RecordNotFound, FilteredOut if there is none
   */
  first(): Promise<Record<B>> {
    const { keys, ops } = this
    if (this.before === undefined && keys instanceof Key) {
      const { verbs, options, names } = this
      const read =
        ops !== undefined
          ? verbs.operate(keys, ops, options)
          : verbs.get(keys, names === undefined ? options : this.with({ bins: names }))
      return read as Promise<unknown> as Promise<Record<B>>
    }
    return this.#records(undefined, (results) => {
      const { batch } = results
      if (results.length === 0 && batch.length === 1) {
        throw absent(batch.codes[0] as number, batch.keys[0] as Key)
      }
      return results.first()
    })
  }

  /** The first record that exists, in input order, or `null`. */
  firstOrNone(): Promise<Record<B> | null> {
    const { keys } = this
    if (this.before !== undefined || !(keys instanceof Key)) {
      return this.#records(undefined, (results) => results.firstOrNone())
    }
    if (this.ops !== undefined) {
      // The verb `operate` has no default.
      return this.first().catch((error: unknown) => {
        if (error instanceof RecordNotFound || error instanceof FilteredOut) return null
        throw error
      })
    }
    const more: StepOptions = { default: null }
    if (this.names !== undefined) more['bins'] = this.names
    const read = this.verbs.get<null>(keys, this.with(more) as { default: null })
    return read as Promise<unknown> as Promise<Record<B> | null>
  }

  /** The records that exist, in input order. `onError: 'collect'` is for `execute`. */
  toList(strategy?: { onError?: OnError<B> | undefined }): Promise<Record<B>[]> {
    return this.#records(strategy, (results) => results.toList())
  }

  /** The number of records that exist. Reads no bins, unless the step has operations. */
  count(): Promise<number> {
    const count = (results: Results<B>) => results.count()
    if (this.ops !== undefined || this.before !== undefined) {
      return this.#records(undefined, count)
    }
    return this.#records(undefined, count, () =>
      this.verbs.getMany(this.input(), this.with({ bins: [] })),
    )
  }

  /** Columns of typed arrays, one row per key, as `getColumns`. */
  toColumns(options?: TableOptions): Promise<Columns> {
    return this.#table((keys, all) => this.verbs.getColumns(keys, all), options)
  }

  /** An Arrow IPC stream, one row per key, as `getArrow`. */
  toArrow(options?: TableOptions): Promise<Buffer> {
    return this.#table((keys, all) => this.verbs.getArrow(keys, all), options)
  }

  override copy(): this {
    const copy = super.copy()
    if (this.ops !== undefined) copy.ops = [...this.ops]
    return copy
  }

  /** @internal */
  override get alone(): string {
    return 'end the step with first() or firstOrNone()'
  }

  /** @internal */
  override sendMany(keys: Iterable<Key>): Promise<Batch<C, Late>> {
    const { verbs, options, ops, names } = this
    const batch: Promise<unknown> =
      ops !== undefined
        ? verbs.operateMany(keys, ops, options)
        : verbs.getMany(keys, names === undefined ? options : this.with({ bins: names }))
    return batch as Promise<Batch<C, Late>>
  }

  /** @internal */
  override rowOf(options: StepOptions): Row {
    const { names, ops } = this
    return new Read(NO_KEY, { ...options, ...(ops === undefined ? { bins: names } : { ops }) })
  }

  async #records<T>(
    strategy: { onError?: OnError<B> | undefined } | undefined,
    convert: (results: Results<B>) => T,
    send = () => this.send().batch as Promise<unknown>,
  ): Promise<T> {
    const onError = checkStrategy(strategy, ['onError'])
    if (onError === 'collect') {
      throw new RangeError("records have no place for errors: use execute({ onError: 'collect' })")
    }
    this.#alone()
    return convert(settled((await send()) as Batch<B, Late>, onError, 'skip'))
  }

  async #table<T>(
    read: (keys: Iterable<Key>, options: GetColumnsOptions) => Promise<T>,
    options: TableOptions = {},
  ): Promise<T> {
    this.#alone()
    if (this.ops !== undefined) {
      throw new RangeError('columns have bins by name, and this step reads by operations')
    }
    const { names } = this
    return read(
      this.input(),
      this.with(names === undefined ? { ...options } : { ...options, bins: names }),
    )
  }

  #alone(): void {
    if (this.before === undefined) return
    throw new RangeError('a chain of several steps ends with execute() or stream()')
  }
}
