// Compiles the TypeScript sources into dist/, for the package in node/, which has to be built.

import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HERE, link, tool } from './tools.mjs'

link()
rmSync(join(HERE, 'dist'), { recursive: true, force: true })
tool('tsc', ['--project', '.'])
// Marks the files in there as CommonJS.
copyFileSync(join(HERE, 'src/package.json'), join(HERE, 'dist/package.json'))
chmodSync(join(HERE, 'dist/main.js'), 0o755)
