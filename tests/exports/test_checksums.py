"""The SHA-256 of a release's files is taken while they are written, by another thread."""

import hashlib

from exports.files.checksums import BUFFER, Sums


def test_files_written_in_turns_and_in_pieces_have_the_sum_of_their_bytes(tmp_path):
    pieces = [
        bytes([number]) * size for number, size in enumerate((1, BUFFER - 1, BUFFER, 3 * BUFFER + 7, 5))
    ]
    with Sums(tmp_path) as sums:
        one, two = sums.open("one"), sums.open("folder/two")
        for piece in pieces:
            one.write(piece)
            two.write(piece[::-1] + b"2")
        one.close()
        two.close()
        (tmp_path / "three").write_bytes(b"read now")
        found = {name: sums.sha256(name) for name in ("one", "folder/two", "three")}
    assert (tmp_path / "one").read_bytes() == b"".join(pieces)
    assert found == {
        "one": hashlib.sha256(b"".join(pieces)).hexdigest(),
        "folder/two": hashlib.sha256(b"".join(piece[::-1] + b"2" for piece in pieces)).hexdigest(),
        "three": hashlib.sha256(b"read now").hexdigest(),
    }
