/** The cases of the Python client's tests of operations and expressions; see `python_cases.py`. */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ctx, Double, exp, GeoJSON, HyperLogLog, op } from 'spikewire'

// This file is compiled to node/build/test.
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A Python interpreter with the Python client. */
export const PYTHON = process.env['SPIKEWIRE_PYTHON'] ?? join(ROOT, '.venv', 'bin', 'python')

/** Why the cases from Python are unavailable; `false` if they are available. */
export const withoutPython: string | false =
  !existsSync(PYTHON) && `there is no ${PYTHON}: build the Python client first`

/** A value as JSON. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | { list: Plain[] }
  | { map: [Plain, Plain][] }
  | { bytes: string }
  | { hll: string }
  | { double: number }
  | { bigint: string }

/** A call as JSON. */
type Tree =
  | Plain
  | { list: Tree[] }
  | { map: [Tree, Tree][] }
  | { name: string }
  | { operator: string; operands: Tree[] }
  | ({ args: Tree[]; kwargs: Record<string, Tree>; before?: number } & (
      | { call: string }
      | { method: string; on: Tree }
    ))

export interface OperationCase {
  make: Tree
  python: string
  result: Plain
  left: Plain
}

export interface ExpressionCase {
  make: Tree
  python: string
  text: string
  /** Hexadecimal digits; `null` if a type is missing. */
  bytes: string | null
}

export interface Cases {
  lists: OperationCase[]
  maps: OperationCase[]
  bits: OperationCase[]
  invalid: { make: Tree; python: string; error: string }[]
  printed: ExpressionCase[]
  nested: ExpressionCase[]
  evaluated: (ExpressionCase & { value: Plain })[]
  /** Every function with every option; the text is `null` if Python rejects the call. */
  every: (Omit<ExpressionCase, 'text'> & { text: string | null; compared?: string | null })[]
  sent: { make: Tree; python: string }[]
  filters: { make: Tree; python: string }[]
}

const SCRIPT = join(ROOT, 'node', 'test', 'python_cases.py')

/** Gets all cases from Python, which sends them to the cluster, if there is one. */
export async function cases(...seeds: [] | [string]): Promise<Cases> {
  const settings = { encoding: 'utf8', maxBuffer: 1 << 26 } as const
  const { stdout } = await promisify(execFile)(PYTHON, [SCRIPT, ...seeds], settings)
  return JSON.parse(stdout)
}

/** Evaluates a call in JavaScript. */
export function build(tree: Tree): unknown {
  if (tree === null || typeof tree !== 'object') return tree
  if ('list' in tree) return tree.list.map(build)
  if ('map' in tree) return new Map(tree.map.map(([key, value]) => [build(key), build(value)]))
  if ('bytes' in tree) return Buffer.from(tree.bytes, 'hex')
  if ('hll' in tree) return new HyperLogLog(Buffer.from(tree.hll, 'hex'))
  if ('double' in tree) return Number.isInteger(tree.double) ? new Double(tree.double) : tree.double
  if ('bigint' in tree) return BigInt(tree.bigint)
  if ('name' in tree) return named(tree.name).value
  if ('operator' in tree) return operated(tree.operator, tree.operands.map(build))
  const values = argumentsOf(tree.args, tree.kwargs, tree.before)
  if ('method' in tree) {
    const on = build(tree.on) as Record<string, (...values: unknown[]) => unknown>
    return on[camel(tree.method)]?.(...values)
  }
  if (tree.call === 'GeoJSON') return new GeoJSON(values[0] as string)
  if (tree.call === 'HyperLogLog') return new HyperLogLog(values[0] as Buffer)
  if (tree.call === 'exp.let') values[0] = Object.fromEntries(values[0] as Map<string, never>)
  const { value, of } = named(tree.call)
  return (value as (...values: unknown[]) => unknown).apply(of, values)
}

function named(path: string): { value: unknown; of: unknown } {
  const known: unknown = { ctx, exp, op }
  let [value, of]: [unknown, unknown] = [known, known]
  for (const name of path.split('.')) {
    of = value
    value = (of as Record<string, unknown>)[camel(name)]
  }
  return { value, of }
}

/** Arguments, followed by keywords in one object. */
function argumentsOf(args: Tree[], kwargs: Record<string, Tree>, before = 0): unknown[] {
  const values = args.map(build)
  const options = Object.entries(kwargs).map(([name, value]) => [camel(name), build(value)])
  if (options.length === 0) return values
  while (values.length < before) values.push(undefined)
  return [...values, Object.fromEntries(options)]
}

const MIRRORED: Record<string, string> = { lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' }

function operated(operator: string, operands: unknown[]): unknown {
  const [left, right] = operands
  const isExpression = left instanceof exp.Expression
  const mirrored = MIRRORED[operator]
  // If the first operand is not an expression, Python uses the other one's comparison.
  if (mirrored && !isExpression) return operated(mirrored, [right, left])
  const on = isExpression ? left : exp.value(left as number)
  const other = right as exp.Expression | undefined
  const ints = on.kind === 'int' || (other instanceof exp.Expression && other.kind === 'int')
  const bits = ints || typeof right === 'number'
  const logic: Record<string, () => unknown> = {
    and: () => (bits ? on.bitAnd(other as exp.Expression) : on.and(other as exp.Expression)),
    or: () => (bits ? on.bitOr(other as exp.Expression) : on.or(other as exp.Expression)),
    xor: () => (bits ? on.bitXor(other as exp.Expression) : exp.exclusive(on, other as never)),
    not: () => (ints ? on.bitNot() : on.not()),
  }
  const of = on as unknown as Record<string, (other: unknown) => unknown>
  return logic[operator] ? logic[operator]() : of[camel(operator)]?.(right)
}

function camel(name: string): string {
  return name.replace(/_$/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Converts a value that was read to JSON. */
export function plain(value: unknown): Plain {
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (value === null || typeof value !== 'object') return value as Plain
  if (Array.isArray(value)) return { list: value.map(plain) }
  if (value instanceof HyperLogLog) return { hll: value.bytes.toString('hex') }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') }
  const pairs = value instanceof Map ? [...value] : Object.entries(value)
  return sorted({ map: pairs.map(([key, of]) => [plain(key), plain(of)]) })
}

/** Sorts the entries of maps, and converts whole floats to numbers. */
export function sorted(value: Plain): Plain {
  if (value === null || typeof value !== 'object') return value
  if ('double' in value) return value.double
  if ('list' in value) return { list: value.list.map(sorted) }
  if (!('map' in value)) return value
  const pairs = value.map.map(([key, of]): [Plain, Plain] => [sorted(key), sorted(of)])
  const text = ([key]: [Plain, Plain]) => JSON.stringify(key)
  return { map: pairs.sort((a, b) => (text(a) < text(b) ? -1 : 1)) }
}
