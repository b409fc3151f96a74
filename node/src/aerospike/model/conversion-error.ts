/** Values that do not fit a schema, or that a codec cannot convert. */

import { inspect } from 'node:util'
import { Key } from './key.js'
import type { Space } from './native.js'

/** What is wrong with a value, in the words of the schema. */
export interface ConversionIssue {
  /** Where it is: the bin, then properties of maps and numbers of items. */
  readonly path: readonly PropertyKey[]
  /** The schema's message. */
  readonly message: string
}

/** The most issues that a message has. */
const MOST = 3

/**
 * Bins that do not fit the schema of their dataset, or that a codec cannot convert. Before a write,
 * nothing is sent; of a read, the record's `bins` can be used all the same.
 */
export class ConversionError extends TypeError {
  /** The record's key; `null` if it is not known. */
  readonly key: Key | null
  /** The bin of the first issue; `null` if that is about the whole record. */
  readonly bin: string | null
  /** What is wrong, in the order of the schema. */
  readonly issues: readonly ConversionIssue[]

  /** @internal */
  constructor(
    issues: readonly ConversionIssue[],
    name: string | undefined,
    key: Key | null = null,
    cause?: unknown,
    row?: number,
  ) {
    const about = row === undefined ? '' : `row ${row}: `
    const place = key === null ? '' : `${key}: `
    const sentences = issues.slice(0, MOST).map((issue) => sentence(issue, name))
    if (issues.length > MOST) sentences.push(`and ${issues.length - MOST} more`)
    super(`${about}${place}${sentences.join('; ')}`, cause === undefined ? undefined : { cause })
    this.key = key
    const first = issues[0]?.path[0]
    this.bin = first === undefined ? null : String(first)
    this.issues = issues
    this.#name = name
  }

  readonly #name: string | undefined

  /** @internal The same error about a record. */
  of(space: Space, wire: unknown, row?: number): ConversionError {
    return new ConversionError(this.issues, this.#name, keyOf(space, wire), this.cause, row)
  }

  /** @internal The same error about a row of a call. */
  atRow(row: number): ConversionError {
    return new ConversionError(this.issues, this.#name, this.key, this.cause, row)
  }
}

Object.defineProperty(ConversionError.prototype, 'name', {
  value: 'ConversionError',
  configurable: true,
})

/** The key of a call whose bins are checked before its key is. */
function keyOf(space: Space, wire: unknown): Key | null {
  try {
    const known = Key.known(space, wire)
    void known.digest
    return known
  } catch {
    return null
  }
}

function sentence({ path, message }: ConversionIssue, name: string | undefined): string {
  const of = name === undefined ? '' : ` of ${name}`
  if (path.length === 0) return name === undefined ? message : `${name}: ${message}`
  const inner = path.slice(1).map((part) => `[${inspect(part)}]`)
  const at = inner.length === 0 ? '' : `, at ${inner.join('')}`
  return `bin ${inspect(String(path[0]))}${of}${at}: ${message}`
}
