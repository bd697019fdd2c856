"""Spans of many arguments in little memory: what is packed is given back as it was."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.evaluation.packed_spans import KeptAnswers, MarkedSpans, SpanPacker
from scoring.figures.spans import Place, References
from scoring.reading.focus_answers import Answer, FocusAnswer

TEXT = "Grades 🎉 fell when the “library” closed."

places = st.tuples(st.integers(0, 20), st.integers(1, 18)).map(lambda pair: (pair[0], sum(pair)))
references = st.dictionaries(
    st.sampled_from(["LE", "WE", "BS"]), st.tuples(st.lists(places, max_size=3), st.lists(places, max_size=3))
)
words = st.sampled_from(["Null", "", "not there", "GRADES", " fell "])
answers = st.lists(
    st.tuples(st.sampled_from(["LE", "WE", "NONE"]), st.one_of(places, st.none()), words, st.booleans()),
    max_size=2,
)


def marked(spans):
    return tuple(Place(TEXT[start:end], (start, end), TEXT) for start, end in spans)


@given(references)
def test_references_are_given_back_as_they_were(found):
    spans = {code: References(marked(gold), marked(others)) for code, (gold, others) in found.items()}
    packed = SpanPacker().pack(TEXT, spans)
    assert isinstance(packed, MarkedSpans)
    assert dict(packed) == dict(packed.items()) == spans
    assert list(packed) == list(spans)
    assert packed.get("CF") is None


def test_words_without_a_place_stay_as_they_are():
    spans = {"LE": References((Place("elsewhere", None, TEXT),))}
    assert SpanPacker().pack(TEXT, spans) is spans


def test_the_same_types_of_several_arguments_are_held_once():
    packer = SpanPacker()
    first, second = (packer.pack(TEXT, {"LE": References(marked([(at, at + 3)]))}) for at in (0, 9))
    assert first._pattern is second._pattern
    assert first["LE"].gold[0].words == "Gra"
    assert second["LE"].gold[0].words == "fel"


@given(st.lists(answers, max_size=4))
def test_answers_are_given_back_as_they_were(rows):
    kept = KeptAnswers({str(at): TEXT for at in range(len(rows))}.__getitem__)
    expected = {}
    for at, row in enumerate(rows):
        said = FocusAnswer(
            tuple(
                Answer(kind, place, TEXT[slice(*place)] if place and as_it_stands else given)
                for kind, place, given, as_it_stands in row
            )
        )
        kept.keep(str(at), said)
        expected[str(at)] = said
    assert dict(kept) == expected
    assert (len(kept), "x" in kept) == (len(rows), False)
