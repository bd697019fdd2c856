"""A download that broke off goes on where it stopped."""

import pytest

from exports.releases.http_range import ByteRange, byte_range


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, ByteRange(0, 10, False)),
        ("bytes=0-", ByteRange(0, 10, True)),
        ("bytes=0-0", ByteRange(0, 1, True)),
        ("bytes=3-7", ByteRange(3, 8, True)),
        ("bytes=3-99", ByteRange(3, 10, True)),
        ("bytes=-4", ByteRange(6, 10, True)),
        ("bytes=-99", ByteRange(0, 10, True)),
        ("bytes=10-", None),
        ("bytes=-0", None),
        ("bytes=7-3", ByteRange(0, 10, False)),
        ("bytes=-", ByteRange(0, 10, False)),
        ("bytes=0-1,3-4", ByteRange(0, 10, False)),
        ("items=0-1", ByteRange(0, 10, False)),
    ],
)
def test_a_range_header_asks_for_these_bytes_of_ten(header, expected):
    assert byte_range(header, 10) == expected


def test_no_byte_of_an_empty_file_can_be_asked_for():
    assert byte_range("bytes=0-", 0) is None
    assert byte_range(None, 0) == ByteRange(0, 0, False)
