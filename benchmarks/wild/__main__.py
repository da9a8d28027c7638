"""The table of public models.

    python -m benchmarks.wild                    measures what is missing, and writes docs/in-the-wild.md
    python -m benchmarks.wild --only "river *"   measures some models, and prints their rows
    python -m benchmarks.wild --quick            plays few and short matches without checks, and prints the rows
    python -m benchmarks.wild --kept             writes the page with the measurements that are already there
    python -m benchmarks.wild --strongest        ranks the adversaries by regret; the table uses the first five

Run it in the folder of the checkout. `pip install -r benchmarks/wild/requirements.txt` installs the libraries.
"""

import os

# before NumPy is loaded, in this process and in those of the pool
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import sys  # noqa: E402

from .command_line import main  # noqa: E402

sys.exit(main())
