"""``python -m spikewire.compat check FILE...``: as ``spikewire compat check``."""

import sys

from spikewire.compat.command import main

if __name__ == "__main__":
    sys.exit(main())
