"""The comparison of stored instructions; the nightly counts them."""

from tests.trend import changes, stored


def test_a_change_of_more_than_three_percent_is_reported_with_the_name_of_the_call():
    known = stored()
    assert len(known) == 10 and min(known.values()) > 10**7
    assert changes(known, known) == []
    slower = known | {"aggregate": round(1.031 * known["aggregate"]), "as_graph": round(1.029 * known["as_graph"])}
    (line,) = changes(slower, known)
    assert line.startswith("aggregate: ") and line.endswith(" +3.1 %")
    assert changes({name: count for name, count in known.items() if name != "as_graph"}, known) == [
        "as_graph: no count"
    ]
