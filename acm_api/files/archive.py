"""All files of a run as one archive, created from the store."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from acm_api.files import naming
from acm_workers import submit
from schemas.children import ArtifactFile
from schemas.run import RunRecords


def of_run(known: RunRecords, now: datetime, others: Mapping[str, Sequence[ArtifactFile]]) -> bytes:
    """Return a zip archive with the candidates, winners and report of a run.

    The names of candidates end with their ids and are therefore unique.

    Args:
        others: Additional files that child processes wrote, by artifact.
    """
    paths = {document.id: document.path for document in known.documents}
    clashing = naming.clashing(paths.values())
    files: dict[str, bytes] = {}
    for artifact in known.artifacts:
        path = paths[artifact.document_id]
        stem = naming.stem(path, full_name=path in clashing)
        name = f"outputs/{stem}.{artifact.generator}.{artifact.number}.{artifact.id}"
        if artifact.text is not None:
            extension = "json" if known.run.config.writes_json(artifact) else "md"
            files[f"{name}.{extension}"] = _text(artifact.text)
            for one in others.get(artifact.id, ()):
                files[f"{name}.{one.extension}"] = one.data
        elif artifact.state == "failed":
            files[f"{name}.failed.json"] = _json(
                {"reason": artifact.error, "kind": artifact.error_kind, "model": artifact.model}
            )
    texts = {artifact.id: artifact.text for artifact in known.artifacts}
    for document in known.documents:
        if document.winner_id is None:
            continue
        stem = naming.stem(document.path, full_name=document.path in clashing)
        files[f"winners/{stem}.winner.md"] = _text(texts[document.winner_id] or "")
        files[f"winners/{stem}.winner.json"] = _json(submit.about_winner(known, document))
    for name, content in submit.report_files(known, now).items():
        files[f"reports/{known.run.id}/{name}"] = content
    return _zip(files, now)


def _zip(files: dict[str, bytes], now: datetime) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            about = zipfile.ZipInfo(name, now.timetuple()[:6])
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, content)
    return buffer.getvalue()


def _text(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
