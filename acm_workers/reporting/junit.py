"""JUnit XML for pipelines: one test case per document, which fails without a winner."""

import re
from xml.etree import ElementTree as ET

from acm_workers.reporting import overview
from acm_workers.reporting.data import DocumentReport, RunReport
from acm_workers.reporting.formatting import shortened

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
    ET.indent(root)
    written: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return written + b"\n"


def _outcome(page: DocumentReport) -> str:
    """Return ``won``, ``failure``, or ``skipped`` for what is not judged or not yet."""
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
    found = ET.SubElement(case, "properties")
    facts = {
        "winner": winner.label,
        "p_best": overview.p_best(winner),
        "score": winner.summary.overall if winner.summary else None,
        "cost_usd": page.spent.exact,
    }
    for name, value in facts.items():
        if value is not None:
            ET.SubElement(found, "property", name=name, value=_text(str(value)))


def _text(value: str) -> str:
    return _UNWRITABLE.sub("\ufffd", value)
