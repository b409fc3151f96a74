/** A namespace and a set of a client. */

import type { Connection } from './connection.js'
import { Key, spaceNames, spaceNumber, type UserKey } from './key.js'
import { ManyVerbs } from './many.js'
import type { Space } from './native.js'
import { Query, type QueryOptions } from './query.js'
import type { Bins } from './record.js'

/**
 * A namespace and a set of a client, from `client.dataset(namespace, set)`. Its verbs take user
 * keys, or keys that belong to it.
 *
 * @typeParam B - the bins of its records
 */
export class Dataset<B extends object = Bins> extends ManyVerbs<UserKey, B> {
  readonly #space: Space

  /** @internal */
  constructor(connection: Connection, namespace: string, set: string | null | undefined) {
    super(connection)
    this.#space = spaceNumber(namespace, set)
  }

  /** The namespace. */
  get namespace(): string {
    return spaceNames(this.#space).namespace
  }

  /** The set; `null` for the null set. */
  get set(): string | null {
    return spaceNames(this.#space).set
  }

  /** The whole key of a user key. */
  key(key: UserKey): Key {
    return new Key(this.namespace, this.set, key)
  }

  /**
   * A scan of the set: an object to iterate over with `for await`.
   *
   * @throws TypeError, RangeError for bad options
   */
  query(options?: QueryOptions): Query<B> {
    return new Query<B>(this.connection, this.#space, options, (key) => {
      this.spaceOf(key)
      return this.wireOf(key)
    })
  }

  /** @internal */
  spaceOf(key: UserKey | Key): Space {
    if (key instanceof Key && key.space !== this.#space) {
      throw new RangeError(`${key} does not belong to ${this.namespace}, ${this.set ?? 'null'}`)
    }
    return this.#space
  }

  /** @internal */
  wireOf(key: UserKey | Key): unknown {
    return key instanceof Key ? key.wire : key
  }
}
