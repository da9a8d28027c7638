"""What tests of several rooms share: the switch for full size, moves, plain versions of algorithms, planted mistakes.

`tests/README.md` says what stands in which module. The folder above is on the path of the tests only.
"""

import os

# At full size the suites take hours; `make test` runs the small sizes.
FULL = os.environ.get("REGRET_ARENA_FULL") == "1"
