/** Steps on keys: how they are chained, executed and streamed. */

import { inspect } from 'node:util'
import { isAsyncIterable } from '../../bridge/input.js'
import type { Batch, Late } from '../batch/batch.js'
import { kindOf } from '../batch/gather.js'
import type { Row } from '../batch/rows.js'
import type { Exists, Priority } from '../command/options.js'
import type { KeyVerbs } from '../key-verbs.js'
import { Key } from '../model/key.js'
import type { Explanation } from '../profiles/explain.js'
import { chainOf } from './chain.js'
import { explainedChain, explainedStep } from './explain.js'
import { isIterator, type SomeKeys } from './keys.js'
import { checkStrategy, type Missing, type Results, type Strategy, settled } from './results.js'
import { Step, type StepOptions } from './step.js'
import { type Stream, type StreamOptions, streamed, streamPlan } from './streams.js'

/** A verb that begins a step. */
export interface StepVerb {
  readonly name: string
  /** What a write does if the record exists, or does not. */
  readonly exists?: Exists
  /** How a missing record is treated, unless the call sets it. */
  readonly missing: Missing
}

/** A call of a verb: its name and its arguments. */
export type VerbCall = readonly [verb: string, ...args: unknown[]]

/** A row's key is set when the row becomes one of a batch. */
export const NO_KEY = 0

/** Replaces the keys of an iterator that has been read. */
const READ: Iterable<Key> = []

/** Options that batches do not have. */
const OF_ONE_RECORD = ['hedge', 'shareReads']

/**
 * A step on keys.
 *
 * @typeParam E - what `execute()` returns
 * @typeParam C - the bins of the records of the whole chain
 */
export abstract class KeyStep<E, C extends object> extends Step {
  /** @internal */
  readonly verbs: KeyVerbs
  /** @internal */
  readonly verb: StepVerb
  /** @internal The keys, as they were given. */
  keys: SomeKeys
  /** @internal The step before. */
  readonly before: KeyStep<unknown, C> | undefined

  /** @internal */
  constructor(
    verbs: KeyVerbs,
    verb: StepVerb,
    keys: SomeKeys,
    before: KeyStep<unknown, C> | undefined,
  ) {
    super()
    this.verbs = verbs
    this.verb = verb
    this.keys = keys
    this.before = before
  }

  /** @internal Calls the verb for one key by itself; `undefined` if it returns `Results` for it. */
  sendOne(_key: Key): Promise<E> | undefined {
    return undefined
  }

  /** @internal Calls the verb for several keys. */
  abstract sendMany(keys: Iterable<Key>): Promise<Batch<C, Late>>
  /** @internal What the step does to its keys as part of a chain, as a row without a key. */
  abstract rowOf(options: StepOptions): Row

  /** @internal The options of a profile that apply to its rows in a chain. */
  abstract readonly rowOptions: readonly string[]
  /** @internal The verb that the step calls on its own. */
  abstract callOf(keys: unknown, isOne: boolean): VerbCall

  /** @internal How to run the step on one key as a call of its own. */
  get alone(): string {
    return 'end the step with execute()'
  }

  /** Whether the call goes before or behind others that wait for a node; as in `get`. */
  priority(priority: Priority | undefined): this {
    return this.option('priority', priority)
  }

  /** Whether request and reply are compressed; as in `get`. */
  compress(compress: boolean | undefined): this {
    return this.option('compress', compress)
  }

  /**
   * What the call would use and from where: the options of this step, those of the builder's profile,
   * of the client, or defaults. Nothing is sent, and no iterator of keys is read.
   *
   * On one key it is the call of `execute`, of a query that of `first`. For a chain it is the batch,
   * with what the rows of each step use in `steps`.
   *
   * @throws TypeError, RangeError for invalid options
   */
  explain(): Explanation {
    return this.before === undefined ? explainedStep(this) : explainedChain(this)
  }

  /**
   * Makes the call: all steps of the chain and all keys, in one.
   *
   * On one key and without a strategy this is one verb, with its result and errors; a query always
   * returns `Results`.
   */
  execute(strategy?: undefined): Promise<E>
  execute(strategy: Strategy<C>): Promise<Results<C>>
  execute(strategy?: Strategy<C>): Promise<E | Results<C>>
  execute(strategy?: Strategy<C>): Promise<E | Results<C>> {
    try {
      const { keys } = this
      if (strategy === undefined && this.before === undefined && keys instanceof Key) {
        const outcome = this.sendOne(keys)
        if (outcome !== undefined) return outcome
      }
      return this.results(strategy)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * The results as they arrive; nothing is sent before the first one is requested.
   *
   * Keys are read from their iterable, which may be endless or asynchronous, and sent in windows, up
   * to `limit` of them at once. Windows are returned in the order in which they complete, or with
   * `ordered` in the order of the keys; the results of each are in input order. A chain of several
   * steps is one window.
   *
   * @throws TypeError, RangeError for invalid options, at once
   */
  stream(options?: StreamOptions<C>): Stream<C> {
    const plan = streamPlan(options, this.verb.missing)
    if (this.before !== undefined || this.keys instanceof Key) {
      const { onError, missing } = options ?? {}
      return this.#whole({ onError, missing })
    }
    const signal = this.options?.['signal'] as AbortSignal | undefined
    const send = (keys: Key[]) => this.sendMany(keys)
    return streamed(send, this.consumeKeys(), plan, signal)
  }

  async *#whole(strategy: Strategy<C>): Stream<C> {
    for (const result of await this.results(strategy)) yield result
  }

  /** @internal The results of the whole chain. */
  async results(strategy: Strategy<C> | undefined): Promise<Results<C>> {
    const onError = checkStrategy(strategy)
    const { batch, missing } = this.send()
    return settled(await batch, onError, strategy?.missing ?? missing)
  }

  /** @internal Sends the whole chain. */
  send(): { batch: Promise<Batch<C, Late>>; missing: Missing | Missing[] } {
    if (this.before === undefined) {
      return { batch: this.sendMany(this.input()), missing: this.verb.missing }
    }
    const { rows, options, missing } = chainOf(this)
    const batch = this.verbs.batch(rows, options) as Promise<unknown>
    return { batch: batch as Promise<Batch<C, Late>>, missing }
  }

  /** @internal The options of the verb, and some that do not come from the methods of options. */
  with(more: StepOptions): StepOptions {
    return this.options === undefined ? more : { ...this.options, ...more }
  }

  /** @internal */
  override blank(): this {
    const { verbs, verb, keys, before } = this
    return Reflect.construct(this.constructor, [verbs, verb, keys, before])
  }

  /**
   * A copy with bins, operations and options of its own, for steps used as templates.
   *
   * @throws TypeError if the keys come from an iterator, which only one step can read
   */
  override copy(): this {
    if (isIterator(this.keys)) {
      throw new TypeError(
        'the keys come from an iterator, which only one step can read: give an array',
      )
    }
    return super.copy()
  }

  /** @internal The keys for a call. Those of an iterator are there only once. */
  consumeKeys(): Iterable<Key> | AsyncIterable<Key> {
    const { keys } = this
    if (keys instanceof Key) return [keys]
    if (keys === READ) {
      throw new RangeError(
        'the keys came from an iterator, which an earlier call has read: give an array',
      )
    }
    if (isIterator(keys)) this.keys = READ
    return keys
  }

  /** @internal The keys for a batch. */
  input(): Iterable<Key> {
    if (isAsyncIterable(this.keys)) {
      throw new TypeError('keys of an asynchronous iterable are read by stream(), and no batch')
    }
    this.checkBatch()
    return this.consumeKeys() as Iterable<Key>
  }

  /** @internal Rejects options that batches do not have. */
  checkBatch(): void {
    const { options } = this
    if (options === undefined) return
    for (const name of OF_ONE_RECORD) {
      if (options[name] === undefined) continue
      const message = `${name} applies to calls that read one record, and this call is a batch`
      throw new RangeError(`${message}: ${this.alone}`)
    }
  }

  /** @internal Sets an option that needs one key (or several), if it is set. */
  optionIf(fits: 'one' | 'several', name: string, value: unknown, what: string): this {
    const isOne = this.keys instanceof Key
    if (value !== undefined && value !== null && isOne !== (fits === 'one')) {
      const keys = isOne ? 'has one key' : 'takes several keys'
      throw new RangeError(`${name} applies to ${what}, and this step ${keys}`)
    }
    return this.option(name, value)
  }

  [inspect.custom](): string {
    const keys = this.keys instanceof Key ? this.keys.toString() : `${kindOf(this.keys)} of keys`
    return `<${this.verb.name} of ${keys}>`
  }
}
