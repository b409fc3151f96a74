"""``python -m spikewire.compat check FILE...``."""

import sys

from spikewire.compat.check.command import main

if __name__ == "__main__":
    sys.exit(main())
