"""Reading a rating table: what is a label, what is missing, and what is refused with its place."""

import codecs

import numpy as np
import pytest

from agreement.files.ratings import RatingFileError, parse_categories, read_ratings
from core.lookalikes import groups_alike


@pytest.fixture
def write(tmp_path):
    def write(content, encoding="utf-8"):
        path = tmp_path / "ratings.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


def test_an_empty_cell_is_missing_and_every_other_text_a_label_as_it_stands(write):
    table = read_ratings(write('id,A,B\nx,nan,NA\ny,,None\nz," ",yes\nw,yes ,Yes\n'))
    assert table.items == ("x", "y", "z", "w")
    assert table.annotators == ("A", "B")
    assert table.categories == (" ", "NA", "None", "Yes", "nan", "yes", "yes ")
    labels = [[None if code < 0 else table.categories[code] for code in row] for row in table.ratings]
    assert labels == [["nan", "NA"], [None, "None"], [" ", "yes"], ["yes ", "Yes"]]


def test_categories_are_in_declared_order_and_count_when_unused(write):
    table = read_ratings(write("id,A,B\n1,no,yes\n2,no,\n"), categories=("yes", "maybe", "no"))
    assert table.categories == ("yes", "maybe", "no")
    assert table.ratings.tolist() == [[2, 0], [2, -1]]


def test_inferred_categories_are_sorted_whatever_the_order_of_the_rows(write):
    table = read_ratings(write("id,A,B\n1,b,a\n2,c,\n"))
    assert table.categories == ("a", "b", "c")
    assert table.ratings.tolist() == [[1, 0], [2, -1]]


def test_items_without_ratings_and_empty_tables_are_read_as_they_are(write):
    assert read_ratings(write("id,A,B\n1,,\n2,a,\n")).ratings.tolist() == [[-1, -1], [0, -1]]
    empty = read_ratings(write("id,A,B\n"))
    assert (empty.ratings.shape, empty.categories) == ((0, 2), ())


def test_blank_rows_are_skipped_and_quoted_cells_may_hold_commas_quotes_and_lines(write):
    table = read_ratings(write('id,A,"B, the second"\r\n\r\n1,"a ""x"", b","two\nlines"\r\n,,\r\n\r\n'))
    assert table.annotators == ("A", "B, the second")
    assert table.categories == ('a "x", b', "two\nlines")
    assert table.items == ("1",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf_8_and_utf_16_with_a_mark_are_read_alike(write, encoding):
    table = read_ratings(write("id,Zoë,李\n1,да,😀\n", encoding))
    assert table.annotators == ("Zoë", "李")
    assert table.categories == ("да", "😀")


def test_big_endian_utf_16_is_read_by_its_mark(write):
    content = codecs.BOM_UTF16_BE + "id,A\n1,ä\n".encode("utf-16-be")
    assert read_ratings(write(content)).categories == ("ä",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("id\n1\n", "row 1: there is no annotator column after the first."),
        ("id;A;B\n1;x;y\n", "separated by semicolons"),
        ("id\tA\n1\tx\n", "separated by tabs"),
        ("id,A,\n1,x,y\n", "row 1, column 3: the annotator has no name"),
        ("id,A,B,A\n1,x,y,z\n", "row 1, column 4: the annotator 'A' already has column 2"),
        ("id,A,B\n1,x,y\n2,x\n", "row 3: 2 cells where the header has 3 columns"),
        ("id,A,B\n1,x,y,z\n", "row 2: 4 cells where the header has 3 columns"),
        ("id,A\n1,x\n\n2,x\n1,y\n", "row 5, column 1: the item '1' is already in row 2"),
        ("id,A\n,x\n", "row 2, column 1: the item's id is empty"),
        ('id,A\n1,"x\n', "row 2: not valid CSV"),
        ('id,A\n1,"x"y\n', "row 2: not valid CSV"),
    ],
)
def test_a_file_that_is_no_rating_table_is_refused_with_its_place(write, content, message):
    path = write(content)
    with pytest.raises(RatingFileError) as error:
        read_ratings(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_a_label_outside_the_declared_categories_is_refused_with_row_and_column(write):
    path = write("id,A,B\n1,yes,no\n2,yes,Yes\n")
    with pytest.raises(RatingFileError) as error:
        read_ratings(path, categories=("yes", "no"))
    assert str(error.value) == (
        f"{path}: row 3, column 3 ('B'): the label 'Yes' is not one of the declared categories 'yes', 'no'. "
        "Where it means a missing rating, leave the cell empty or name it with --missing."
    )


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_bytes_that_are_not_utf_8_are_refused_with_row_and_column(write, mark):
    with pytest.raises(RatingFileError, match="row 3, column 2: the byte 0xE9 is not UTF-8"):
        read_ratings(write(mark + "id,A,B\nä,a,b\n2,".encode() + b"caf\xe9,b\n"))


def test_a_byte_that_is_not_utf_8_is_found_far_into_a_long_file(write):
    rows = "".join(f"{number},a,b\n" for number in range(50_000))
    content = ("id,A,B\n" + rows).encode() + b"last,a,\xff\n"
    with pytest.raises(RatingFileError, match="row 50002, column 3: the byte 0xFF is not UTF-8"):
        read_ratings(write(content))


def test_broken_utf_16_is_refused(write):
    content = codecs.BOM_UTF16_LE + "id,A\n1,".encode("utf-16-le") + b"\x00\xd8" + "x\n".encode("utf-16-le")
    with pytest.raises(RatingFileError, match=r"row 2, column 2: .* is not UTF-16"):
        read_ratings(write(content))


def test_a_missing_file_and_a_folder_are_refused_by_name(tmp_path):
    with pytest.raises(RatingFileError, match=r"none\.csv: cannot be read \(No such file"):
        read_ratings(tmp_path / "none.csv")
    with pytest.raises(RatingFileError, match="cannot be read"):
        read_ratings(tmp_path)


def test_declared_categories_are_a_comma_separated_list_of_labels_as_they_stand():
    assert parse_categories("yes,no") == ("yes", "no")
    assert parse_categories('"a, b", c') == ("a, b", " c")
    for text, words in (
        ("", "none of them empty"),
        ("a,,b", "none of them empty"),
        ("a,b,a", "'a' is declared twice"),
    ):
        with pytest.raises(ValueError, match=words):
            parse_categories(text)


def test_labels_that_look_alike_are_pointed_out():
    assert groups_alike(("yes", "no", "Yes", " yes", "caf\u00e9", "cafe\u0301", "b")) == [
        ("yes", "Yes", " yes"),
        ("caf\u00e9", "cafe\u0301"),
    ]
    assert groups_alike(("a", "b")) == []


def test_many_rows_are_codes_and_not_objects(write):
    rows = "".join(f"{number},{'ab'[number % 2]},\n" for number in range(20_000))
    ratings = read_ratings(write("id,A,B\n" + rows)).ratings
    assert ratings.dtype == np.int64
    assert np.bincount(ratings[:, 0]).tolist() == [10_000, 10_000]


SOURCES = "id,type,A,source,B\n1,x,y,s,n\n1,z,n,s,n\n2,x,y,t,y\n"


def test_a_cluster_column_says_which_items_belong_together(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(SOURCES)
    table = read_ratings(path, strata="type", cluster="source")
    assert table.annotators == ("A", "B")
    assert table.clusters == ("s", "s", "t")
    assert table.row_clusters.tolist() == [0, 0, 1]
    assert table.item_clusters.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("source", "origin", "row 1: there is no column 'source' after the first"),
        ("A,source", "source,source", "row 1, column 4: 'source' stands twice"),
        ("1,z,n,s", "1,z,n, ", "row 3, column 4 ('source'): the cluster is empty"),
        (
            "1,z,n,s",
            "1,z,n,t",
            "row 3, column 4 ('source'): the item '1' is in the cluster 't' here and in 's' in row 2",
        ),
        (
            "2,x,y,t",
            "2,x,y,s\u00a0",
            "row 4, column 4 ('source'): the cluster 's\\xa0' looks exactly like 's'",
        ),
        ("B", "A", "row 1, column 5: the annotator 'A' already has column 3"),
    ],
)
def test_a_cluster_column_that_is_none_is_refused_with_its_place(tmp_path, before, after, why):
    path = tmp_path / "ratings.csv"
    path.write_text(SOURCES.replace(before, after))
    with pytest.raises(ValueError, match="row") as refused:
        read_ratings(path, strata="type", cluster="source")
    assert why in str(refused.value)


def test_one_column_cannot_be_stratum_and_cluster(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(SOURCES)
    with pytest.raises(
        ValueError, match="row 1, column 2: 'type' cannot be both the stratum and the cluster"
    ):
        read_ratings(path, strata="type", cluster="type")
