// Checks formatting, lints and types.

import { link, tool } from './tools.mjs'

link()
const colours = process.stdout.isTTY ? [] : ['--colors=off']
tool('biome', ['check', '--error-on-warnings', ...colours, '.'])
tool('tsc', ['--project', '.', '--noEmit'])
tool('tsc', ['--project', 'test', '--noEmit'])
