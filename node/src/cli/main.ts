#!/usr/bin/env node
/** The program `spikewire`. Each subcommand is a module that exports `run`. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './arguments.js'

/** A subcommand: takes the remaining arguments and returns the exit code. */
interface Command {
  run(args: string[]): Promise<number>
}

const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
  serve: { summary: 'run an embedded cluster', load: () => import('./serve.js') },
  info: { summary: 'show the nodes of a cluster, or query them', load: () => import('./info.js') },
  top: {
    summary: 'show live command statistics of a running program',
    load: () => import('./top.js'),
  },
  build: { summary: 'build the native part from source', load: () => import('./build.js') },
  compat: {
    summary: 'what differs for a program written for another client',
    load: () => import('./compat.js'),
  },
}

function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(8)}${summary}`,
  )
  return `usage: spikewire COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\n  spikewire COMMAND --help\n  spikewire --version\n`
}

/** Printed for `spikewire bench`, which was here once. */
const MOVED =
  'spikewire: the benchmark is a project of its own, lab/ in the repository of Spikewire: ' +
  'make lab-node there, then node lab/node/dist/main.js\n'

/** The version of the package, readable without loading the native part. */
const VERSION = (
  JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string }
).version

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(usage())
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    process.stdout.write(`spikewire ${VERSION}\n`)
    return 0
  }
  if (name === 'bench') {
    process.stderr.write(MOVED)
    return 2
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    process.stderr.write(`spikewire: unknown command ${JSON.stringify(name)}\n\n${usage()}`)
    return 2
  }
  try {
    return await (await command.load()).run(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const hint = `'spikewire ${name} --help' lists the options`
    process.stderr.write(`spikewire ${name}: ${error.message}\n${hint}\n`)
    return 2
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`spikewire: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  },
)
