/**
 * Executes statements under policies of the program: where each attempt goes, and what follows an
 * error. Each attempt is a request that the engine does not retry.
 */

import * as native from '../../cql/errors.js'
import type { Rows } from '../../cql/rows.js'
import type { ClientContext, ExecutionOptions } from './contracts.js'
import { isOwnPolicy, withCopies } from './copies.js'
import { DriverError, NoHostAvailableError } from './errors.js'
import { levelName, responseError, translated } from './failures.js'
import type { Host, HostMap } from './hosts.js'
import type { ClientMetrics } from './metrics.js'
import { byEngine, type LoadBalancingPolicy, type QueryPlan } from './policies/load-balancing.js'
import {
  type DecisionInfo,
  FallthroughRetryPolicy,
  type OperationInfo,
  RetryPolicy,
} from './policies/retry.js'
import type { SpeculativeExecutionPolicy } from './policies/speculative-execution.js'
import { distance, responseErrorCodes } from './types/constants.js'

/** Sends a statement with these options, besides its own. */
export type Send<R> = (options: {
  node?: string
  maxRetries?: number
  consistency?: string
}) => Promise<Rows<R>>

/** What a statement is executed with. */
export interface Run {
  readonly client: ClientContext & {
    readonly hosts: HostMap
    readonly metrics: ClientMetrics
    readonly options: { readonly policies: { speculativeExecution: SpeculativeExecutionPolicy } }
  }
  readonly query: string
  readonly options: ExecutionOptions
}

/** A result, and the errors of the nodes that were tried before. */
export interface Outcome<R> {
  /** `undefined` if a policy ignores the error. */
  readonly rows: Rows<R> | undefined
  readonly node: string
  readonly tried: { [address: string]: Error | null }
  readonly consistency: number | undefined
}

const { rethrow, retry } = RetryPolicy.retryDecision

/** The decision's policy, where the engine cannot take the decision. */
export function ownRetries(policy: RetryPolicy): RetryPolicy | undefined {
  return policy.constructor === RetryPolicy.prototype.constructor ? undefined : policy
}

/** Whether a policy never retries. */
export function neverRetries(policy: RetryPolicy): boolean {
  return policy.constructor === FallthroughRetryPolicy
}

/** Whether the engine alone executes statements with these policies. */
export function isForEngine(balancing: LoadBalancingPolicy, retries: RetryPolicy): boolean {
  const own = ownRetries(retries)
  return byEngine(balancing) !== undefined && (own === undefined || neverRetries(own))
}

function planOf({ client, options }: Run): Promise<QueryPlan> {
  const policy = options.getLoadBalancingPolicy() as LoadBalancingPolicy
  return new Promise((resolve, reject) => {
    policy.newQueryPlan(client.keyspace ?? null, options, (error, plan) => {
      if (error) reject(error)
      else resolve(plan as QueryPlan)
    })
  })
}

/** Whether copies of a statement are sent by a policy of the program. */
export function hasOwnCopies({ client, options }: Omit<Run, 'query'>): boolean {
  return (
    Boolean(options.isIdempotent()) && isOwnPolicy(client.options.policies.speculativeExecution)
  )
}

/** Hosts to try; `undefined`: whichever the engine chooses. */
async function targets(run: Run): Promise<Iterator<Host | undefined>> {
  const fixed = run.options.getFixedHost()
  if (fixed !== undefined) return [fixed].values()
  const policy = run.options.getLoadBalancingPolicy() as LoadBalancingPolicy
  // Copies go to other nodes, which must be known.
  if (byEngine(policy) === undefined || hasOwnCopies(run)) return planOf(run)
  return byEngineFirst(run)
}

function* byEngineFirst({ client, options }: Run): Generator<Host | undefined> {
  yield undefined
  const policy = options.getLoadBalancingPolicy() as LoadBalancingPolicy
  for (const host of client.hosts.values()) {
    if (policy.getDistance(host) !== distance.ignored) yield host
  }
}

function decide(
  policy: RetryPolicy,
  info: OperationInfo,
  consistency: number,
  error: native.CqlError,
  metrics: ClientMetrics,
): DecisionInfo {
  const report = (decision: DecisionInfo, kind: 'Unavailable' | 'ReadTimeout' | 'WriteTimeout') => {
    const failure = responseError(error)
    metrics[`on${kind}Error`](failure)
    if (decision.decision === retry) metrics[`on${kind}Retry`](failure)
    return decision
  }
  if (error instanceof native.Unavailable) {
    const { required, received } = error
    return report(policy.onUnavailable(info, consistency, required, received), 'Unavailable')
  }
  if (error instanceof native.ReadTimeout) {
    const { received, required, dataPresent } = error
    const decision = policy.onReadTimeout(info, consistency, received, required, dataPresent)
    return report(decision, 'ReadTimeout')
  }
  if (error instanceof native.WriteTimeout) {
    const { received, required, writeType } = error
    const decision = policy.onWriteTimeout(info, consistency, received, required, writeType)
    return report(decision, 'WriteTimeout')
  }
  const failure = translated(error)
  const isTimeout = error instanceof native.Timeout
  if (isTimeout) metrics.onClientTimeoutError(failure as never)
  else metrics.onOtherError(failure)
  const codes: readonly (number | null)[] = [
    ...[responseErrorCodes.overloaded, responseErrorCodes.isBootstrapping],
    responseErrorCodes.truncateError,
  ]
  if (error.code !== null && !codes.includes(error.code)) return { decision: rethrow }
  const decision = policy.onRequestError(info, consistency, failure)
  if (decision.decision === retry) {
    if (isTimeout) metrics.onClientTimeoutRetry(failure)
    else metrics.onOtherErrorRetry(failure)
  }
  return decision
}

/** Whether nothing was sent, so that the next node is tried without asking a policy. */
function wasNotSent(error: native.CqlError): boolean {
  return !error.inDoubt && (error instanceof native.NodeUnavailable || error.attempts === 0)
}

/**
 * Executes a statement under the policies of its options.
 *
 * @throws the error that the retry policy decides to report; NoHostAvailableError if no node is left
 */
export async function runWithPolicies<R>(run: Run, send: Send<R>): Promise<Outcome<R>> {
  const tried: { [address: string]: Error | null } = {}
  const plan = await targets(run)
  if (!hasOwnCopies(run)) return follow(run, send, plan, tried)
  const { client, query } = run
  return withCopies<Outcome<R>, Host>(
    client.options.policies.speculativeExecution.newPlan(client.keyspace ?? undefined, query),
    (onHost) => follow(run, send, plan, tried, onHost),
    () => client.metrics.onSpeculativeExecution(),
  )
}

/** One execution, which tries the hosts of a plan that are left. */
async function follow<R>(
  run: Run,
  send: Send<R>,
  plan: Iterator<Host | undefined>,
  tried: { [address: string]: Error | null },
  onHost?: (host: Host) => void,
): Promise<Outcome<R>> {
  const { options, client } = run
  const policy = options.getRetryPolicy() as RetryPolicy
  const failedNodes = new Set<string>()
  let consistency = options.getConsistency()
  let retries = 0
  for (let item = plan.next(); !item.done; item = plan.next()) {
    const host = item.value
    if (host !== undefined && (failedNodes.has(host.address) || !host.canBeConsideredAsUp())) {
      if (!failedNodes.has(host.address)) {
        tried[host.address] = new DriverError('the host is down')
      }
      continue
    }
    if (host !== undefined) onHost?.(host)
    let node = host?.address
    for (;;) {
      try {
        const rows = await send({
          ...(node === undefined ? {} : { node }),
          ...(consistency === options.getConsistency() || consistency === undefined
            ? {}
            : { consistency: levelName(consistency) }),
          maxRetries: 0,
        })
        tried[rows.node] = null
        return { rows, node: rows.node, tried, consistency }
      } catch (error) {
        if (!(error instanceof native.CqlError)) throw error
        const at = error.node ?? node
        const failure = translated(error, { readTimeout: options.getReadTimeout() })
        if (at !== undefined) tried[at] = failure
        if (wasNotSent(error)) {
          if (at !== undefined) failedNodes.add(at)
          break
        }
        const info = { query: run.query, executionOptions: options, nbRetry: retries }
        const decision = decide(policy, info, consistency ?? 0, error, client.metrics)
        if (decision.decision === rethrow) throw failure
        if (decision.decision !== retry) {
          client.metrics.onIgnoreError(failure)
          return { rows: undefined, node: at ?? '', tried, consistency }
        }
        retries++
        if (decision.consistency !== undefined) consistency = decision.consistency
        if (decision.useCurrentHost !== true) {
          if (at !== undefined) failedNodes.add(at)
          break
        }
        node = at
      }
    }
  }
  throw new NoHostAvailableError(tried)
}
