/** Classes of records. */

import { types as kinds } from 'node:util'
import type { ConversionIssue } from '../model/conversion-error.js'
import type { Bins } from '../model/record.js'
import { type BinChecker, type Checked, type Checker, unfit } from './checker.js'
import type { RecordClass } from './schemas.js'

type Instance = { [name: string]: unknown } & { toBins?: () => object }

interface ClassParts {
  readonly name: string
  readonly prototype: object
  fromBins?: (bins: Bins) => object
}

/** The checker for a class; `inner` is that for its static `schema`. */
export function classChecker(schema: RecordClass, inner: Checker | undefined): Checker {
  const parts = schema as unknown as ClassParts
  const { name } = parts
  const make = typeof parts.fromBins === 'function' ? undefined : maker(schema, name)
  const bins = inner === undefined ? make && fieldsOf(make()) : inner.bins
  const check = inner?.write ?? ((value: object) => checkAll(bins, value))
  return {
    name,
    bins,
    take(value) {
      if (!isInstance(value, parts)) return { bins: value as object, whole: false }
      return { bins: fieldValues(value as Instance), whole: true }
    },
    write: check,
    read(value) {
      const checked = inner === undefined ? checkAll(bins, value) : inner.read(value)
      if (checked.issues !== undefined) return checked
      return { value: instance(parts, make, checked.value as Bins) }
    },
  }
}

function isInstance(value: unknown, { prototype }: ClassParts): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.prototype.isPrototypeOf.call(prototype, value as object)
  )
}

/** How an instance with the defaults of all fields is made. */
function maker(schema: RecordClass, name: string): () => Instance {
  const make = () => new (schema as new () => Instance)()
  try {
    make()
  } catch (cause) {
    const message = `${name} cannot be constructed without arguments: give it a static fromBins(bins)`
    throw Object.assign(unfit(message), { cause })
  }
  return make
}

/** An instance of bins that were checked. */
function instance(parts: ClassParts, make: (() => Instance) | undefined, bins: Bins): object {
  if (make === undefined) return (parts.fromBins as (bins: Bins) => object).call(parts, bins)
  return Object.assign(make(), bins)
}

/** The bins of an instance: all of its fields; those without a value remove their bins. */
function fieldValues(instance: Instance): object {
  if (typeof instance.toBins === 'function') return instance.toBins()
  const bins: { [bin: string]: unknown } = {}
  for (const [name, value] of Object.entries(instance)) bins[name] = value ?? null
  return bins
}

function checkAll(bins: ReadonlyMap<string, BinChecker> | undefined, value: object): Checked {
  if (bins === undefined) return { value }
  const issues: ConversionIssue[] = []
  for (const [name, item] of Object.entries(value)) {
    const checked = bins.get(name)?.(item)
    if (checked?.issues === undefined) continue
    for (const { message } of checked.issues) issues.push({ path: [name], message })
  }
  return issues.length === 0 ? { value } : { issues }
}

/** The fields of an instance, each checked by the kind of its default. */
function fieldsOf(instance: Instance): ReadonlyMap<string, BinChecker> | undefined {
  const entries = Object.entries(instance)
  if (entries.length === 0) return undefined
  return new Map(entries.map(([name, value]) => [name, fieldChecker(value)]))
}

function fieldChecker(byDefault: unknown): BinChecker {
  // A field whose default is null or undefined may have any value, and none.
  if (byDefault === null || byDefault === undefined) return (value) => ({ value })
  const kind = kindOf(byDefault)
  return (value): Checked => {
    if (value === undefined || kindOf(value) === kind) return { value }
    return { issues: [{ path: [], message: `must be ${kind}, not ${kindOf(value)}` }] }
  }
}

/** The kind of a value, in which a field agrees with its default. */
function kindOf(value: unknown): string {
  if (typeof value === 'bigint') return 'number'
  if (value === null || typeof value !== 'object')
    return String(value === null ? null : typeof value)
  if (Array.isArray(value)) return 'Array'
  if (kinds.isUint8Array(value)) return 'bytes'
  if (kinds.isMap(value)) return 'object'
  return value.constructor?.name === 'Object' ? 'object' : (value.constructor?.name ?? 'object')
}
