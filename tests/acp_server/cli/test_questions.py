"""Which key takes which answer, and who answers."""

import pytest

from acp_server.cli.questions import DemoAsker, NobodyAsker, choices_of, rejection


def options(*kinds: str) -> dict[str, object]:
    return {"options": [{"optionId": f"id-{k}", "name": k, "kind": k} for k in kinds]}


def test_each_kind_has_its_key() -> None:
    choices = choices_of(options("allow_once", "allow_always", "reject_once", "reject_always"))
    assert [choice.key for choice in choices] == ["y", "a", "n", "d"]
    assert [choice.allows for choice in choices] == [True, True, False, False]


def test_what_has_no_key_of_its_own_gets_a_number() -> None:
    choices = choices_of(options("allow_once", "allow_once", "novel"))
    assert [choice.key for choice in choices] == ["y", "1", "2"]
    assert not choices[2].allows


def test_names_cannot_deceive() -> None:
    params = {"options": [{"optionId": "x", "name": "Reject\x1b[2K\nAllow", "kind": "allow_once"}]}
    assert choices_of(params)[0].name == "Reject\\x1b[2K\\nAllow"


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        (("allow_once", "reject_always", "reject_once"), "id-reject_once"),
        (("allow_once", "reject_always"), "id-reject_always"),
        (("allow_once",), None),
        ((), None),
    ],
)
async def test_nobody_rejects(kinds: tuple[str, ...], wanted: str | None) -> None:
    choices = choices_of(options(*kinds))
    choice, by = await NobodyAsker().choose(choices)
    assert choice == rejection(choices)
    assert (choice.option_id if choice else None) == wanted
    assert "no terminal" in by


async def test_the_demo_allows_once_and_says_so() -> None:
    choice, by = await DemoAsker().choose(choices_of(options("allow_always", "allow_once")))
    assert choice is not None
    assert choice.kind == "allow_once"
    assert "by the demo" in by
    assert (await DemoAsker().choose(choices_of(options("allow_always"))))[0] is None


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("allow_once", "Allow once", "allowed once"),
        ("allow_always", "Always allow `touch` in this workspace", "always allowed"),
        ("allow_always", "Yes, and let edits run", "“Yes, and let edits run”"),
        ("reject_once", "No, go on planning", "“No, go on planning”"),
        ("novel", "Perhaps", "“Perhaps”"),
    ],
)
def test_an_answer_with_a_name_of_its_own_is_told_by_it(kind: str, name: str, said: str) -> None:
    option = {"optionId": "x", "name": name, "kind": kind}
    assert choices_of({"options": [option]})[0].said == said
