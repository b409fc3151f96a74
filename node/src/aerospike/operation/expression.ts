/** Expressions, which the nodes evaluate on a record, as a filter or to compute a value. */

import { inspect } from 'node:util'
import { native } from '../model/native.js'
import type { BinValue, Double, GeoJSON, HyperLogLog } from '../model/values.js'
import { type OptionDefaults, withDefaults } from './invocation.js'
import type { Bytes, MapKey } from './types.js'

/**
 * The JavaScript type of constants of each type. Type names are those of text expressions in lower
 * case: `'int'` is `$.age:INT`.
 */
export interface Constants {
  /** A 64-bit integer. */
  int: number | bigint
  /** A float; use `new Double(2)` for whole ones. */
  float: number | Double
  /** A string. */
  string: string
  /** True or false. */
  bool: boolean
  /** Bytes. */
  blob: Bytes
  /** A list. */
  list: readonly BinValue[]
  /** A map; its keys are strings, integers or bytes. */
  map: { readonly [key: string]: BinValue } | ReadonlyMap<MapKey, BinValue>
  /** A point or region. */
  geo: GeoJSON
  /** A sketch. */
  hll: HyperLogLog
}

/** The type of a bin, of an element, or of the result of an expression. */
export type Kind = keyof Constants

/** An operand: an expression of one of these types, or a value that becomes a constant. */
export type Operand<K extends Kind = Kind> = { [P in K]: Constants[P] | Expression<P> }[K] | null

/**
 * The other side of a comparison or calculation with an expression of these types: a value of one
 * of them, or another expression, whose type is checked when the two are combined.
 */
export type Comparand<K extends Kind = Kind> = Constants[K] | Expression<never> | null

/**
 * A filter: an expression, a text such as `'$.age > 25'`, or an array of a text and its parameters,
 * such as `['$.age > ?0', 25]`.
 */
export type Where<K extends Kind = 'bool'> =
  | Expression<K>
  | string
  | readonly [text: string, ...parameters: Operand[]]

/** The options of `matches`. */
export interface MatchOptions {
  /** Ignore case. Default: `false`. */
  ignoreCase?: boolean | undefined
  /** Let `^` and `$` match at each line. Default: `false`. */
  byLines?: boolean | undefined
  /** Treat the pattern as a basic rather than an extended one. Default: `false`. */
  basic?: boolean | undefined
}

declare const usableAs: unique symbol

/**
 * An expression; created by the functions of `exp` and by the methods here. Types are checked when
 * it is created: a `TypeError` says which do not match. It can be reused.
 *
 * `K` is what it can be used as: an `Expression<'int'>` is an integer; an `Expression` without a
 * type takes the one implied by its use.
 */
export class Expression<in K extends Kind = Kind> {
  /** The encoded expression. */
  readonly encoded: Uint8Array
  /** Never present; tells the compiler what the expression can be used as. */
  declare readonly [usableAs]?: (kind: K) => void

  private constructor(encoded: Uint8Array) {
    this.encoded = encoded
  }

  /** @internal */
  static of<K extends Kind>(encoded: Uint8Array): Expression<K> {
    return new Expression(encoded)
  }

  /** Parses the wire format, as produced by `toBytes`. */
  static fromBytes(bytes: Bytes): Expression {
    return makeExpression('from', bytes)
  }

  /** Whether both are equal. */
  eq(other: Comparand<K>): Expression<'bool'> {
    return makeExpression('join', '==', this, other)
  }

  /** Whether they are not equal. */
  ne(other: Comparand<K>): Expression<'bool'> {
    return makeExpression('join', '!=', this, other)
  }

  /** Whether this is less. */
  lt(other: Comparand<K>): Expression<'bool'> {
    return makeExpression('join', '<', this, other)
  }

  /** Whether this is less or equal. */
  le(other: Comparand<K>): Expression<'bool'> {
    return makeExpression('join', '<=', this, other)
  }

  /** Whether this is greater. */
  gt(other: Comparand<K>): Expression<'bool'> {
    return makeExpression('join', '>', this, other)
  }

  /** Whether this is greater or equal. */
  ge(other: Comparand<K>): Expression<'bool'> {
    return makeExpression('join', '>=', this, other)
  }

  /** Whether this and the others are all true. */
  and(...others: readonly Operand<'bool'>[]): Expression<'bool'> {
    return chained('and', this, others)
  }

  /** Whether this is true, or one of the others. */
  or(...others: readonly Operand<'bool'>[]): Expression<'bool'> {
    return chained('or', this, others)
  }

  /** Logical negation. */
  not(): Expression<'bool'> {
    return makeExpression('apply', 'not', [this])
  }

  /** The sum. */
  add(other: Comparand<K>): Expression<K> {
    return makeExpression('join', '+', this, other)
  }

  /** The difference. */
  sub(other: Comparand<K>): Expression<K> {
    return makeExpression('join', '-', this, other)
  }

  /** The product. */
  mul(other: Comparand<K>): Expression<K> {
    return makeExpression('join', '*', this, other)
  }

  /** The quotient; integers divide toward zero. Nodes may fail on 0 and -1. */
  div(other: Comparand<K>): Expression<K> {
    return makeExpression('join', '/', this, other)
  }

  /** The remainder of an integer division, with the sign of the dividend. */
  mod(other: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '%', this, other)
  }

  /** This float to the power of another. */
  pow(other: Operand<'float'>): Expression<'float'> {
    return makeExpression('join', '**', this, other)
  }

  /** The logarithm of this float to a base. */
  log(base: Operand<'float'>): Expression<'float'> {
    return makeExpression('join', 'log', this, base)
  }

  /** The negated number. */
  neg(): Expression<K> {
    return makeExpression('apply', '-', [this])
  }

  /** The absolute value. */
  abs(): Expression<K> {
    return makeExpression('apply', 'abs', [this])
  }

  /** The float rounded down. */
  floor(): Expression<'float'> {
    return makeExpression('apply', 'floor', [this])
  }

  /** The float rounded up. */
  ceil(): Expression<'float'> {
    return makeExpression('apply', 'ceil', [this])
  }

  /** The float as an integer, truncated toward zero. */
  toInt(): Expression<'int'> {
    return makeExpression('apply', 'toInt', [this])
  }

  /** The integer as a float. */
  toFloat(): Expression<'float'> {
    return makeExpression('apply', 'toFloat', [this])
  }

  /** The text of an integer, a float, a string, or of bytes in UTF-8; on servers from 8.2 on. */
  toText(): Expression<'string'> {
    return makeExpression('apply', 'toString', [this])
  }

  /** Bitwise AND. */
  bitAnd(other: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '&', this, other)
  }

  /** Bitwise OR. */
  bitOr(other: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '|', this, other)
  }

  /** Bitwise XOR. */
  bitXor(other: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '^', this, other)
  }

  /** Bitwise NOT. */
  bitNot(): Expression<'int'> {
    return makeExpression('apply', '~', [this])
  }

  /** The integer shifted left. */
  shiftLeft(count: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '<<', this, count)
  }

  /** The integer shifted right, filled with zeros, like `>>>` in JavaScript. */
  shiftRight(count: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '>>>', this, count)
  }

  /** The integer shifted right, filled with the sign bit, like `>>` in JavaScript. */
  shiftSigned(count: Operand<'int'>): Expression<'int'> {
    return makeExpression('join', '>>', this, count)
  }

  /** Whether a list contains this value. */
  isIn(list: Operand<'list'>): Expression<'bool'> {
    return makeExpression('apply', 'in', [this, list])
  }

  /** Whether the string matches a POSIX pattern, an extended one by default. */
  matches(pattern: string, options?: MatchOptions): Expression<'bool'> {
    const known = { ignoreCase: false, byLines: false, basic: false }
    const flags = Object.values(withDefaults('exp', 'matches', known, options))
    return makeExpression('matches', this, pattern, ...flags)
  }

  /**
   * The type of its value; `undefined` if not yet known. The constant `null` has the type `'nil'`.
   */
  get kind(): Kind | 'nil' | undefined {
    return native.expressionKind(this.encoded) as Kind | 'nil' | undefined
  }

  /** Whether both are the same expression. (`eq` creates a comparison.) */
  sameAs(other: Expression<never>): boolean {
    return Buffer.compare(this.encoded, other.encoded) === 0
  }

  /** The wire format; all types must be known. */
  toBytes(): Buffer {
    return native.expressionBytes(this.encoded)
  }

  /** The expression as text. */
  toString(): string {
    return native.expressionText(this.encoded)
  }

  /** Makes `expression > 5` throw instead of silently comparing something else. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.toString()
    throw new TypeError(
      'an expression cannot be used as a JavaScript value: compare with .gt(), .eq() and so on, ' +
        'calculate with .add() and so on, combine with .and(), .or() and .not()',
    )
  }

  /** @internal */
  [inspect.custom](): string {
    return `Expression(${this.toString()})`
  }
}

/**
 * Creates an expression in the native part.
 *
 * @internal
 */
export function makeExpression<K extends Kind>(
  form: string,
  ...args: readonly unknown[]
): Expression<K> {
  return Expression.of(native.expression(form, args))
}

/** Applies an operator to all operands; a single operand is returned as it is. */
function chained(operator: string, first: unknown, others: readonly unknown[]): Expression<'bool'> {
  return others.reduce(
    (whole, other) => makeExpression('join', operator, whole, other),
    first,
  ) as never
}

/**
 * An operation on a list, a map, bits, a sketch or a string inside an expression. `known` has its options
 * with their defaults.
 *
 * @internal
 */
export function call<K extends Kind>(
  family: 'list' | 'map' | 'bit' | 'hll' | 'string',
  kind: string,
  on: unknown,
  values: readonly unknown[],
  known: OptionDefaults = {},
  options?: object,
): Expression<K> {
  const settings = withDefaults(`exp.${family}`, kind, known, options)
  const all = [...values]
  for (const name in settings) if (name !== 'ctx' && name !== 'kind') all.push(settings[name])
  return makeExpression('call', family, kind, on, all, settings['ctx'], settings['kind'])
}
