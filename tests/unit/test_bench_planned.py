"""What benchmarks plan before they measure."""

import pytest

from ops.benchmarks import planned


@pytest.mark.parametrize(("wanted", "whole"), [(1, 100), (100, 100), (250, 300), (250.1, 300)])
def test_scores_are_planned_in_whole_documents(wanted: float, whole: int) -> None:
    assert planned.whole(wanted) == whole
