"""The option table: sound in itself, and complete against nvcc's own list."""

from __future__ import annotations

import re
import subprocess

import pytest

from cassc.driver.options import BY_SPELLING, OPTIONS, Arity, Use, usage
from cassc.toolchain import Nvcc


def test_spellings_are_unique() -> None:
    assert len(BY_SPELLING) == sum(len(option.spellings) for option in OPTIONS)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_row_is_sound(option: object) -> None:
    row = BY_SPELLING[f"--{option.name}"]  # type: ignore[attr-defined]
    assert row is option
    assert row.use
    assert bool(row.reason) == bool(row.use & (Use.IGNORE | Use.REFUSE)), "a refusal says why"
    assert not (row.joined and row.arity is Arity.FLAG)
    assert not (row.values and row.arity is Arity.FLAG)


def test_every_option_of_nvcc_is_known(nvcc: Nvcc) -> None:
    """Each option that nvcc's help names is honoured, passed on, or refused by name."""
    text = subprocess.run([nvcc.path, "--help"], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^(--?[\w-]+)(.*?)\((--?[\w-]+)\)\s*$", text, re.MULTILINE)
    assert len(rows) > 100
    unknown = [spelling for long, _, short in rows for spelling in (long, short) if spelling not in BY_SPELLING]
    assert unknown == []
    for long, value, _ in rows:
        takes_value = bool(value.strip()) or long in ("--dependency-output", "--qpp-config")  # the help forgets it
        assert (BY_SPELLING[long].arity is not Arity.FLAG) == takes_value, long


def test_usage_lists_every_option() -> None:
    text = usage()
    for option in OPTIONS:
        if not option.use & Use.IGNORE:
            assert any(spelling in text for spelling in option.spellings), option.name


def test_names_that_nvcc_has_given_up_are_known() -> None:
    """What the help of 12.4 names and that of 13.0 does not."""
    assert BY_SPELLING["--host-relocatable-link"] is BY_SPELLING["-r"]
