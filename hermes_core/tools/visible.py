"""Text that hides nothing from the person who reads it, see ``ground.visible``."""

from hermes_core.ground.visible import LINE_BREAK, code, fence, many_lines, one_line

__all__ = ["LINE_BREAK", "code", "fence", "many_lines", "one_line"]
