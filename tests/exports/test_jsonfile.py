"""JSON files have the bytes of Python's own indented JSON, whatever is in them."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from exports.formats.jsonfile import ObjectWriter, Repeated, RepeatedList, canonical, line, published

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(VALUES)
def test_a_value_is_laid_out_as_python_indents_it(value):
    assert published(value) == json.dumps(value, indent=4)


@given(VALUES)
def test_a_line_is_what_python_writes(value):
    assert line(value) == json.dumps(value, ensure_ascii=False)


@given(st.dictionaries(st.text(), VALUES, max_size=4), VALUES)
def test_an_object_that_many_share_has_the_bytes_of_a_plain_one(shared, other):
    many = {
        "all": [Repeated(shared), other, Repeated(shared)],
        "é": Repeated(shared),
        "none": RepeatedList(),
        "list": RepeatedList([Repeated(shared), other]),
    }
    plain = json.loads(json.dumps(many))
    assert line(many) == line(many) == json.dumps(plain, ensure_ascii=False)
    assert published(many) == published(many) == json.dumps(plain, indent=4)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_an_object_written_entry_by_entry_has_the_bytes_of_the_whole(whole):
    stream = io.StringIO()
    writer = ObjectWriter(stream)
    for key, value in whole.items():
        writer.add(key, value)
    writer.close()
    assert stream.getvalue() == json.dumps(whole, indent=4)


def test_canonical_json_has_sorted_keys_no_spaces_and_its_own_letters():
    assert canonical({"b": "é", "a": [1, None]}) == '{"a":[1,null],"b":"é"}'
