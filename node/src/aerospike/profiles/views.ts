/**
 * Classes of clients and datasets with a profile: subclasses whose verbs fill in the options that a
 * call leaves out. A verb that the profile does not affect is the class's own.
 */

import { listed, modeOf, type Target, writes } from './modes.js'
import { type CallState, type Dependent, Profile, type State } from './profile.js'

/** Which argument of each verb has its options. */
export type Places = { readonly [verb: string]: number }

const OF_KEYS: Places = {
  ...{ get: 1, exists: 1, put: 2, add: 2, append: 2, prepend: 2, delete: 1, touch: 1 },
  ...{ apply: 4, operate: 2, getMany: 1, getColumns: 1, getArrow: 1, existsMany: 1 },
  ...{ putMany: 1, deleteMany: 1, operateMany: 2, applyMany: 4, batch: 1 },
}
/** Of datasets. */
export const OF_DATASET: Places = {
  ...OF_KEYS,
  ...{ query: 0, operateAll: 1, deleteAll: 0, touchAll: 0, applyAll: 3 },
}
/** Of clients, and of clients in a transaction. */
export const OF_CLIENT: Places = {
  ...OF_KEYS,
  ...{ query: 2, operateAll: 3, deleteAll: 2, touchAll: 2, applyAll: 5 },
}

type Class = new (...args: never[]) => object
// biome-ignore lint/suspicious/noExplicitAny: verbs of any class
type Verb = (...args: any[]) => unknown

/** The class's own verb. */
function verbOf(base: Class, verb: string): Verb {
  return (base.prototype as { [verb: string]: Verb })[verb] as Verb
}

/** The profiles of classes of views. */
const profiles = new WeakMap<object, Profile>()
const classes = new WeakMap<Profile, Map<Class, Class>>()

/** The profile of a client or dataset; `null` if it has none. */
export function profileOf(target: object): Profile | null {
  return profiles.get(Object.getPrototypeOf(target)) ?? null
}

/** The class of views of `base` with a profile. */
export function viewClass<C extends Class>(base: C, profile: Profile, places: Places): C {
  if (!(profile instanceof Profile)) {
    const kind = profile === null ? 'null' : typeof profile
    throw new TypeError(`profile must be a Profile, not ${kind}`)
  }
  const known = classes.get(profile) ?? new Map<Class, Class>()
  classes.set(profile, known)
  const existing = known.get(base)
  if (existing !== undefined) return existing as C
  const view = class extends (base as unknown as new () => object) {}
  Object.defineProperty(view, 'name', { value: base.name })
  profiles.set(view.prototype, profile)
  const views = new ViewVerbs(base, view.prototype, profile, places)
  views.profileChanged()
  profile.attach(views)
  known.set(base, view)
  return view as unknown as C
}

/** The verbs of a class of views, which change with its profile. */
class ViewVerbs implements Dependent {
  readonly #base: Class
  readonly #prototype: object
  readonly #profile: Profile
  readonly #places: Places

  constructor(base: Class, prototype: object, profile: Profile, places: Places) {
    this.#base = base
    this.#prototype = prototype
    this.#profile = profile
    this.#places = places
  }

  profileChanged(): void {
    for (const [name, at] of Object.entries(this.#places)) {
      const own = verbOf(this.#base, name)
      const verb = own === undefined ? own : this.#verb(own, name, at)
      if (verb === own) {
        Reflect.deleteProperty(this.#prototype, name)
      } else {
        const property = { value: verb, writable: true, configurable: true }
        Object.defineProperty(this.#prototype, name, property)
      }
    }
  }

  /** A verb with the profile's options, in its cheapest form. */
  #verb(own: Verb, name: string, at: number): Verb {
    const calls = this.#profile.state.calls.get(stateName(name))
    if (calls === undefined) return own
    const { reading, writing } = calls
    const operates = name === 'operate' || name === 'operateMany'
    const all = [reading, ...(operates ? [writing] : [])].flatMap((it) => [
      ...[it.unknown, it.available, it.strong],
    ])
    if (all.every(({ options }) => options === undefined)) return own
    const first = all[0] as CallState
    if (all.every((state) => isSame(state, first))) return filled(own, at, first.options)
    const ofClient = this.#places === OF_CLIENT
    return function (this: Target, ...args: unknown[]) {
      const passed = listed(name, args)
      const mode = modeOf(this, name, passed, ofClient) ?? 'unknown'
      const state = operates && writes(passed[1]) ? writing : reading
      return own.apply(this, withDefaults(passed, at, state[mode].options))
    }
  }
}

/** The name under which a profile knows a verb. */
export function stateName(verb: string): string {
  return verb === 'getArrow' ? 'getColumns' : verb
}

function isSame(one: CallState, other: CallState): boolean {
  const [a = {}, b = {}] = [one.options, other.options]
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.is(a[name], b[name]))
  )
}

/** A verb that always has the same options. */
function filled(own: Verb, at: number, options: CallState['options']): Verb {
  return function (this: object, ...args: unknown[]) {
    return own.apply(this, withDefaults(args, at, options))
  }
}

/** The arguments of a call, with the options that it leaves out. */
function withDefaults(args: unknown[], at: number, defaults: CallState['options']): unknown[] {
  if (defaults === undefined) return args
  const own = args[at]
  if (own === undefined || own === null) {
    while (args.length < at) args.push(undefined)
    args[at] = defaults
  } else if (typeof own === 'function') {
    args.splice(at, 0, defaults)
  } else if (typeof own === 'object' && !Array.isArray(own)) {
    const merged: { [name: string]: unknown } = { ...defaults }
    for (const name in own) {
      const value = (own as { [name: string]: unknown })[name]
      if (value !== undefined) merged[name] = value
    }
    args[at] = merged
  }
  return args
}

/** The settings of a profile for a call. */
export function settingsOf(
  state: State,
  verb: string,
  writing: boolean,
  mode: 'available' | 'strong' | undefined,
): CallState | undefined {
  return state.calls.get(stateName(verb))?.[writing ? 'writing' : 'reading'][mode ?? 'unknown']
}

/** Whether the options of a verb depend on the mode of the namespace. */
export function dependsOnMode(state: State, verb: string): boolean {
  const calls = state.calls.get(stateName(verb))
  if (calls === undefined) return false
  return [calls.reading, calls.writing].some(
    (it) =>
      it.unknown !== undefined &&
      !(isSame(it.unknown, it.available) && isSame(it.unknown, it.strong)),
  )
}
