/**
 * Checks that a scan returns every record of the set, exactly once and as it was written. A scan
 * returns digests rather than keys; each digest identifies its key.
 */

import { createHash } from 'node:crypto'
import { type Bins, isRecord, recordOf } from './workload.js'

/** The type byte of an integer key, as hashed into the digest. */
const INTEGER = Buffer.of(1)

/** The result of a check that was made. */
export const BY_KEY = 'by key'

/** Receives every record of a scan. */
export class Check {
  readonly #pool: readonly Bins[]
  readonly #keys = new Map<string, number>()
  #wrong: string | undefined

  constructor(pool: readonly Bins[], set: string, keys: number) {
    this.#pool = pool
    const begun = createHash('ripemd160').update(set).update(INTEGER)
    const value = Buffer.alloc(8)
    for (let key = 0; key < keys; key++) {
      value.writeBigInt64BE(BigInt(key))
      this.#keys.set(begun.copy().update(value).digest('binary'), key)
    }
  }

  /** Keeps the first mistake for `end`: an exception in a listener would end the process. */
  seen(digest: Uint8Array, bins: unknown): void {
    if (this.#wrong !== undefined) return
    const bytes = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength)
    const name = bytes.toString('latin1')
    const key = this.#keys.get(name)
    if (key === undefined) {
      const known = bytes.toString('hex')
      this.#wrong = `a scan gave the record with digest ${known} twice, or it has no such key`
      return
    }
    this.#keys.delete(name)
    if (!isRecord(recordOf(this.#pool, key), bins)) {
      this.#wrong = `a scan gave another record for key ${key} than was written there`
    }
  }

  /** Throws unless every record arrived and was right. */
  end(): void {
    if (this.#wrong !== undefined) throw new Error(this.#wrong)
    if (this.#keys.size > 0) throw new Error(`a scan did not give ${this.#keys.size} records`)
  }
}

/** The reason if no check is possible. */
export function unchecked(): string | undefined {
  try {
    createHash('ripemd160')
    return undefined
  } catch {
    return 'not, as this Node.js has no RIPEMD-160'
  }
}
