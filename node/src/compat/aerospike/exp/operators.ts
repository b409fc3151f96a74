/** Comparisons, logic, calculations and variables in expressions. */

import { Double } from '../../../aerospike/model/values.js'
import { Expression, type Operand } from '../../../aerospike/operation/expression.js'
import {
  type AerospikeExp,
  checkExpressions,
  ExpressionPart,
  engineExpression,
  expression,
  firstParts,
  operand,
  operands,
} from '../expression.js'
import { ArgumentFailure, INVALID_REQUEST } from '../failures.js'
import { OPERATOR } from '../numbers.js'

/** The type of an operand that is a number, if it is known. */
function numberKind(of: Operand): string | undefined {
  if (of instanceof Expression) return of.kind
  if (of instanceof Double) return 'float'
  if (typeof of === 'number') return Number.isInteger(of) ? 'int' : 'float'
  return typeof of === 'bigint' ? 'int' : undefined
}

/** Whether it is an integer constant. */
function isWhole(of: Operand): boolean {
  return typeof of === 'bigint' || (typeof of === 'number' && Number.isInteger(of))
}

const OF_FLOATS = ['**', 'log', 'floor', 'ceil', 'toInt']

/**
 * The operands, among which there are not both integers and floats: the engine would take integer
 * constants for floats, but a node does not.
 */
function withoutMixing(all: Operand[], isFloat = false): Operand[] {
  if (!all.some(isWhole)) return all
  const kinds = all.map(numberKind)
  if (kinds.includes('int') && (isFloat || kinds.includes('float'))) {
    throw new ArgumentFailure('operands are both integers and floats', INVALID_REQUEST)
  }
  return all
}

function comparison(
  op: number,
  operator: string,
): (left: AerospikeExp, right: AerospikeExp) => AerospikeExp {
  return (left, right) =>
    expression(
      op,
      () => engineExpression('join', operator, ...withoutMixing([operand(left), operand(right)])),
      [left, right],
    )
}

/** Whether both are equal. */
export const eq = comparison(OPERATOR.EQ, '==')
/** Whether they are not equal. */
export const ne = comparison(OPERATOR.NE, '!=')
/** Whether the first is greater. */
export const gt = comparison(OPERATOR.GT, '>')
/** Whether the first is greater or equal. */
export const ge = comparison(OPERATOR.GE, '>=')
/** Whether the first is less. */
export const lt = comparison(OPERATOR.LT, '<')
/** Whether the first is less or equal. */
export const le = comparison(OPERATOR.LE, '<=')

/** An operator on some operands. */
function operator(op: number, word: string): (...operands: AerospikeExp[]) => AerospikeExp {
  const isFloat = OF_FLOATS.includes(word)
  return (...all) => {
    const make = (): Operand =>
      engineExpression('apply', word, withoutMixing(operands(all), isFloat))
    return expression(op, make, all)
  }
}

/** An operator on two operands. */
function binary(
  op: number,
  word: string,
): (left: AerospikeExp, right: AerospikeExp) => AerospikeExp {
  return operator(op, word)
}

/** An operator on one operand. */
function unary(op: number, word: string): (operand: AerospikeExp) => AerospikeExp {
  const build = operator(op, word)
  return (operand) => {
    checkExpressions(operand)
    return build(operand)
  }
}

const IGNORE_CASE = 2
const NEWLINE = 4
const EXTENDED = 1

/** Whether a string matches a POSIX pattern; `options` are of `regex`. */
export function cmpRegex(options: number, regex: string, cmpStr: AerospikeExp): AerospikeExp {
  checkExpressions(cmpStr)
  const flags = [options & IGNORE_CASE, options & NEWLINE, ~options & EXTENDED].map(Boolean)
  return expression(OPERATOR.REGEX, () =>
    engineExpression('matches', operand(cmpStr), regex, ...flags),
  )
}

/** Whether a point lies in a region. */
export const cmpGeo = binary(OPERATOR.GEO, 'geoCompare')
/** Whether a list contains a value. */
export const inList = binary(OPERATOR.IN_LIST, 'in')
/** The keys of a map, as a list. On servers from 8.1.1. */
export const mapKeys = unary(OPERATOR.MAP_KEYS, 'mapKeys')
/** The values of a map, as a list. On servers from 8.1.1. */
export const mapValues = unary(OPERATOR.MAP_VALUES, 'mapValues')

/** Logical negation. */
export const not = unary(OPERATOR.NOT, 'not')
/** Whether all operands are true. */
export const and = operator(OPERATOR.AND, 'and')
/** Whether at least one operand is true. */
export const or = operator(OPERATOR.OR, 'or')
/** Whether exactly one operand is true. */
export const exclusive = operator(OPERATOR.EXCLUSIVE, 'exclusive')

/** The sum. */
export const add = operator(OPERATOR.ADD, '+')
/** The first operand without the other ones; a single one is negated. */
export const sub = operator(OPERATOR.SUB, '-')
/** The product. */
export const mul = operator(OPERATOR.MUL, '*')
/** The first operand divided by the other ones; `1 / x` for a single one. */
export const div = operator(OPERATOR.DIV, '/')
/** A float to the power of another. */
export const pow = binary(OPERATOR.POW, '**')
/** The logarithm of a float to a base. */
export const log = binary(OPERATOR.LOG, 'log')
/** The remainder of an integer division. */
export const mod = operator(OPERATOR.MOD, '%')
/** The absolute value. */
export const abs = operator(OPERATOR.ABS, 'abs')
/** A float rounded down. */
export const floor = operator(OPERATOR.FLOOR, 'floor')
/** A float rounded up. */
export const ceil = operator(OPERATOR.CEIL, 'ceil')
/** A float as an integer. */
export const toInt = operator(OPERATOR.TO_INT, 'toInt')
/** An integer as a float. */
export const toFloat = operator(OPERATOR.TO_FLOAT, 'toFloat')
/** Bitwise AND. */
export const intAnd = operator(OPERATOR.INT_AND, '&')
/** Bitwise OR. */
export const intOr = operator(OPERATOR.INT_OR, '|')
/** Bitwise XOR. */
export const intXor = operator(OPERATOR.INT_XOR, '^')
/** Bitwise NOT. */
export const intNot = operator(OPERATOR.INT_NOT, '~')
/** An integer shifted left. */
export const intLshift = binary(OPERATOR.INT_LSHIFT, '<<')
/** An integer shifted right, filled with zeros. */
export const intRshift = binary(OPERATOR.INT_RSHIFT, '>>>')
/** An integer shifted right, filled with the sign. */
export const intArshift = binary(OPERATOR.INT_ARSHIFT, '>>')
/** The number of bits of an integer that are 1. */
export const intCount = operator(OPERATOR.INT_COUNT, 'countOneBits')
/** The position of the first bit with a value, from the most significant; -1 if there is none. */
export const intLscan = operator(OPERATOR.INT_LSCAN, 'findBitLeft')
/** The position of the last bit with a value; -1 if there is none. */
export const intRscan = operator(OPERATOR.INT_RSCAN, 'findBitRight')
/** The smallest of numbers of one type. */
export const min = operator(OPERATOR.MIN, 'min')
/** The largest of numbers of one type. */
export const max = operator(OPERATOR.MAX, 'max')
/** `cond(test, value, ..., default)`: the value after the first true test. */
export const cond = operator(OPERATOR.COND, 'when')

/** The last bytes of the digest modulo a number, an integer constant. */
export function digestModulo(modulus: AerospikeExp): AerospikeExp {
  return expression(OPERATOR.DIGEST_MODULO, () =>
    engineExpression('digestModulo', ...operands([modulus])),
  )
}

/** A variable of `let`. */
class Definition extends ExpressionPart {
  readonly name: string
  readonly value: AerospikeExp

  constructor(name: string, value: AerospikeExp) {
    const make = () => {
      throw new ArgumentFailure('exp.def belongs into exp.let', INVALID_REQUEST)
    }
    super(OPERATOR.DEF, make, 1 + value.length)
    this.name = name
    this.value = value
  }
}

/** A variable, for `let`. */
export function def(varName: string, expr: AerospikeExp): AerospikeExp {
  checkExpressions(expr)
  return [new Definition(varName, expr), ...expr]
}

/** Variables (`def`), and at the end the expression in which they are defined. */
function bind(...parts: AerospikeExp[]): AerospikeExp {
  const make = (): Operand => {
    const all = firstParts(parts)
    const [scope] = all.slice(-1)
    const definitions = all.slice(0, -1)
    if (scope === undefined || !definitions.every((part) => part instanceof Definition)) {
      throw new ArgumentFailure('exp.let takes exp.def before its last argument', INVALID_REQUEST)
    }
    const names = definitions.map((part) => part.name)
    const values = definitions.map((part) => operand(part.value))
    return engineExpression('let', names, values, scope.operand)
  }
  return expression(OPERATOR.LET, make, parts)
}

/** The value of a variable. */
function variable(varName: string): AerospikeExp {
  return expression(OPERATOR.VAR, () => engineExpression('var', varName))
}

export { bind as let, variable as var }
