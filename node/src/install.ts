/** What npm runs after it unpacked the package: builds the native part if no package brought it. */

import { existsSync } from 'node:fs'
import { buildFromPackage, SOURCES } from './building.js'
import { locate, platform } from './loading.js'

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
      'spikewire: when that is mended, `npx spikewire build` builds the native part\n',
  )
  process.exitCode = 1
}
