"""Compiles the tests and examples of npm aerospike with its types and with those of the drop-in.

    tools/npm_types.py ../aerospike-client-nodejs

The folder is that of tools/npm_tests.py. Tests are TypeScript, compiled as strictly as their own
settings say; examples are JavaScript, checked like TypeScript, and one file of TypeScript. Prints
the errors that only one of the two has; the exit code is 0 if the drop-in has none of its own.
Needs `make node`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

DIST = Path(__file__).resolve().parent.parent / "node" / "dist" / "compat" / "aerospike"
#: Seconds for one compilation.
LONGEST = 600
TYPES = """export * from '{module}'
export { default } from '{module}'
"""
EXAMPLES = {
    "compilerOptions": {
        "allowJs": True,
        "checkJs": True,
        "noEmit": True,
        "module": "commonjs",
        "moduleResolution": "node10",
        "target": "es2022",
        "esModuleInterop": True,
        "skipLibCheck": True,
        "resolveJsonModule": True,
        "types": ["node"],
        "paths": {"aerospike": ["../lib/aerospike.d.ts"]},
    },
    "include": ["**/*.js", "**/*.ts"],
    "exclude": ["node_modules"],
}


def main(arguments: list[str]) -> int:
    """Compiles both; returns the exit code."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "test" / "tsconfig.json").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0]).resolve()
    package = (folder / "lib" / "aerospike.d.ts").read_text()
    drop_in = TYPES.replace("{module}", str(DIST / "index.js"))
    worse = 0
    for part in ("test", "examples"):
        before, now = _errors(folder, part, package), _errors(folder, part, drop_in)
        files = len(_sources(folder / part))
        both, own, gone = before & now, now - before, before - now
        print(f"{part}: {files} files; {len(both)} errors with both, {len(own)} with the drop-in")
        for error in sorted(own):
            print(f"  drop-in: {error}")
        for error in sorted(gone):
            print(f"  original: {error}")
        worse += len(own)
    return int(worse > 0)


def _sources(folder: Path) -> list[Path]:
    """The files that are compiled: TypeScript, or JavaScript that is not made from it."""
    files = [file for file in folder.rglob("*.ts") if not file.name.endswith(".d.ts")]
    alone = [file for file in folder.rglob("*.js") if not file.with_suffix(".ts").exists()]
    every = [*files, *(alone if folder.name == "examples" else [])]
    return [file for file in every if "node_modules" not in file.parts]


def _errors(folder: Path, part: str, types: str) -> set[str]:
    """The errors of the compiler with these types of the package."""
    with tempfile.TemporaryDirectory() as place:
        run = Path(place)
        (run / "lib").mkdir()
        (run / "lib" / "aerospike.d.ts").write_text(types)
        (run / "node_modules").symlink_to(folder / "node_modules")
        (run / "package.json").write_bytes((folder / "package.json").read_bytes())
        sources = [*_sources(folder / part), *(folder / part).rglob("*.d.ts")]
        for source in sources:
            target = run / source.relative_to(folder)
            if "node_modules" not in source.relative_to(folder).parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read_bytes())
        settings = run / part / "tsconfig.json"
        if part == "test":
            settings.write_bytes((folder / part / "tsconfig.json").read_bytes())
        else:
            settings.write_text(json.dumps(EXAMPLES))
        done = subprocess.run(
            ["node_modules/.bin/tsc", "--noEmit", "--pretty", "false", "-p", str(settings)],
            cwd=run,
            check=False,
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        return {line for line in done.stdout.splitlines() if ": error " in line}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
