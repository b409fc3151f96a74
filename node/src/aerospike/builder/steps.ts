/** The steps on keys: reading, writing, deleting, touching, and checking existence. */

import { types } from 'node:util'
import { define } from '../../bridge/objects.js'
import type { Batch, Late } from '../batch/batch.js'
import { type Row, Write } from '../batch/rows.js'
import type { Where } from '../command/options.js'
import type { KeyVerbs } from '../key-verbs.js'
import { Key } from '../model/key.js'
import type { Bins, OperatedRecord } from '../model/record.js'
import * as op from '../op/index.js'
import type { Operation } from '../operation/operation.js'
import type { Amount, Bytes } from '../operation/types.js'
import { ExpiringStep } from './key-options.js'
import { type KeyStep, NO_KEY, type StepVerb, type VerbCall } from './key-step.js'
import { keysOf, type SomeKeys } from './keys.js'
import { DeleteKeys, ExistsKeys, TouchKeys } from './plain.js'
import { ReadKeys } from './read.js'
import type { Results } from './results.js'
import type { StepOptions } from './step.js'

/**
 * The verbs with which a chain continues. Each takes a `Key`, several, or an iterable of them.
 *
 * @typeParam C - the bins of the records of the chain up to here
 */
export interface ChainVerbs<C extends object> {
  /** Adds a step that reads records. */
  query<B extends object = Bins>(key: Key | Iterable<Key>, ...more: Key[]): ReadStep<B, B | C>
  /** Adds a step that creates records, and rejects those that exist. */
  insert<B extends object = Bins>(key: Key | Iterable<Key>, ...more: Key[]): WriteMany<B, B | C>
  /** Adds a step that creates or updates records. */
  upsert<B extends object = Bins>(key: Key | Iterable<Key>, ...more: Key[]): WriteMany<B, B | C>
  /** Adds a step that updates existing records. */
  update<B extends object = Bins>(key: Key | Iterable<Key>, ...more: Key[]): WriteMany<B, B | C>
  /** Adds a step that creates records or replaces all their bins. */
  replace<B extends object = Bins>(key: Key | Iterable<Key>, ...more: Key[]): WriteMany<B, B | C>
  /** Adds a step that replaces all bins of existing records. */
  replaceIfExists<B extends object = Bins>(
    key: Key | Iterable<Key>,
    ...more: Key[]
  ): WriteMany<B, B | C>
  /** Adds a step that deletes records. */
  delete(key: Key | Iterable<Key>, ...more: Key[]): DeleteMany<C>
  /** Adds a step that renews the time to live of records. */
  touch(key: Key | Iterable<Key>, ...more: Key[]): TouchMany<C>
  /** Adds a step that checks which records exist. */
  exists(key: Key | Iterable<Key>, ...more: Key[]): ExistsMany<C>
}

/** Reads records: all bins, the named ones, or the results of operations. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are added below
export class ReadStep<B extends object = Bins, C extends object = B> extends ReadKeys<B, C> {}

/** What `execute()` of a write returns once it has operations other than those that set bins. */
type AfterOperation<E, B extends object> = [E] extends [undefined] ? OperatedRecord<B> : E

/** A value of a bin to write; `null` removes the bin. */
type Written<B, K extends keyof B> = Exclude<B[K], undefined> | null

/**
 * Writes bins. Each method adds an operation; operations are applied in order and atomically.
 *
 * @typeParam E - what `execute()` returns: `undefined` for one key if bins are only set, the record
 * for one key with other operations, `Results` for several keys
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are added below
export class WriteStep<
  E = undefined,
  B extends object = Bins,
  C extends object = B,
> extends ExpiringStep<E, C> {
  /** @internal The bins to set, as long as there is no other operation. */
  values: { [name: string]: unknown } | undefined = undefined
  /** @internal */
  ops: Operation[] | undefined = undefined
  /** @internal */
  override readonly rowOptions: readonly string[] = ['ttl', 'exists', 'durable', 'sendKey']

  /** @internal */
  override callOf(keys: unknown, isOne: boolean): VerbCall {
    if (isOne && this.ops === undefined) return ['put', keys, this.values, this.#options()]
    const operations = this.operations()
    return [isOne ? 'operate' : 'operateMany', keys, operations, this.#options()]
  }

  /** Writes a bin; `null` removes it. */
  set<K extends keyof B & string>(bin: K, value: Written<B, K>): this {
    if (this.ops !== undefined) this.ops.push(op.put(bin, value as never))
    else {
      if (this.values === undefined) this.values = {}
      define(this.values, checkedName(bin), value)
    }
    return this
  }

  /** Writes several bins, from an object or a `Map` of names to values. */
  put(bins: Partial<B> | ReadonlyMap<string, unknown>): this {
    for (const [name, value] of entriesOf(bins)) this.set(name as never, value as never)
    return this
  }

  /** Removes bins. */
  remove(...bins: (keyof B & string)[]): this {
    for (const bin of bins) this.set(bin, null as never)
    return this
  }

  /** Adds to a number; a missing bin counts as 0. */
  add(bin: keyof B & string, value: Amount): WriteStep<AfterOperation<E, B>, B, C> {
    return this.op(op.add(bin, value))
  }

  /** Appends to text or bytes; a missing bin counts as empty. */
  append(bin: keyof B & string, value: string | Bytes): WriteStep<AfterOperation<E, B>, B, C> {
    return this.op(op.append(bin, value))
  }

  /** Prepends to text or bytes; a missing bin counts as empty. */
  prepend(bin: keyof B & string, value: string | Bytes): WriteStep<AfterOperation<E, B>, B, C> {
    return this.op(op.prepend(bin, value))
  }

  /** Reads a bin, or all bins, as they are at this point. */
  get(bin?: keyof B & string): WriteStep<AfterOperation<E, B>, B, C> {
    return this.op(op.get(bin))
  }

  /** Adds operations from `op`, of any kind. */
  op(...operations: Operation[]): WriteStep<AfterOperation<E, B>, B, C> {
    this.ops ??= this.operations()
    this.ops.push(...operations)
    return this as unknown as WriteStep<AfterOperation<E, B>, B, C>
  }

  /** Reads the value of an expression, as if it were a bin of this name; as `op.read`. */
  read(
    name: string,
    expression: Where<never>,
    options?: op.ReadOptions,
  ): WriteStep<AfterOperation<E, B>, B, C> {
    return this.op(op.read(name, expression, options))
  }

  /** Writes the value of an expression into a bin; as `op.write`. */
  write(
    bin: keyof B & string,
    expression: Where<never>,
    options?: op.WriteOptions,
  ): WriteStep<AfterOperation<E, B>, B, C> {
    return this.op(op.write(bin, expression, options))
  }

  /** Makes the call and returns the first record, with the results of the operations. */
  async first(): Promise<OperatedRecord<B>> {
    const { keys } = this
    if (this.before === undefined && keys instanceof Key) {
      const operated = this.verbs.operate(keys, this.operations(), this.#options())
      return operated as Promise<unknown> as Promise<OperatedRecord<B>>
    }
    return (await this.results(undefined)).first() as unknown as OperatedRecord<B>
  }

  override copy(): this {
    const copy = super.copy()
    if (this.values !== undefined) copy.values = { ...this.values }
    if (this.ops !== undefined) copy.ops = [...this.ops]
    return copy
  }

  /** @internal What is written, as operations. */
  operations(): Operation[] {
    if (this.ops !== undefined) return this.ops
    return Object.entries(this.values ?? {}).map(([name, value]) => op.put(name, value as never))
  }

  #options(): StepOptions | undefined {
    const { exists } = this.verb
    return exists === undefined ? this.options : this.with({ exists })
  }

  /** @internal */
  override sendOne(key: Key): Promise<E> {
    const { ops, values } = this
    const written: Promise<unknown> =
      ops === undefined
        ? this.verbs.put(key, (values ?? {}) as Bins, this.#options())
        : this.verbs.operate(key, ops, this.#options())
    return written as Promise<E>
  }

  /** @internal */
  override sendMany(keys: Iterable<Key>): Promise<Batch<C, Late>> {
    const batch = this.verbs.operateMany(keys, this.operations(), this.#options())
    return batch as Promise<unknown> as Promise<Batch<C, Late>>
  }

  /** @internal */
  override rowOf(options: StepOptions): Row {
    const { exists } = this.verb
    const what: Bins | Operation[] = this.ops ?? ((this.values ?? {}) as Bins)
    return new Write<Bins>(NO_KEY, what, exists === undefined ? options : { ...options, exists })
  }
}

/** Deletes records. Of one key, `execute()` says whether there was a record. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are added below
export class DeleteStep<E = boolean, C extends object = Bins> extends DeleteKeys<E, C> {}

/** Renews the time to live of records. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are added below
export class TouchStep<E = undefined, C extends object = Bins> extends TouchKeys<E, C> {}

/** Checks which records exist. Of one key, `execute()` says whether it does. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are added below
export class ExistsStep<E = boolean, C extends object = Bins> extends ExistsKeys<E, C> {}

// biome-ignore lint/correctness/noUnusedVariables: the parameters are those of the class
export interface ReadStep<B extends object, C extends object> extends ChainVerbs<C> {}
// biome-ignore lint/correctness/noUnusedVariables: the parameters are those of the class
export interface WriteStep<E, B extends object, C extends object> extends ChainVerbs<C> {}
// biome-ignore lint/correctness/noUnusedVariables: the parameters are those of the class
export interface DeleteStep<E, C extends object> extends ChainVerbs<C> {}
// biome-ignore lint/correctness/noUnusedVariables: the parameters are those of the class
export interface TouchStep<E, C extends object> extends ChainVerbs<C> {}
// biome-ignore lint/correctness/noUnusedVariables: the parameters are those of the class
export interface ExistsStep<E, C extends object> extends ChainVerbs<C> {}

/** Reads one record. */
export type ReadOne<B extends object = Bins> = ReadStep<B>
/** Reads several records. */
export type ReadMany<B extends object = Bins> = ReadStep<B>
/** Writes one record. */
export type WriteOne<B extends object = Bins> = WriteStep<undefined, B>
/** Writes several records, or one as part of a chain. */
export type WriteMany<B extends object = Bins, C extends object = B> = WriteStep<Results<C>, B, C>
/** Deletes one record. */
export type DeleteOne = DeleteStep<boolean>
/** Deletes several records, or one as part of a chain. */
export type DeleteMany<C extends object = Bins> = DeleteStep<Results<C>, C>
/** Touches one record. */
export type TouchOne = TouchStep<undefined>
/** Touches several records, or one as part of a chain. */
export type TouchMany<C extends object = Bins> = TouchStep<Results<C>, C>
/** Checks one record. */
export type ExistsOne = ExistsStep<boolean>
/** Checks several records, or one as part of a chain. */
export type ExistsMany<C extends object = Bins> = ExistsStep<Results<C>, C>

function checkedName(bin: unknown): string {
  if (typeof bin === 'string') return bin
  throw new TypeError(`a bin name must be a string, not ${bin === null ? 'null' : typeof bin}`)
}

function entriesOf(bins: unknown): Iterable<readonly [unknown, unknown]> {
  if (types.isMap(bins)) return bins as Map<unknown, unknown>
  if (typeof bins === 'object' && bins !== null && !(Symbol.iterator in bins)) {
    return Object.entries(bins)
  }
  const kind = bins === null ? 'null' : Array.isArray(bins) ? 'an array' : typeof bins
  throw new TypeError(`bins must be an object of bin names to values, not ${kind}`)
}

type AnyStep = KeyStep<unknown, object>
type StepClass = new (
  ...parts: [verbs: KeyVerbs, verb: StepVerb, keys: SomeKeys, before: AnyStep | undefined]
) => AnyStep

/** The verbs that begin steps, with the classes of their steps. */
const STEPS: readonly (StepVerb & { readonly of: StepClass })[] = [
  { name: 'query', of: ReadStep as StepClass, missing: 'keep' },
  { name: 'insert', of: WriteStep as StepClass, exists: 'create', missing: 'keep' },
  { name: 'upsert', of: WriteStep as StepClass, missing: 'keep' },
  { name: 'update', of: WriteStep as StepClass, exists: 'update', missing: 'error' },
  { name: 'replace', of: WriteStep as StepClass, exists: 'replace', missing: 'keep' },
  { name: 'replaceIfExists', of: WriteStep as StepClass, exists: 'replace_only', missing: 'error' },
  { name: 'delete', of: DeleteStep as StepClass, missing: 'keep' },
  { name: 'touch', of: TouchStep as StepClass, missing: 'error' },
  { name: 'exists', of: ExistsStep as StepClass, missing: 'keep' },
]

for (const verb of STEPS) {
  const follow = function (this: AnyStep, key: unknown, ...more: Key[]): AnyStep {
    const keys = keysOf(verb.name, key, more, false)
    if (Symbol.asyncIterator in this.keys) {
      throw new TypeError('keys of an asynchronous iterable are for a stream of one step')
    }
    return new verb.of(this.verbs, verb, keys, this)
  }
  for (const { prototype } of [ReadStep, WriteStep, DeleteStep, TouchStep, ExistsStep]) {
    Object.defineProperty(prototype, verb.name, {
      value: follow,
      writable: true,
      configurable: true,
    })
  }
}

/** For each verb the function that begins a chain with it. */
export const BEGIN: ReadonlyMap<
  string,
  (verbs: KeyVerbs, key: unknown, more: readonly Key[]) => AnyStep
> = new Map(
  STEPS.map((verb) => [
    verb.name,
    (verbs, key, more) => new verb.of(verbs, verb, keysOf(verb.name, key, more, true), undefined),
  ]),
)
