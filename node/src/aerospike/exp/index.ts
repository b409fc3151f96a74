/**
 * Filter expressions, evaluated by the nodes on one record.
 *
 * ```ts
 * import { exp } from 'spikewire'
 *
 * const adults = exp.bin('age').ge(18)
 * const wanted = adults.and(exp.bin('country').eq('US'), exp.not(exp.bin('banned')))
 * await users.get('alice', { where: wanted })
 * ```
 *
 * An expression is validated when it is created, encoded once, and can be reused. The type of a bin
 * follows from its use (`exp.bin('age').gt(25)` implies an integer); if nothing implies it, name
 * it: `exp.bin('a', 'int').eq(exp.bin('b'))`. If a bin is missing or has another type, a comparison
 * is neither true nor false, and the record does not match.
 *
 * The methods of an `Expression` compare, calculate and combine. The same can be written as text,
 * see `exp.text`. `exp.list`, `exp.map`, `exp.bit` and `exp.hll` read inside lists, maps, bytes and
 * sketches, `exp.path` many elements at once.
 */

import { Expression, type Kind, makeExpression, type Operand } from '../operation/expression.js'
import { withDefaults } from '../operation/invocation.js'

export type {
  Comparand,
  Constants,
  Kind,
  MatchOptions,
  Operand,
  Where,
} from '../operation/expression.js'
export * as bit from './bit.js'
export * as hll from './hll.js'
export * as list from './list.js'
export * as loop from './loop.js'
export * as map from './map.js'
export * as path from './path.js'
export * as string from './string.js'
export { bind as let, Expression, variable as var }

/** The value of a bin; `kind` is its type, needed if its use does not imply it. */
export function bin(name: string): Expression
export function bin<K extends Kind>(name: string, kind: K): Expression<K>
export function bin(name: string, kind?: Kind): Expression {
  return makeExpression('bin', name, kind)
}

/**
 * The particle type of a bin: 1 integer, 2 float, 3 string, 4 bytes, 17 boolean, 18 HyperLogLog,
 * 19 map, 20 list, 23 GeoJSON; 0 if it is missing.
 */
export function binType(name: string): Expression<'int'> {
  return makeExpression('binType', name)
}

/** Whether the record has this bin. */
export function binExists(name: string): Expression<'bool'> {
  return binType(name).ne(0)
}

/**
 * A constant. Operands that are not expressions become constants automatically; use this to call a
 * method on one.
 */
export function value(value: Operand): Expression {
  return makeExpression('value', value)
}

/** A value that is neither true nor false, for a branch of `cond` that must not match. */
export function unknown(): Expression {
  return makeExpression('unknown')
}

/**
 * Parses text such as `$.age > ?0 and $.country == 'US'`, where `?0` stands for the first
 * parameter. Errors show the position.
 */
export function text(text: string, ...parameters: readonly Operand[]): Expression {
  return makeExpression('text', [text, ...parameters])
}

/** The user key, if one of this type is stored with the record (`sendKey`). */
export function key<K extends 'int' | 'string' | 'blob'>(kind: K): Expression<K> {
  return makeExpression('key', kind)
}

/** Whether the user key is stored with the record. */
export function keyExists(): Expression<'bool'> {
  return makeExpression('meta', 'keyExists')
}

/** The name of the record's set. */
export function setName(): Expression<'string'> {
  return makeExpression('meta', 'setName')
}

/** Seconds until the record expires; -1 for never. */
export function ttl(): Expression<'int'> {
  return makeExpression('meta', 'ttl')
}

/** When the record expires, in ns since 1970; -1 for never. */
export function voidTime(): Expression<'int'> {
  return makeExpression('meta', 'voidTime')
}

/** When the record was last written, in ns since 1970. */
export function lastUpdate(): Expression<'int'> {
  return makeExpression('meta', 'lastUpdate')
}

/** Milliseconds since the record was last written. */
export function sinceUpdate(): Expression<'int'> {
  return makeExpression('meta', 'sinceUpdate')
}

/** The size of the record in bytes. */
export function recordSize(): Expression<'int'> {
  return makeExpression('meta', 'recordSize')
}

/** The size of the record on a device, in bytes. Newer servers prefer `recordSize`. */
export function deviceSize(): Expression<'int'> {
  return makeExpression('meta', 'deviceSize')
}

/** The size of the record in memory, in bytes. Newer servers prefer `recordSize`. */
export function memorySize(): Expression<'int'> {
  return makeExpression('meta', 'memorySize')
}

/** Whether the record is a tombstone. */
export function isTombstone(): Expression<'bool'> {
  return makeExpression('meta', 'isTombstone')
}

/** The last four bytes of the digest modulo `divisor`, to select a stable share of records. */
export function digestModulo(divisor: number): Expression<'int'> {
  return makeExpression('digestModulo', divisor)
}

/** Whether all operands are true. */
export function and(...operands: readonly Operand<'bool'>[]): Expression<'bool'> {
  return makeExpression('apply', 'and', operands)
}

/** Whether at least one operand is true. */
export function or(...operands: readonly Operand<'bool'>[]): Expression<'bool'> {
  return makeExpression('apply', 'or', operands)
}

/** Logical negation. */
export function not(operand: Operand<'bool'>): Expression<'bool'> {
  return makeExpression('apply', 'not', [operand])
}

/** Whether exactly one operand is true. */
export function exclusive(...operands: readonly Operand<'bool'>[]): Expression<'bool'> {
  return makeExpression('apply', 'exclusive', operands)
}

/** `cond(test, value, test, value, ..., default)`: the value after the first true test. */
export function cond(...operands: readonly Operand[]): Expression {
  return makeExpression('apply', 'when', operands)
}

/**
 * Computes values once, for use in `scope` through `exp.var`. Later definitions can use earlier
 * ones. Example: `exp.let({ x: exp.bin('a').add(1) }, exp.var('x').gt(5))`.
 */
function bind(definitions: { readonly [name: string]: Operand }, scope: Operand): Expression {
  return makeExpression('let', Object.keys(definitions), Object.values(definitions), scope)
}

/** The value of a variable of `exp.let`. */
function variable(name: string): Expression {
  return makeExpression('var', name)
}

/** The smallest of numbers of one type. */
export function minimum<K extends 'int' | 'float'>(
  ...operands: readonly Operand<K>[]
): Expression<K> {
  return makeExpression('apply', 'min', operands)
}

/** The largest of numbers of one type. */
export function maximum<K extends 'int' | 'float'>(
  ...operands: readonly Operand<K>[]
): Expression<K> {
  return makeExpression('apply', 'max', operands)
}

/** The logarithm of a float. */
export function log(number: Operand<'float'>, base: Operand<'float'>): Expression<'float'> {
  return makeExpression('apply', 'log', [number, base])
}

/** The number of set bits of an integer. */
export function bitCount(number: Operand<'int'>): Expression<'int'> {
  return makeExpression('apply', 'countOneBits', [number])
}

/** The options of `bitScan`. */
export interface BitScanOptions {
  /** Find the last bit instead of the first. Default: `false`. */
  fromRight?: boolean | undefined
}

/** The position of the first bit equal to `bit`, from the most significant; -1 if none. */
export function bitScan(
  number: Operand<'int'>,
  bit: Operand<'bool'>,
  options?: BitScanOptions,
): Expression<'int'> {
  const { fromRight } = withDefaults('exp', 'bit_scan', { fromRight: false }, options)
  return makeExpression('apply', fromRight ? 'findBitRight' : 'findBitLeft', [number, bit])
}

/** The keys of a map, as a list (servers from 8.1.1). */
export function mapKeys(operand: Operand<'map'>): Expression<'list'> {
  return makeExpression('apply', 'mapKeys', [operand])
}

/** The values of a map, as a list (servers from 8.1.1). */
export function mapValues(operand: Operand<'map'>): Expression<'list'> {
  return makeExpression('apply', 'mapValues', [operand])
}

/**
 * Whether a GeoJSON point lies in a GeoJSON region (`Polygon`, `MultiPolygon` or `AeroCircle`), in
 * either order.
 */
export function within(point: Operand<'geo'>, region: Operand<'geo'>): Expression<'bool'> {
  return makeExpression('apply', 'geoCompare', [point, region])
}
