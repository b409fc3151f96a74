/** A profile: a named set of options by kind of operation. */

import { inspect } from 'node:util'
import { native } from '../model/native.js'
import type { ProfileOptions } from './sections.js'

/** A mistake in a profile; for a file, with its place. */
export class ProfileError extends RangeError {
  /** The file; `null` for a profile of the program. */
  readonly file: string | null
  /** The line in the file; `null` if it is not known. */
  readonly line: number | null
  /** The option or section, such as `'fast.read.timeout'`. */
  readonly key: string

  /** @internal */
  constructor(
    message: string,
    key: string,
    file: string | null = null,
    line: number | null = null,
  ) {
    const place = file === null ? [] : [file]
    if (line !== null) place.push(`line ${line}`)
    if (key !== '') place.push(key)
    super(place.length === 0 ? message : `${place.join(', ')}: ${message}`)
    this.name = 'ProfileError'
    this.file = file
    this.line = line
    this.key = key
  }
}

/** The consistency mode of a namespace. */
export type Mode = 'available' | 'strong'

/** An option that a profile sets. */
export interface Setting {
  readonly section: string
  /** Its name in the engine. */
  readonly option: string
  /** Its section and its name, as in `'read.timeout'`. */
  readonly place: string
  readonly value: unknown
  /** Where it was set, in words. */
  readonly source: string
}

/** The settings of a kind of call: as options, and their sources. */
export interface CallState {
  /** The options; `undefined` if there are none. */
  readonly options: { readonly [option: string]: unknown } | undefined
  readonly sources: { readonly [option: string]: string }
}

/** The settings of a verb, for operations that read or write, by the mode of the namespace. */
type VerbState = { [key in 'reading' | 'writing']: { [mode in Mode | 'unknown']: CallState } }

/** The settings of a profile, and what follows from them. */
export class State {
  readonly settings: readonly Setting[]
  /** By verb. */
  readonly calls = new Map<string, VerbState>()

  constructor(settings: readonly Setting[]) {
    this.settings = settings
    const parts = native.profileCalls(settings.flatMap(({ section, option }) => [section, option]))
    for (let at = 0; at < parts.length; at += 4) {
      const [verb, writing, mode, numbers] = parts.slice(at, at + 4) as [
        string,
        boolean,
        Mode | null,
        number[],
      ]
      const state = call(numbers.map((number) => settings[number] as Setting))
      const verbState = this.calls.get(verb) ?? ({ reading: {}, writing: {} } as VerbState)
      verbState[writing ? 'writing' : 'reading'][mode ?? 'unknown'] = state
      this.calls.set(verb, verbState)
    }
  }

  /** These settings, completed with those of a base. */
  over(base: State): State {
    const isOwn = ({ section, option }: Setting) =>
      this.settings.some((own) => own.section === section && own.option === option)
    return new State([...base.settings.filter((it) => !isOwn(it)), ...this.settings])
  }
}

function call(settings: Setting[]): CallState {
  if (settings.length === 0) return { options: undefined, sources: {} }
  const options: { [option: string]: unknown } = {}
  const sources: { [option: string]: string } = {}
  for (const { place, value, source } of settings) {
    const name = place.slice(place.lastIndexOf('.') + 1)
    options[name] = value
    sources[name] = source
  }
  return { options: Object.freeze(options), sources }
}

/** What is told that a profile has changed. */
export interface Dependent {
  profileChanged(): void
}

const BARE = Symbol('bare')

/**
 * Options by kind of operation, for `client.withProfile(profile)`.
 *
 * Options are those for all verbs that take them, and sections: `read` and `write`, each with
 * `point` and `many`; `write` also with `retryable` and `notRetryable`; `batch`, `query` and `job`;
 * and each of these with `strong` and `available`, for namespaces with and without strong
 * consistency. The most specific section wins, and an option of the call itself takes precedence
 * over all of them. `null` stands for the client's own option.
 */
export class Profile {
  /** Its name, for messages. */
  readonly name: string
  #own: State
  #state: State
  #base: Profile | undefined
  /** Derived profiles, which may be forgotten, and views, which live as long as this. */
  readonly #derived = new Set<WeakRef<Dependent>>()
  readonly #views: Dependent[] = []
  /** Keeps what its base refers to, for as long as this lives. */
  #link: Dependent | undefined

  /** @throws ProfileError that names section and option */
  constructor(name?: string, options?: ProfileOptions)
  /** @internal */
  constructor(name: string, state: State, bare: typeof BARE)
  constructor(name = 'profile', options: ProfileOptions | State = {}, bare?: typeof BARE) {
    if (typeof name !== 'string') {
      throw new TypeError(`a profile's name must be a string, not ${typeof name}`)
    }
    this.name = name
    this.#own = bare === BARE ? (options as State) : compiled(name, options)
    this.#state = this.#own
  }

  /** @internal A profile with these settings. */
  static withState(name: string, state: State): Profile {
    return new Profile(name, state, BARE)
  }

  /**
   * A profile based on this one, with further or different options. It is updated when this one is
   * reloaded.
   *
   * @throws ProfileError that names section and option
   */
  derive(name: string, options: ProfileOptions = {}): Profile {
    const derived = new Profile(name, options)
    derived.#base = this
    derived.#link = { profileChanged: () => derived.#changed() }
    this.#derived.add(new WeakRef(derived.#link))
    derived.#derive()
    return derived
  }

  /** Its options, including inherited ones, by place: `{ 'read.timeout': 100 }`. */
  get options(): { [place: string]: unknown } {
    return Object.fromEntries(this.#state.settings.map(({ place, value }) => [place, value]))
  }

  /** @internal What it says, with what it derives from. */
  get state(): State {
    return this.#state
  }

  /** @internal Registers views that live as long as this profile. */
  attach(views: Dependent): void {
    this.#views.push(views)
  }

  /** @internal Replaces the profile's own settings. */
  replace(state: State): void {
    this.#own = state
    this.#changed()
  }

  #derive(): void {
    this.#state = this.#base === undefined ? this.#own : this.#own.over(this.#base.#state)
  }

  #changed(): void {
    this.#derive()
    for (const reference of this.#derived) {
      const derived = reference.deref()
      if (derived === undefined) this.#derived.delete(reference)
      else derived.profileChanged()
    }
    for (const views of this.#views) views.profileChanged()
  }

  toString(): string {
    const options = Object.entries(this.options).map(([place, it]) => `${place}: ${inspect(it)}`)
    return `Profile(${this.name}; ${options.join(', ') || 'the options of the client'})`
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

function compiled(name: string, options: unknown): State {
  const [place, message, flat] = native.profileCompile(options)
  if (message !== null) {
    throw new ProfileError(message, place === '' ? name : `${name}.${place}`)
  }
  const settings: Setting[] = []
  for (let at = 0; at < flat.length; at += 4) {
    const [section, option, where, value] = flat.slice(at, at + 4) as [
      string,
      string,
      string,
      unknown,
    ]
    const source = `profile '${name}', ${where}`
    settings.push({ section, option, place: where, value, source })
  }
  return new State(settings)
}
