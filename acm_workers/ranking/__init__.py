"""Pure functions that compute an order from scores and verdicts, without clock or state."""

import os

# Tables here are small: threads of BLAS gain nothing, and where cores are shared they wait for
# each other (a fit of 100 items: 0.7 s instead of 2 ms). Read when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
