/** Schemas of TypeBox, checked by what its compiler makes of them. */

import type { ConversionIssue } from '../model/conversion-error.js'
import { type BinChecker, type Checked, type Checker, unfit } from './checker.js'
import type { CompiledSchema, TypeBoxSchema } from './schemas.js'

const KIND = Symbol.for('TypeBox.Kind')
const OPTIONAL = Symbol.for('TypeBox.Optional')

interface TypeBoxObject {
  type?: string
  properties?: { readonly [name: string]: object }
  additionalProperties?: unknown
  patternProperties?: unknown
}

/** Whether a value is a schema of TypeBox. */
export function isTypeBox(value: unknown): value is TypeBoxSchema {
  return typeof value === 'object' && value !== null && KIND in value
}

/** Whether a value is a schema of TypeBox that is compiled. */
export function isCompiled(value: unknown): value is CompiledSchema {
  if (typeof value !== 'object' || value === null) return false
  const { Check, Errors, Schema } = value as Partial<CompiledSchema>
  return [Check, Errors, Schema].every((method) => typeof method === 'function')
}

/** The checker for a schema. */
export function typeBoxChecker(schema: TypeBoxSchema | CompiledSchema): Checker {
  const compiled = isCompiled(schema) ? schema : compile(schema)
  const parts: TypeBoxObject = compiled.Schema() as TypeBoxObject
  if ((compiled as { hasTransform?: unknown }).hasTransform === true) {
    throw unfit('transforms of TypeBox do not apply: give the dataset a codec for such bins')
  }
  const check = checkerOf(compiled)
  return {
    name: undefined,
    bins: fieldsOf(parts),
    take: (value) => ({ bins: value as object, whole: false }),
    write: check,
    read: check,
  }
}

function checkerOf(compiled: CompiledSchema): BinChecker {
  return (value): Checked => {
    if (compiled.Check(value)) return { value }
    const issues: ConversionIssue[] = []
    for (const { path, message } of compiled.Errors(value)) {
      // Of a property that is missing, the first error says so.
      const parts = pathOf(path)
      const same = (issue: ConversionIssue) => issue.path.join('/') === parts.join('/')
      if (!issues.some(same)) issues.push({ path: parts, message })
    }
    return { issues }
  }
}

/** The parts of a JSON pointer. */
function pathOf(pointer: string): string[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function fieldsOf(schema: TypeBoxObject): ReadonlyMap<string, BinChecker> | undefined {
  const { type, properties, additionalProperties: more } = schema
  const closed = more === undefined || more === false
  if (type !== 'object' || properties === undefined || !closed) return undefined
  const fields = new Map<string, BinChecker>()
  for (const [name, field] of Object.entries(properties)) {
    let check: BinChecker | undefined
    const optional = OPTIONAL in field
    fields.set(name, (value) => {
      if (optional && value === undefined) return { value }
      check ??= checkerOf(compile(field))
      return check(value)
    })
  }
  return fields
}

interface Compiler {
  TypeCompiler: { Compile(schema: unknown): CompiledSchema }
}

let compiler: Compiler | undefined

/** Compiles a schema. The compiler is loaded with the first one, because it is optional. */
function compile(schema: object): CompiledSchema {
  if (compiler === undefined) {
    try {
      compiler = require('@sinclair/typebox/compiler') as Compiler
    } catch (error) {
      const message = '@sinclair/typebox/compiler cannot be loaded: pass a schema that is compiled'
      throw Object.assign(unfit(message), { cause: error })
    }
  }
  return compiler.TypeCompiler.Compile(schema)
}
