/**
 * Policies as the options that the native part takes. A policy of a call replaces the client's as a
 * whole: fields that it does not have get the defaults of the API, not those of the configuration.
 */

import type { CommitLevel, Exists, ReadMode, Replica } from '../../aerospike/command/options.js'
import { UNUSED } from './differences.js'
import { toNativeFilter } from './expression.js'
import type { RecordMetadata } from './record.js'

/** Options in the form in which the native part takes them. */
export interface NativeOptions {
  timeout?: number
  maxRetries?: number
  attemptTimeout?: number
  retryInDoubt?: boolean
  compress?: boolean
  where?: unknown
  replica?: Replica
  readMode?: ReadMode
  readTouch?: number
  ttl?: number | 'never' | 'unchanged'
  /** In an array: the record's generation must be less than this. */
  generation?: number | [number]
  exists?: Exists
  durable?: boolean
  sendKey?: boolean
  commitLevel?: CommitLevel
  onLockingOnly?: boolean
  respondAllKeys?: boolean
  allowInline?: boolean
  allowInlineSSD?: boolean
}

/** A policy as programs pass it: an instance of a class, or any object. */
export type AnyPolicy = { readonly [name: string]: unknown }

/** The limits of a call without a policy. */
const TOTAL = 1000
const SOCKET = 30_000
const READ_RETRIES = 2

/** Numbers that are checked, and have no effect. */
const WITHOUT_EFFECT = ['connectTimeout', 'timeoutDelay'] as const

const REPLICAS: readonly Replica[] = ['master', 'any', 'sequence', 'prefer-rack', 'any']
const EXISTS: readonly (Exists | undefined)[] = [
  undefined,
  'create',
  'update',
  'replace_only',
  'replace',
]
const READ_MODES: readonly (ReadMode | undefined)[] = [
  undefined,
  'linearize',
  'allow_replica',
  'allow_unavailable',
]
const COMMIT_LEVELS: readonly (CommitLevel | undefined)[] = [undefined, 'master']

/** A number of a policy; `undefined` if it is not set. */
export function numberOf(policy: AnyPolicy, name: string): number | undefined {
  const value = policy[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number')
    throw new TypeError(`${name} must be a number, not ${typeof value}`)
  return value
}

/** A flag of a policy; `undefined` if it is not set. */
function flagOf(policy: AnyPolicy, name: string): boolean | undefined {
  const value = policy[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') {
    throw new TypeError(`${name} must be true or false, not ${typeof value}`)
  }
  return value
}

/** One of the values that a number of a policy stands for; `undefined` for its default. */
function choiceOf<T>(policy: AnyPolicy, name: string, values: readonly T[]): T | undefined {
  const at = numberOf(policy, name)
  if (at === undefined) return undefined
  if (!Object.hasOwn(values, at)) throw new RangeError(`${name} has no value ${at}`)
  return values[at]
}

/** The expression of a filter. */
export function whereOf(filter: unknown): unknown {
  if (filter === undefined || filter === null) return undefined
  return toNativeFilter(filter as never)
}

const warned = new Set<string>()

/** Warns, once for each option, of those that ask for something and have no effect. */
function warnOfUnused(policy: AnyPolicy): void {
  for (const name of UNUSED) {
    const value = policy[name]
    if (value === undefined || value === null || warned.has(name)) continue
    // Batches are in line unless they say otherwise, and everything is concurrent.
    const isUsual = name === 'allowInline' ? value === true : value === false || value === 0
    if (isUsual || name === 'concurrent') continue
    warned.add(name)
    process.emitWarning(
      `the option ${name} of policies has no effect with spikewire/compat/aerospike`,
    )
  }
}

/** Sets the limits of a call, and what calls of all kinds have. */
function addBase(options: NativeOptions, policy: AnyPolicy, writes: boolean): NativeOptions {
  addLimits(options, policy, writes)
  for (const name of WITHOUT_EFFECT) numberOf(policy, name)
  warnOfUnused(policy)
  if (flagOf(policy, 'compress')) options.compress = true
  const filter = policy['filterExpression']
  if (filter !== undefined && filter !== null) options.where = whereOf(filter)
  const replica = choiceOf(policy, 'replica', REPLICAS)
  if (replica !== undefined) options.replica = replica
  flagOf(policy, 'deserialize')
  return options
}

function addLimits(options: NativeOptions, policy: AnyPolicy, writes: boolean): void {
  const total = numberOf(policy, 'totalTimeout') ?? TOTAL
  const socket = numberOf(policy, 'socketTimeout') ?? SOCKET
  const retries = numberOf(policy, 'maxRetries')
  if (total !== TOTAL) options.timeout = total
  if (socket > 0 && (total === 0 || socket < total)) options.attemptTimeout = socket
  if (retries === undefined) return
  if (writes) options.retryInDoubt = retries > 0
  if (writes || retries !== READ_RETRIES) options.maxRetries = retries
}

function addReads(options: NativeOptions, policy: AnyPolicy): NativeOptions {
  const mode =
    choiceOf(policy, 'readModeSC', READ_MODES) ??
    (numberOf(policy, 'readModeAP') === 1 ? 'all' : undefined)
  if (mode !== undefined) options.readMode = mode
  const touch = numberOf(policy, 'readTouchTtlPercent')
  if (touch !== undefined && touch !== 0) options.readTouch = touch
  return options
}

/** What all writes have. */
function addWrites(options: NativeOptions, policy: AnyPolicy): NativeOptions {
  if (numberOf(policy, 'key') === 1) options.sendKey = true
  const level = choiceOf(policy, 'commitLevel', COMMIT_LEVELS)
  if (level !== undefined) options.commitLevel = level
  if (flagOf(policy, 'durableDelete')) options.durable = true
  if (flagOf(policy, 'onLockingOnly')) options.onLockingOnly = true
  return options
}

/** Sets the condition on the generation. */
function addGeneration(
  options: NativeOptions,
  policy: AnyPolicy,
  generation: number | undefined,
): NativeOptions {
  const rule = numberOf(policy, 'gen')
  if (rule === 1) options.generation = generation ?? 0
  else if (rule === 2) options.generation = [generation ?? 0]
  return options
}

function addExists(options: NativeOptions, policy: AnyPolicy): NativeOptions {
  const exists = choiceOf(policy, 'exists', EXISTS)
  if (exists !== undefined) options.exists = exists
  return options
}

/** A time to live as the native part takes it; `undefined` for the namespace's. */
export function ttlOf(ttl: unknown): NativeOptions['ttl'] | undefined {
  if (ttl === undefined || ttl === null) return undefined
  if (typeof ttl !== 'number') throw new TypeError(`ttl must be a number, not ${typeof ttl}`)
  switch (Math.trunc(ttl) | 0) {
    case 0:
    case -3:
      return undefined
    case -1:
      return 'never'
    case -2:
      return 'unchanged'
    default:
      return Math.trunc(ttl)
  }
}

/** The generation of metadata. */
export function generationOf(meta: RecordMetadata | null | undefined): number | undefined {
  const generation: unknown = meta?.gen
  if (generation === undefined || generation === null) return undefined
  if (typeof generation !== 'number') {
    throw new TypeError(`gen must be a number, not ${typeof generation}`)
  }
  return generation
}

function addTtl(options: NativeOptions, ttl: unknown): NativeOptions {
  const native = ttlOf(ttl)
  if (native !== undefined) options.ttl = native
  return options
}

/** Options of `get`, `select` and `exists`. */
export function readOptions(policy: AnyPolicy): NativeOptions {
  return addReads(addBase({}, policy, false), policy)
}

/** Options of `put`, without those of its metadata. */
export function writeOptions(policy: AnyPolicy, meta?: RecordMetadata | null): NativeOptions {
  const options = addExists(addWrites(addBase({}, policy, true), policy), policy)
  numberOf(policy, 'compressionThreshold')
  return addGeneration(options, policy, generationOf(meta))
}

/** Options of `operate`, without those of its metadata. */
export function operateOptions(policy: AnyPolicy, meta?: RecordMetadata | null): NativeOptions {
  return addReads(writeOptions(policy, meta), policy)
}

/** Options with those of metadata. */
export function withMeta(
  options: NativeOptions | undefined,
  meta: RecordMetadata,
): NativeOptions | undefined {
  const ttl = ttlOf(meta.ttl)
  return ttl === undefined ? options : { ...options, ttl }
}

/** Options of `remove`. */
export function removeOptions(policy: AnyPolicy): NativeOptions {
  const options = addWrites(addBase({}, policy, true), policy)
  return addGeneration(options, policy, numberOf(policy, 'generation'))
}

/** Options of `apply`. */
export function applyOptions(policy: AnyPolicy): NativeOptions {
  return addTtl(addWrites(addBase({}, policy, true), policy), policy['ttl'])
}

/** Options of batches; `writes`: whether any of its rows does. */
export function batchOptions(policy: AnyPolicy, writes: boolean): NativeOptions {
  const options = addBase({}, policy, writes)
  if (!writes) addReads(options, policy)
  if (flagOf(policy, 'respondAllKeys') === false) options.respondAllKeys = false
  if (flagOf(policy, 'allowInline') === false) options.allowInline = false
  if (flagOf(policy, 'allowInlineSSD')) options.allowInlineSSD = true
  return options
}

/** What rows that read inherit from the policy of the batch. */
export function batchReadDefaults(policy: AnyPolicy): NativeOptions {
  const where = whereOf(policy['filterExpression'])
  return addReads(where === undefined ? {} : { where }, policy)
}

/** Options of a row that reads. */
export function readRowOptions(policy: AnyPolicy): NativeOptions {
  return addReads(rowFilter(policy), policy)
}

/** Options of a row that writes. */
export function writeRowOptions(policy: AnyPolicy, meta?: RecordMetadata | null): NativeOptions {
  const options = addExists(addWrites(rowFilter(policy), policy), policy)
  addGeneration(options, policy, generationOf(meta))
  return addTtl(options, policy['ttl'])
}

/** Options of a row that calls a function. */
export function applyRowOptions(policy: AnyPolicy): NativeOptions {
  return addTtl(addWrites(rowFilter(policy), policy), policy['ttl'])
}

/** Options of a row that removes. */
export function removeRowOptions(policy: AnyPolicy): NativeOptions {
  const options = addWrites(rowFilter(policy), policy)
  return addGeneration(options, policy, numberOf(policy, 'generation'))
}

function rowFilter(policy: AnyPolicy): NativeOptions {
  const where = whereOf(policy['filterExpression'])
  return where === undefined ? {} : { where }
}
