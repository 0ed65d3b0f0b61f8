"""JUnit XML for pipelines: a run with a case per document, and the difference of two runs."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from acm_workers.reporting import overview
from acm_workers.reporting.data import DocumentReport, RunReport
from acm_workers.reporting.formatting import shortened
from schemas.run_difference import RunDifference

# What XML 1.0 has no way to write; a parser refuses the whole file for one of them.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def suite(report: RunReport) -> bytes:
    """Return the documents of a run as a test suite."""
    run = report.run
    took_s = (run.finished_at - run.created_at).total_seconds() if run.finished_at else 0.0
    outcomes = [_outcome(page) for page in report.pages]
    root = ET.Element("testsuites")
    made = ET.SubElement(
        root,
        "testsuite",
        name=_text(run.title),
        tests=str(len(report.pages) + len(run.skipped)),
        failures=str(outcomes.count("failure")),
        skipped=str(len(run.skipped) + outcomes.count("skipped")),
        time=f"{took_s:.3f}",
        timestamp=run.created_at.strftime("%Y-%m-%dT%H:%M:%S"),
    )
    for page in report.pages:
        _case(made, run.title, page)
    for entry in run.skipped:
        case = ET.SubElement(made, "testcase", name=_text(entry.path), classname=_text(run.title))
        ET.SubElement(case, "skipped", message=f"run {entry.run_id} has its winner")
    return _written(root)


def difference(found: RunDifference, missed: str | None) -> bytes:
    """Return two runs as a test suite: the conclusion, then a case per document.

    Args:
        missed: Reason why the conclusion counts as a failure, if it does.
    """
    left_out = [*found.only_a, *found.only_b, *found.altered, *found.undecided]
    name = _text(f"{found.a.title} ({found.a.run_id}) and {found.b.title} ({found.b.run_id})")
    root = ET.Element("testsuites")
    suite = ET.SubElement(
        root,
        "testsuite",
        name=name,
        tests=str(1 + len(found.documents) + len(left_out)),
        failures="0" if missed is None else "1",
        skipped=str(len(left_out)),
    )
    whole = ET.SubElement(suite, "testcase", name="conclusion", classname=name)
    facts: dict[str, object] = {"conclusion": found.conclusion, "reason": found.reason}
    for one in found.measures:
        facts |= {
            f"{one.name}: {part}": getattr(one, part) for part in ("difference", "low", "high")
        }
    _add_properties(whole, facts)
    if missed is not None:
        ET.SubElement(whole, "failure", message=_text(missed))
    for document in found.documents:
        case = ET.SubElement(suite, "testcase", name=_text(document.path), classname=name)
        _add_properties(
            case,
            {
                "difference": document.difference,
                "winner": document.b.name,
                "earlier winner": document.a.name,
            },
        )
    for path in left_out:
        case = ET.SubElement(suite, "testcase", name=_text(path), classname=name)
        ET.SubElement(case, "skipped", message="not in both runs, or without a winner in one")
    return _written(root)


def _written(root: ET.Element) -> bytes:
    ET.indent(root)
    written: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return written + b"\n"


def _add_properties(case: ET.Element, facts: Mapping[str, object]) -> None:
    found = ET.SubElement(case, "properties")
    for name, value in facts.items():
        if value is not None:
            ET.SubElement(found, "property", name=_text(name), value=_text(str(value)))


def _outcome(page: DocumentReport) -> str:
    """Return ``won``, ``failure``, or ``skipped`` for a document that is not judged (yet)."""
    if page.winner:
        return "won"
    return "skipped" if page.document.state in ("done", "running") else "failure"


def _case(suite: ET.Element, title: str, page: DocumentReport) -> None:
    document, winner = page.document, page.winner
    ended = document.finished_at or document.created_at
    case = ET.SubElement(
        suite,
        "testcase",
        name=_text(document.path),
        classname=_text(title),
        time=f"{(ended - document.created_at).total_seconds():.3f}",
    )
    if winner is None:
        reason = shortened(document.reason or f"this document is {document.state}", 1000)
        ET.SubElement(case, _outcome(page), message=_text(reason))
        return
    _add_properties(
        case,
        {
            "winner": winner.label,
            "p_best": overview.p_best(winner),
            "score": winner.summary.overall if winner.summary else None,
            "cost_usd": page.spent.exact,
        },
    )


def _text(value: str) -> str:
    return _UNWRITABLE.sub("\ufffd", value)
