/** Keys of records. */

import { inspect } from 'node:util'
import { spaceNumber } from '../../aerospike/model/key.js'
import { native, type Space } from '../../aerospike/model/native.js'

/** What identifies a record within a set. */
export type UserKey = string | number | bigint | Buffer

/** A key, or an object with the same fields. */
export interface KeyOptions {
  ns: string
  set?: string | null | undefined
  key?: UserKey | null | undefined
  digest?: Buffer | null | undefined
}

const LONGEST_NAMESPACE = 32
const LONGEST_SET = 64
const DIGEST = 20
const INT64 = 2n ** 63n

/** The key of a record: namespace, set, and user key or digest. */
export class Key {
  ns: string
  set: string | null | undefined
  key: UserKey | null | undefined
  /** `null` as long as it is not known; `undefined` if it is computed when it is read. */
  #digest: Buffer | null | undefined

  /**
   * @throws TypeError for an invalid namespace, set, key or digest
   */
  constructor(ns: string, set?: string | null, key?: UserKey | null, digest?: Buffer | null) {
    if (typeof ns !== 'string' || ns.length === 0 || ns.length > LONGEST_NAMESPACE) {
      throw new TypeError(`Namespace must be a valid string (max. length ${LONGEST_NAMESPACE})`)
    }
    if (isPresent(set)) {
      if (typeof set !== 'string' || set.length === 0 || set.length > LONGEST_SET) {
        throw new TypeError(`Set must be a valid string (max. length ${LONGEST_SET})`)
      }
    }
    if (isPresent(key)) checkUserKey(key)
    if (isPresent(digest) && !(Buffer.isBuffer(digest) && digest.length === DIGEST)) {
      throw new TypeError(`Digest must be a ${DIGEST}-byte Buffer`)
    }
    if (!isPresent(key) && !isPresent(digest)) {
      throw new TypeError('Either key or digest must be set')
    }
    this.ns = ns
    this.set = set
    this.key = key
    this.#digest = digest || null
  }

  /** The digest: known once the key was used. */
  get digest(): Buffer | null {
    if (this.#digest === undefined) {
      this.#digest = native.digest(spaceNumber(this.ns, this.set), this.key)
    }
    return this.#digest
  }

  set digest(digest: Buffer | null) {
    this.#digest = digest
  }

  /** @internal The digest will be computed when it is read. */
  static wasUsed(key: Key): void {
    if (key.#digest === null) key.#digest = undefined
  }

  /** @internal The key of a record that was read; `null` if there is none. */
  static fromASKey(key: KeyOptions | null | undefined): Key | null {
    return key ? new Key(key.ns, key.set, key.key, key.digest) : null
  }

  /** Whether both have the same parts, as far as they are known in both. */
  equals(other: Key): boolean {
    const mine = this.digest
    const theirs = other.digest
    return (
      this.ns === other.ns &&
      ((!isPresent(this.set) && !isPresent(other.set)) || this.set === other.set) &&
      ((!isPresent(this.key) && !isPresent(other.key)) || this.key === other.key) &&
      (!isPresent(mine) || !isPresent(theirs) || mine.equals(theirs))
    )
  }

  /** @internal */
  toJSON(): object {
    const { ns, set, key, digest } = this
    return { ns, set, key, digest }
  }

  /** @internal */
  [inspect.custom](depth: number, options: object): string {
    return `Key ${inspect(this.toJSON(), { ...options, depth })}`
  }
}

function isPresent<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}

function checkUserKey(key: unknown): void {
  const invalid = (why: string) => new TypeError(`Invalid user key: ${why}`)
  switch (typeof key) {
    case 'string':
      if (key.length === 0) throw invalid('a string must not be empty')
      return
    case 'number':
      if (!Number.isInteger(key)) throw invalid('a number must be whole')
      return
    case 'bigint':
      if (key < -INT64 || key >= INT64) throw invalid('a BigInt must fit 64 bits')
      return
    default:
      if (!Buffer.isBuffer(key)) throw invalid('it must be a string, integer, BigInt or Buffer')
      if (key.length === 0) throw invalid('a Buffer must not be empty')
  }
}

let latestNamespace: string | undefined
let latestSet: string | null | undefined
let latestSpace: Space = -1

/** The number of the set of a key. Throws for invalid names. */
export function spaceOf(key: KeyOptions): Space {
  const { ns, set } = key
  if (ns === latestNamespace && set === latestSet) return latestSpace
  if (typeof ns !== 'string' || ns.length === 0 || ns.length >= LONGEST_NAMESPACE) {
    throw new TypeError('the namespace of a key must be a string of up to 31 characters')
  }
  if (isPresent(set) && typeof set !== 'string') {
    throw new TypeError('the set of a key must be a string')
  }
  const space = spaceNumber(ns, set)
  latestNamespace = ns
  latestSet = set
  latestSpace = space
  return space
}

/** The user key as the native part takes it, or the digest in an array. Throws for invalid ones. */
export function wireOf(key: KeyOptions): unknown {
  const user = key.key
  switch (typeof user) {
    case 'string':
    case 'bigint':
      break
    case 'number':
      if (!Number.isInteger(user)) throw new TypeError('the number of a key must be whole')
      break
    default:
      if (isPresent(user)) {
        if (!(user instanceof Uint8Array)) {
          throw new TypeError('a key must be a string, integer, BigInt or Buffer')
        }
        break
      }
      if (!(key.digest instanceof Uint8Array) || key.digest.length !== DIGEST) {
        throw new TypeError('a key must have a user key, or a digest of 20 bytes')
      }
      return [key.digest]
  }
  if (key instanceof Key) Key.wasUsed(key)
  return user
}

/** The key of a record of a batch or query. */
export function keyOf(of: {
  namespace: string
  set: string | null
  key: unknown
  digest: Buffer
}): Key {
  const { namespace, key } = of
  const set = of.set ?? undefined
  if (key === null) return new Key(namespace, set, undefined, of.digest)
  const whole = new Key(namespace, set, key as UserKey)
  Key.wasUsed(whole)
  return whole
}
