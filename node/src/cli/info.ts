/** `spikewire info`: shows the nodes of a cluster, or sends info commands to them. */

import { Client } from '../aerospike/client.js'
import '../aerospike/hooks.js'
import { ACCESS, access } from './access.js'
import { type Description, read } from './arguments.js'

const INFO: Description = {
  name: 'info',
  rest: '[COMMAND...]',
  text:
    'Connects to a cluster and prints one line per node: its name and its address. Info commands ' +
    'are sent to each node, and its answers follow its line. Example: spikewire info -H ' +
    '127.0.0.1:3000 build namespaces namespace/test',
  options: {
    hosts: {
      value: 'SEEDS',
      short: 'H',
      default: '127.0.0.1:3000',
      help: 'addresses of nodes of the cluster: HOST[:TLS-NAME][:PORT],...',
    },
    ...ACCESS,
  },
}

/** Runs the command. */
export async function run(args: string[]): Promise<number> {
  const flags = read(INFO, args)
  if (flags === undefined) return 0
  const client = await Client.connect(flags.text('hosts'), access(flags))
  let failed = 0
  try {
    for (const { name, address } of client.nodes) {
      process.stdout.write(`${name} ${address}\n`)
      for (const command of flags.rest) {
        // One node's error must not hide the answers of the others.
        try {
          process.stdout.write(`  ${command}: ${await client.info(command, { node: name })}\n`)
        } catch (error) {
          process.stderr.write(`  ${command}: ${(error as Error).message}\n`)
          failed = 1
        }
      }
    }
  } finally {
    await client.close()
  }
  return failed
}
