// Compiles the TypeScript sources into dist/.

import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bin, HERE } from './tools.mjs'

rmSync(join(HERE, 'dist'), { recursive: true, force: true })
bin('tsc', ['--project', '.'])
// Marks the .js files in there as CommonJS.
copyFileSync(join(HERE, 'src/package.json'), join(HERE, 'dist/package.json'))
chmodSync(join(HERE, 'dist/cli/main.js'), 0o755)
