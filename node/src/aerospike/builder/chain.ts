/** A chain of several steps, run as one batch with the rows of all steps and keys. */

import { inspect } from 'node:util'
import type { BatchOptions } from '../batch/many.js'
import { Row } from '../batch/rows.js'
import { LIMITS } from '../command/options.js'
import type { Key } from '../model/key.js'
import type { Missing } from './results.js'
import type { StepOptions } from './step.js'

/** A step of a chain. */
interface Part {
  readonly before: Part | undefined
  readonly options: StepOptions | undefined
  readonly verb: { readonly missing: Missing }
  checkBatch(): void
  consumeKeys(): Iterable<Key> | AsyncIterable<Key>
  rowOf(options: StepOptions): Row
}

/** Options of the whole call. All other options apply to rows. */
const OF_THE_CALL: ReadonlySet<string> = new Set([...LIMITS, 'deadline'])

/** A row that is that of its step, with a key of its own. It is encoded once for all keys. */
class StepRow extends Row {
  readonly #of: { row: () => Row; encoded?: ReturnType<Row['encoded']> }

  constructor(key: Key, of: { row: () => Row }) {
    super(key)
    this.#of = of
  }

  override encoded(): ReturnType<Row['encoded']> {
    // Not before the batch asks for it, so that errors name the row.
    this.#of.encoded ??= this.#of.row().encoded()
    return this.#of.encoded
  }
}

/** The batch of the chain that ends with this step, and how missing records are treated, by row. */
export function chainOf(last: Part): { rows: Row[]; options: BatchOptions; missing: Missing[] } {
  const parts: Part[] = []
  for (let part: Part | undefined = last; part !== undefined; part = part.before) parts.push(part)
  const whole: StepOptions = {}
  const rows: Row[] = []
  const missing: Missing[] = []
  for (const part of parts.reverse()) {
    const own = divided(part, whole)
    const shared = { row: () => part.rowOf(own) }
    for (const key of part.consumeKeys() as Iterable<Key>) {
      rows.push(new StepRow(key, shared))
      missing.push(part.verb.missing)
    }
  }
  return { rows, options: whole as BatchOptions, missing }
}

/** The options of a step's rows. Those of the whole call go to `whole`. */
export function divided(
  part: Pick<Part, 'options' | 'checkBatch'>,
  whole: StepOptions,
): StepOptions {
  const own: StepOptions = {}
  if (part.options === undefined) return own
  part.checkBatch()
  for (const [name, value] of Object.entries(part.options)) {
    if (!OF_THE_CALL.has(name)) own[name] = value
    else if (!(name in whole)) whole[name] = value
    else if (whole[name] !== value) {
      throw new RangeError(
        `steps of one chain have different values for ${name}: ` +
          `${inspect(whole[name])} and ${inspect(value)}`,
      )
    }
  }
  return own
}
