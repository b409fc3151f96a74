/** Expressions as programs build them, and their conversion for the engine. */

import { Expression, makeExpression, type Operand } from '../../aerospike/operation/expression.js'
import { ArgumentFailure, asArgument, INVALID_REQUEST, NOT_APPLICABLE } from './failures.js'
import { OPERATOR } from './numbers.js'

/**
 * An expression: functions of `exp` create it, and it can be used many times. The first part stands for
 * all of it; those of its operands may follow.
 */
export type AerospikeExp = ExpressionPart[]

/**
 * Entries of a map: keys and values by turns, or a map without an order. The other client has both in
 * forms of its own.
 */
export type Entries = 'key_value' | 'unordered_map'

/** A part of an expression: an operator, or a constant, as one of its properties. */
export class ExpressionPart {
  /** The number of its operator. */
  readonly op: number
  /** @internal The number of parts, with those of its operands. */
  readonly size: number
  /** @internal The entries that it returns; `undefined` if it returns something else. */
  readonly entries: Entries | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the other client's type is as open
  [property: string]: any
  readonly #make: () => Operand
  #operand: Operand | undefined

  constructor(op: number, make: () => Operand, size = 1, entries?: Entries) {
    this.op = op
    this.#make = make
    this.size = size
    this.entries = entries
    Object.defineProperties(this, { size: HIDDEN, entries: HIDDEN })
  }

  /**
   * What the engine takes for it. It is made when it is first used, because programs may build
   * expressions that no node accepts.
   *
   * @internal
   */
  get operand(): Operand {
    this.#operand ??= asArgument(this.#make)
    return this.#operand
  }
}

/** Properties that are not the other client's. */
const HIDDEN = { enumerable: false }

/** The engine's expression of a form; `makeExpression` says which there are. */
export function engineExpression(form: string, ...args: readonly unknown[]): Expression {
  return makeExpression(form, ...args)
}

/** An expression with this operator, and the expressions whose parts follow its own. */
export function expression(
  op: number,
  make: () => Operand,
  of: readonly AerospikeExp[] = [],
): AerospikeExp {
  const parts = of.flat()
  return [new ExpressionPart(op, make, 1 + parts.length), ...parts]
}

/**
 * An expression on a list, a map, bytes or a sketch. Arguments with values that a node does not take
 * make one without a value, which is a failure when it is evaluated.
 */
export function call(make: () => Operand, entries?: Entries): AerospikeExp {
  const evaluated = (): Operand => {
    try {
      return make()
    } catch (error) {
      const isFailure = error instanceof ArgumentFailure && error.code === NOT_APPLICABLE
      if (isFailure || error instanceof RangeError) return engineExpression('unknown')
      throw error
    }
  }
  return [new ExpressionPart(OPERATOR.CALL, evaluated, 1, entries)]
}

/** The entries that an expression returns, of a map. */
export function entriesOf(of: unknown): Entries | undefined {
  return Array.isArray(of) && of[0] instanceof ExpressionPart ? of[0].entries : undefined
}

/** Whether this is `exp.removeResult()`, which removes elements and is not a value. */
export function isRemoval(of: unknown): boolean {
  if (!Array.isArray(of) || of.length !== 1) return false
  return of[0] instanceof ExpressionPart && of[0].op === OPERATOR.REMOVE_RESULT
}

/**
 * Stand in for `exp.wildcard()` and `exp.inf()`, which the engine takes in an expression's wire format
 * only, where they replace these strings.
 */
const MARKERS = {
  wildcard: { text: '\0spikewire wildcard\0', wire: Buffer.of(0xd4, 0xff, 0) },
  inf: { text: '\0spikewire infinity\0', wire: Buffer.of(0xd4, 0xff, 1) },
} as const
let markersUsed = false

/** What stands for a value that is equal to all others (`wildcard`), or greater (`inf`). */
export function marker(op: number, kind: keyof typeof MARKERS): AerospikeExp {
  return expression(op, () => {
    markersUsed = true
    return MARKERS[kind].text
  })
}

/** The expression with the markers themselves. */
function withMarkers(whole: Expression): Expression {
  let bytes = whole.toBytes()
  const before = bytes.length
  for (const { text, wire } of Object.values(MARKERS)) {
    // A string's length, and the type of its particle, come before it.
    const sought = Buffer.concat([Buffer.of(0xa1 + text.length, 3), Buffer.from(text)])
    for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought)) {
      bytes = Buffer.concat([bytes.subarray(0, at), wire, bytes.subarray(at + sought.length)])
    }
  }
  return bytes.length === before ? whole : Expression.fromBytes(bytes)
}

/** Rejects what cannot be an expression, when an expression is built of it. */
export function checkExpressions(...all: readonly unknown[]): void {
  for (const of of all) {
    if (typeof (of as AerospikeExp | null | undefined)?.[Symbol.iterator] !== 'function') {
      throw new TypeError(`${of} is not iterable: it is no expression`)
    }
  }
}

/** The first parts of expressions; arrays may also have been spread. */
export function firstParts(expressions: readonly unknown[]): ExpressionPart[] {
  const all = expressions.flat()
  const first: ExpressionPart[] = []
  for (let at = 0; at < all.length; ) {
    const part = all[at]
    if (!(part instanceof ExpressionPart)) throw new ArgumentFailure('not an expression')
    first.push(part)
    at += part.size
  }
  return first
}

/** The operands in arguments that are expressions. */
export function operands(expressions: readonly unknown[]): Operand[] {
  return firstParts(expressions).map((part) => part.operand)
}

/** The operand in an argument that is one expression. */
export function operand(of: unknown): Operand {
  if (typeof of === 'string') return fromBase64(of)
  const [first, ...others] = operands([of])
  if (first === undefined || others.length > 0) throw new ArgumentFailure('not one expression')
  return first
}

/**
 * The engine's expression, as `where` and the operations `read` and `write` take it.
 *
 * @param of - An expression, or the result of `expressionToBase64`.
 * @throws ArgumentFailure with the code of the call's error
 */
export function toNativeExpression(of: AerospikeExp | string): Expression {
  const whole = operand(of)
  return asArgument(() => {
    const result =
      whole instanceof Expression ? (whole as Expression) : engineExpression('value', whole)
    return markersUsed ? withMarkers(result) : result
  })
}

/**
 * The same, for a filter: nodes take only those that are true or false.
 *
 * @throws ArgumentFailure with the code of the call's error
 */
export function toNativeFilter(of: AerospikeExp | string): Expression {
  if (Array.isArray(of) && of.length === 0) {
    throw new ArgumentFailure('an empty expression', INVALID_REQUEST)
  }
  const filter = toNativeExpression(of)
  const { kind } = filter
  if (kind !== undefined && kind !== 'bool') {
    throw new ArgumentFailure(`a filter must be a bool, not ${kind}`, INVALID_REQUEST)
  }
  return filter
}

/** The wire format of an expression, in base64. */
export function expressionToBase64(of: AerospikeExp): string {
  if (!Array.isArray(of)) throw new TypeError('Expression must be an array')
  return asArgument(() => toNativeExpression(of).toBytes()).toString('base64')
}

function fromBase64(text: string): Expression {
  try {
    return Expression.fromBytes(Buffer.from(text, 'base64'))
  } catch (error) {
    throw new ArgumentFailure((error as Error).message, INVALID_REQUEST)
  }
}
