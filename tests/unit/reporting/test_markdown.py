import pytest

from acm_workers.reporting import markdown


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "relative.md",
        "#method",
        "\x01javascript:alert(1)",
        "java&#10;script:alert(1)",
    ],
)
def test_only_web_and_mail_addresses_become_links(address: str) -> None:
    made = markdown.html(f"[text]({address}) <{address}>\n\n[ref]\n\n[ref]: {address}")

    assert made is not None
    assert "<a" not in made


def test_a_link_does_not_tell_where_it_was_followed_from() -> None:
    made = markdown.html("[text](https://good.example)")

    assert made == (
        '<p><a href="https://good.example" rel="noopener noreferrer nofollow">text</a></p>\n'
    )


def test_an_image_is_its_description() -> None:
    made = markdown.html('![a **bold** "cat" <b>](https://evil.example/p.png "t")')

    assert made == '<p><span class="picture">[image: a bold "cat" &lt;b&gt;]</span></p>\n'.replace(
        '"cat"', "&quot;cat&quot;"
    )


def test_markup_stays_text() -> None:
    made = markdown.html("<script>x</script>\n\n<b onclick=x>y</b>")

    assert made is not None
    assert "<script" not in made
    assert "<b" not in made


def test_headings_stand_below_those_of_the_report() -> None:
    assert markdown.html("# One\n\n###### Six") == "<h4>One</h4>\n<h6>Six</h6>\n"


@pytest.mark.parametrize(
    "text",
    ["x" * 100_001, "|a" * 60 + "\n" + "|-" * 60 + "\n" + "|x\n" * 60],
    ids=["too long", "a table that swells"],
)
def test_a_text_that_would_choke_the_page_is_not_rendered(text: str) -> None:
    assert markdown.html(text) is None
