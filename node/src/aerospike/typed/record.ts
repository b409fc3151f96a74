/** Records of a dataset with a schema. */

import { Record } from '../model/record.js'
import type { Schema } from './schema.js'

/** A record whose `value` is checked by a schema when it is first asked for. */
export class TypedRecord<B extends object> extends Record<B> {
  readonly #schema: Schema
  #value: B | undefined

  /** The same record. */
  constructor(record: Record<B>, schema: Schema) {
    super(record.bins, record.generation, record.ttl)
    this.#schema = schema
    record.copyTo(this)
  }

  override get value(): B {
    this.#value ??= this.#schema.read(this) as B
    return this.#value
  }
}
