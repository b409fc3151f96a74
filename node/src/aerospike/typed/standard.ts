/** Schemas of zod, valibot, arktype and others with the interface Standard Schema. */

import type { ConversionIssue } from '../model/conversion-error.js'
import { type BinChecker, type Checked, type Checker, unfit } from './checker.js'
import type { StandardIssue, StandardSchema } from './schemas.js'

/** Whether a value has the interface. */
export function isStandard(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard = (value as Partial<StandardSchema>)['~standard']
  return typeof standard === 'object' && typeof standard?.validate === 'function'
}

/** The checker for a schema. */
export function standardChecker(schema: StandardSchema): Checker {
  const check = checkerOf(schema)
  return {
    name: undefined,
    bins: fieldsOf(schema),
    take: (value) => ({ bins: value as object, whole: false }),
    write: check,
    read: check,
  }
}

function checkerOf(schema: StandardSchema): BinChecker {
  const standard = schema['~standard']
  return (value): Checked => {
    const result = standard.validate(value)
    if ('then' in result) {
      // Its outcome is of no use, and must not become an unhandled rejection.
      result.then(undefined, () => undefined)
      throw unfit(`${standard.vendor} checks it asynchronously, which records cannot wait for`)
    }
    if (result.issues !== undefined) return { issues: result.issues.map(issueOf) }
    return { value: result.value }
  }
}

function issueOf({ message, path = [] }: StandardIssue): ConversionIssue {
  // A path may be of a class of its own, whose `map` makes another one.
  const parts = Array.from(path, (part) => (typeof part === 'object' ? part.key : part))
  return { path: parts, message }
}

/**
 * The schemas of an object's properties, where a library has them; `undefined` if the object may have
 * further ones. The interface itself does not tell.
 */
function fieldsOf(schema: StandardSchema): ReadonlyMap<string, BinChecker> | undefined {
  const { vendor } = schema['~standard']
  const fields =
    vendor === 'zod'
      ? zodFields(schema)
      : vendor === 'valibot'
        ? valibotFields(schema)
        : vendor === 'arktype'
          ? arktypeFields(schema)
          : undefined
  if (fields === undefined) return undefined
  const all = Object.entries(fields)
  if (all.length === 0 || !all.every(([, field]) => isStandard(field))) return undefined
  return new Map(
    all.map(([name, field]) => {
      const check = checkerOf(field as StandardSchema)
      if (vendor !== 'arktype' || !isOptional(schema, name)) return [name, check]
      return [name, (value: unknown) => (value === undefined ? { value } : check(value))]
    }),
  )
}

interface ZodParts extends StandardSchema {
  shape?: object
  _zod?: { def?: { catchall?: { _zod?: { def?: { type?: string } } } } }
  _def?: { unknownKeys?: string; catchall?: { _def?: { typeName?: string } } }
}

function zodFields(schema: ZodParts): object | undefined {
  const { shape, _zod, _def } = schema
  if (typeof shape !== 'object' || shape === null) return undefined
  // Version 4, and version 3.
  const rest = _zod?.def?.catchall
  if (rest !== undefined && rest._zod?.def?.type !== 'never') return undefined
  if (_zod === undefined && _def !== undefined) {
    if (_def.unknownKeys === 'passthrough') return undefined
    if ((_def.catchall?._def?.typeName ?? 'ZodNever') !== 'ZodNever') return undefined
  }
  return shape
}

interface ValibotParts extends StandardSchema {
  type?: string
  entries?: object
}

function valibotFields({ type, entries }: ValibotParts): object | undefined {
  return type === 'object' || type === 'strict_object' ? entries : undefined
}

interface ArktypeParts extends StandardSchema {
  props?: readonly { key: unknown; kind: string; value: unknown }[]
  json?: { index?: unknown }
}

function arktypeFields(schema: ArktypeParts): object | undefined {
  try {
    const { props, json } = schema
    if (!Array.isArray(props) || json?.index !== undefined) return undefined
    return Object.fromEntries(props.map(({ key, value }) => [key, value]))
  } catch {
    // Types that are no objects have no properties, and say so.
    return undefined
  }
}

/** Whether a property of an arktype may be left out, which its own type does not tell. */
function isOptional({ props }: ArktypeParts, name: string): boolean {
  return props?.find(({ key }) => key === name)?.kind === 'optional'
}
