/** The verbs with full keys, of clients; and whose connection a transaction stands for. */

import { Connection } from '../bridge/connection.js'
import { ManyVerbs } from './batch/many.js'
import { type GetStreamOptions, getStream, type Stream } from './builder/streams.js'
import { Key } from './model/key.js'
import { native, type Space } from './model/native.js'
import type { Bins } from './model/record.js'

/** The verbs of a client: they take full keys, and those for many records keys of several sets. */
export class KeyVerbs extends ManyVerbs<Key, Bins> {
  /**
   * Reads records for an endless supply of keys. Takes keys from the iterable, which may be
   * asynchronous, one window at a time; each window is one `getMany`, and up to `limit` of them are in
   * flight. Keys are read as results are consumed.
   *
   * ```ts
   * for await (const result of client.getStream(keys, { bins: ['age'] })) {
   *   console.log(result.row, result.record?.bins.age)
   * }
   * ```
   *
   * @throws the error of the first row that fails, unless `onError` says otherwise; TypeError,
   * RangeError for invalid options, at once
   */
  getStream(keys: Iterable<Key> | AsyncIterable<Key>, options?: GetStreamOptions): Stream {
    return getStream<Key, Bins>(this, keys, options)
  }

  /** @internal */
  spaceOf(key: Key): Space {
    return whole(key).space
  }

  /** @internal */
  wireOf(key: Key): unknown {
    return key.wire
  }
}

function whole(key: unknown): Key {
  if (key instanceof Key) return key
  throw new TypeError(`a client's verbs take a Key, not ${key === null ? 'null' : typeof key}`)
}

/** The parts of a transaction that verbs need. */
export interface TransactionParts {
  /** @internal */
  readonly connection: Connection
  /** @internal */
  readonly home: Connection
}

/** The connection for calls of a transaction, which must be one of the client with this one. */
export function connectionWithin(transaction: TransactionParts, home: Connection): Connection {
  if (!(transaction?.connection instanceof Connection)) {
    throw new TypeError('transaction must be one from client.transaction()')
  }
  if (transaction.home !== home) native.transactionOutside('client')
  return transaction.connection
}
