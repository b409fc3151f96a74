/** Expressions as programs build them, and their conversion for the engine. */

import { Expression, makeExpression, type Operand } from '../../aerospike/operation/expression.js'
import { ArgumentFailure, asArgument, INVALID_REQUEST } from './failures.js'

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
  readonly op: number;
  // biome-ignore lint/suspicious/noExplicitAny: the other client's type is as open
  [property: string]: any
  readonly #make: () => Operand
  #operand: Operand | undefined

  constructor(op: number, make: () => Operand) {
    this.op = op
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

/** An expression with this operator. */
export function expression(op: number, make: () => Operand): AerospikeExp {
  return [new ExpressionPart(op, make)]
}

const REMOVAL = 100

/** Whether this is `exp.removeResult()`, which removes elements and is not a value. */
export function isRemoval(of: unknown): boolean {
  return (
    Array.isArray(of) && of.length === 1 && of[0] instanceof ExpressionPart && of[0].op === REMOVAL
  )
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
  if (whole instanceof Expression) return whole as Expression
  return asArgument(() => makeExpression('value', whole))
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
