"""Which verdicts may ship: a TOML file that a build is held to.

ship = ["accepted"]            # statuses that may ship; without the line "accepted" and "unverified"
refused = "allow"              # kernels that are left out: "allow" or "error" (the default)
minimum-launches = 8           # of accepted kernels
minimum-branches = 0.9         # share of the ways out of branches that were seen
order-dependent = "allow"      # results that depend on the order of warps: "allow" (the default) or "error"

[kernel."*debug*"]             # for kernels whose readable or mangled name matches; the first that does counts
ship = ["accepted", "unverified"]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from cassc import diag
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.driver import contents
from cassc.driver.demangle import demangle

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_STATUSES = ("accepted", "unverified")
_CHOICES = ("allow", "error")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a kernel must have. ``ship``: statuses; a rejected kernel never ships."""

    ship: tuple[str, ...] = _STATUSES
    refused: str = "error"
    minimum_launches: int = 0
    minimum_branches: float = 0.0
    order_dependent: str = "allow"

    def objections(self, verdict: Mapping[str, Any]) -> list[str]:
        """Why a kernel may not ship."""
        status = str(verdict.get("status", "unverified"))
        if status not in self.ship:
            reason = f" ({verdict['reason']})" if verdict.get("reason") else ""
            return [f"it is {status}{reason}, and only {' and '.join(self.ship) or 'nothing'} may ship"]
        if status != "accepted":
            return []
        found = []
        launches, branches = int(verdict.get("launches", 0)), float(verdict.get("branches", 0.0))
        if launches < self.minimum_launches:
            found.append(f"{launches} launches were compared, {self.minimum_launches} are asked for")
        if branches < self.minimum_branches:
            least = f"{self.minimum_branches:.0%} are asked for"
            found.append(f"{branches:.0%} of the ways out of branches were seen, {least}")
        if verdict.get("order_dependent") and self.order_dependent == "error":
            found.append("its results depend on the order of warps or on undefined memory")
        return found


@dataclass(frozen=True, slots=True)
class Policy:
    """``kernels``: (pattern, rule), in the order of the file."""

    file: str
    rule: Rule
    kernels: tuple[tuple[str, Rule], ...] = ()

    def of(self, kernel: str) -> Rule:
        names = (kernel, demangle(kernel))
        return next((r for pattern, r in self.kernels if any(fnmatchcase(n, pattern) for n in names)), self.rule)

    def enforce_file(self, path: str) -> None:
        """The verdicts in a built file; a file that holds none has nothing to object to."""
        try:
            records = contents.verdicts(path)
        except CasscError:
            return
        self.enforce_records(records)

    def enforce_records(self, records: Iterable[Mapping[str, Any]]) -> None:
        """As they stand in built files. Raises CasscError ``policy``."""
        found = list(records)
        refused = [entry["kernel"] for record in found for entry in record.get("refused", ())]
        self.enforce([verdict for record in found for verdict in record["kernels"]], refused)

    def enforce(self, verdicts: Iterable[Mapping[str, Any]], refused: Iterable[str] = ()) -> None:
        """``refused``: kernels that were left out. Raises CasscError ``policy``, with an error for each objection."""
        errors = []
        for verdict in verdicts:
            kernel = str(verdict["kernel"])
            errors += [self._error(kernel, why) for why in self.of(kernel).objections(verdict)]
        for kernel in refused:
            if self.of(kernel).refused == "error":
                errors.append(self._error(kernel, "it was not translated"))
        if errors:
            raise CasscError(*errors)

    def _error(self, kernel: str, why: str) -> Diagnostic:
        note = diag.note(f"the policy is '{self.file}'")
        return Diagnostic(Severity.ERROR, "policy", f"may not ship: {why}", Location(kernel=kernel), (note,))


def read(path: str) -> Policy:
    """Raises CasscError ``policy-file`` for a file that cannot be read, or says something that is not known."""
    try:
        content = tomllib.loads(Path(path).read_text())
    except OSError as problem:
        raise _bad(path, f"cannot read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise _bad(path, "not a policy: the file is not text") from problem
    except tomllib.TOMLDecodeError as problem:
        raise _bad(path, f"not a policy in TOML: {problem}") from problem
    kernels = content.pop("kernel", {})
    if not isinstance(kernels, dict) or not all(isinstance(entry, dict) for entry in kernels.values()):
        raise _bad(path, "'kernel' must be a table of tables")
    rule = _rule(path, content, Rule())
    return Policy(path, rule, tuple((pattern, _rule(path, entry, rule)) for pattern, entry in kernels.items()))


def _rule(path: str, entries: Mapping[str, Any], base: Rule) -> Rule:
    known = {field.name.replace("_", "-"): field.name for field in fields(Rule)}
    values: dict[str, Any] = {}
    for name, value in entries.items():
        if name not in known:
            raise _bad(path, f"unknown entry '{name}'")
        values[known[name]] = _checked(path, name, value)
    return replace(base, **values)


def _checked(path: str, name: str, value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if name == "ship":
        if isinstance(value, list) and all(status in _STATUSES for status in value):
            return tuple(value)
        raise _bad(path, f"'ship' must be a list of {' and '.join(_STATUSES)}")
    if name in ("refused", "order-dependent"):
        if value in _CHOICES:
            return value
        raise _bad(path, f"'{name}' must be {' or '.join(_CHOICES)}")
    if name == "minimum-launches" and number and value >= 0:
        return int(value)
    if name == "minimum-branches" and number and 0 <= value <= 1:
        return float(value)
    raise _bad(path, f"'{name}' must be a number{' from 0 to 1' if name == 'minimum-branches' else ''}")


def _bad(path: str, why: str) -> CasscError:
    return diag.error("policy-file", why, Location(file=path))
