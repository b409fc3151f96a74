/** Opening from URLs, environment variables and arguments, with the source of each setting. */

import { inspect } from 'node:util'
import { native } from './native.js'

/** Environment variables, by name. */
export type Environment = { readonly [name: string]: string | undefined }

/** What `opening.read` takes besides the options of a client. */
export interface ReadOptions {
  /** The environment variables. Default: those of the process. */
  environment?: Environment | undefined
}

/** What the URLs and variables of a database are called. */
export interface Database {
  readonly name: 'aerospike' | 'cassandra'
  /** What its environment variables begin with. */
  readonly prefix: string
}

export const AEROSPIKE: Database = { name: 'aerospike', prefix: 'SPIKEWIRE_AEROSPIKE_' }
export const CASSANDRA: Database = { name: 'cassandra', prefix: 'SPIKEWIRE_CQL_' }

/** The settings that a client or session is opened with. Its texts show no secrets. */
export class Opening<O extends object = { [option: string]: unknown }> {
  /** The seeds, separated by commas. */
  readonly seeds: string
  /** The path of the URL: the namespace, or the keyspace; `null` if there is none. */
  readonly namespace: string | null
  /** The options that differ from their defaults. */
  readonly options: O
  /** Where the seeds and each option come from, in words. */
  readonly sources: { readonly [setting: string]: string }

  /** @internal */
  constructor(
    seeds: string,
    namespace: string | null,
    options: O,
    sources: { readonly [setting: string]: string },
  ) {
    this.seeds = seeds
    this.namespace = namespace
    this.options = options
    this.sources = sources
  }

  /** The settings and their sources, one per line, without secrets. */
  explain(): string {
    const rows: [string, string][] = [['seeds', this.seeds]]
    // A keyspace is an option.
    const isOption = Object.hasOwn(this.options, 'keyspace')
    if (this.namespace !== null && !isOption) rows.push(['namespace', this.namespace])
    for (const [name, value] of Object.entries(this.options).sort(byName)) {
      rows.push([name, display(name, value)])
    }
    const line = ([name, value]: [string, string]) => `${name} = ${value}  (${this.sources[name]})`
    return rows.map(line).join('\n')
  }

  toString(): string {
    return this.explain()
  }

  [inspect.custom](): string {
    const options = Object.entries(this.options).map(
      ([name, it]) => `${name}: ${display(name, it)}`,
    )
    return `Opening(${this.seeds}, ${this.namespace}, { ${options.join(', ')} })`
  }
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

/** An option's value for display, without secrets. */
function display(name: string, value: unknown): string {
  if (/password|passphrase|^key$/i.test(name)) return "'***'"
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY })
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return inspect(value, { depth: 0 })
  const parts = Object.entries(value).map(([key, part]) => `${key}: ${display(key, part)}`)
  return `{ ${parts.join(', ')} }`
}

/** The engine's name of an option. */
export function engineName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Reads the settings of a client from a URL, environment variables and options, which take
 * precedence. Without a URL, the variable for it is used, then the default seed.
 *
 * @param whole - whether all is checked that opening would check; certificates are read then
 */
export function readOpening<O extends object>(
  database: Database,
  url: string | undefined,
  options: O,
  environment: Environment,
  whole: boolean,
): Opening<O> {
  const variables: string[] = []
  for (const [name, text] of Object.entries(environment)) {
    if (name.startsWith(database.prefix) && text !== undefined) variables.push(name, text)
  }
  const names: string[] = []
  const values: unknown[] = []
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    names.push(engineName(name))
    values.push(value)
  }
  const parts = native.openingRead(database.name, url, variables, names, values, whole)
  const [seeds, seedsSource, path, pathSource, used, settings, from] = parts
  const sources: { [setting: string]: string } = { seeds: seedsSource }
  if (pathSource !== null) sources['namespace'] = pathSource
  const merged: { [option: string]: unknown } = {}
  used.forEach((name, at) => {
    merged[name] = settings[at]
    sources[name] = from[at] as string
  })
  return new Opening(seeds, path, merged as O, sources)
}

/** Whether seeds are those of a URL, or left out: then the environment counts. */
export function isFromSettings(seeds: unknown): seeds is string | undefined {
  return seeds === undefined || (typeof seeds === 'string' && seeds.includes('://'))
}

/** Rejects what is not a URL. */
export function checkUrl(url: unknown): asserts url is string | undefined | null {
  if (url === undefined || url === null || typeof url === 'string') return
  throw new TypeError(`the URL must be a string, not ${typeof url}`)
}

/** Whether an argument is options in the place of seeds. */
export function isOptions<O extends object>(seeds: unknown): seeds is O {
  return typeof seeds === 'object' && seeds !== null && !Array.isArray(seeds)
}

/** Where seeds came from, in words for the error of a client that finds no cluster. */
export function seedsOrigin(opening: Opening<object>, database: Database): string {
  const source = opening.sources['seeds']
  return source === 'the default'
    ? `the seed is the default: give seeds, or set ${database.prefix}URL`
    : `the seeds are those of ${source}`
}

/** The same error, with where the seeds came from. */
export function withOrigin(error: unknown, origin: string): unknown {
  if (error instanceof Error && !error.message.includes(origin)) {
    const [, message, details = ''] =
      /^(.*?)( \((?:code|node) [^)]*\))?$/s.exec(error.message) ?? []
    error.message = `${message}; ${origin}${details}`
  }
  return error
}
