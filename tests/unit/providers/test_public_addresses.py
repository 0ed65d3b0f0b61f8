"""Which addresses a child's pages may come from."""

import pytest

from acm_workers.errors import ProviderRejected
from acm_workers.providers.http import pages


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.1",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1",
        "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_private_addresses_are_not_public(address: str) -> None:
    assert not pages.is_public(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101"]
)
def test_others_are(address: str) -> None:
    assert pages.is_public(address)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/a", "http://", "//example.org", "javascript:1",
     "http://user:password@example.org/", "http://[::1", "gopher://example.org"],
)  # fmt: skip
def test_only_addresses_of_web_pages_are_fetched(url: str) -> None:
    with pytest.raises(ProviderRejected):
        pages.fetch(url, 1.0, 1000)
