import pytest

from hermes_core.approval.shell_words import MAX_LENGTH, Unreadable, read_steps


def words(text: str) -> list[list[str]]:
    return [[word.text for word in step.words] for step in read_steps(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -la", [["ls", "-la"]]),
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a b''c \"\" d", [["a", "bc", "", "d"]]),
        ('a "b\\c\\$d\\"e"', [["a", 'b\\c$d"e']]),
        ("a; b && c || d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("a b#c", [["a", "b#c"]]),
        ("a 2>&1 >/dev/null b", [["a", "b"]]),
        ("git show HEAD@{1} {} HEAD~1", [["git", "show", "HEAD@{1}", "{}", "HEAD~1"]]),
        ('grep "x$" f', [["grep", "x$", "f"]]),
        ("a\n\n\nb", [["a"], ["b"]]),
        ("a &&\n b", [["a"], ["b"]]),
        ("a ! -b '!$' x!=y !z", [["a", "!", "-b", "!$", "x!=y", "!z"]]),
    ],
)
def test_what_is_understood(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("a $b", "a `b`", 'a "$b"', "a $(b)", "a {b,c}", "a {1..2}", "a ~", "a ~b", "a b=~"),
        *("a &", "a |& b", "a;;", "a &&", "&& a", "; a", "a || ; b", "(a)", "a() { b; }"),
        *("a \\\nb", "a 'b", 'a "b', "a \\", "a << b", "a <<< b", "a <(b)", "a >| b", "a <> b"),
        *("a\rb", "a\x0bb", "a\u00a0b", "a\u2028b", "a\x00", "a\udc80", "caf\u00e9", "a {b}>c"),
        *("a [!b]*", "a [b", "a $'b'", 'a $"b"', "a >", "a }", "a" * (MAX_LENGTH + 1)),
        *("a;" * 60, "a " * 500, "a *" * 30),
        *("a !$", "a !!", "a !2", "a !-1", "a b!^"),
    ],
)
def test_what_is_not(text: str) -> None:
    with pytest.raises(Unreadable):
        read_steps(text)


def test_patterns_are_marked_where_they_are_not_quoted() -> None:
    (step,) = read_steps("a *.py 'b*' c\\* d?")
    assert [word.active for word in step.words] == [(), (0,), (), (), (1,)]


def test_connectors_and_redirections_are_kept() -> None:
    first, second = read_steps("a <b 2>&1 | c")
    assert second.connector == "|"
    assert [(r.fd, r.operator, r.target.text) for r in first.redirects] == [
        ("", "<", "b"),
        ("2", ">&", "1"),
    ]
