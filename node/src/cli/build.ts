/** `spikewire build`: builds the native part from the sources in the package. */

import { buildFromPackage } from '../addon/cargo.js'

/** Runs the command. */
export async function run(args: string[]): Promise<number> {
  if (args.length > 0) {
    process.stdout.write(
      'usage: spikewire build\n\n' +
        'Builds the native part with cargo, for platforms without their own package and for\n' +
        'installations whose install scripts were not run.\n',
    )
    return args[0] === '--help' || args[0] === '-h' ? 0 : 2
  }
  process.stdout.write(`${buildFromPackage()}\n`)
  return 0
}
