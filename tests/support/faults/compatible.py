"""R: faults of OpenRouter and of local servers; see ``form``."""

from tests.support.faults import form
from tests.support.faults.form import (
    BUSY,
    BUSY_PAID,
    GOOD,
    PAID,
    ROOMY,
    SCORES,
    UNCOUNTED,
    Ask,
    Row,
)

_UPSTREAM_USD = 0.0123
_OWN_KEY = Ask(model="some-model", provider={"prices": {}}, price=_UPSTREAM_USD)

_ESTIMATE = (
    "if the answer reports no usage, its cost is unknown, and the budget keeps the reservation"
)
_UNMARKED = (
    "ACM does not remember that the model ignores schemas: its next upstream may follow them"
)

ROWS: tuple[Row, ...] = (
    form.paused("R1"),
    form.waited("R2", 1.0),
    form.failed("R3"),
    Row("R4.error", "retry", (BUSY, GOOD)),
    Row("R4.finish", "retry", (BUSY_PAID, GOOD)),
    Row("R5", "retry", (BUSY_PAID, GOOD)),
    form.accepted("R6"),
    form.repaired("R7", ask=SCORES, why=_UNMARKED),
    Row("R8.missing", "accept", (UNCOUNTED,), why=_ESTIMATE),
    form.accepted("R8.byok", ask=_OWN_KEY),
    Row("R9.loading", "retry", (BUSY, GOOD)),
    form.failed("R9.pulled"),
    Row("R9.context", "fail", (PAID,), "answer_cut_off"),
    form.accepted("R10.think"),
    form.accepted("R10.think", ask=SCORES),
    form.asked_again("R10.reasoning"),
    form.asked_again("R10.reasoning", ask=SCORES),
    form.asked_again("R10.reasoning_content"),
    Row("R11", "more tokens", (PAID, GOOD), ask=ROOMY),
    Row("R11*", "more tokens", (PAID, PAID), "answer_cut_off", ask=ROOMY),
    Row("R11", "more tokens", (PAID, GOOD), ask=SCORES),
)
