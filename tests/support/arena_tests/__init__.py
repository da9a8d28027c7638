"""Code that tests of several rooms share, such as sequences of moves, slow twins and planted mistakes.

`tests/README.md` lists the modules. Only tests can import this package: its folder is not on a user's path.
"""

import os

# At full size the suites take hours; `make test` runs the small sizes.
FULL = os.environ.get("REGRET_ARENA_FULL") == "1"
