// Builds the native part of this checkout into native/spikewire.<platform>.node.
//
//   node scripts/native.mjs [--profile PROFILE] [--platform NAME]

import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PLATFORMS } from './platforms.mjs'
import { ROOT } from './tools.mjs'

const { build } = createRequire(import.meta.url)('../dist/addon/cargo.js')
const { values } = parseArgs({
  options: { profile: { type: 'string' }, platform: { type: 'string' } },
})
const target = PLATFORMS.find(({ name }) => name === values.platform)
if (values.platform && !target) {
  console.error(`native.mjs: unknown platform: ${values.platform}`)
  process.exit(1)
}
// The native part reports this commit in benchmark results.
process.env.SPIKEWIRE_COMMIT = execFileSync(join(ROOT, 'tools', 'commit.sh'), {
  encoding: 'utf8',
}).trim()
try {
  build({ workspace: ROOT, profile: values.profile, target, strip: values.profile === 'dist' })
} catch (error) {
  console.error(`native.mjs: ${error.message}`)
  process.exit(1)
}
