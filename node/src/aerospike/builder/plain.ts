/** Steps without bins: delete, touch and exists. */

import type { Batch, Late } from '../batch/batch.js'
import { Delete, Read, type Row, Write } from '../batch/rows.js'
import type { Key } from '../model/key.js'
import * as op from '../op/index.js'
import { ExpiringStep, ReadingStep, WritingStep } from './key-options.js'
import { NO_KEY, type VerbCall } from './key-step.js'
import type { StepOptions } from './step.js'

/** Deletes records. Of one key, `execute()` says whether there was a record. */
export class DeleteKeys<E, C extends object> extends WritingStep<E, C> {
  /** @internal */
  override readonly rowOptions: readonly string[] = ['durable', 'sendKey']

  /** @internal */
  override callOf(keys: unknown, isOne: boolean): VerbCall {
    return [isOne ? 'delete' : 'deleteMany', keys, this.options]
  }

  /** @internal */
  override sendOne(key: Key): Promise<E> {
    return this.verbs.delete(key, this.options) as Promise<unknown> as Promise<E>
  }

  /** @internal */
  override sendMany(keys: Iterable<Key>): Promise<Batch<C, Late>> {
    const batch: Promise<unknown> = this.verbs.deleteMany(keys, this.options)
    return batch as Promise<Batch<C, Late>>
  }

  /** @internal */
  override rowOf(options: StepOptions): Row {
    return new Delete(NO_KEY, { sendKey: false, ...options })
  }
}

/** Renews the time to live of records. */
export class TouchKeys<E, C extends object> extends ExpiringStep<E, C> {
  /** @internal */
  override readonly rowOptions: readonly string[] = ['ttl', 'durable', 'sendKey']

  /** @internal */
  override callOf(keys: unknown, isOne: boolean): VerbCall {
    if (isOne) return ['touch', keys, this.options]
    return ['operateMany', keys, [op.touch()], this.options]
  }

  /** @internal */
  override sendOne(key: Key): Promise<E> {
    return this.verbs.touch(key, this.options) as Promise<unknown> as Promise<E>
  }

  /** @internal */
  override sendMany(keys: Iterable<Key>): Promise<Batch<C, Late>> {
    const batch: Promise<unknown> = this.verbs.operateMany(keys, [op.touch()], this.options)
    return batch as Promise<Batch<C, Late>>
  }

  /** @internal */
  override rowOf(options: StepOptions): Row {
    return new Write(NO_KEY, [op.touch()], options)
  }
}

/** Checks which records exist. Of one key, `execute()` says whether it does. */
export class ExistsKeys<E, C extends object> extends ReadingStep<E, C> {
  /** @internal */
  override readonly rowOptions: readonly string[] = ['readMode', 'readTouch']

  /** @internal */
  override callOf(keys: unknown, isOne: boolean): VerbCall {
    return [isOne ? 'exists' : 'existsMany', keys, this.options]
  }

  /** @internal */
  override sendOne(key: Key): Promise<E> {
    return this.verbs.exists(key, this.options) as Promise<unknown> as Promise<E>
  }

  /** @internal */
  override sendMany(keys: Iterable<Key>): Promise<Batch<C, Late>> {
    const batch: Promise<unknown> = this.verbs.existsMany(keys, this.options)
    return batch as Promise<Batch<C, Late>>
  }

  /** @internal */
  override rowOf(options: StepOptions): Row {
    return new Read(NO_KEY, { ...options, bins: [] })
  }
}
