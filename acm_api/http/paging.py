"""Pagination of lists by a limit and a cursor."""

from collections.abc import Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel

Item = TypeVar("Item")

Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of items on the page.")]
Cursor = Annotated[
    str | None,
    Query(
        pattern=r"^[0-9A-Za-z]{1,32}$",
        description="The `next` of the previous page; absent for the first page.",
    ),
]
DEFAULT_LIMIT = 50


class Page(BaseModel, Generic[Item]):
    """A page of a list.

    Attributes:
        items: Items in the order of the list.
        next: Cursor of the next page; absent on the last one.
    """

    items: Sequence[Item]
    next: str | None


def page(found: Sequence[Item], limit: int, ids: Sequence[str]) -> Page[Item]:
    """Return a page of at most ``limit`` items.

    Args:
        found: The items; one more than ``limit`` if there is a next page.
        ids: Ids of the items, in the same order.
    """
    more = len(found) > limit
    return Page(items=found[:limit], next=ids[limit - 1] if more else None)
