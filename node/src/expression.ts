/** Expressions: what the nodes compute from one record, as a filter or as a value. */

import { inspect } from 'node:util'
import { type Known, taken } from './calls.js'
import { native } from './native.js'
import type { Bytes, MapKey } from './op/types.js'
import type { BinValue, Double, GeoJSON, HyperLogLog } from './values.js'

/**
 * What values of each type are as constants. The names are those of text expressions in lower
 * case: `'int'` is `$.age:INT`.
 */
export interface Constants {
  /** An integer of 64 bits. */
  int: number | bigint
  /** A float; `new Double(2)` is a whole one. */
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

/** The type of a bin, of an element, or of what an expression computes. */
export type Kind = keyof Constants

/**
 * What an operator takes: an expression of one of these types, or a value that becomes a constant.
 */
export type Operand<K extends Kind = Kind> = { [P in K]: Constants[P] | Expression<P> }[K] | null

/**
 * What can be compared with, or added to, an expression of these types: a value of one of them, or
 * another expression, whose type is checked when the two are joined.
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
  /** Upper and lower case are the same. Default: `false`. */
  ignoreCase?: boolean | undefined
  /** `^` and `$` match at each line. Default: `false`. */
  byLines?: boolean | undefined
  /** The pattern is a basic one, not an extended one. Default: `false`. */
  basic?: boolean | undefined
}

declare const usableAs: unique symbol

/**
 * An expression; made by the functions of `exp` and by the methods here. It is checked when it is
 * made: a `TypeError` says which types do not go together. It can be kept and used again.
 *
 * `K` says what it can be used as: an `Expression<'int'>` is an integer, an `Expression` without
 * a type takes the one that its use asks for.
 */
export class Expression<in K extends Kind = Kind> {
  /** What the native part made of it. */
  readonly encoded: Uint8Array
  /** Never there; tells the compiler what the expression can be used as. */
  declare readonly [usableAs]?: (kind: K) => void

  private constructor(encoded: Uint8Array) {
    this.encoded = encoded
  }

  /** @internal */
  static of<K extends Kind>(encoded: Uint8Array): Expression<K> {
    return new Expression(encoded)
  }

  /** Reads the form that goes over the wire, as `toBytes` makes it. */
  static fromBytes(bytes: Bytes): Expression {
    return made('from', bytes)
  }

  /** Whether both are equal. */
  eq(other: Comparand<K>): Expression<'bool'> {
    return made('join', '==', this, other)
  }

  /** Whether they are not equal. */
  ne(other: Comparand<K>): Expression<'bool'> {
    return made('join', '!=', this, other)
  }

  /** Whether this is less. */
  lt(other: Comparand<K>): Expression<'bool'> {
    return made('join', '<', this, other)
  }

  /** Whether this is less or equal. */
  le(other: Comparand<K>): Expression<'bool'> {
    return made('join', '<=', this, other)
  }

  /** Whether this is greater. */
  gt(other: Comparand<K>): Expression<'bool'> {
    return made('join', '>', this, other)
  }

  /** Whether this is greater or equal. */
  ge(other: Comparand<K>): Expression<'bool'> {
    return made('join', '>=', this, other)
  }

  /** Whether this and the others are all true. */
  and(...others: readonly Operand<'bool'>[]): Expression<'bool'> {
    return chained('and', this, others)
  }

  /** Whether this is true, or one of the others. */
  or(...others: readonly Operand<'bool'>[]): Expression<'bool'> {
    return chained('or', this, others)
  }

  /** The opposite. */
  not(): Expression<'bool'> {
    return made('apply', 'not', [this])
  }

  /** The sum. */
  add(other: Comparand<K>): Expression<K> {
    return made('join', '+', this, other)
  }

  /** The difference. */
  sub(other: Comparand<K>): Expression<K> {
    return made('join', '-', this, other)
  }

  /** The product. */
  mul(other: Comparand<K>): Expression<K> {
    return made('join', '*', this, other)
  }

  /** The quotient; integers divide toward zero. Nodes may fail on 0 and -1. */
  div(other: Comparand<K>): Expression<K> {
    return made('join', '/', this, other)
  }

  /** What is left of a division of integers, with the sign of this one. */
  mod(other: Operand<'int'>): Expression<'int'> {
    return made('join', '%', this, other)
  }

  /** This float to the power of another. */
  pow(other: Operand<'float'>): Expression<'float'> {
    return made('join', '**', this, other)
  }

  /** The logarithm of this float to a base. */
  log(base: Operand<'float'>): Expression<'float'> {
    return made('join', 'log', this, base)
  }

  /** The number with the other sign. */
  neg(): Expression<K> {
    return made('apply', '-', [this])
  }

  /** The number without its sign. */
  abs(): Expression<K> {
    return made('apply', 'abs', [this])
  }

  /** The next whole float below. */
  floor(): Expression<'float'> {
    return made('apply', 'floor', [this])
  }

  /** The next whole float above. */
  ceil(): Expression<'float'> {
    return made('apply', 'ceil', [this])
  }

  /** The float cut toward zero. */
  toInt(): Expression<'int'> {
    return made('apply', 'toInt', [this])
  }

  /** The integer as a float. */
  toFloat(): Expression<'float'> {
    return made('apply', 'toFloat', [this])
  }

  /** The bits that are set in both integers. */
  bitAnd(other: Operand<'int'>): Expression<'int'> {
    return made('join', '&', this, other)
  }

  /** The bits that are set in one of the integers, or in both. */
  bitOr(other: Operand<'int'>): Expression<'int'> {
    return made('join', '|', this, other)
  }

  /** The bits that are set in one of the integers and not in the other. */
  bitXor(other: Operand<'int'>): Expression<'int'> {
    return made('join', '^', this, other)
  }

  /** Every bit of the integer turned over. */
  bitNot(): Expression<'int'> {
    return made('apply', '~', [this])
  }

  /** The bits of the integer moved up. */
  shiftLeft(count: Operand<'int'>): Expression<'int'> {
    return made('join', '<<', this, count)
  }

  /** The bits of the integer moved down, zeros from above: `>>>` of JavaScript. */
  shiftRight(count: Operand<'int'>): Expression<'int'> {
    return made('join', '>>>', this, count)
  }

  /** The bits of the integer moved down, the sign from above: `>>` of JavaScript. */
  shiftSigned(count: Operand<'int'>): Expression<'int'> {
    return made('join', '>>', this, count)
  }

  /** Whether a list holds this value. */
  isIn(list: Operand<'list'>): Expression<'bool'> {
    return made('apply', 'in', [this, list])
  }

  /** Whether the string matches a POSIX pattern, an extended one by default. */
  matches(pattern: string, options?: MatchOptions): Expression<'bool'> {
    const known = { ignoreCase: false, byLines: false, basic: false }
    const flags = Object.values(taken('exp', 'matches', known, options))
    return made('matches', this, pattern, ...flags)
  }

  /**
   * The type of its value; `undefined` while it is not known. `'nil'` is that of the constant
   * `null`.
   */
  get kind(): Kind | 'nil' | undefined {
    return native.expressionKind(this.encoded) as Kind | 'nil' | undefined
  }

  /** Whether the other is the same expression. (`eq` makes a comparison.) */
  sameAs(other: Expression<never>): boolean {
    return Buffer.compare(this.encoded, other.encoded) === 0
  }

  /** The form that goes over the wire; all types must be known. */
  toBytes(): Buffer {
    return native.expressionBytes(this.encoded)
  }

  /** As a text expression writes it. */
  toString(): string {
    return native.expressionText(this.encoded)
  }

  /** Keeps `expression > 5` from quietly comparing something else. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.toString()
    throw new TypeError(
      'an expression has no value in JavaScript: compare with .gt(), .eq() and the like, add with ' +
        '.add(), join with .and(), .or() and .not()',
    )
  }

  /** @internal */
  [inspect.custom](): string {
    return `Expression(${this.toString()})`
  }
}

/**
 * An expression that the native part makes.
 *
 * @internal
 */
export function made<K extends Kind>(form: string, ...given: readonly unknown[]): Expression<K> {
  return Expression.of(native.expression(form, given))
}

/** An operator on what is there and some more; nothing more is what is there. */
function chained(operator: string, first: unknown, others: readonly unknown[]): Expression<'bool'> {
  return others.reduce((whole, other) => made('join', operator, whole, other), first) as never
}

/**
 * An operation on a list, a map, bits or a sketch inside an expression. `known` are its options
 *.
 *
 * @internal
 */
export function call<K extends Kind>(
  family: 'list' | 'map' | 'bit' | 'hll',
  kind: string,
  on: unknown,
  values: readonly unknown[],
  known: Known = {},
  options?: object,
): Expression<K> {
  const found = taken(`exp.${family}`, kind, known, options)
  const all = [...values]
  for (const name in found) if (name !== 'ctx' && name !== 'kind') all.push(found[name])
  return made('call', family, kind, on, all, found['ctx'], found['kind'])
}
