"""The Range header of a download: which bytes a client that resumes asks for. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `start` to `end` of a file, half open; `partial` where that is not all of it."""

    start: int
    end: int
    partial: bool


def byte_range(header: str | None, size: int) -> ByteRange | None:
    """Return what a Range header asks for of a file of `size` bytes; None where it cannot be satisfied.

    A header that is absent, malformed, of another unit or of several ranges asks for the whole file (RFC 9110
    lets a server ignore it, section 14.2).

    >>> byte_range("bytes=5-", 10), byte_range("bytes=-3", 10)
    (ByteRange(start=5, end=10, partial=True), ByteRange(start=7, end=10, partial=True))
    >>> byte_range("bytes=10-", 10) is None
    True
    """
    whole = ByteRange(0, size, partial=False)
    match = _RANGE.fullmatch(header.strip()) if header else None
    if match is None or match.groups() == ("", ""):
        return whole
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return whole
    return ByteRange(start, end, partial=True) if start < end else None
