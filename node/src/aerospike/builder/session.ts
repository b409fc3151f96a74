/** Where chains begin. */

import { inspect } from 'node:util'
import { ManyVerbs } from '../batch/many.js'
import { Dataset } from '../dataset.js'
import { KeyVerbs } from '../key-verbs.js'
import type { Key } from '../model/key.js'
import type { Bins } from '../model/record.js'
import { profileOf } from '../profiles/views.js'
import type { StepKeys } from './keys.js'
import { Scan } from './scan.js'
import {
  BEGIN,
  type DeleteMany,
  type DeleteOne,
  type ExistsMany,
  type ExistsOne,
  type ReadMany,
  type TouchMany,
  type TouchOne,
  type WriteMany,
  type WriteOne,
} from './steps.js'

/** A verb that writes bins. */
export interface BeginWrite {
  <B extends object = Bins>(key: Key): WriteOne<B>
  <B extends object = Bins>(keys: StepKeys): WriteMany<B>
  <B extends object = Bins>(key: Key, second: Key, ...more: Key[]): WriteMany<B>
}

/** A verb without bins. */
export interface BeginPlain<One, Many> {
  (key: Key): One
  (keys: StepKeys): Many
  (key: Key, second: Key, ...more: Key[]): Many
}

/**
 * Starts chains. From `client.session()`; cheap to create and to keep.
 *
 * Each method takes a `Key` (`dataset.key('alice')`), several of them, or an iterable of them, which
 * may be asynchronous for a stream; `query` also takes a dataset.
 */
export class Builder {
  /** @internal */
  readonly verbs: KeyVerbs

  /** Creates records; fails with `RecordExists` if one exists. */
  declare readonly insert: BeginWrite
  /** Creates records, or updates the given bins. */
  declare readonly upsert: BeginWrite
  /** Updates the given bins; fails with `RecordNotFound` if the record does not exist. */
  declare readonly update: BeginWrite
  /** Creates records, or replaces all their bins. */
  declare readonly replace: BeginWrite
  /** Replaces all bins of records; fails with `RecordNotFound` if one does not exist. */
  declare readonly replaceIfExists: BeginWrite
  /** Deletes records. */
  declare readonly delete: BeginPlain<DeleteOne, DeleteMany>
  /** Renews the time to live of records; fails with `RecordNotFound` if one does not exist. */
  declare readonly touch: BeginPlain<TouchOne, TouchMany>
  /** Checks which records exist. */
  declare readonly exists: BeginPlain<ExistsOne, ExistsMany>

  /** @internal */
  constructor(verbs: KeyVerbs) {
    if (!(verbs instanceof KeyVerbs)) {
      throw new TypeError('a builder comes from `client.session()`, not from `new`')
    }
    this.verbs = verbs
  }

  /** Reads records by their keys, or those of a dataset. */
  query<B extends object>(dataset: Dataset<B>): Scan<B>
  query<B extends object = Bins>(key: Key | StepKeys, ...more: Key[]): ReadMany<B>
  query(key: unknown, ...more: Key[]): unknown {
    if (key instanceof ManyVerbs && more.length === 0) {
      if (!(key instanceof Dataset)) throw new TypeError('query takes a dataset, not a client')
      if (key.connection !== this.verbs.connection) {
        throw new RangeError(`${inspect(key)} is a dataset of another client`)
      }
      const profile = profileOf(this.verbs)
      return new Scan(profile === null ? key : key.withProfile(profile))
    }
    return beginQuery(this.verbs, key, more)
  }

  [inspect.custom](): string {
    return `<Builder of ${inspect(this.verbs)}>`
  }
}

type Begin = (verbs: KeyVerbs, key: unknown, more: readonly Key[]) => unknown
const beginQuery = BEGIN.get('query') as Begin

for (const [name, begin] of BEGIN) {
  if (name === 'query') continue
  Object.defineProperty(Builder.prototype, name, {
    value(this: Builder, key: unknown, ...more: Key[]) {
      return begin(this.verbs, key, more)
    },
    writable: true,
    configurable: true,
  })
}
