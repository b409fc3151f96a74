/** Makes results of what the native session returns. */

import type { Rows } from '../../cql/rows.js'
import type { ExecutionOptions } from './contracts.js'
import type { Outcome } from './policy-runs.js'
import { ResultSet } from './result-set.js'
import { consistencies } from './types/constants.js'
import type { Row } from './types/row.js'
import { uuidOfText } from './types/uuid.js'

type Tried = { [address: string]: Error | null }

const triedAlone = new Map<string, Tried>()

/** The hosts that were tried if this one answered first. A copy costs less than a new name. */
function onlyTried(node: string): Tried {
  let tried = triedAlone.get(node)
  if (tried === undefined) {
    tried = { [node]: null }
    triedAlone.set(node, tried)
  }
  return { ...tried }
}

/** The result of a statement that the engine executed. */
export function resultByEngine(rows: Rows<Row>, options: ExecutionOptions): ResultSet {
  const { node, attempts } = rows
  return resultFrom(rows, onlyTried(node), attempts - 1, options.getConsistency(), options)
}

/** The result of a statement that was executed under policies of the program. */
export function resultOf(outcome: Outcome<Row>, options: ExecutionOptions): ResultSet {
  const { rows, node, tried, consistency } = outcome
  if (rows === undefined) {
    return new ResultSet({ rows: [] }, node, tried, 0, consistency ?? consistencies.localOne)
  }
  const copies = rows.attempts - Object.keys(tried).length
  return resultFrom(rows, tried, copies, consistency, options)
}

function resultFrom(
  rows: Rows<Row>,
  tried: Tried,
  copies: number,
  consistency: number | undefined,
  options: ExecutionOptions,
): ResultSet {
  const isVoid = rows.columns.length === 0
  const traceId = rows.tracingIds[0]
  const payload = options.getCustomPayload() === undefined ? undefined : rows.payload
  const flags = {
    traceId: traceId === undefined ? undefined : uuidOfText(traceId),
    warnings: rows.warnings.length > 0 ? [...rows.warnings] : undefined,
    customPayload: payload !== undefined && Object.keys(payload).length > 0 ? payload : undefined,
  }
  return new ResultSet(
    isVoid
      ? { flags }
      : {
          flags,
          rows: rows.rows as Row[],
          meta: { columns: rows.columns as never, pageState: rows.pagingState },
        },
    rows.node,
    tried,
    copies,
    consistency ?? consistencies.localOne,
    rows.schemaAgreed,
  )
}
