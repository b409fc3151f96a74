/** Profiles by name, from a file that may change while they are in use. */

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { native } from '../model/native.js'
import { Profile, ProfileError, type Setting, State } from './profile.js'

/** How long a file must be unchanged before it is read, in milliseconds. */
const SETTLED = 100
/** The longest interval of a timer. */
const LONGEST = 2 ** 31 - 1

/** Options of `profiles.watch`. */
export interface WatchOptions {
  /** How often the file is checked, in milliseconds. Default: 1,000. */
  every?: number | undefined
  /** Called with each mistake. Default: a warning of the process, once for each mistake. */
  onError?: ((error: Error) => void) | undefined
}

/**
 * Profiles by name, from a TOML or YAML file.
 *
 * Each is a table with options and sections as in `Profile`, with the names and units that they have
 * in every language: `send_key`, and seconds. `derives` names the profile that it is based on.
 * `reload()` and `watch()` update profiles in use, and with them every view.
 */
export class Profiles implements Iterable<[string, Profile]> {
  /** The file. */
  readonly path: string
  #text: Buffer = Buffer.alloc(0)
  #profiles = new Map<string, Profile>()

  /**
   * Reads a file.
   *
   * @throws ProfileError with file, line and key for mistakes; RangeError for another ending than
   * `.toml`, `.yaml`, `.yml`; Error with the system's `code` if it cannot be read
   */
  constructor(path: string | URL) {
    this.path = path instanceof URL ? fileURLToPath(path) : path
    if (typeof this.path !== 'string') {
      throw new TypeError(`path must be a string or a URL, not ${typeof path}`)
    }
    // An ending that is not known is said before a file that is missing.
    native.profileFile(Buffer.alloc(0), basename(this.path))
    this.#apply(readFileSync(this.path))
  }

  /**
   * Reads the file again; returns whether it has changed. The new profiles are applied only if all
   * of them are valid and none is missing. If it throws, the old profiles stay in effect.
   */
  reload(): boolean {
    const text = readFileSync(this.path)
    if (text.equals(this.#text)) return false
    this.#apply(text)
    return true
  }

  #apply(text: Buffer): void {
    const file = basename(this.path)
    const [message, line, key, flat] = native.profileFile(text, file)
    if (message !== null) throw new ProfileError(message, key, file, line)
    const states = new Map<string, State>()
    for (let at = 0; at < flat.length; at += 2) {
      states.set(flat[at] as string, new State(settings(flat[at + 1] as unknown[])))
    }
    for (const name of [...this.#profiles.keys()].sort()) {
      if (states.has(name)) continue
      throw new ProfileError('the profile was removed from the file, but may be in use', name, file)
    }
    const profiles = new Map<string, Profile>()
    for (const [name, state] of states) {
      const known = this.#profiles.get(name)
      known?.replace(state)
      profiles.set(name, known ?? Profile.withState(name, state))
    }
    this.#profiles = profiles
    this.#text = text
  }

  /**
   * Reloads when the file changes. A file is read once two checks, up to 100 ms apart, see the same
   * content. This does not keep the process alive. Stop with `stop()` of the returned object.
   *
   * @throws TypeError, RangeError for an interval that is none
   */
  watch(options: WatchOptions = {}): Watch {
    const { every = 1000, onError } = options
    if (typeof every !== 'number') {
      throw new TypeError(`every must be a number of milliseconds, not ${typeof every}`)
    }
    if (!(every > 0 && every <= LONGEST)) {
      throw new RangeError(`every must be a number of milliseconds above 0, not ${every}`)
    }
    if (onError !== undefined && typeof onError !== 'function') {
      throw new TypeError(`onError must be a function, not ${typeof onError}`)
    }
    return new Watch(this, every, onError)
  }

  /** @internal Whether this is what was read last. */
  isOf(text: Buffer): boolean {
    return text.equals(this.#text)
  }

  /**
   * The profile with this name.
   *
   * @throws RangeError if there is none
   */
  get(name: string): Profile {
    const profile = this.#profiles.get(name)
    if (profile !== undefined) return profile
    const known = [...this.#profiles.keys()].join(', ')
    throw new RangeError(
      `there is no profile '${name}' in ${basename(this.path)}; there are: ${known}`,
    )
  }

  /** Whether there is a profile with this name. */
  has(name: string): boolean {
    return this.#profiles.has(name)
  }

  /** The names, in the order of the file. */
  keys(): IterableIterator<string> {
    return this.#profiles.keys()
  }

  /** The number of profiles. */
  get size(): number {
    return this.#profiles.size
  }

  /** Names and profiles, in the order of the file. */
  [Symbol.iterator](): IterableIterator<[string, Profile]> {
    return this.#profiles.entries()
  }

  /** @internal */
  [inspect.custom](): string {
    return `Profiles(${basename(this.path)}: ${[...this.keys()].join(', ')})`
  }
}

function settings(flat: readonly unknown[]): Setting[] {
  const all: Setting[] = []
  for (let at = 0; at < flat.length; at += 5) {
    const [section, option, place, value, source] = flat.slice(at, at + 5) as [
      string,
      string,
      string,
      unknown,
      string,
    ]
    all.push({ section, option, place, value, source })
  }
  return all
}

/** Watches the file of profiles; from `profiles.watch()`. */
export class Watch {
  readonly #profiles: Profiles
  readonly #every: number
  readonly #onError: ((error: Error) => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #lastError = ''

  /** @internal */
  constructor(profiles: Profiles, every: number, onError: ((error: Error) => void) | undefined) {
    this.#profiles = profiles
    this.#every = every
    this.#onError = onError
    this.#wait()
  }

  /** Stops watching; the profiles stay as they are. Stopping again has no effect. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** For `using watch = profiles.watch()`. */
  [Symbol.dispose](): void {
    this.stop()
  }

  #wait(): void {
    this.#timer = setTimeout(
      () => this.#look().finally(() => this.#stopped || this.#wait()),
      this.#every,
    )
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    try {
      const text = await readFile(this.#profiles.path)
      if (!this.#profiles.isOf(text)) {
        await new Promise<void>((resolve) => {
          setTimeout(resolve, Math.min(this.#every, SETTLED)).unref()
        })
        // A file that is half written may be valid.
        if (!text.equals(await readFile(this.#profiles.path))) return
        if (this.#stopped) return
        this.#profiles.reload()
      }
      this.#lastError = ''
    } catch (error) {
      if (!this.#stopped) this.#report(error as Error)
    }
  }

  #report(error: Error): void {
    if (error.message === this.#lastError) return
    this.#lastError = error.message
    if (this.#onError === undefined) {
      process.emitWarning(`${this.#profiles.path}: not reloaded: ${error.message}`)
      return
    }
    try {
      this.#onError(error)
    } catch (failure) {
      process.emitWarning(`onError failed: ${inspect(failure)}`)
    }
  }
}
