/** What the call of a step, or of a chain, would use. */

import { isAsyncIterable } from '../../bridge/input.js'
import { Read } from '../batch/rows.js'
import type { KeyVerbs } from '../key-verbs.js'
import { Key } from '../model/key.js'
import { Explanation, explained, type Used } from '../profiles/explain.js'
import { divided } from './chain.js'
import { isIterator, type SomeKeys } from './keys.js'
import type { StepOptions } from './step.js'

/** A step on keys. */
interface Part {
  readonly verbs: KeyVerbs
  readonly verb: { readonly name: string; readonly exists?: unknown }
  readonly keys: SomeKeys
  readonly before: Part | undefined
  readonly options: StepOptions | undefined
  readonly rowOptions: readonly string[]
  checkBatch(): void
  callOf(keys: unknown, isOne: boolean): readonly [verb: string, ...args: unknown[]]
}

/** Options of a batch that concern its rows. */
const OF_ROWS: ReadonlySet<string> = new Set([
  ...['readMode', 'readTouch', 'ttl', 'exists', 'durable', 'sendKey'],
])

/** `explain` of a step on its own. */
export function explainedStep(step: Part): Explanation {
  const { keys, verbs } = step
  const isOne = keys instanceof Key
  if (!isOne) step.checkBatch()
  const [verb, ...args] = step.callOf(isOne ? keys : keysOf(step), isOne)
  return explained(verbs, verbs.connection, true, verb, args)
}

/** `explain` of a chain: of its batch, with the rows of each step. */
export function explainedChain(last: Part): Explanation {
  const parts: Part[] = []
  for (let part: Part | undefined = last; part !== undefined; part = part.before) parts.push(part)
  parts.reverse()
  const whole: StepOptions = {}
  const own = parts.map((part) => divided(part, whole))
  const rows = parts.flatMap((part) => keysOf(part).map((key) => new Read(key)))
  const { verbs } = last
  const batch = explained(verbs, verbs.connection, true, 'batch', [rows, whole])
  const used = [...batch.values()].filter(({ option }) => !OF_ROWS.has(option))
  const steps = parts.map((part, at) => explainedRow(part, own[at] as StepOptions, batch))
  return Explanation.ofChain(batch, used, steps)
}

/** What the rows of a step would use. */
function explainedRow(part: Part, own: StepOptions, batch: Explanation): Explanation {
  const { name: verb, exists } = part.verb
  const used = part.rowOptions.map((option): Used => {
    if (option === 'exists' && exists !== undefined) {
      return { option, value: exists, source: 'the step' }
    }
    if (own[option] !== undefined) return { option, value: own[option], source: 'the step' }
    const inherited = batch.get(option)
    // For `delete` the option has another meaning than for rows.
    if (inherited !== undefined && !(verb === 'delete' && option === 'sendKey')) return inherited
    return { option, value: option === 'sendKey' ? false : undefined, source: 'the default' }
  })
  return new Explanation(verb, used, batch.consistency, false)
}

/** The keys of a step. An iterator is not consumed, because the call needs its keys. */
function keysOf({ keys }: Part): Key[] {
  if (keys instanceof Key) return [keys]
  return isIterator(keys) || isAsyncIterable(keys) ? [] : [...(keys as Iterable<Key>)]
}
