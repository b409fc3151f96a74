/** Drop-in for npm `cassandra-driver`: `require('spikewire/compat/cassandra-driver')`. */

import '../../cql.js'

export { datastax, Encoder, geometry } from './absent.js'
export * as auth from './auth.js'
export { Client, type EmptyCallback, type RowCallback, type ValueCallback } from './client.js'
export * as concurrent from './concurrent.js'
export * as errors from './errors.js'
export { ExecutionOptions, type QueryOptions } from './execution-options.js'
export type { Host, HostMap } from './hosts.js'
export * as mapping from './mapping/index.js'
export * as metadata from './metadata/index.js'
export * as metrics from './metrics.js'
export { type ClientOptions, defaultOptions } from './options.js'
export * as policies from './policies/index.js'
export { ExecutionProfile } from './profiles.js'
export type { ArrayOrObject } from './statements.js'
export * as token from './token.js'
export * as tracker from './tracker.js'
export * as types from './types/index.js'

/** The version of the other driver whose API this has. */
export const version = '4.10.0'
