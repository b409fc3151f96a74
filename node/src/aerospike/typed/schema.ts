/** The schema of a dataset: what its records look like, checked on the way in and out. */

import { types as kinds } from 'node:util'
import { define } from '../../bridge/objects.js'
import { ConversionError, type ConversionIssue } from '../model/conversion-error.js'
import type { Record } from '../model/record.js'
import { type BinChecker, type Checked, type Checker, inBin, unfit } from './checker.js'
import { classChecker } from './classes.js'
import type { RecordClass, RecordSchema } from './schemas.js'
import { isStandard, standardChecker } from './standard.js'
import { isCompiled, isTypeBox, typeBoxChecker } from './typebox.js'

/** The most bytes that the name of a bin has. */
const BIN_NAME = 15

type AnyBins = { [bin: string]: unknown }

/** A schema as its dataset uses it. */
export class Schema {
  /** The bins that reads without `bins` read; `undefined`: all. */
  readonly bins: readonly string[] | undefined
  readonly #checker: Checker
  readonly #fields: ReadonlyMap<string, BinChecker> | undefined
  /** Bins that a record need not have. */
  readonly #optional = new Set<string>()
  /** Bins that a record must have, but whose value may be `null`: such a bin is not stored. */
  readonly #nullable: string[] = []

  /** @throws TypeError for anything that is no schema, or for one that records cannot have */
  constructor(schema: RecordSchema) {
    this.#checker = checkerOf(schema)
    const { bins, name } = this.#checker
    this.#fields = bins
    this.bins = bins && [...bins.keys()]
    for (const [bin, check] of bins ?? []) {
      if (Buffer.byteLength(bin) > BIN_NAME) {
        const of = name === undefined ? '' : `${name}: `
        throw unfit(`${of}'${bin}' cannot be a bin, whose name has at most ${BIN_NAME} bytes`)
      }
      if (accepts(check, undefined)) this.#optional.add(bin)
      else if (accepts(check, null)) this.#nullable.push(bin)
    }
  }

  /**
   * The bins to write, checked. With `mayCreate`, all that a record must have are needed.
   *
   * @throws ConversionError
   */
  written(value: unknown, mayCreate: boolean): object {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
      throw new TypeError(`bins must be an object of bin names to values, not ${kind}`)
    }
    const { bins, whole } = this.#checker.take(value)
    const { present, removed } = this.#sorted(bins)
    const output = mayCreate || whole ? this.#whole(present) : this.#part(present)
    const result: AnyBins = {}
    for (const [bin, item] of Object.entries(output)) {
      if (item !== undefined) define(result, bin, item)
    }
    for (const bin of removed) define(result, bin, null)
    return result
  }

  /**
   * Checks that bins of a write that is no `put` are some of the schema's.
   *
   * @throws ConversionError
   */
  checkNames(names: Iterable<string>): void {
    const fields = this.#fields
    if (fields === undefined) return
    for (const name of names) {
      if (fields.has(name)) continue
      const message = `there is no such bin; there are: ${[...fields.keys()].join(', ')}`
      throw this.#error([{ path: [name], message }])
    }
  }

  /** Bins that are written, and those that the write removes. */
  #sorted(bins: object): { present: AnyBins; removed: string[] } {
    const present: AnyBins = {}
    const removed: string[] = []
    const entries = kinds.isMap(bins) ? (bins as Map<string, unknown>) : Object.entries(bins)
    const names: string[] = []
    for (const [bin, value] of entries) {
      names.push(bin)
      if (value === undefined && this.#fields !== undefined) continue
      if (value === null && this.#optional.has(bin) && !this.#takesNull(bin)) removed.push(bin)
      else define(present, bin, value)
    }
    this.checkNames(names)
    return { present, removed }
  }

  #takesNull(bin: string): boolean {
    const check = this.#fields?.get(bin)
    return check !== undefined && accepts(check, null)
  }

  #whole(bins: AnyBins): AnyBins {
    const checked = this.#checker.write(bins)
    if (checked.issues !== undefined) {
      const missing = ({ path }: ConversionIssue) =>
        path.length === 1 && !Object.hasOwn(bins, path[0] as PropertyKey)
      const issues = checked.issues.map((issue) =>
        missing(issue)
          ? {
              ...issue,
              message: `${issue.message} (only a write with exists: 'update' may leave it out)`,
            }
          : issue,
      )
      throw this.#error(issues)
    }
    const output = checked.value
    if (typeof output !== 'object' || output === null || Array.isArray(output)) {
      throw unfit(`it makes ${output === null ? 'null' : typeof output} of bins, not an object`)
    }
    return output as AnyBins
  }

  /** Checks each bin alone. */
  #part(bins: AnyBins): AnyBins {
    const fields = this.#fields
    if (fields === undefined) return this.#whole(bins)
    const output: AnyBins = {}
    const issues: ConversionIssue[] = []
    for (const [bin, value] of Object.entries(bins)) {
      const checked = (fields.get(bin) as BinChecker)(value)
      if (checked.issues !== undefined) issues.push(...inBin(bin, checked.issues))
      else define(output, bin, checked.value)
    }
    if (issues.length > 0) throw this.#error(issues)
    return output
  }

  /**
   * What the schema makes of the bins of a record.
   *
   * @throws ConversionError
   */
  read(record: Record<object>): unknown {
    let bins = record.bins as AnyBins
    for (const bin of this.#nullable) {
      if (!Object.hasOwn(bins, bin)) bins = { ...bins, [bin]: null }
    }
    const checked = this.#checked(bins)
    if (checked.issues === undefined) return checked.value
    throw new ConversionError(checked.issues, this.#checker.name, record.knownKey)
  }

  #checked(bins: AnyBins): Checked {
    const fields = this.#fields
    if (fields === undefined) return this.#checker.read(bins)
    const known: AnyBins = {}
    for (const bin of Object.keys(bins)) if (fields.has(bin)) define(known, bin, bins[bin])
    return this.#checker.read(known)
  }

  #error(issues: readonly ConversionIssue[]): ConversionError {
    return new ConversionError(issues, this.#checker.name)
  }
}

/** Whether a bin may have a value. Schemas can run code, which may not be prepared for it. */
function accepts(check: BinChecker, value: unknown): boolean {
  try {
    return check(value).issues === undefined
  } catch {
    return false
  }
}

function checkerOf(schema: RecordSchema): Checker {
  const checker = plainChecker(schema)
  if (checker !== undefined) return checker
  if (typeof schema === 'function' && typeof schema.prototype === 'object') {
    const { schema: inner } = schema as { schema?: RecordSchema }
    return classChecker(schema as RecordClass, inner === undefined ? undefined : innerOf(inner))
  }
  const kind = schema === null ? 'null' : typeof schema
  throw unfit(`it must be a Standard Schema, a schema of TypeBox or a class, not ${kind}`)
}

function plainChecker(schema: RecordSchema): Checker | undefined {
  if (isStandard(schema)) return standardChecker(schema)
  return isCompiled(schema) || isTypeBox(schema) ? typeBoxChecker(schema) : undefined
}

function innerOf(schema: RecordSchema): Checker {
  const checker = plainChecker(schema)
  if (checker === undefined) throw unfit('a static schema must be one of another kind')
  return checker
}
