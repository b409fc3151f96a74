#!/usr/bin/env node
"use strict";
/** The program `spikewire`. Each subcommand is a module with a function `run`. */
Object.defineProperty(exports, "__esModule", { value: true });
const commands = {
    build: { summary: 'build the native part from source', load: () => import('./build.js') },
};
function usage() {
    const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`);
    return `usage: spikewire COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\n  spikewire COMMAND --help\n`;
}
async function main([name, ...args]) {
    if (name === undefined || name === '--help' || name === '-h') {
        process.stdout.write(usage());
        return name === undefined ? 2 : 0;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) {
        process.stderr.write(`spikewire: unknown command ${JSON.stringify(name)}\n\n${usage()}`);
        return 2;
    }
    return (await command.load()).run(args);
}
main(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
}, (error) => {
    process.stderr.write(`spikewire: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
});
//# sourceMappingURL=main.js.map