/** The cluster under load: given, or an embedded one in a process of its own. */

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { ClusterOptions } from '../testing.js'
import type { FromServer } from './server.js'

const START_MILLISECONDS = 30_000

/** A cluster, and the process that it runs in where that is known. */
export interface Site {
  seeds: [string, number][]
  pid: number | null
  /** What a table says of it. */
  title: string
  close(): void
}

/** `host`, `host:port` or `[v6 address]:port`, and comma lists of them. */
export function parseSeeds(text: string): [string, number][] {
  return text.split(',').map((item) => {
    const match = /^(?:\[([^\]]+)\]|([^:\s]+))(?::(\d+))?$/.exec(item.trim())
    const port = Number(match?.[3] ?? 3000)
    const host = match?.[1] ?? match?.[2]
    if (host === undefined || port < 1 || port > 65_535) {
      throw new RangeError(`'${item}' is not HOST, HOST:PORT or [V6-ADDRESS]:PORT`)
    }
    return [host, port]
  })
}

/** A cluster that runs already. */
export function givenCluster(seeds: [string, number][]): Site {
  return { seeds, pid: null, title: 'given by -H', close() {} }
}

/** Starts an embedded cluster. It ends with this process at the latest. */
export async function embeddedCluster(options: ClusterOptions): Promise<Site> {
  const child = fork(join(__dirname, 'server.js'), [], { stdio: ['ignore', 2, 2, 'ipc'] })
  try {
    const seeds = await started(child, options)
    return {
      seeds: parseSeeds(seeds),
      pid: child.pid ?? null,
      title: `embedded, nodes: ${options.nodes}, threads: ${options.threads}`,
      close() {
        if (child.connected) child.disconnect()
      },
    }
  } catch (error) {
    child.kill()
    throw error
  }
}

function started(child: ChildProcess, options: ClusterOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: string) =>
      reject(new Error(`the embedded cluster did not start: ${reason}`))
    const late = setTimeout(refuse, START_MILLISECONDS, 'it takes too long')
    child.on('error', (error) => refuse(error.message))
    child.on('exit', (status) => refuse(`its process ended with status ${status}`))
    child.once('message', (said: FromServer) => {
      clearTimeout(late)
      if ('seeds' in said) resolve(said.seeds)
      else refuse(said.failed)
    })
    child.send(options, (error) => error && refuse(error.message))
  })
}
