"""The order in which documents of a run with a budget begin; pure."""

from collections.abc import Sequence


def admitted(
    unstarted: Sequence[str],
    begun: int,
    left_usd: float,
    expected_usd: float | None,
) -> Sequence[str]:
    """Return the documents that may begin now, in their order.

    Documents begin together as long as the budget probably covers them; the others begin one after
    another as documents end. A budget that is too small for all documents thus completes some
    documents instead of leaving many incomplete.

    Args:
        unstarted: Documents that have not begun.
        begun: Number of active documents.
        left_usd: The part of the budget that remains for documents that have not ended.
        expected_usd: Likely cost of a document; absent if a price is not known.
    """
    if expected_usd is None or expected_usd <= 0:
        return unstarted
    at_once = max(int(left_usd / expected_usd), 1)
    return unstarted[: max(at_once - begun, 0)]
