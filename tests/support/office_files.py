"""Small files of word processors and browsers, made without a library."""

import io
import zipfile

_OFFICE = "application/vnd.openxmlformats-"
_TYPES = (
    '<?xml version="1.0"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    f'<Default Extension="rels" ContentType="{_OFFICE}package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    f'"{_OFFICE}officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_LINKS = (
    '<?xml version="1.0"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="word/document.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>"
)
_WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(*paragraphs: str, filler: int = 0) -> bytes:
    """Return a Word document; the first paragraph is a heading.

    Args:
        filler: Bytes of a part that compresses to nearly nothing.
    """
    body = "".join(
        f"<w:p>{_HEADING if number == 0 else ''}<w:r><w:t>{text}</w:t></w:r></w:p>"
        for number, text in enumerate(paragraphs)
    )
    document = f'<w:document xmlns:w="{_WORDS}"><w:body>{body}</w:body></w:document>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _LINKS)
        archive.writestr("word/document.xml", document)
        if filler:
            archive.writestr("word/filler.bin", bytes(filler))
    return file.getvalue()


_HEADING = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'


def pdf(text: str = "") -> bytes:
    """Return a PDF of one page with a line of text."""
    content = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode() if text else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, offsets = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)
    return data + b"xref\n0 6\n0000000000 65535 f \n" + table + end
