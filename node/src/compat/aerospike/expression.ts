/** Expressions as programs build them, and their conversion for the engine. */

import { Expression, makeExpression, type Operand } from '../../aerospike/operation/expression.js'
import { ArgumentFailure, asArgument, INVALID_REQUEST } from './failures.js'
import { OPERATOR } from './numbers.js'

/**
 * An expression. It is opaque: functions of `exp` create it, and it can be used many times.
 *
 * Its type is that of the other client, in which an array has one object for each part. Here it has a
 * single one.
 */
export type AerospikeExp = ExpressionPart[]

/** The object in an expression. */
export class ExpressionPart {
  /** The number of its operator. */
  readonly op: number
  /** Whether its value is an array of keys and values by turns. */
  readonly isPaired: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the other client's type is as open
  [property: string]: any
  readonly #make: () => Operand
  #operand: Operand | undefined

  constructor(op: number, make: () => Operand, isPaired = false) {
    this.op = op
    this.isPaired = isPaired
    this.#make = make
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

/** The engine's expression of a form; `makeExpression` says which there are. */
export function engineExpression(form: string, ...args: readonly unknown[]): Expression {
  return makeExpression(form, ...args)
}

/** An expression with this operator. */
export function expression(op: number, make: () => Operand, isPaired = false): AerospikeExp {
  return [new ExpressionPart(op, make, isPaired)]
}

/** Whether the value of an expression is an array of keys and values by turns. */
export function isPaired(of: unknown): boolean {
  return Array.isArray(of) && of.length === 1 && of[0] instanceof ExpressionPart && of[0].isPaired
}

/** Whether this is `exp.removeResult()`, which removes elements and is not a value. */
export function isRemoval(of: unknown): boolean {
  return (
    Array.isArray(of) &&
    of.length === 1 &&
    of[0] instanceof ExpressionPart &&
    of[0].op === OPERATOR.REMOVE_RESULT
  )
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

/** The operands in arguments that are expressions; arrays may also have been spread. */
export function operands(expressions: readonly unknown[]): Operand[] {
  return expressions.flat().map((part) => {
    if (!(part instanceof ExpressionPart)) throw new ArgumentFailure('not an expression')
    return part.operand
  })
}

/** The operand in an argument that is one expression. */
export function operand(of: unknown): Operand {
  if (typeof of === 'string') return fromBase64(of)
  const all = operands([of])
  if (all.length !== 1) throw new ArgumentFailure('an expression has one part')
  return all[0] as Operand
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
    const made =
      whole instanceof Expression ? (whole as Expression) : engineExpression('value', whole)
    return markersUsed ? withMarkers(made) : made
  })
}

/** The wire format of an expression, in base64. */
export function expressionToBase64(of: AerospikeExp): string {
  return asArgument(() => toNativeExpression(of).toBytes()).toString('base64')
}

function fromBase64(text: string): Expression {
  try {
    return Expression.fromBytes(Buffer.from(text, 'base64'))
  } catch (error) {
    throw new ArgumentFailure((error as Error).message, INVALID_REQUEST)
  }
}
