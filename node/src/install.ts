/** npm's install script: builds the native part if there is no package for this platform. */

import { existsSync } from 'node:fs'
import { buildFromPackage, SOURCES } from './addon/cargo.js'
import { locate, platform } from './addon/library.js'

function install(): void {
  if (locate() !== undefined || !existsSync(SOURCES)) return
  process.stderr.write(
    `spikewire: there is no package for ${platform()}, so it is built from source\n`,
  )
  buildFromPackage()
}

try {
  install()
} catch (error) {
  process.stderr.write(
    `spikewire: ${(error as Error).message}\n` +
      'spikewire: fix that, then build the native part with `npx spikewire build`\n',
  )
  process.exitCode = 1
}
