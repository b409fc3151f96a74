/** The options that a call would use, and their sources. */

import { inspect } from 'node:util'
import type { Connection } from '../../bridge/connection.js'
import { native } from '../model/native.js'
import { modeOf, type Target, writes } from './modes.js'
import type { Mode } from './profile.js'
import { dependsOnMode, OF_CLIENT, OF_DATASET, profileOf, settingsOf, stateName } from './views.js'

/** An option that a call would use. */
export interface Used {
  readonly option: string
  readonly value: unknown
  /** `'the call'`, a place in a profile, `'the client'` or `'the default'`. */
  readonly source: string
}

/** The options that a call would use, by name; as text, one per line. */
export class Explanation extends Map<string, Used> {
  /** The verb that is called; in `steps` the verb of the step. */
  readonly verb: string
  /**
   * The mode of the call's namespace. `null` if it is not known; then the sections for modes do not
   * apply.
   */
  readonly consistency: Mode | null
  /** For a chain of the builder: what the rows of each step would use, in order. */
  readonly steps: readonly Explanation[]
  readonly #depends: boolean

  /** @internal */
  constructor(
    verb: string,
    used: Iterable<Used>,
    consistency: Mode | null,
    depends: boolean,
    steps: readonly Explanation[] = [],
  ) {
    super()
    for (const it of used) this.set(it.option, it)
    this.verb = verb
    this.consistency = consistency
    this.steps = steps
    this.#depends = depends
  }

  /** @internal The explanation of a chain, of that of its batch. */
  static ofChain(
    batch: Explanation,
    used: Iterable<Used>,
    steps: readonly Explanation[],
  ): Explanation {
    return new Explanation(batch.verb, used, batch.consistency, batch.#depends, steps)
  }

  override toString(): string {
    const line = ({ option, value, source }: Used) => `${option} = ${inspect(value)}  (${source})`
    const lines = [...this.values()].map(line)
    for (const [at, step] of this.steps.entries()) {
      lines.push(`step ${at + 1}, ${step.verb}:`)
      for (const used of step.values()) lines.push(`  ${line(used)}`)
    }
    if (this.#depends) {
      const known = `the namespace is '${this.consistency}'`
      const unknown = "not known: neither 'available' nor 'strong' holds"
      lines.push(`consistency: ${this.consistency === null ? unknown : known}`)
    }
    return lines.join('\n')
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

/** The options that clients were connected with. */
const opened = new WeakMap<Connection, { readonly [option: string]: unknown }>()

/** Options that no call inherits, and that are not stored: secrets, and what may be large. */
const NOT_STORED = ['password', 'tls', 'signal']

/** Keeps the options of a client, for explanations. */
export function rememberOptions(connection: Connection, options: object): void {
  const stored = Object.entries(options).filter(([name]) => !NOT_STORED.includes(name))
  opened.set(connection, Object.fromEntries(stored))
}

/** Options about the subject of a call, which no profile has. */
const SUBJECTS = new Set([
  ...['bins', 'default', 'where', 'generation', 'onLockingOnly', 'respondAllKeys', 'signal'],
  ...['schema', 'key', 'errors', 'index', 'requireIndex', 'requireHint', 'serverFilter'],
  ...['operations', 'includeValues', 'limit', 'partitions', 'after', 'resume'],
])

const SOURCES = ['the call', 'the profile', 'the client', 'the default'] as const

/** `explain` of a client or dataset; `args` are those of the call. */
export function explained(
  target: Target,
  home: Connection,
  ofClient: boolean,
  verb: string,
  args: readonly unknown[],
): Explanation {
  const places = ofClient ? OF_CLIENT : OF_DATASET
  const at = Object.hasOwn(places, verb) ? places[verb] : undefined
  if (at === undefined) {
    const known = Object.keys(places).join(', ')
    throw new RangeError(`there is no verb '${verb}'; there are: ${known}`)
  }
  const options = optionsAt(args, at)
  const writing = verb.startsWith('operate') && !verb.endsWith('All') && writes(args[1])
  const [valued, empty]: [string[], string[]] = [[], []]
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || SUBJECTS.has(name)) continue
    native.profileCheck(stateName(verb), name, value)
    ;(value === null ? empty : valued).push(name)
  }
  const mode = modeOf(target, verb, args, ofClient)
  const profile = profileOf(target)
  const call = profile === null ? undefined : settingsOf(profile.state, verb, writing, mode)
  const settings = call?.options ?? {}
  const inherited = opened.get(home) ?? {}
  const set = (values: object) =>
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [name],
    )
  const flat = native.profileExplain(
    stateName(verb),
    writing,
    valued,
    empty,
    set(settings),
    set(inherited),
  )
  const used: Used[] = []
  for (let part = 0; part < flat.length; part += 3) {
    const [option, source, byDefault] = flat.slice(part, part + 3) as [string, number, unknown]
    const value = [options[option], settings[option], inherited[option], byDefault][source]
    const text = source === 1 ? (call?.sources[option] as string) : (SOURCES[source] as string)
    used.push({ option, value, source: text })
  }
  const depends = profile !== null && dependsOnMode(profile.state, verb)
  return new Explanation(verb, used, mode ?? null, depends)
}

function optionsAt(args: readonly unknown[], at: number): { readonly [option: string]: unknown } {
  const options = args[at]
  if (options === undefined || options === null || typeof options === 'function') return {}
  const kind = Array.isArray(options) ? 'an array' : typeof options
  if (kind === 'object') return options as { readonly [option: string]: unknown }
  throw new TypeError(`options must be an object, not ${kind}`)
}
