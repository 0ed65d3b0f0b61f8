"""How the interpreter runs in processes that work."""

import gc


def spare_the_collector() -> None:
    """Let the garbage collector leave alone what lives as long as the process.

    With the defaults it took a tenth of the time, looking through modules and statements.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
