"""The chain: the order of the fallbacks, once a turn each, and the primary's return."""

from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.model.chain import Chain, Resolved
from tests.hermes_core.model.candidates import Clock


def chain_of(count: int, clock: Clock | None = None) -> tuple[Chain, list[Resolved]]:
    candidates = [
        Resolved(Runtime("custom", f"m{i}", "chat_completions", "https://x.example", Secret("")))
        for i in range(count)
    ]
    return Chain(candidates, clock or Clock()), candidates


def test_the_fallbacks_come_in_order_and_once_a_turn() -> None:
    chain, (first, second, third) = chain_of(3)
    assert chain.begin_turn() is first
    assert chain.has_another
    assert chain.advance() is second
    assert chain.has_another
    assert chain.advance() is third
    assert not chain.has_another
    assert chain.advance() is None
    assert chain.current is third


def test_a_chain_of_one_has_no_other() -> None:
    chain, (only,) = chain_of(1)
    assert not chain.has_another
    assert chain.advance() is None
    assert chain.begin_turn() is only


def test_the_provider_that_worked_keeps_the_turn_and_the_primary_takes_the_next() -> None:
    chain, (first, second) = chain_of(2)
    chain.begin_turn()
    chain.advance()
    assert chain.current is second
    assert not chain.on_primary
    assert chain.begin_turn() is first
    assert chain.has_another


def test_a_primary_that_rests_comes_back_with_the_first_turn_after_its_rest() -> None:
    clock = Clock()
    chain, (first, second, third) = chain_of(3, clock)
    chain.begin_turn()
    chain.rest(60)
    chain.advance()
    clock.now += 59.9
    assert chain.begin_turn() is second
    assert chain.advance() is third
    assert chain.advance() is None
    chain.rest(5)
    clock.now += 0.1
    assert chain.begin_turn() is third
    clock.now += 5
    assert chain.begin_turn() is first


def test_a_longer_rest_is_not_cut_short() -> None:
    clock = Clock()
    chain, (_, second) = chain_of(2, clock)
    chain.begin_turn()
    chain.rest(60)
    chain.rest(5)
    chain.advance()
    clock.now += 30
    assert chain.begin_turn() is second


def test_a_primary_that_nobody_stands_in_for_does_not_rest() -> None:
    chain, (first, _) = chain_of(2)
    chain.rest(60)
    assert chain.begin_turn() is first
