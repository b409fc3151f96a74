/** Keys of records. */

import { inspect, types } from 'node:util'
import { native, type Space } from './native.js'

/**
 * The key of a record within its set. Numbers must be integers up to 2^53 - 1, bigints must fit 64
 * bits.
 */
export type UserKey = number | bigint | string | Uint8Array

/** More sets than any cluster has: a server has at most 32 namespaces of 4,095 sets. */
const MOST_SETS = 1 << 17

const numbers = new Map<string, Space>()
const names: { namespace: string; set: string | null }[] = []

/** The number by which the native part knows a set. Throws for invalid names. */
export function spaceNumber(namespace: string, set: string | null | undefined): Space {
  const name = `${namespace}\0${set ?? ''}`
  let number = numbers.get(name)
  if (number === undefined) {
    if (numbers.size >= MOST_SETS) {
      throw new RangeError(
        `this program has used ${MOST_SETS} different sets: is a key in the place of a set?`,
      )
    }
    number = native.space(namespace, set ?? undefined)
    numbers.set(name, number)
    names[number] = { namespace, set: set || null }
  }
  return number
}

/** The namespace and set of a number. */
export function spaceNames(space: Space): { namespace: string; set: string | null } {
  return names[space] as { namespace: string; set: string | null }
}

/** Matches half of a surrogate pair, which UTF-8 cannot represent. */
const LONE_SURROGATE = /[\ud800-\udfff]/u

/** Whether a user key is valid for sure, without asking the native part. */
function isSurelyValid(key: unknown): boolean {
  return typeof key === 'string' ? !LONE_SURROGATE.test(key) : Number.isSafeInteger(key)
}

/** A validated user key, or a digest in an array. */
class KnownKey {
  readonly key: unknown
  constructor(key: unknown) {
    this.key = key
  }
}

/**
 * The full key of a record: namespace, set and user key. Every verb of a client takes one, and so
 * do the verbs of the dataset it belongs to.
 */
export class Key {
  /** The namespace. */
  readonly namespace: string
  /** The set; `null` for the null set. */
  readonly set: string | null
  /** The user key; `null` if only the digest is known. */
  readonly key: UserKey | null
  readonly #space: Space
  #digest: Buffer | undefined

  /**
   * @param namespace - up to 31 characters
   * @param set - up to 63 characters; `null` for the null set
   * @param key - the user key
   * @throws TypeError, RangeError for invalid values
   */
  constructor(namespace: string, set: string | null, key: UserKey)
  /** @internal */
  constructor(space: Space, known: KnownKey)
  constructor(place: string | Space, set: string | null | KnownKey, key?: UserKey) {
    if (set instanceof KnownKey) {
      this.#space = place as Space
      const names = spaceNames(this.#space)
      this.namespace = names.namespace
      this.set = names.set
      const digest = Array.isArray(set.key) ? (set.key[0] as Buffer) : undefined
      this.key = digest === undefined ? (set.key as UserKey) : null
      this.#digest = digest
      return
    }
    this.#space = spaceNumber(place as string, set)
    // Digests cost most of a key, and calls do not need them; those of bytes are of the bytes as they are.
    this.#digest = isSurelyValid(key) ? undefined : native.digest(this.#space, key)
    const names = spaceNames(this.#space)
    this.namespace = names.namespace
    this.set = names.set
    this.key = key as UserKey
  }

  /** The key of a record of which only the 20-byte digest is known; its `key` is `null`. */
  static fromDigest(namespace: string, set: string | null, digest: Uint8Array): Key {
    if (!types.isUint8Array(digest)) {
      const kind = Array.isArray(digest) ? 'an array' : digest === null ? 'null' : typeof digest
      throw new TypeError(`a digest must be a Buffer, not ${kind}`)
    }
    const space = spaceNumber(namespace, set)
    return Key.known(space, [native.digest(space, [digest])])
  }

  /**
   * @internal The key for a user key.
   *
   * @throws TypeError, RangeError for an invalid one
   */
  static of(space: Space, key: UserKey): Key {
    if (isSurelyValid(key)) return Key.known(space, key)
    const { namespace, set } = spaceNames(space)
    return new Key(namespace, set, key)
  }

  /** @internal A key whose parts have been validated: the user key, or the digest in an array. */
  static known(space: Space, key: unknown): Key {
    return new Key(space, new KnownKey(key))
  }

  /**
   * @internal The form in which the native part takes it: the user key, or the digest in an array.
   */
  get wire(): unknown {
    return this.key === null ? [this.#digest] : this.key
  }

  /** A Proxy of a key has no private parts. */
  static #isBare(key: object): boolean {
    return !(#space in key)
  }

  /** @internal */
  get space(): Space {
    return Key.#isBare(this) ? spaceNumber(this.namespace, this.set) : this.#space
  }

  /** The record's 20-byte digest. */
  get digest(): Buffer {
    if (Key.#isBare(this)) return native.digest(this.space, this.key)
    this.#digest ??= native.digest(this.#space, this.key)
    return this.#digest
  }

  /** Whether both identify the same record. */
  equals(other: Key): boolean {
    return this.namespace === other.namespace && this.digest.equals(other.digest)
  }

  /** For `JSON.stringify`; a bigint becomes a string, and a digest hexadecimal digits. */
  toJSON(): { namespace: string; set: string | null; key: unknown; digest?: string } {
    const { namespace, set, key } = this
    if (key === null) return { namespace, set, key, digest: this.digest.toString('hex') }
    return { namespace, set, key: typeof key === 'bigint' ? String(key) : key }
  }

  /** Namespace, set and key, as text for messages. */
  toString(): string {
    const key = this.key === null ? `digest ${this.digest.toString('hex')}` : inspect(this.key)
    return `Key(${this.namespace}, ${this.set ?? 'null'}, ${key})`
  }

  [inspect.custom](): string {
    return this.toString()
  }
}
