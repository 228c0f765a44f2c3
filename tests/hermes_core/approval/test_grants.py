from hermes_core.approval.grants import Grants
from hermes_core.ground.actions import Action


def test_a_grant_covers_what_is_the_same() -> None:
    grants = Grants()
    action = Action("execute", "ls", key="execute:1")
    assert not grants.covers(action)
    grants.grant(action)
    assert grants.covers(Action("execute", "another text", key="execute:1"))
    assert not grants.covers(Action("execute", "ls", key="execute:2"))


def test_a_grant_belongs_to_its_session() -> None:
    action = Action("edit", key="edit:/a")
    Grants().grant(action)
    assert not Grants().covers(action)


def test_an_action_without_a_key_is_never_granted() -> None:
    grants = Grants()
    grants.grant(Action("execute", "ls"))
    assert not grants.covers(Action("execute", "ls"))
