/** Policies: where statements go, what follows errors, and others. */

import { AddressTranslator } from './address-resolution.js'
import { DefaultLoadBalancingPolicy, type LoadBalancingPolicy } from './load-balancing.js'
import { ExponentialReconnectionPolicy, type ReconnectionPolicy } from './reconnection.js'
import { RetryPolicy } from './retry.js'
import {
  NoSpeculativeExecutionPolicy,
  type SpeculativeExecutionPolicy,
} from './speculative-execution.js'
import { MonotonicTimestampGenerator, type TimestampGenerator } from './timestamp-generation.js'

export * as addressResolution from './address-resolution.js'
export * as loadBalancing from './load-balancing.js'
export * as reconnection from './reconnection.js'
export * as retry from './retry.js'
export * as speculativeExecution from './speculative-execution.js'
export * as timestampGeneration from './timestamp-generation.js'

export function defaultAddressTranslator(): AddressTranslator {
  return new AddressTranslator()
}

export function defaultLoadBalancingPolicy(localDc?: string): LoadBalancingPolicy {
  return new DefaultLoadBalancingPolicy(localDc)
}

export function defaultRetryPolicy(): RetryPolicy {
  return new RetryPolicy()
}

export function defaultReconnectionPolicy(): ReconnectionPolicy {
  return new ExponentialReconnectionPolicy(1000, 10 * 60 * 1000, false)
}

export function defaultSpeculativeExecutionPolicy(): SpeculativeExecutionPolicy {
  return new NoSpeculativeExecutionPolicy()
}

export function defaultTimestampGenerator(): TimestampGenerator {
  return new MonotonicTimestampGenerator()
}
