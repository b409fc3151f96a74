/** The cluster under load: an existing one, or an embedded one in its own process. */

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { ClusterOptions, UserOptions } from 'spikewire/testing'
import type { Access } from './access.js'
import type { FromServer } from './server.js'

const START_MILLISECONDS = 30_000

/** A cluster, and its process if known. */
export interface Site {
  seeds: [string, number][]
  /** User and TLS of the clients; absent: no authentication. */
  access?: Access
  pid: number | null
  /** How tables name the cluster. */
  title: string
  close(): void
}

/** Host, port, and the TLS name, which may be empty. */
export type NamedSeed = [string, number, string]

/**
 * Parses `host`, `host:port` or `[v6 address]:port`, with an optional TLS name after the host, or a
 * list of them.
 */
export function parseSeeds(text: string): NamedSeed[] {
  return text.split(',').map((item) => {
    const match = FORM.exec(item.trim())
    const port = Number(match?.[4] ?? 3000)
    const host = match?.[1] ?? match?.[2]
    if (host === undefined || port < 1 || port > 65_535) {
      throw new RangeError(`'${item}' is not HOST[:TLS-NAME][:PORT] or [V6-ADDRESS]:PORT`)
    }
    return [host, port, match?.[3] ?? '']
  })
}

/** A part after the host that is not a number is a TLS name. */
const FORM = /^(?:\[([^\]]+)\]|([^:\s[\]]+))(?::([^:\s]*[^:\s\d][^:\s]*))?(?::(\d+))?$/

/** A cluster that is already running. */
export function existingCluster(seeds: [string, number][], access?: Access): Site {
  const site = { seeds, pid: null, title: `given by -H${described(access)}`, close() {} }
  return access === undefined ? site : { ...site, access }
}

function described(access?: Access): string {
  const parts = [access?.tls && 'over TLS', access?.auth && `with a login (${access.auth})`]
  const known = parts.filter(Boolean).join(' and ')
  return known && `, ${known}`
}

/** Starts an embedded cluster, which ends with this process at the latest. */
export async function embeddedCluster(options: ClusterOptions, access?: Access): Promise<Site> {
  const child = fork(join(__dirname, 'server.js'), [], { stdio: ['ignore', 2, 2, 'ipc'] })
  try {
    const { seeds, ca } = await started(child, { ...options, ...guarded(access) })
    const parsed = parseSeeds(seeds)
    const kind = `embedded, nodes: ${options.nodes}, threads: ${options.threads}`
    const site = {
      seeds: pairs(parsed),
      pid: child.pid ?? null,
      title: `${kind}${described(access)}`,
      close() {
        if (child.connected) child.disconnect()
      },
    }
    if (access === undefined) return site
    const { tls, ...login } = access
    const names = parsed.map(([, , name]) => name || TLS_NAME)
    return { ...site, access: tls ? { ...login, tls: { ...tls, ca: ca ?? '', names } } : login }
  } catch (error) {
    child.kill()
    throw error
  }
}

/** Seeds without their TLS names. */
export function pairs(seeds: readonly NamedSeed[]): [string, number][] {
  return seeds.map(([host, port]) => [host, port])
}

/** Cluster options that require the user and TLS. */
function guarded(access?: Access): ClusterOptions {
  return {
    ...(access?.user ? { users: { [access.user]: known(access) } } : {}),
    ...(access?.tls ? { tls: { name: TLS_NAME } } : {}),
  }
}

/** The name in the nodes' certificates, since not all clients verify addresses. */
const TLS_NAME = 'bench.spikewire'

function known({ password, auth }: Access): UserOptions {
  return { password, external: auth !== 'internal' }
}

function started(
  child: ChildProcess,
  options: ClusterOptions,
): Promise<Extract<FromServer, { seeds: string }>> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new Error(`the embedded cluster did not start: ${reason}`))
    const late = setTimeout(fail, START_MILLISECONDS, 'it takes too long')
    child.on('error', (error) => fail(error.message))
    child.on('exit', (status) => fail(`its process ended with status ${status}`))
    child.once('message', (message: FromServer) => {
      clearTimeout(late)
      if ('seeds' in message) resolve(message)
      else fail(message.failed)
    })
    child.send(options, (error) => error && fail(error.message))
  })
}
