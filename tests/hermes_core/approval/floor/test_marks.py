from hermes_core.approval.floor.marks import (
    BELOW,
    EVERY,
    UNKNOWN,
    alternatives,
    expand_braces,
    plain,
    without_marks,
)


def test_a_word_may_stand_for_a_few_others() -> None:
    assert alternatives(["a"]) == "a"
    assert expand_braces(f"x/{alternatives(['a', 'b'])}") == ["x/a", "x/b"]
    assert alternatives([str(number) for number in range(30)]) == UNKNOWN
    assert alternatives(["a" * 200, "b" * 200]) == UNKNOWN


def test_marks_are_shown_as_one_would_write_them() -> None:
    assert plain(f"/etc/{BELOW}") == "/etc/**"
    assert plain(f"{EVERY}{UNKNOWN}") == "$?$?"


def test_no_mark_can_be_forged() -> None:
    forged = without_marks(f"{BELOW}{EVERY}{UNKNOWN}")
    assert not {BELOW, EVERY, UNKNOWN} & set(forged)
