"""Messages of the library in terms of the command line: its arguments become the options of a command.

Rule: a keyword of the library, such as ``seed=`` or ``order='natural'``, becomes the option whose long form or whose
parameter in Python has this name: ``--seed``, ``--order natural``. A keyword that the command does not have
remains, and the message says that it is one of Python. Keywords inside a call, such as ``f(x, nodetype=int)``, remain.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import click

_ALIASES = {"nullspace": "floating", "format": "from"}  # keywords whose options have other names
_VALUE = r"'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|True|False|numpy\.ones\(\d+\)"
_KEYWORD = re.compile(
    r"[\w.]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"  # a call, which remains
    rf"|(?:(?<=[ (])|^(?=\w+=(?:['\"]|[-+\w]* )))(?P<name>[A-Za-z]\w*)=(?P<value>{_VALUE})?(?=[ ,;):]|\.(?: |$)|$)"
)
_QUOTES = "'\""
_UNSUPPORTED = re.compile(r"(?<=has no option )\w+; it has [\w, ]+")
_ADVICE = re.compile(r"\b(?:pass|use|try|or) ([A-Za-z]\w*)=", re.IGNORECASE)


def as_options(message: str, command: click.Command) -> str:
    """Replace the library's arguments in a message by the corresponding options of a command."""
    message = _without_symmetrize(message)
    options = _by_keyword(command)

    def option(match: re.Match[str]) -> str:
        name, value = match["name"], match["value"]
        known = options.get(_ALIASES.get(name or "", name or ""))
        if name == "weights" and value == "False" and "no_weights" in options:
            return "--no-weights"
        if known is None:
            return match[0]
        if known.is_flag:
            return f"{'no ' if value == 'False' else ''}{_spelling(known)}"
        plain = (value or "").strip(_QUOTES)
        return " ".join([_spelling(known), plain if re.fullmatch(r"[-.\w]+", plain) else value or ""]).rstrip()

    message = _KEYWORD.sub(option, re.sub("(?<=pass )format=(?=,)", "--to", message))
    message = re.sub(r"(--\w[\w-]*(?: \w+)?) \(\1\)", r"\1", message).replace(" of nullspace ", " of --floating ")
    names = re.compile(rf"\b({'|'.join(options) or '$'})\b")
    message = re.sub(_UNSUPPORTED, lambda match: names.sub(lambda name: _spelling(options[name[0]]), match[0]), message)
    others = [name for name in dict.fromkeys(_ADVICE.findall(message)) if name not in options]
    is_marked = not others or "Python" in message
    return message if is_marked else f"{message} ({', '.join(f'{name}=' for name in others)} in Python)"


def _by_keyword(command: click.Command) -> dict[str, Any]:
    """Return the options of a command by the names of the library's arguments."""
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    by_name = {str(option.name): option for option in options}
    return by_name | {_spelling(option).lstrip("-").replace("-", "_"): option for option in options}


def _spelling(option: click.Parameter) -> str:
    return max(option.opts, key=len)


def _without_symmetrize(message: str) -> str:
    """Replace advice on symmetrize= and directed=, which the command line expresses by several options."""
    merges = r"(?:symmetrize|merge)=(['\"]\w+['\"](?:(?:, | or )['\"]\w+['\"])*)(?: to \w+)?"
    message = re.sub(merges, lambda match: "--merge " + re.sub("['\"]", "", match[1]), message)
    message = re.sub(r" \(or directed=True[^)]*\)", "", message)
    message = re.sub(r"pass as_graph\(graph, (symmetrize=True|--merge \w+)[^)]*\)", r"pass \1", message)
    return re.sub(r"(?<!, )symmetrize=True( to \w+)?", "--symmetrize (without --directed)", message)


@contextlib.contextmanager
def names_options(command: click.Command) -> Iterator[None]:
    """Let the message of an error of the library name the options of a command."""
    try:
        yield
    except (ValueError, TypeError, RuntimeError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (as_options(error.args[0], command),)
        raise
