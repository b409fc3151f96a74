/**
 * Whether a scan gives every record of the set, each once and as it was written. A scan gives no
 * keys, but digests, and those say which key a record has.
 */

import { createHash } from 'node:crypto'
import { type Bins, isRecord, recordOf } from './workload.js'

/** The type of an integer key, as it goes into a digest. */
const INTEGER = Buffer.of(1)

/** How a process looked at the records of a last scan, where it could. */
export const BY_KEY = 'by key'

/** Is told of every record. */
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

  /** Keeps what is wrong for the end: an error in a listener would end the process. */
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

  /** Throws unless every record came, and was right. */
  end(): void {
    if (this.#wrong !== undefined) throw new Error(this.#wrong)
    if (this.#keys.size > 0) throw new Error(`a scan did not give ${this.#keys.size} records`)
  }
}

/** Why there can be no check, or nothing. */
export function unchecked(): string | undefined {
  try {
    createHash('ripemd160')
    return undefined
  } catch {
    return 'not, as this Node.js has no RIPEMD-160'
  }
}
