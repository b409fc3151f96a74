"use strict";
/** `spikewire build`: builds the native part from the sources in the package. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.run = run;
const building_js_1 = require("../building.js");
/** Runs the command. */
async function run(args) {
    if (args.length > 0) {
        process.stdout.write('usage: spikewire build\n\n' +
            'Builds the native part with cargo, for a platform without a package of its own and for\n' +
            'installations whose install scripts were not run.\n');
        return args[0] === '--help' || args[0] === '-h' ? 0 : 2;
    }
    process.stdout.write(`${(0, building_js_1.buildFromPackage)()}\n`);
    return 0;
}
//# sourceMappingURL=build.js.map