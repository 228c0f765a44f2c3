"""What sessions can choose from is read again only when something changed."""

from pathlib import Path

from acp_server.methods.offers import Offers
from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config, load_config


class Settings:
    """Settings in a folder; counts how often they are read."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.read = 0
        self.offers = Offers(self.config, lambda: home)

    def config(self) -> Config:
        self.read += 1
        environ = {"HERMES_HOME": str(self.home), "HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        return load_config(environ)


def test_the_same_list_is_returned_while_nothing_changed(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    first = settings.offers(None)
    assert settings.offers(None) is first
    assert settings.read == 1
    assert list(first) == []
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-ant-0123456789abcdef\n")
    (group,) = settings.offers(None)
    assert group.provider == "anthropic"
    assert settings.read == 2


def test_settings_that_cannot_be_read_offer_nothing(tmp_path: Path) -> None:
    def broken() -> Config:
        raise ConfigError("config.yaml, line 2: broken")

    assert Offers(broken, lambda: tmp_path)(None) == ()


def test_a_refresh_without_anything_set_up_asks_nobody(tmp_path: Path) -> None:
    assert not Settings(tmp_path).offers.refresh(None)
