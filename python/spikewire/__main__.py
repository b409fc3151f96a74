"""``python -m spikewire``: the same as the ``spikewire`` command."""

import sys

from spikewire.cli import main

if __name__ == "__main__":
    sys.exit(main())
