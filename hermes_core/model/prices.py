"""What calls cost, estimated from the prices that the endpoint's own list tells.

Where it tells none, they come from a maintained table, the package genai-prices.
"""

import logging

from hermes_core.ground.runtime import Runtime
from hermes_core.ground.usage import Usage

_log = logging.getLogger(__name__)


class Bill:
    """The estimated cost of calls. Once one of them has no known price, the sum has none."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._calls = 0
        self._known = True
        self.unpriced = ""
        """What had no price first: the model, as far as it has a name, and an unusual speed."""

    def resume(self, amount: float | None) -> None:
        """Go on from what earlier calls have cost; None if that is not known."""
        self._calls += 1
        self._sum += amount or 0.0
        self._known = self._known and amount is not None

    @property
    def amount(self) -> float | None:
        """US dollars so far; None before the first call, and where a price is not known."""
        return self._sum if self._calls and self._known else None

    @property
    def least(self) -> float:
        """US dollars that are known to be spent, whatever else was."""
        return self._sum

    @property
    def known(self) -> bool:
        """Whether the price of every call so far is known."""
        return self._known

    def include(self, other: "Bill") -> None:
        """Add all that stands on another bill."""
        self._calls += other._calls
        self._sum += other._sum
        self._known = self._known and other._known
        self.unpriced = self.unpriced or other.unpriced

    def add(self, runtime: Runtime, usage: Usage, *, metered: bool = True) -> None:
        """Add one call. metered: whether it is paid by its tokens, not by a subscription."""
        self._calls += 1
        price = estimate(runtime, usage) if metered else None
        if price is None:
            self._known = False
            speed = f" at the speed {runtime.speed.word}" if runtime.speed else ""
            self.unpriced = self.unpriced or f"{runtime.model}{speed}"
        else:
            self._sum += price


def estimate(runtime: Runtime, usage: Usage) -> float | None:
    """Return the price of one call in US dollars; None where it is not known, never a guess.

    In the table the provider is known by its address, so that a namesake elsewhere has no price.
    """
    usual = _usual(runtime, usage)
    rate = 1.0 if runtime.speed is None else runtime.speed.price
    return None if usual is None or rate is None else usual * rate


def _usual(runtime: Runtime, usage: Usage) -> float | None:
    """Return what the call costs at the usual speed."""
    if runtime.prices is not None:
        read, written, cached = runtime.prices
        hits = min(usage.cached, usage.input)
        return (usage.input - hits) * read + hits * cached + usage.output * written
    if not runtime.base_url.startswith("https:"):
        return None
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    tokens = Tokens(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=min(usage.cached, usage.input),
    )
    try:
        found = calc_price(tokens, runtime.model, provider_api_url=runtime.base_url)
    except (LookupError, ValueError) as error:
        _log.debug("no price of %s: %s", runtime.model, error)
        return None
    return float(found.total_price)


def warm() -> None:
    """Load the table of prices, which takes a moment."""
    import genai_prices

    del genai_prices
