#!/usr/bin/env node
/** The program `spikewire`. Each subcommand is a module with a function `run`. */

/** A subcommand: takes what stands behind its name, and returns the exit code. */
interface Command {
  run(args: string[]): Promise<number>
}

const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
  bench: {
    summary: 'put a cluster under load, beside npm aerospike',
    load: () => import('./bench.js'),
  },
  build: { summary: 'build the native part from source', load: () => import('./build.js') },
}

function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(8)}${summary}`,
  )
  return `usage: spikewire COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\n  spikewire COMMAND --help\n`
}

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(usage())
    return name === undefined ? 2 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    process.stderr.write(`spikewire: unknown command ${JSON.stringify(name)}\n\n${usage()}`)
    return 2
  }
  return (await command.load()).run(args)
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
